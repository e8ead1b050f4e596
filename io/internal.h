/* What the files of io share.  One parser and one writer for each format:
 *
 *   file.c   the bytes of a file in
 *   output.c the safe way out (temporary name, then rename)
 *   npy.c, text.c, mtx.c, mat.c   the formats
 *   slices.c arrays in slices, for files larger than memory
 *   io.c     chooses the format by the name's ending, or by the first bytes; vectors from arrays
 *   read_tridiagonal.c  tridiagonal matrices, one or a batch, from arrays
 *
 * A parser works on the whole file in memory and takes the path for its sentence only, so that the fuzz targets can
 * hand it any bytes.  It never allocates more than a small multiple of the file's size, whatever a header claims. */
#ifndef EIG_IO_INTERNAL_H
#define EIG_IO_INTERNAL_H

#include "io.h"

#include <stdio.h>

/* Writes "path: sentence" to error->text (error may be NULL) and returns false. */
bool io_fail(io_error *error, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Whether so many more bytes are free.  If not: false, with a sentence that ends with the advice (": try ...", or
 * ""). */
bool io_memory_fits(const char *path, size_t bytes, const char *advice, io_error *error);

/* Allocates the array, zeroed; rank 1 to 3, extents >= 0. */
bool io_array_create(const char *path, io_type type, int rank, const int64_t *shape, io_array *a, io_error *error);

/* Allocates d and e of an n x n matrix, zeroed. */
bool io_tridiagonal_create(const char *path, int64_t n, io_tridiagonal *t, io_error *error);

/* Takes T from a real array that must be square, symmetric and tridiagonal. */
bool io_dense_tridiagonal(const char *path, const io_array *a, io_tridiagonal *t, io_error *error);

/* ------------------------------------------------------------ whole files in */

enum { IO_PIECE = 1 << 22 }; /* bytes between two words to the watcher */
enum { IO_SOME = 1 << 16 };  /* numbers between two of them */

typedef struct io_bytes {
    char *data; /* followed by a zero byte, so that strtod and its like stop */
    size_t size;
} io_bytes;

bool io_load(const char *path, io_bytes *file, io_error *error);

typedef enum io_format { FORMAT_TEXT, FORMAT_NPY, FORMAT_MTX, FORMAT_MAT } io_format;
io_format io_format_of(const char *path);  /* by the name's ending */
io_format io_format_out(const char *path); /* of an output: by its name, or as io_standard_output_npy says */

/* What a format holds in addition to the numbers. */
typedef struct io_notes {
    const char *not_hermitian;             /* what a .mtx file says that it is instead, or NULL */
    int64_t first_line, first, line, here; /* of text: the first line has `first` numbers, `line` has not; 0: none */
} io_notes;

/* The bytes of a file and their format.  A .mat file that matio can open by its name is not loaded. */
bool io_load_known(const char *path, io_bytes *file, io_format *format, io_error *error);
bool io_parse_array(const char *path, io_format format, io_bytes *file, io_array *a, io_notes *notes, io_error *error);
bool io_read_known(const char *path, io_format *format, io_array *a, io_notes *notes, io_error *error); /* both */

/* Makes a real array float64; false if it is complex. */
bool io_to_double(const char *path, io_array *a, io_error *error);
void io_bytes_free(io_bytes *file);

/* Whether the path is standard input ("-"), a pipe or a device: such input can be read once only, from its
 * beginning. */
bool io_is_stream(const char *path);

/* The bytes as a nameless file in memory; its descriptor, or -1 with errno. */
int io_memory_file(const io_bytes *file);

/* ------------------------------------------------------------ safe way out */

/* An output in progress; eight at a time.  A regular file is written under a temporary name in its own folder; standard
 * output, a device or a pipe is written directly. */
typedef struct io_output {
    const char *path; /* for sentences */
    char *target;     /* path with symbolic links followed */
    char *temporary;  /* NULL when target is no regular file */
    FILE *file;       /* write here */
    bool joined;      /* another process opened it, and will give it its name */
} io_output;

bool io_output_open(io_output *out, const char *path, io_error *error);

/* Ends it: written tells whether all writing succeeded (errno still says why not).  On success the target holds the
 * new contents, flushed to the disk; on failure it is as it was before, and the temporary file is gone. */
bool io_output_close(io_output *out, bool written, io_error *error);

/* The two halves of closing: all bytes on the disk under the temporary name; then the target's name. */
bool io_output_settle(io_output *out, bool written, io_error *error);
bool io_output_publish(io_output *out, io_error *error); /* or it waits, see io_outputs_wait */

/* Opens the temporary file that another process has for the same path. */
bool io_output_join(io_output *out, const char *path, const char *temporary, io_error *error);

/* Ends it with the target as it was before. */
void io_output_abandon(io_output *out);

/* The disk begins to write what is there, while the next slice is made; io_output_settle then waits for less. */
void io_output_begin_flush(io_output *out);

/* Reserves this many bytes on the disk, where the file system can do that: a full disk is then reported at once. */
bool io_output_reserve(io_output *out, int64_t bytes, io_error *error);

/* Whether it can be opened; leaves nothing behind. *replaced: through a temporary file, in which a writer can seek. */
bool io_output_try(const char *path, bool *replaced, io_error *error);

/* ------------------------------------------------------------ words of a text file */

typedef struct io_scanner {
    const char *start, *next, *end;
    bool text;    /* commas and # comments may stand between words; set by text.c */
    int64_t line; /* of the word, counting from 1 */
    bool blank;   /* there is an empty line before it */
    const char *word;
    size_t length;
    int64_t words;     /* so far */
    const char *doing; /* for the watcher */
    const char *path;
    io_error *error;
} io_scanner;

/* Refuses text of two bytes a character, by the mark that some systems begin it with. */
bool io_refuse_wide(const char *path, const io_bytes *file, io_error *error);

io_scanner io_scan(const char *path, const io_bytes *file, io_error *error);
bool io_scan_word(io_scanner *s);                                /* false at the end of the file */
bool io_scan_double(io_scanner *s, const char *what, double *x); /* the next word as a number */
bool io_scan_int64(io_scanner *s, const char *what, int64_t *x); /* the next word as an integer */
bool io_scan_fail(io_scanner *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* names the line */

/* ------------------------------------------------------------ formats */

/* What a .npy file says of its numbers. */
typedef struct npy_form {
    io_type type; /* that they are held in */
    int rank;
    int64_t shape[3];
    char kind; /* of descr "<f8": kind 'f', size 8 bytes */
    int size;
    bool big, fortran; /* the most significant byte first; the first axis fastest */
    bool as_held;      /* a number's bytes are those of the held type in this machine's order */
    int64_t start;     /* the byte where they begin */
} npy_form;

/* Checks a file of `size` bytes, of which `file` has the first ones: all of the header. */
bool npy_inspect(const char *path, const io_bytes *file, size_t size, npy_form *form, io_error *error);

/* The bytes of the whole file, by its header; 0 where it is no .npy file or the header is not understood. */
size_t npy_claim(const io_bytes *beginning);

/* Converts numbers as they lie in the file to the held type. */
void npy_convert(const npy_form *form, const void *in, int64_t count, void *out);

/* The parser may take file->data over (it is then NULL). */
bool npy_parse(const char *path, io_bytes *file, io_array *a, io_error *error);
bool npy_write(const io_output *out, const io_array *a);
bool npy_write_header(const io_output *out, const io_array *a); /* what stands before the numbers */

/* Rank 2 where there are several lines of equally many numbers, more than one, rank 3 where empty lines cut them into
 * blocks of equally many lines, more than one; else rank 1. */
bool text_parse_array(const char *path, const io_bytes *file, io_array *a, io_notes *notes, io_error *error);
bool text_parse_tridiagonal(const char *path, const io_bytes *file, io_tridiagonal *t, io_error *error);
bool text_write(const io_output *out, const io_array *a);

bool mtx_parse_array(const char *path, const io_bytes *file, io_array *a, io_notes *notes, io_error *error);
bool mtx_parse_tridiagonal(const char *path, const io_bytes *file, io_tridiagonal *t, io_error *error);
bool mtx_write(const io_output *out, const io_array *a); /* rank 1 or 2 */
bool mtx_write_tridiagonal(const io_output *out, const io_tridiagonal *t);

/* path is for sentences; name is what is opened: matio needs a name, and a file in which it can seek. */
bool mat_check(const char *path, const char *name, size_t *bytes, io_error *error); /* is it a whole .mat file? */
bool mat_read(const char *path, const char *name, io_array *a, io_error *error);
bool mat_write(const char *path, const char *variable, const io_array *a, io_error *error);

#endif
