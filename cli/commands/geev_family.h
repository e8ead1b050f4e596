/* eigpack geev --affine: a family A(p) = A0 + p1 A1 + ... + pm Am from files, and the grid of its parameters. */
#ifndef EIG_CLI_GEEV_FAMILY_H
#define EIG_CLI_GEEV_FAMILY_H

#include "commands/commands.h"
#include "pictures/svg.h"

enum { FAMILY_MOST = 8 }; /* parameters */

typedef struct family {
    char *list; /* --affine, cut at the commas into the names of files */
    const char *file[FAMILY_MOST + 1];
    int files;
    int m;
    svg_parameter range[FAMILY_MOST]; /* one value: low = high, count = 1 */
    int64_t points;                   /* of the grid; the last parameter runs fastest */
    int64_t n;
    numbers a; /* A0, ..., Am, column-major, one after the other */
} family;

/* Reads --affine and --grid, no files yet.  Returns an exit status; family_free releases *f either way. */
int family_options(const arguments *args, family *f);

/* The parameters that vary, in order; returns how many there are. */
int family_varying(const family *f, svg_parameter varying[FAMILY_MOST]);

/* Reads the files; one of shape (k, n, n) holds k matrices.  The type is complex where a
 * file is, and single where all files are, unless --type says another.  Returns an exit status. */
int family_read(const arguments *args, family *f, eig_type *type);

/* Makes points first, ..., first + count - 1: x[count][m]. */
void family_points(const family *f, int64_t first, int64_t count, numbers *x);

/* The parameters that do not vary: "; p2 = 0.5, p4 = 1". */
void family_title(const family *f, char *text, size_t size);

/* The shape of numbers that belong to the points: that of the grid where a file can have it, else one row.  Returns the
 * rank. */
int family_shape(const family *f, int64_t shape[3]);

void family_free(family *f);

#endif
