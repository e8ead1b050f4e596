/* A tridiagonal matrix in the type that computes, calls of stebz on it, and checks of the answers. */
#ifndef EIG_CLI_TRIDIAGONAL_H
#define EIG_CLI_TRIDIAGONAL_H

#include "bench/support/certify.h"
#include "run/context.h"
#include "run/files.h"

typedef struct tridiagonal {
    io_tridiagonal exact; /* the matrix that is solved, every entry a number of the type */
    eig_type type;
    numbers d, e; /* the same entries in the type */
} tridiagonal;

/* What --range FIRST:LAST and --interval LOW,HIGH ask for, of stebz and of stemr. */
typedef struct tridiagonal_range {
    eig_range range;
    int64_t il, iu;
    double vl, vu;
} tridiagonal_range;

/* Reads them; false, with one sentence, where they are wrong whatever the matrix. */
bool tridiagonal_read_range(const arguments *args, tridiagonal_range *r);

/* Checks that --range is within the n eigenvalues.  Returns an exit status. */
int tridiagonal_check_range(const arguments *args, int64_t n);

enum { SPECTRUM_PASSES = 8 };

/* Eigenvalues as the program handles them: in double, with what the call says of them. */
typedef struct spectrum {
    int64_t m, first; /* how many, and the index (from 1) of the first; first = 0: unknown (a range of values) */
    double *w, *lower, *upper;
    double total_ms;
    int passes; /* what the call measured, where the context measures times */
    eig_pass pass[SPECTRUM_PASSES];
} spectrum;

/* Rounds t to the type, and takes it over.  Returns an exit status: a matrix with a NaN or an infinity is
 * refused by a sentence that names the entry. */
int tridiagonal_make(tridiagonal *a, io_tridiagonal *t, eig_type type);
void tridiagonal_free(tridiagonal *a);

/* The time of one pass of *s; 0 where the call had no such pass. */
double spectrum_pass(const spectrum *s, const char *name);

/* Calls eig_stebz; with `enclosures` lower and upper are filled too.  Returns an exit status; the arrays of *s are
 * to be released by spectrum_free either way. */
int tridiagonal_stebz(eig_context *ctx, const eig_stebz_options *options, const tridiagonal *a, bool enclosures,
                      spectrum *s);
void spectrum_free(spectrum *s);

/* Under mpirun: narrows the options' range to this rank's part of what is asked for; *some: there is any.  The options are
 * those of stebz or of stemr, the other ones are NULL.  Collective.  Returns an exit status. */
int tridiagonal_part(eig_context *ctx, const tridiagonal *a, eig_stebz_options *stebz, eig_stemr_options *stemr,
                     cli_part *part, bool *some);

/* After tridiagonal_part has made a range by value one by index: moves what was found into it, as one process does. */
void tridiagonal_move(eig_range range, double vl, double vu, numbers *w, int64_t m);

/* |w[k] - reference[k]| <= precision + rounding for all k, where rounding is what the formats of the numbers lose: half
 * a unit in the last digit (or of float) of the reference, and the 4 eps max|w| that the type of w cannot avoid. */
typedef struct comparison {
    bool passed;
    int64_t worst; /* the k, from 0, whose difference exceeds its allowance most */
    double difference, allowed;
} comparison;
comparison spectrum_compare(const spectrum *s, eig_type type, const double *reference, double precision);

/* Certificates (certify_stebz) for all w: sets *passed.  Returns an exit status. */
int spectrum_certify(eig_context *ctx, const tridiagonal *a, const spectrum *s, double tolerance, bool *passed);

#endif
