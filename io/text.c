/* Text: numbers between white space or commas, and STCollection's form of a tridiagonal matrix.
 *
 * A '#' begins a comment that lasts to the end of its line, one comma may stand after each number, and a UTF-8 byte
 * order mark before the first line is passed over.  Strict: every word must be a number from its first character to its
 * last, and a sentence about any other word names its line.  A number missing between two commas is an error, and so is
 * one too large for a double; one too small becomes zero or denormal.  The words nan and inf are numbers here (the
 * solver refuses them, by index).  Fortran's exponents (1.0D+3) are read as well. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

static bool is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool has_mark(const io_bytes *file)
{
    return file->size >= 3 && memcmp(file->data, "\xef\xbb\xbf", 3) == 0;
}

io_scanner io_scan(const char *path, const io_bytes *file, io_error *error)
{
    const char *const start = file->data + (has_mark(file) ? 3 : 0);
    return (io_scanner){.start = start,
                        .next = start,
                        .end = file->data + file->size,
                        .line = 1,
                        .word = start,
                        .doing = "converting",
                        .path = path,
                        .error = error};
}

static io_scanner scan_text(const char *path, const io_bytes *file, io_error *error)
{
    io_scanner s = io_scan(path, file, error);
    s.text = true;
    return s;
}

/* Skips white space, comments, and one comma after a word.  A second comma is the next word. */
static void skip_between(io_scanner *s)
{
    int ends = 0; /* of lines, since the last word or comment */
    s->blank = false;
    for (bool comma = false; s->next < s->end; ++s->next) {
        if (s->text && *s->next == '#') {
            ends = 0;
            while (s->next < s->end && *s->next != '\n') ++s->next;
            if (s->next == s->end) return;
        }
        if (*s->next == ',' && s->text && s->length > 0 && !comma)
            comma = true;
        else if (!is_white(*s->next))
            return;
        s->line += *s->next == '\n';
        ends += *s->next == '\n';
        s->blank |= ends > 1;
    }
}

bool io_scan_word(io_scanner *s)
{
    skip_between(s);
    s->word = s->next;
    if (s->text && s->next < s->end && *s->next == ',')
        ++s->next;
    else
        while (s->next < s->end && !is_white(*s->next) && !(s->text && (*s->next == ',' || *s->next == '#'))) ++s->next;
    s->length = (size_t)(s->next - s->word);
    if (s->words++ % IO_SOME == 0 || s->length == 0) io_tell(s->doing, s->path, s->next - s->start, s->end - s->start);
    return s->length > 0;
}

bool io_scan_fail(io_scanner *s, const char *format, ...)
{
    char sentence[256];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return io_fail(s->error, s->path, "line %" PRId64 ": %s", s->line, sentence);
}

/* Writes "'word' is not ..."; '?' stands for bytes that are unsafe for a terminal. */
static bool fail_word(io_scanner *s, const char *trouble)
{
    char shown[33];
    if (s->length >= 3 && memcmp(s->word, "\xef\xbb\xbf", 3) == 0)
        return io_scan_fail(
            s, "a byte order mark (EF BB BF) stands inside the text, where two files were joined: remove it");
    size_t const length = s->length < sizeof shown - 1 ? s->length : sizeof shown - 1;
    for (size_t i = 0; i < length; ++i) shown[i] = s->word[i] >= ' ' && s->word[i] <= '~' ? s->word[i] : '?';
    shown[length] = '\0';
    return io_scan_fail(s, "'%s%s' %s", shown, length < s->length ? "..." : "", trouble);
}

/* A number whose exponent is marked by Fortran's D; end is where strtod met the D. */
static double parse_fortran(const char *word, size_t length, const char *d, const char **end)
{
    char copy[64];
    if ((*d != 'd' && *d != 'D') || length >= sizeof copy) return 0.0;
    memcpy(copy, word, length);
    copy[length] = '\0';
    copy[d - word] = 'e';
    char *stop;
    errno = 0;
    double const x = strtod(copy, &stop);
    *end = word + (stop - copy);
    return x;
}

/* The current word as a number. */
static bool word_double(io_scanner *s, double *x)
{
    char *stop;
    errno = 0;
    *x = strtod(s->word, &stop);
    const char *end = stop;
    if (end > s->word && end < s->next) *x = parse_fortran(s->word, s->length, stop, &end);
    if (end != s->next && *s->word == ',') return io_scan_fail(s, "a number is missing before a comma");
    if (end != s->next) return fail_word(s, "is not a number");
    if (errno == ERANGE && (*x > 1.0 || *x < -1.0)) return fail_word(s, "is too large for a double");
    return true;
}

bool io_scan_double(io_scanner *s, const char *what, double *x)
{
    if (!io_scan_word(s)) return io_fail(s->error, s->path, "is truncated: %s is missing", what);
    return word_double(s, x);
}

bool io_scan_int64(io_scanner *s, const char *what, int64_t *x)
{
    if (!io_scan_word(s)) return io_fail(s->error, s->path, "is truncated: %s is missing", what);
    char *stop;
    errno = 0;
    *x = strtoll(s->word, &stop, 10);
    if (stop != s->next) return fail_word(s, "is not an integer");
    if (errno == ERANGE) return fail_word(s, "is too large for an integer");
    return true;
}

/* ------------------------------------------------------------------ reading */

/* Counts words; lines with words, and the words of a line, 0 where lines differ; blocks between empty lines, and the
 * lines of a block, 0 where blocks differ. */
typedef struct extent {
    int64_t words, lines, columns, blocks, height;
    io_notes notes;
} extent;

/* A line has ended, in front of the word. */
static void end_line(extent *w, int64_t line, int64_t here)
{
    if (w->lines == 1) w->columns = w->notes.first = here, w->notes.first_line = line;
    if (w->notes.line == 0 && here != w->notes.first) w->notes.line = line, w->notes.here = here;
    if (here != w->columns) w->columns = 0;
}

static void end_block(extent *w, int64_t lines)
{
    if (++w->blocks == 1) w->height = lines;
    if (lines != w->height) w->height = 0;
}

static extent measure(io_scanner s)
{
    extent w = {0};
    s.doing = "counting";
    int64_t line = 0, here = 0, before = 0;
    while (io_scan_word(&s)) {
        if (s.line != line) {
            if (w.lines > 0) end_line(&w, line, here);
            if (w.lines > 0 && s.blank) end_block(&w, w.lines - before), before = w.lines;
            ++w.lines, line = s.line, here = 0;
        }
        ++here, ++w.words;
    }
    if (w.lines > 0) end_line(&w, line, here), end_block(&w, w.lines - before);
    return w;
}

bool io_refuse_wide(const char *path, const io_bytes *file, io_error *error)
{
    bool const wide =
        file->size >= 2 && (memcmp(file->data, "\xff\xfe", 2) == 0 || memcmp(file->data, "\xfe\xff", 2) == 0);
    return !wide || io_fail(error, path, "is UTF-16 text; save it as UTF-8 or ASCII");
}

bool text_parse_array(const char *path, const io_bytes *file, io_array *a, io_notes *notes, io_error *error)
{
    if (!io_refuse_wide(path, file, error)) return false;
    io_scanner s = scan_text(path, file, error);
    extent const w = measure(s);
    bool const matrix = w.lines > 1 && w.columns > 1, batch = matrix && w.blocks > 1 && w.height > 1;
    int64_t const shape[3] = {batch ? w.blocks : matrix ? w.lines : w.words, batch ? w.height : w.columns, w.columns};
    if (notes) *notes = w.notes;
    if (!io_array_create(path, IO_F64, batch ? 3 : matrix ? 2 : 1, shape, a, error)) return false;
    double *const x = (double *)a->data;
    for (int64_t i = 0; i < w.words; ++i) {
        if (io_scan_word(&s) && word_double(&s, &x[i])) continue;
        io_array_free(a);
        return false;
    }
    io_tell("converting", path, 1, 1);
    return true;
}

/* Rows "i d e"; the last may leave out its e, which has no meaning. */
static bool parse_rows(io_scanner *s, bool has_last, io_tridiagonal *t)
{
    for (int64_t i = 0; i < t->n; ++i) {
        int64_t index;
        double unused;
        if (!io_scan_int64(s, "a row's index", &index)) return false;
        if (index != i + 1) return io_scan_fail(s, "row %" PRId64 " is expected, not %" PRId64, i + 1, index);
        if (!io_scan_double(s, "a diagonal entry", &t->d[i])) return false;
        bool const last = i + 1 == t->n;
        if (last && !has_last) break;
        if (!io_scan_double(s, "an off-diagonal entry", last ? &unused : &t->e[i])) return false;
    }
    io_tell("converting", s->path, 1, 1);
    return true;
}

bool text_parse_tridiagonal(const char *path, const io_bytes *file, io_tridiagonal *t, io_error *error)
{
    static const char one[] = "T alone in a text file has STCollection's form: its order n, then n rows 'i d e'; a "
                              "diagonal alone needs the file of its off-diagonal too",
                      two[] =
                          "rows of two numbers: are they 'd e'? the diagonal d and the off-diagonal e are two files, "
                          "and stebz and stemr take both";
    if (!io_refuse_wide(path, file, error)) return false;
    io_scanner s = scan_text(path, file, error);
    extent const w = measure(s);
    int64_t const words = w.words;
    const char *const form = w.lines > 1 && w.notes.first == 2 ? two : one;
    int64_t n = 0;
    if (words == 0) return io_fail(error, path, "is empty");
    if (!io_scan_int64(&s, "the order", &n) || n < 0) return io_scan_fail(&s, "not an order (%s)", form);
    /* The number of words bounds n, so that a wrong order allocates nothing. */
    bool const has_last = n <= words && words == 3 * n + 1;
    if (!has_last && (n > words || words != 3 * n)) {
        return io_fail(error, path, "%" PRId64 " words do not make a matrix of order %" PRId64 " (%s)", words, n, form);
    }
    if (!io_tridiagonal_create(path, n, t, error)) return false;
    if (parse_rows(&s, has_last, t)) return true;
    io_tridiagonal_free(t);
    return false;
}

/* ------------------------------------------------------------------ writing */

/* x + 0.0 is x, but 0 for -0. */
static bool write_number(FILE *out, const io_array *a, int64_t i)
{
    switch (a->type) {
    case IO_F32:
        return fprintf(out, "%.9g", (double)((const float *)a->data)[i] + 0.0) > 0;
    case IO_F64:
        return fprintf(out, "%.17g", ((const double *)a->data)[i] + 0.0) > 0;
    case IO_C64: {
        const float *const z = (const float *)a->data + 2 * i;
        return fprintf(out, "%.9g %.9g", (double)z[0] + 0.0, (double)z[1] + 0.0) > 0;
    }
    case IO_C128: {
        const double *const z = (const double *)a->data + 2 * i;
        return fprintf(out, "%.17g %.17g", z[0] + 0.0, z[1] + 0.0) > 0;
    }
    case IO_I32:
        return fprintf(out, "%" PRId32, ((const int32_t *)a->data)[i]) > 0;
    case IO_I64:
        return fprintf(out, "%" PRId64, ((const int64_t *)a->data)[i]) > 0;
    }
    return false;
}

/* A vector has one number a line; an array of higher rank a line for each row, and one of rank 3 an empty line behind
 * each of its matrices. */
bool text_write(const io_output *out, const io_array *a)
{
    int64_t const count = io_array_count(a);
    int64_t const columns = a->rank > 1 ? a->shape[a->rank - 1] : 1;
    int64_t const block = a->rank == 3 ? a->shape[1] * columns : INT64_MAX;
    for (int64_t i = 0; i < count; ++i) {
        if (i % IO_SOME == 0) io_tell("writing", out->path, i, count);
        if (!write_number(out->file, a, i)) return false;
        if (fputc((i + 1) % columns == 0 ? '\n' : ' ', out->file) == EOF) return false;
        if ((i + 1) % block == 0 && fputc('\n', out->file) == EOF) return false;
    }
    return true;
}
