/* What a benchmark compares with: LAPACK's solvers, taken from the system's library at run time if it has one. */
#ifndef EIG_CLI_RIVALS_H
#define EIG_CLI_RIVALS_H

#include "eigpack.h"

#include <stdbool.h>

/* Opens LAPACK; returns the library's name, or NULL where there is none. */
const char *rivals_open(void);

/* Takes LAPACK from this library, before anything else is asked; false where it has none. */
bool rivals_use(const char *path);

/* The library's function of this name, to *function, which has `size` bytes; false where there is none. */
bool rivals_find(const char *name, void *function, size_t size);

/* Switches off the threads of OpenBLAS or MKL, for rivals that take one matrix a thread. */
void rivals_one_thread(void);

/* The processor and its number of threads, e.g. "AMD EPYC 9755, 16 threads"; returns text. */
const char *rivals_machine(char *text, size_t size);

/* A LAPACK solver for all (il = 1, iu = n) or some eigenvalues of T, on one thread. */
typedef struct rival_solver {
    const char *name; /* "dstebz", ... */
    eig_type type;
    bool subsets;
    /* Solves T; returns LAPACK's info, or -1000 where memory ran out.  d, e and w are double or float; *ms becomes the
     * time of the call alone, without the copies that keep d and e. */
    int (*solve)(int64_t n, const void *d, const void *e, int64_t il, int64_t iu, void *w, double *ms);
} rival_solver;

/* The stebz family's rivals; *count of them (0 where there is no LAPACK). */
const rival_solver *rivals_stebz(int *count);

/* Whether LAPACK has geev's rivals; and the eigenvalues of a batch of n x n matrices, one after the other, by ?gehrd
 * and ?hseqr on as many threads, which are thrown away.  Returns the largest info; *ms: the time. */
bool rivals_has_geev(void);

/* The same by ?geev, with right eigenvectors or without, of any type. */
bool rivals_has_whole_geev(void);
int rivals_geev(eig_type type, int64_t n, const void *a, int64_t batch, bool vectors, int threads, double *ms);
int rivals_gehrd_hseqr(eig_type type, int64_t n, const void *a, int64_t batch, int threads, double *ms);

/* The same for heev's: ?syevd of the real types, ?heevd of the complex ones, which read the lower triangle of column-major
 * matrices. */
bool rivals_has_heev(void);
const char *rivals_heev_name(eig_type type);
int rivals_heevd(eig_type type, int64_t n, const void *a, int64_t batch, bool vectors, int threads, double *ms);

/* All eigenpairs of T by ?stemr or ?stedc, which are thrown away.  Return LAPACK's info, -1 where there is none, -1000
 * where memory ran out; *ms: the time. */
int rivals_stemr(eig_type type, int64_t n, const void *d, const void *e, double *ms);
int rivals_stedc(eig_type type, int64_t n, const void *d, const void *e, double *ms);

#endif
