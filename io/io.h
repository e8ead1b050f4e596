/* Files: reading and writing arrays and tridiagonal matrices, for the program, the benchmarks and the tests.
 *
 * The format follows from the name's ending: .npy (NumPy), .mtx (Matrix Market), .mat (MATLAB, through matio where the
 * build has it).  The first bytes decide for any other name (NumPy's magic, Matrix Market's banner, the header of a
 * .mat file of level 5 or 7.3), else text: numbers between white space or commas, comments from # to the end of the
 * line.  What is written under any other name is text; standard output is text or .npy.  The path "-" is standard
 * input, read to its end; pipes and devices are read in the same way.  Every function returns true, or false with one
 * sentence in error->text that names the file and what is wrong (error may be NULL); a result that was to be read is
 * then empty.  Writers write to a temporary name in the same folder, flush it to the disk and rename it: a half-written
 * output is never left behind, and a file that was there stays until the new one is complete.  A symbolic link stays;
 * its target is replaced or made.  Standard output ("-" or /dev/stdout), devices and pipes are written directly. */
#ifndef EIG_IO_H
#define EIG_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_error {
    char text[512];
} io_error;

typedef enum io_type { IO_F32, IO_F64, IO_C64, IO_C128, IO_I32, IO_I64 } io_type;

/* An array in C order.  io_array_free releases data; a zeroed structure is an empty array. */
typedef struct io_array {
    io_type type;
    int rank; /* 1 to 3 */
    int64_t shape[3];
    void *data;
} io_array;

/* T = tridiag(e, d, e) in double; e has n-1 entries (NULL when n <= 1). */
typedef struct io_tridiagonal {
    int64_t n;
    double *d, *e;
} io_tridiagonal;

size_t io_type_size(io_type type);
int64_t io_array_count(const io_array *a);
void io_array_free(io_array *a);
void io_tridiagonal_free(io_tridiagonal *t);

/* Reads an array of any rank 1 to 3: .npy of real, complex or integer type (integers and big-endian files are
 * converted: i1..i8, u1..u8, b1 -> float64 unless they are i4 or i8, which stay), C or Fortran order; .mat: the
 * first numeric variable (io_listen tells where there are more), n x n x batch becoming (batch, n, n); .mtx array or
 * coordinate format; text: float64, a matrix where there are several lines of equally many numbers, more than one,
 * matrices where empty lines cut these into blocks of equally many lines, more than one; else a vector.
 * A column in .mat or .mtx, which know no rank 1, has shape (n, 1). */
bool io_read_array(const char *path, io_array *a, io_error *error);

/* Reads a real vector as float64 (a column or row of a matrix will do, and text of any lines). */
bool io_read_vector(const char *path, io_array *a, io_error *error);

/* Reads T.  With path_e: two vectors, e of length n-1, or of length n with its first entry taken as padding (as in
 * Lessig's data files).  Without (NULL): one file that holds T: .mtx (symmetric or general, coordinate or array; must
 * be square, symmetric and tridiagonal), or text in STCollection's form (n, then rows "i d e"), or a square .npy or
 * .mat. */
bool io_read_tridiagonal(const char *path_d, const char *path_e, io_tridiagonal *t, io_error *error);

/* Writes an array by the name's ending.  Text: a vector one number a line, an array of higher rank one row a line, an
 * empty line behind each matrix of an array of rank 3, with 17 significant digits (9 for float32), a complex number as
 * two, -0 as 0; .mat (level 5): under the given variable name, (batch, n, n) becoming n x n x batch; .mtx: array
 * format, rank 1 or 2. */
bool io_write_array(const char *path, const char *variable, const io_array *a, io_error *error);

/* Whether an array of the given rank could be written; asked before it is computed.  The folder must be there, a file
 * must be possible in it, and this build must have the format and the format the rank.  Rank 0: bytes without a format.
 * Leaves nothing behind, and does not open a pipe, which would wait for its reader. */
bool io_try_output(const char *path, int rank, io_error *error);

/* Whether two outputs are one file, however it is spelled, also through links, and also where it does not exist yet.  A
 * device may take several outputs and does not count. */
bool io_same_file(const char *a, const char *b);
bool io_is_standard_output(const char *path);

/* Sets whether arrays go to standard output as .npy; else, and at the start, they go there as text. */
void io_standard_output_npy(bool npy);
bool io_is_standard_input(const char *path);

/* For signal handlers: removes the temporary files of outputs in progress.  True where an output has reached its place,
 * in whole or (standard output, devices, pipes) in part. */
void io_remove_temporary(void);
bool io_output_begun(void);

/* The outputs of one run belong together.  After io_outputs_wait(true) a complete output waits under its temporary name
 * (and `path` must stay until then); io_outputs_keep gives all that wait their names.  If one cannot have its name,
 * none has: false, with a sentence, and the old files are there again. io_outputs_drop removes those that wait. */
void io_outputs_wait(bool on);
bool io_outputs_keep(io_error *error);
void io_outputs_drop(void);

/* Writes T as a symmetric Matrix Market coordinate file (lower triangle). */
bool io_write_tridiagonal_mtx(const char *path, const io_tridiagonal *t, io_error *error);

/* Writes bytes, e.g. an SVG, with the same temporary-name-and-rename care. */
bool io_write_bytes(const char *path, const void *bytes, size_t count, io_error *error);

/* Sets the process's one watcher of long work: it gets the work ("reading", "counting", "converting" or "writing" a
 * file, "making" the matrices of a kind), the path or the kind, and how much is done, 0 to 1.  NULL: none. io_tell
 * calls it. */
typedef void (*io_watcher)(const char *what, const char *name, double fraction);
void io_watch(io_watcher watcher);
void io_tell(const char *what, const char *name, int64_t done, int64_t all);

/* Sets the process's one function that gets a sentence about what a reader chose where a file leaves a choice; NULL:
 * none. */
void io_listen(void (*listener)(const char *sentence));

/* Sets the process's one function that tells how many bytes of memory are free; NULL: none.  It is asked before an
 * array or a file takes a large part of them.  What does not fit is refused with a sentence. */
void io_ask_memory(int64_t (*free_bytes)(void));

/* "3.2 GB" */
enum { IO_SIZE_TEXT = 24 };
const char *io_size_text(char text[IO_SIZE_TEXT], int64_t bytes);

/* Makes text safe for a terminal: control characters and bytes that are no UTF-8 become \xNN. Long text is cut. */
void io_escape(char *out, size_t size, const char *text);

/* Whether this build reads and writes .mat files. */
bool io_has_mat(void);

/* Number k of an array as a double; a complex number counts twice. */
double io_array_part(const io_array *a, int64_t k);

#endif
