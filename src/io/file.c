/* Sentences about files, and whole files in: one buffer of the file's own size; pipes and devices work too, by
 * growing. */
#define _GNU_SOURCE /* memfd_create */
#include "internal.h"

#include <errno.h>
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
    if (path[0] == '\0') path = "''";
    size_t const length = strlen(path);
    const char *shown = length > SHOWN ? path + length - SHOWN : path;
    /* Bytes that go on with a character of UTF-8 are left out with its beginning. */
    while (shown > path && ((unsigned char)*shown & 0xc0) == 0x80) ++shown;
    int const start = snprintf(error->text, sizeof error->text, "%s%s: ", shown > path ? "..." : "", shown);
    va_list args;
    va_start(args, format);
    vsnprintf(error->text + start, sizeof error->text - (size_t)start, format, args);
    va_end(args);
    return false;
}

static io_watcher watching;

void io_watch(io_watcher watcher)
{
    watching = watcher;
}

void io_tell(const char *what, const char *name, int64_t done, int64_t all)
{
    if (watching) watching(what, name, all > 0 ? (double)done / (double)all : 1);
}

/* ------------------------------------------------------------------ whole files in */

bool io_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
}

/* Reads until the buffer is full, one byte kept for the closing zero, or the stream ends; tells of a file whose size is
 * known. */
static void fill(const char *path, FILE *stream, size_t capacity, bool known, io_bytes *file)
{
    size_t const room = capacity - 1;
    while (file->size < room && !feof(stream) && !ferror(stream)) {
        size_t const wanted = room - file->size < IO_PIECE ? room - file->size : IO_PIECE;
        if (known) io_tell("reading", path, (int64_t)file->size, (int64_t)room);
        file->size += fread(file->data + file->size, 1, wanted, stream);
    }
    if (known) io_tell("reading", path, 1, 1);
}

/* Reads to the end of the stream, doubling the buffer when it is full. */
static bool load_stream(const char *path, FILE *stream, size_t capacity, bool known, io_bytes *file, io_error *error)
{
    for (;;) {
        char *const grown = (char *)realloc(file->data, capacity);
        if (!grown) return io_fail(error, path, "needs %zu bytes of memory, which are not available", capacity);
        file->data = grown;
        fill(path, stream, capacity, known, file);
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
    bool const ok = load_stream(path, stream, capacity, known, file, error);
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
