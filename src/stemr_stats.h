/* The work of several parts of one call of stemr, added up. */
#ifndef EIG_STEMR_STATS_H
#define EIG_STEMR_STATS_H

#include "eigpack.h"

static inline int64_t stemr_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Every part counts the blocks of all of T; the rest is the sum over the parts, or the largest. */
static inline void stemr_add_stats(eig_stemr_stats *sum, const eig_stemr_stats *own)
{
    sum->blocks = stemr_larger(sum->blocks, own->blocks);
    sum->depth = stemr_larger(sum->depth, own->depth);
    sum->largest_cluster = stemr_larger(sum->largest_cluster, own->largest_cluster);
    sum->representations += own->representations;
    sum->clusters += own->clusters;
    sum->shifts += own->shifts;
    sum->bad_representations += own->bad_representations;
    sum->skew += own->skew;
    sum->inverse_iterations += own->inverse_iterations;
    sum->nodes += own->nodes;
}

#endif
