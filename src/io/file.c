/* Whole files in, and the safe way out.
 *
 * Reading takes the file in one buffer of its own size; pipes and devices work too, by growing.  Writing never touches
 * the target until the new contents are complete: they go to a temporary name in the same folder, are flushed to the
 * disk (only then has a full disk been heard of), and renamed over the target, which is atomic. */
#define _GNU_SOURCE /* memfd_create */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool io_fail(io_error *error, const char *path, const char *format, ...)
{
    if (!error) return false;
    /* The end of a long path says more than its beginning, and must leave room for the sentence. */
    enum { SHOWN = 160 };
    if (strcmp(path, "-") == 0) path = "standard input";
    size_t const length = strlen(path);
    bool const cut = length > SHOWN;
    int const start =
        snprintf(error->text, sizeof error->text, "%s%s: ", cut ? "..." : "", cut ? path + length - SHOWN : path);
    va_list args;
    va_start(args, format);
    vsnprintf(error->text + start, sizeof error->text - (size_t)start, format, args);
    va_end(args);
    return false;
}

/* ------------------------------------------------------------------ whole files in */

/* Reads to the end of the stream, doubling the buffer when it is full; one byte is kept for the closing zero. */
static bool load_stream(const char *path, FILE *stream, size_t capacity, io_bytes *file, io_error *error)
{
    for (;;) {
        char *const grown = (char *)realloc(file->data, capacity);
        if (!grown) return io_fail(error, path, "needs %zu bytes of memory, which are not available", capacity);
        file->data = grown;
        file->size += fread(file->data + file->size, 1, capacity - 1 - file->size, stream);
        if (ferror(stream)) return io_fail(error, path, "cannot be read: %s", strerror(errno));
        if (feof(stream)) break;
        if (capacity > SIZE_MAX / 2) return io_fail(error, path, "is larger than memory");
        capacity *= 2;
    }
    file->data[file->size] = '\0';
    return true;
}

bool io_load(const char *path, io_bytes *file, io_error *error)
{
    *file = (io_bytes){0};
    bool const standard = strcmp(path, "-") == 0;
    FILE *const stream = standard ? stdin : fopen(path, "rb");
    if (!stream) return io_fail(error, path, "cannot be opened: %s", strerror(errno));
    struct stat status;
    bool const known = fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode);
    /* Two bytes more than the file: one to meet its end, one for the closing zero. */
    size_t const capacity = known ? (size_t)status.st_size + 2 : 65536;
    bool const ok = load_stream(path, stream, capacity, file, error);
    if (!standard) fclose(stream);
    if (!ok) io_bytes_free(file);
    return ok;
}

void io_bytes_free(io_bytes *file)
{
    free(file->data);
    *file = (io_bytes){0};
}

bool io_is_stream(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int io_memory_file(const io_bytes *file)
{
    int const descriptor = memfd_create("eigpack", MFD_CLOEXEC);
    for (size_t done = 0; descriptor >= 0 && done < file->size;) {
        ssize_t const more = write(descriptor, file->data + done, file->size - done);
        if (more < 0) {
            int const reason = errno;
            close(descriptor);
            errno = reason;
            return -1;
        }
        done += (size_t)more;
    }
    return descriptor;
}

/* ------------------------------------------------------------------ safe way out */

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
        descriptor = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) break;
    }
    if (descriptor < 0) {
        int const reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
    }
    return descriptor;
}

static bool output_fail(io_output *out, io_error *error, int reason)
{
    if (out->file) fclose(out->file);
    if (out->temporary) unlink(out->temporary);
    io_fail(error, out->path, "cannot be written: %s", strerror(reason));
    free(out->temporary);
    free(out->target);
    *out = (io_output){0};
    return false;
}

bool io_output_open(io_output *out, const char *path, io_error *error)
{
    *out = (io_output){.path = path};
    out->target = realpath(path, NULL); /* a symbolic link stays; what it points to is replaced */
    bool const exists = out->target != NULL;
    if (!exists) out->target = strdup(path);
    if (!out->target) return output_fail(out, error, ENOMEM);
    struct stat status;
    if (exists) {
        if (stat(out->target, &status) != 0) return output_fail(out, error, errno);
        if (S_ISDIR(status.st_mode)) return output_fail(out, error, EISDIR);
        if (access(out->target, W_OK) != 0) return output_fail(out, error, errno);
    }
    if (exists && !S_ISREG(status.st_mode)) {
        out->file = fopen(out->target, "wb");
        return out->file || output_fail(out, error, errno);
    }
    int const descriptor = create_beside(out->target, &out->temporary);
    if (descriptor < 0) return output_fail(out, error, errno);
    /* A file that is replaced keeps its permissions, as far as we may set them. */
    if (exists && fchmod(descriptor, status.st_mode & 07777) != 0) errno = 0;
    out->file = fdopen(descriptor, "wb");
    if (!out->file) {
        int const reason = errno;
        close(descriptor);
        return output_fail(out, error, reason);
    }
    return true;
}

bool io_output_close(io_output *out, bool written, io_error *error)
{
    if (!written || fflush(out->file) != 0) return output_fail(out, error, errno);
    if (out->temporary && fsync(fileno(out->file)) != 0) return output_fail(out, error, errno);
    int const closed = fclose(out->file);
    out->file = NULL;
    if (closed != 0) return output_fail(out, error, errno);
    if (out->temporary && rename(out->temporary, out->target) != 0) return output_fail(out, error, errno);
    free(out->temporary);
    free(out->target);
    *out = (io_output){0};
    return true;
}

bool io_write_bytes(const char *path, const void *bytes, size_t count, io_error *error)
{
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    bool const written = fwrite(bytes, 1, count, out.file) == count;
    return io_output_close(&out, written, error);
}
