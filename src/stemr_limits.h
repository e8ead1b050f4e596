/* Limits of the method stemr, for T scaled so that its norm is in [1/2, 1).  Tests move them, to force what matrices
 * rarely do. */
#ifndef EIG_STEMR_LIMITS_H
#define EIG_STEMR_LIMITS_H

#include <float.h>
#include <stdbool.h>

typedef struct stemr_limits {
    double noise;         /* random changes of diagonal elements, at most */
    double bracket;       /* width of the first brackets; CPU */
    double gap_root;      /* closer eigenvalues are a cluster; CPU */
    double gap;           /* the same, relative, against a cluster's representation; CPU */
    double growth;        /* of a cluster's representation, at most, times the gap beside it; CPU */
    double skew;          /* inner product of neighbours in a cluster, at most, in n eps */
    double info_above[2]; /* residuals, and inner products after inverse iteration, that info reports, in n eps */
    double miss;          /* widths by which the brackets of clusters of clusters are moved; CPU */
    int bad_level;        /* from this level on every representation counts as bad; 0: none */
    int pool;             /* representations of clusters that are kept, if they are of all of T; CPU */
    bool blind;           /* twists that are searched for in a double's digits are row 0; CPU */
    int window;           /* vectors count as 0 where they fall below 2^-window of their largest entries; CPU */
    double part;          /* members of a cluster that are closer get a representation, T itself serves others; CUDA */
    int slice;            /* pairs whose vectors go to the host together; CUDA */
    double narrow;        /* gaps of members of a pencil, times n over its largest entry, at least; CUDA */
    int rounds;           /* of sections by pencils, at most; CUDA */
    int lost;             /* pairs whose index it divides have no row of a twist when vectors are made; 0: none; CUDA */
    int stretched;        /* likewise: their vectors have a wrong length; CUDA */
    int bent; /* likewise: small entries of their vectors are wrong; on a CPU the eigenvalue that they are measured with */
    double measured; /* residuals of vectors as they are stored, at most, in n eps: others are made again */
} stemr_limits;

#define STEMR_LIMITS                                                                                                \
    {                                                                                                               \
        0x1p-53, DBL_EPSILON / 2, 0x1p-34, 0x1p-44, 0x1p52, 1.0, {1.0, 4.0}, 0.0, 0, 32, false, 112, 0x1p-88, 4096, \
            0x1p-48, 48, 0, 0, 0, 4.0                                                                               \
    }

#endif
