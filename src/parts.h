/* Parts of equal work: how a number of things is divided among the GPUs of a context or the ranks of MPI. All
 * eigenvalues of one matrix cost the same, and so do all matrices of one order.  So the counts of two parts differ by
 * one at most. */
#ifndef EIG_CUT_H
#define EIG_CUT_H

#include <stdint.h>

/* The first of `count` things that belongs to part `part`, both from 0: part r has [eig_part_begin(count, parts, r),
 * eig_part_begin(count, parts, r + 1)), which is empty where things are fewer than parts.  The first parts are the
 * longer ones.
 * 0 <= part <= parts, parts > 0. */
static inline int64_t eig_part_begin(int64_t count, int64_t parts, int64_t part)
{
    int64_t const more = count % parts;
    return count / parts * part + (part < more ? part : more);
}

#endif
