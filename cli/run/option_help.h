/* What --help says of options that the library has too.  Made by scripts/interface from the comments of eigpack.h. */
#ifndef EIG_CLI_OPTION_HELP_H
#define EIG_CLI_OPTION_HELP_H

#include "run/options.h"

/* clang-format off */
#define HELP_STEBZ_TOLERANCE \
    "a bracket of this width is narrow enough (default: eps*||T||)"
#define HELP_STEBZ_RELATIVE \
    "a bracket of this width, relative to its larger end, is narrow enough (default: 2*eps)"
#define HELP_SAME_BITS \
    "on a GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any size; few " \
    "matrices can then take longer"
#define HELP_HEEV_UPLO \
    "the triangle of A that is read (default: lower)"
#define HELP_HEEV_RELATIVE \
    "small eigenvalues of a positive definite A to high relative accuracy, by Jacobi rotations"
#define HELP_HEEV_MAX_SWEEPS \
    "for experiments; Jacobi sweeps, or QL steps per eigenvalue, until a matrix is given up (default: 30)"
#define HELP_GEEV_NO_BALANCE \
    "do not permute and scale the matrices by powers of two first, unlike LAPACK's dgeev"
#define HELP_GEEV_THREADS \
    "on a GPU, for experiments: threads (swb) or warps (mwb) that share a matrix, 1 to 32 (default: " \
    "chosen)"
/* clang-format on */

#endif
