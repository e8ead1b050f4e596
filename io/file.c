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
    /* A character of UTF-8 is left out whole, not only its first byte. */
    while (shown > path && ((unsigned char)*shown & 0xc0) == 0x80) ++shown;
    int const start = snprintf(error->text, sizeof error->text, "%s%s: ", shown > path ? "..." : "", shown);
    va_list args;
    va_start(args, format);
    vsnprintf(error->text + start, sizeof error->text - (size_t)start, format, args);
    va_end(args);
    return false;
}

/* The bytes of the character at `at` that a terminal may show; 0: it begins none.  UTF-8 has 1 to 4 bytes a character,
 * and control characters in U+0000 to U+001F and U+007F to U+009F. */
static int shown_bytes(const unsigned char *at)
{
    if (at[0] < 0x80) return at[0] >= ' ' && at[0] != 0x7f;
    int const bytes = at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < bytes; ++k)
        if ((at[k] & 0xc0) != 0x80) return 0;
    return at[0] == 0xc2 && at[1] < 0xa0 ? 0 : bytes;
}

void io_escape(char *out, size_t size, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    while (*at) {
        char piece[5];
        int const bytes = shown_bytes(at), length = bytes > 0 ? bytes : 4;
        if (used + (size_t)length >= size) break;
        snprintf(piece, sizeof piece, "\\x%02x", *at);
        memcpy(out + used, bytes > 0 ? (const char *)at : piece, (size_t)length);
        used += (size_t)length, at += bytes > 0 ? bytes : 1;
    }
    out[used] = '\0';
}

/* ------------------------------------------------------------------ memory */

static int64_t (*memory_left)(void);

void io_ask_memory(int64_t (*free_bytes)(void))
{
    memory_left = free_bytes;
}

const char *io_size_text(char text[IO_SIZE_TEXT], int64_t bytes)
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    double x = (double)bytes;
    int k = 0;
    for (; x >= 999.5; ++k) x /= 1000;
    snprintf(text, IO_SIZE_TEXT, "%.3g %s", x, unit[k]);
    return text;
}

bool io_memory_fits(const char *path, size_t bytes, const char *advice, io_error *error)
{
    enum { LARGE = 1 << 24 }; /* less is not asked for */
    char needed[IO_SIZE_TEXT], there[IO_SIZE_TEXT];
    if (!memory_left || bytes < LARGE) return true;
    int64_t const left = memory_left();
    if (bytes <= (size_t)left) return true;
    return io_fail(error, path, "needs %s of memory, %s are free%s",
                   io_size_text(needed, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX), io_size_text(there, left),
                   advice);
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

/* Reads until the buffer is full except for the closing zero, or until the stream ends; reports progress where the size
 * is known. */
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

/* The next size of a full buffer: twice as much, or what the header of a .npy file says. */
static size_t larger(const io_bytes *file, size_t capacity)
{
    size_t const claim = npy_claim(file), twice = capacity <= SIZE_MAX / 2 ? 2 * capacity : SIZE_MAX;
    return capacity < claim && claim < twice - 2 ? claim + 2 : twice;
}

/* Whether the buffer may grow; the size of a .npy file is known from its header. */
static bool may_grow(const char *path, const io_bytes *file, size_t from, size_t to, io_error *error)
{
    size_t const claim = npy_claim(file), whole = claim > to ? claim : to;
    return io_memory_fits(path, whole - from, ": a file by the name of .npy is read in slices", error);
}

/* Reads to the end of the stream into a buffer that grows when it is full. */
static bool load_stream(const char *path, FILE *stream, size_t capacity, bool known, io_bytes *file, io_error *error)
{
    for (size_t before = 0;;) {
        if (!may_grow(path, file, before, capacity, error)) return false;
        char *const grown = (char *)realloc(file->data, capacity);
        if (!grown) return io_fail(error, path, "needs %zu bytes of memory, which are not available", capacity);
        file->data = grown;
        fill(path, stream, capacity, known, file);
        if (ferror(stream)) return io_fail(error, path, "cannot be read: %s", strerror(errno));
        if (feof(stream)) break;
        if (capacity > SIZE_MAX / 2) return io_fail(error, path, "is larger than memory");
        before = capacity, capacity = larger(file, capacity);
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
    /* Two bytes more than the file: one to find its end, one for the closing zero. */
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
