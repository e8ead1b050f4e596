/* The safe way out.
 *
 * Writing never touches the target until the new contents are complete: they go to a temporary name in the same folder,
 * are flushed to the disk (which reports a full disk), and are renamed over the target, which is atomic.  Standard
 * output, pipes and devices are written directly. */
#define _GNU_SOURCE /* fallocate, realpath */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a signal handler needs: the temporary files on the disk, and whether any output has reached its place. */
enum { MOST_TEMPORARIES = 8 };
static char *volatile lying_about[MOST_TEMPORARIES];
static volatile sig_atomic_t begun;

void io_remove_temporary(void)
{
    for (int k = 0; k < MOST_TEMPORARIES; ++k)
        if (lying_about[k]) unlink(lying_about[k]);
}

/* The first of the places becomes the new name; NULL stands for an empty one. */
static bool note(const char *old, char *name)
{
    for (int k = 0; k < MOST_TEMPORARIES; ++k)
        if (lying_about[k] == old) return lying_about[k] = name, true;
    errno = EMFILE;
    return false;
}

bool io_output_begun(void)
{
    return begun;
}

bool io_is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* ------------------------------------------------------------------ where it goes */

/* The target of a path. */
typedef struct place {
    char *name; /* of a regular file, or of one that is yet to be made: with symbolic links followed */
    bool exists;
    struct stat status;
} place;

/* What a symbolic link says, seen from the link's own folder; NULL with errno. */
static char *read_link(const char *link)
{
    char text[4096];
    ssize_t const length = readlink(link, text, sizeof text - 1);
    if (length < 0) return NULL;
    text[length] = '\0';
    const char *const slash = strrchr(link, '/');
    size_t const folder = slash && text[0] != '/' ? (size_t)(slash + 1 - link) : 0;
    char *const name = (char *)malloc(folder + (size_t)length + 1);
    if (!name) return NULL;
    memcpy(name, link, folder);
    memcpy(name + folder, text, (size_t)length + 1);
    return name;
}

/* Follows symbolic links, also to a target that does not exist yet.  False with errno. */
static bool find_place(const char *path, place *p)
{
    enum { MOST_LINKS = 40 };
    *p = (place){.name = strdup(path)};
    for (int links = 0; p->name && links < MOST_LINKS; ++links) {
        struct stat own;
        p->exists = stat(p->name, &p->status) == 0;
        if (p->exists && S_ISREG(p->status.st_mode)) {
            char *const real = realpath(p->name, NULL);
            if (real) free(p->name), p->name = real;
            return true;
        }
        if (p->exists) return true;
        if (errno != ENOENT) break;
        bool const is_link = lstat(p->name, &own) == 0 && S_ISLNK(own.st_mode);
        errno = ENOENT;
        if (!is_link) return path[0] != '\0' || (free(p->name), false);
        char *const next = read_link(p->name);
        free(p->name);
        p->name = next;
    }
    int const reason = errno;
    free(p->name);
    errno = reason;
    return false;
}

/* The folder of a name, to be freed. */
static char *folder_of(const char *name)
{
    const char *const slash = strrchr(name, '/');
    return slash ? strndup(name, (size_t)(slash + 1 - name)) : strdup(".");
}

/* Whether two files that do not exist yet would have one name in one folder. */
static bool same_name(const char *a, const char *b)
{
    struct stat x, y;
    const char *const slash_a = strrchr(a, '/'), *const slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) return false;
    char *const folder_a = folder_of(a), *const folder_b = folder_of(b);
    bool const same = folder_a && folder_b && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
                      x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

/* The same for an output; standard output is what it leads to. */
static bool find_output(const char *path, place *p)
{
    if (!io_is_standard_output(path)) return find_place(path, p);
    *p = (place){.name = strdup(path)};
    p->exists = fstat(STDOUT_FILENO, &p->status) == 0;
    return p->name != NULL;
}

bool io_same_file(const char *a, const char *b)
{
    place x, y;
    if (io_is_standard_output(a) && io_is_standard_output(b)) return true;
    if (!find_output(a, &x)) return false;
    if (!find_output(b, &y)) return free(x.name), false;
    bool same = false;
    if (x.exists && y.exists)
        same = !S_ISCHR(x.status.st_mode) && x.status.st_dev == y.status.st_dev && x.status.st_ino == y.status.st_ino;
    else if (!x.exists && !y.exists)
        same = same_name(x.name, y.name);
    free(x.name);
    free(y.name);
    return same;
}

/* ------------------------------------------------------------------ writing */

/* Creates a new file beside target, and returns its descriptor and name; -1 with errno on failure.  The name is short,
 * so that a target whose name has the longest allowed length can still be written. */
static int create_beside(const char *target, char **name)
{
    const char *const slash = strrchr(target, '/');
    int const folder = slash ? (int)(slash + 1 - target) : 0;
    size_t const size = (size_t)folder + 64;
    *name = (char *)malloc(size);
    if (!*name) return -1;
    int descriptor = -1;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        snprintf(*name, size, "%.*s.eigpack-%ld-%d.tmp", folder, target, (long)getpid(), attempt);
        if (!note(NULL, *name)) break; /* before it is there: a signal may come in between */
        descriptor = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) break;
        note(*name, NULL);
        if (errno != EEXIST) break;
    }
    if (descriptor < 0) {
        int const reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
    }
    return descriptor;
}

static void forget(io_output *out)
{
    if (out->temporary) note(out->temporary, NULL);
    free(out->temporary);
    free(out->target);
    *out = (io_output){0};
}

void io_output_abandon(io_output *out)
{
    if (out->file && out->file != stdout) fclose(out->file);
    if (out->temporary) unlink(out->temporary);
    forget(out);
}

static bool output_fail(io_output *out, io_error *error, int reason)
{
    const char *const name = io_is_standard_output(out->path) ? "standard output" : out->path;
    io_fail(error, name, "cannot be written: %s", strerror(reason));
    io_output_abandon(out);
    return false;
}

static bool open_directly(io_output *out, io_error *error)
{
    out->file = io_is_standard_output(out->target) ? stdout : fopen(out->target, "wb");
    begun = true;
    return out->file || output_fail(out, error, errno);
}

/* Finds the place, and refuses one that cannot be written. */
static bool open_place(io_output *out, const char *path, place *p, io_error *error)
{
    *out = (io_output){.path = path};
    *p = (place){0};
    if (io_is_standard_output(path)) return (out->target = strdup(path)) || output_fail(out, error, ENOMEM);
    if (!find_place(path, p)) return output_fail(out, error, errno);
    out->target = p->name;
    if (p->exists && S_ISDIR(p->status.st_mode)) return output_fail(out, error, EISDIR);
    return !p->exists || access(out->target, W_OK) == 0 || output_fail(out, error, errno);
}

/* A place that is written through a temporary file. */
static bool is_replaced(const io_output *out, const place *p)
{
    return !io_is_standard_output(out->target) && (!p->exists || S_ISREG(p->status.st_mode));
}

bool io_output_open(io_output *out, const char *path, io_error *error)
{
    place p;
    if (!open_place(out, path, &p, error)) return false;
    if (!is_replaced(out, &p)) return open_directly(out, error);
    int const descriptor = create_beside(out->target, &out->temporary);
    if (descriptor < 0) return output_fail(out, error, errno);
    /* A file that is replaced keeps its permissions, as far as we may set them. */
    if (p.exists && fchmod(descriptor, p.status.st_mode & 07777) != 0) errno = 0;
    out->file = fdopen(descriptor, "wb");
    if (!out->file) {
        int const reason = errno;
        close(descriptor);
        return output_fail(out, error, reason);
    }
    return true;
}

bool io_output_settle(io_output *out, bool written, io_error *error)
{
    if (!written || fflush(out->file) != 0) return output_fail(out, error, errno);
    if (out->temporary && fsync(fileno(out->file)) != 0) return output_fail(out, error, errno);
    int const closed = out->file == stdout ? 0 : fclose(out->file);
    out->file = NULL;
    return closed == 0 || output_fail(out, error, errno);
}

/* Outputs that are complete, and wait for their names. */
static struct {
    bool on;
    int count;
    io_output out[MOST_TEMPORARIES];
    bool swapped[MOST_TEMPORARIES]; /* the temporary name has what was there before */
} waiting;

bool io_output_publish(io_output *out, io_error *error)
{
    io_tell("writing", out->path, 1, 1);
    if (waiting.on && out->temporary && !out->joined && waiting.count < MOST_TEMPORARIES) {
        waiting.out[waiting.count++] = *out;
        *out = (io_output){0};
        return true;
    }
    if (out->temporary && !out->joined && rename(out->temporary, out->target) != 0)
        return output_fail(out, error, errno);
    begun = true;
    forget(out);
    return true;
}

bool io_output_close(io_output *out, bool written, io_error *error)
{
    return io_output_settle(out, written, error) && io_output_publish(out, error);
}

/* ------------------------------------------------------------------ all or none */

void io_outputs_wait(bool on)
{
    waiting.on = on;
}

void io_outputs_drop(void)
{
    for (int k = 0; k < waiting.count; ++k) io_output_abandon(&waiting.out[k]);
    waiting.count = 0;
}

/* Two files change their names; false where the file system cannot do that. */
static bool swap(const char *a, const char *b)
{
#ifdef SYS_renameat2
    enum { EXCHANGE = 2 }; /* RENAME_EXCHANGE of linux/fs.h */
    return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, EXCHANGE) == 0;
#else
    return (void)a, (void)b, false;
#endif
}

/* A file that is there is exchanged with the new one, so that it can be restored. */
static bool give_name(int k)
{
    const io_output *const out = &waiting.out[k];
    struct stat status;
    bool const replaces = waiting.count > 1 && lstat(out->target, &status) == 0 && S_ISREG(status.st_mode);
    waiting.swapped[k] = replaces && swap(out->temporary, out->target);
    return waiting.swapped[k] || rename(out->temporary, out->target) == 0;
}

static void take_name_back(int k)
{
    const io_output *const out = &waiting.out[k];
    if (!waiting.swapped[k]) unlink(out->target);
    if (waiting.swapped[k] && !swap(out->temporary, out->target)) unlink(out->target);
}

/* No signal comes between the names. */
bool io_outputs_keep(io_error *error)
{
    sigset_t all, before;
    int named = 0, reason = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    while (named < waiting.count && reason == 0)
        if (give_name(named))
            ++named;
        else
            reason = errno;
    if (reason != 0) io_fail(error, waiting.out[named].path, "cannot be written: %s", strerror(reason));
    while (reason != 0 && named > 0) take_name_back(--named);
    begun = begun || (reason == 0 && waiting.count > 0);
    io_outputs_drop(); /* what is left under the temporary names */
    sigprocmask(SIG_SETMASK, &before, NULL);
    return reason == 0;
}

bool io_output_join(io_output *out, const char *path, const char *temporary, io_error *error)
{
    *out = (io_output){.path = path, .joined = true, .temporary = strdup(temporary)};
    if (!out->temporary || !note(NULL, out->temporary)) return output_fail(out, error, errno);
    out->file = fopen(temporary, "r+b");
    return out->file || output_fail(out, error, errno);
}

bool io_output_reserve(io_output *out, int64_t bytes, io_error *error)
{
    if (!out->temporary || bytes == 0 || fallocate(fileno(out->file), 0, 0, bytes) == 0) return true;
    return (errno != ENOSPC && errno != EFBIG && errno != EDQUOT) || output_fail(out, error, errno);
}

void io_output_begin_flush(io_output *out)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (out->temporary && fflush(out->file) == 0) sync_file_range(fileno(out->file), 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)out;
#endif
}

bool io_output_try(const char *path, bool *replaced, io_error *error)
{
    io_output out;
    place p;
    if (!open_place(&out, path, &p, error)) return false;
    *replaced = is_replaced(&out, &p);
    if (*replaced) {
        int const descriptor = create_beside(out.target, &out.temporary);
        if (descriptor < 0) return output_fail(&out, error, errno);
        close(descriptor);
        unlink(out.temporary);
    }
    forget(&out);
    return true;
}

bool io_write_bytes(const char *path, const void *bytes, size_t count, io_error *error)
{
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    bool const written = fwrite(bytes, 1, count, out.file) == count;
    return io_output_close(&out, written, error);
}
