/* Arrays that are read and written in slices. */
#define _POSIX_C_SOURCE 200809L
#include "slices.h"

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t bytes_of(const io_array *a)
{
    return io_array_count(a) * (int64_t)io_type_size(a->type);
}

/* ------------------------------------------------------------------ in */

/* Reads bytes of the file at an offset.  Returns how many there were before its end, or -1 with errno. */
static int64_t read_at(int file, void *out, int64_t bytes, int64_t offset)
{
    int64_t done = 0;
    while (done < bytes) {
        int64_t const wanted = bytes - done < IO_PIECE ? bytes - done : IO_PIECE;
        ssize_t const got = pread(file, (char *)out + done, (size_t)wanted, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += got;
    }
    return done;
}

/* The longest header of version 1 and what stands before it. */
enum { HEAD = 65536 + 12 };

/* Sets *streams: the file is a .npy file that can be read in slices.  It is not where only the reader of whole files
 * takes its header.  Returns false for a damaged file. */
static bool inspect(const char *path, int file, bool *streams, npy_form *form, io_error *error)
{
    static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    struct stat status;
    *streams = false;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return true;
    char *const head = (char *)malloc(HEAD);
    if (!head) return io_fail(error, path, "needs %d bytes of memory, which are not available", HEAD);
    int64_t const got = read_at(file, head, HEAD, 0);
    bool good = true;
    if (got > 12 && memcmp(head, magic, sizeof magic) == 0) {
        const unsigned char *const length = (const unsigned char *)head + 8;
        bool const is_long = (unsigned char)head[6] > 1 && (length[2] || length[3]);
        io_bytes const bytes = {head, (size_t)got};
        if (!is_long) good = npy_inspect(path, &bytes, (size_t)status.st_size, form, error);
        *streams = good && !is_long && !form->fortran;
    }
    free(head);
    return good;
}

bool io_source_open(const char *path, io_source *s, io_error *error)
{
    io_format format;
    npy_form form = {0};
    bool streams = false;
    *s = (io_source){.path = path, .file = -1};
    format = io_format_of(path);
    if (!io_is_stream(path) && (format == FORMAT_NPY || format == FORMAT_TEXT)) {
        s->file = open(path, O_RDONLY | O_CLOEXEC);
        if (s->file >= 0 && !inspect(path, s->file, &streams, &form, error)) return io_source_close(s), false;
    }
    if (streams) s->form = (npy_form *)malloc(sizeof form);
    if (s->form) {
        *s->form = form;
        s->a = (io_array){form.type, form.rank, {form.shape[0], form.shape[1], form.shape[2]}, NULL};
        return true;
    }
    io_source_close(s);
    *s = (io_source){.path = path, .file = -1};
    io_notes notes = {.line = 0};
    if (!io_read_known(path, &format, &s->a, &notes, error)) return false;
    s->text = format == FORMAT_TEXT;
    s->not_hermitian = notes.not_hermitian;
    s->first_line = notes.first_line, s->first = notes.first, s->line = notes.line, s->here = notes.here;
    return true;
}

void io_source_close(io_source *s)
{
    if (s->path && s->file >= 0) close(s->file);
    free(s->form);
    io_array_free(&s->a);
    *s = (io_source){0};
}

/* Reads numbers that lie side by side in the file, converted piece by piece where they must be. */
static bool read_numbers(const io_source *s, int64_t first, int64_t count, char *out, void *piece, io_error *error)
{
    int64_t const size = s->form->size, held = (int64_t)io_type_size(s->a.type), most = IO_SOME;
    for (int64_t done = 0; done < count;) {
        int64_t const some = piece && count - done > most ? most : count - done;
        int64_t const from = s->form->start + (first + done) * size;
        int64_t const got = read_at(s->file, piece ? piece : out + done * held, some * size, from);
        /* The next read finds its numbers in memory: several threads read in turns, each of which would wait. */
        if (!piece) posix_fadvise(s->file, (off_t)(from + some * size), (off_t)(2 * some * size), POSIX_FADV_WILLNEED);
        if (got < 0) return io_fail(error, s->path, "cannot be read: %s", strerror(errno));
        if (got < some * size) return io_fail(error, s->path, "was cut short while it was read");
        if (piece) npy_convert(s->form, piece, some, out + done * held);
        done += some;
    }
    return true;
}

bool io_source_read(const io_source *s, const io_slab *slab, void *out, io_error *error)
{
    int64_t const held = (int64_t)io_type_size(s->a.type), run = slab->count * slab->inner;
    bool const converts = s->form && !s->form->as_held;
    void *const piece = converts ? malloc((size_t)IO_SOME * (size_t)s->form->size) : NULL;
    if (converts && !piece) return io_fail(error, s->path, "cannot be converted: there is no memory");
    bool good = true;
    for (int64_t k = 0; k < slab->outer && run > 0 && good; ++k) {
        int64_t const first = (k * slab->batch + slab->first) * slab->inner;
        char *const to = (char *)out + k * run * held;
        if (s->form)
            good = read_numbers(s, first, run, to, piece, error);
        else
            memcpy(to, (const char *)s->a.data + first * held, (size_t)(run * held));
    }
    free(piece);
    return good;
}

int64_t io_source_held(const io_source *s)
{
    return s->a.data ? bytes_of(&s->a) : 0;
}

/* ------------------------------------------------------------------ out */

/* Whether it is written in slices.  Of pipes only a single one is, since a reader may read one pipe after the other. */
static bool is_sliced(const io_sink *sink, bool replaced, int direct)
{
    io_format const format = io_format_out(sink->path);
    return (format == FORMAT_NPY || format == FORMAT_TEXT) && (replaced || direct == 1);
}

static bool open_sliced(io_sink *sink, io_error *error)
{
    sink->out = (io_output *)calloc(1, sizeof *sink->out);
    if (!sink->out) return io_fail(error, sink->path, "cannot be written: there is no memory");
    if (!io_output_open(sink->out, sink->path, error)) return free(sink->out), sink->out = NULL, false;
    if (io_format_out(sink->path) != FORMAT_NPY) return true;
    if (!npy_write_header(sink->out, &sink->a) || fflush(sink->out->file) != 0)
        return io_output_settle(sink->out, false, error);
    if (!sink->out->temporary) return true;
    sink->start = (int64_t)ftello(sink->out->file);
    return io_output_reserve(sink->out, sink->start + bytes_of(&sink->a), error);
}

/* Bytes of memory for a sink that is held whole.  A .mat file is copied, read back and compared. */
static int64_t held_bytes(const io_sink *sink)
{
    return (io_format_out(sink->path) == FORMAT_MAT ? 3 : 1) * bytes_of(&sink->a);
}

static bool open_held(io_sink *sink, io_error *error)
{
    io_array const a = sink->a;
    if (!io_memory_fits(sink->path, (size_t)held_bytes(sink), ": a .npy file is written in slices", error))
        return false;
    return io_array_create(sink->path, a.type, a.rank, a.shape, &sink->a, error);
}

bool io_sinks_open(io_sink *sinks, int count, io_error *error)
{
    bool replaced[IO_SINKS] = {false}, good = true;
    int direct = 0;
    for (int k = 0; k < count && good; ++k) {
        if (!sinks[k].path) continue;
        good = io_output_try(sinks[k].path, &replaced[k], error);
        direct += !replaced[k];
    }
    for (int k = 0; k < count && good; ++k) {
        io_sink *const sink = &sinks[k];
        if (!sink->path) continue;
        good = !sink->whole && is_sliced(sink, replaced[k], direct) ? open_sliced(sink, error) : open_held(sink, error);
    }
    if (!good) io_sinks_abandon(sinks, count);
    return good;
}

/* Part of an array as one of its rank: a vector, rows, or matrices. */
static bool write_text(const io_sink *sink, int64_t count, const void *numbers)
{
    io_array part = sink->a;
    int64_t inner = 1;
    for (int k = 1; k < part.rank; ++k) inner *= part.shape[k];
    part.shape[0] = inner ? count / inner : 0;
    part.data = (void *)(uintptr_t)numbers;
    return text_write(sink->out, &part);
}

/* A .npy file under a temporary name: numbers go to their place, with nothing between them and the file. */
static bool is_placed(const io_sink *sink)
{
    return sink->out && sink->out->temporary && sink->start > 0;
}

static bool write_placed(io_sink *sink, int64_t first, int64_t count, const void *numbers, io_error *error)
{
    enum { FLUSHED = 8 << 20 }; /* bytes that are worth a word to the disk */
    int64_t const size = (int64_t)io_type_size(sink->a.type), bytes = count * size;
    for (int64_t done = 0; done < bytes;) {
        ssize_t const more = pwrite(fileno(sink->out->file), (const char *)numbers + done, (size_t)(bytes - done),
                                    (off_t)(sink->start + first * size + done));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return io_fail(error, sink->path, "cannot be written: %s", strerror(errno));
        done += more;
    }
    if (__atomic_add_fetch(&sink->waiting, bytes, __ATOMIC_RELAXED) < FLUSHED) return true;
    __atomic_store_n(&sink->waiting, 0, __ATOMIC_RELAXED);
    io_output_begin_flush(sink->out);
    return true;
}

bool io_sinks_in_any_order(const io_sink *sinks, int count)
{
    bool any = true;
    for (int k = 0; k < count; ++k)
        any = any && (!sinks[k].path || is_placed(&sinks[k]) || (!sinks[k].out && !sinks[k].whole));
    return any;
}

/* Notes what was written to a part: one run more, or the last one is longer. */
static bool note_run(io_sink *sink, int64_t first, int64_t count, io_error *error)
{
    io_run *const last = sink->runs > 0 ? &sink->run[sink->runs - 1] : NULL;
    if (last && last->first + last->count == first) return last->count += count, true;
    if ((sink->runs & (sink->runs - 1)) == 0) { /* full: room for as many more */
        io_run *const more = (io_run *)realloc(sink->run, (size_t)(sink->runs > 0 ? 2 * sink->runs : 1) * sizeof *more);
        if (!more) return io_fail(error, sink->path, "cannot be written: there is no memory");
        sink->run = more;
    }
    sink->run[sink->runs++] = (io_run){first, count};
    return true;
}

bool io_sink_write(io_sink *sink, int64_t first, int64_t count, const void *numbers, io_error *error)
{
    if (!sink->path || count == 0) return true;
    size_t const size = io_type_size(sink->a.type);
    if (!sink->out) {
        memcpy((char *)sink->a.data + (size_t)first * size, numbers, (size_t)count * size);
        return !sink->whole || note_run(sink, first, count, error);
    }
    if (is_placed(sink)) return write_placed(sink, first, count, numbers, error);
    bool const good = io_format_out(sink->path) == FORMAT_TEXT
                          ? write_text(sink, count, numbers)
                          : fwrite(numbers, size, (size_t)count, sink->out->file) == (size_t)count;
    if (good) io_output_begin_flush(sink->out);
    return good || io_output_settle(sink->out, false, error);
}

bool io_sinks_settle(io_sink *sinks, int count, io_error *error)
{
    bool good = true;
    for (int k = 0; k < count && good; ++k)
        if (sinks[k].out) good = io_output_settle(sinks[k].out, true, error);
    return good;
}

bool io_sinks_publish(io_sink *sinks, int count, io_error *error)
{
    bool good = true;
    for (int k = 0; k < count && good; ++k)
        if (sinks[k].a.data) good = io_write_array(sinks[k].path, sinks[k].variable, &sinks[k].a, error);
    for (int k = 0; k < count && good; ++k)
        if (sinks[k].out) good = io_output_publish(sinks[k].out, error);
    io_sinks_abandon(sinks, count);
    return good;
}

bool io_sinks_close(io_sink *sinks, int count, io_error *error)
{
    return io_sinks_settle(sinks, count, error) && io_sinks_publish(sinks, count, error);
}

/* ------------------------------------------------------------------ one file of several processes */

const char *io_sink_temporary(const io_sink *sink)
{
    return sink->out && sink->out->temporary ? sink->out->temporary : "";
}

bool io_sink_join(io_sink *sink, const char *temporary, io_error *error)
{
    unsigned char head[10];
    sink->out = (io_output *)calloc(1, sizeof *sink->out);
    if (!sink->out) return io_fail(error, sink->path, "cannot be written: there is no memory");
    if (!io_output_join(sink->out, sink->path, temporary, error)) return false;
    if (fread(head, 1, sizeof head, sink->out->file) != sizeof head) return io_output_settle(sink->out, false, error);
    sink->start = 10 + head[8] + 256 * head[9];
    return true;
}

bool io_sink_can_join(const char *path)
{
    return io_format_out(path) == FORMAT_NPY && !io_is_standard_output(path) && !io_is_stream(path);
}

bool io_sink_hold_part(io_sink *sink, io_error *error)
{
    io_array const a = sink->a;
    return io_array_create(sink->path, a.type, a.rank, a.shape, &sink->a, error);
}

void io_sink_drop(io_sink *sink)
{
    if (sink->out && sink->out->path) io_output_abandon(sink->out);
    free(sink->out);
    free(sink->run);
    io_array_free(&sink->a);
    *sink = (io_sink){0};
}

void io_sinks_abandon(io_sink *sinks, int count)
{
    for (int k = 0; k < count; ++k) io_sink_drop(&sinks[k]);
}

int64_t io_sink_held(const io_sink *sink)
{
    return sink->a.data ? held_bytes(sink) : 0;
}
