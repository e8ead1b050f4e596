/* Choices by the order and the number of matrices, as rows of tables.  src/cpu/crossovers.h and src/cuda/crossovers.h
 * have all of them.  Plain C: docs' tables are printed from the same rows (tests/common/test_crossovers.c). */
#ifndef EIG_CROSSOVER_H
#define EIG_CROSSOVER_H

#include "type.h"

#include <stdint.h>

enum {
    OF_S = 1,
    OF_D = 2,
    OF_C = 4,
    OF_Z = 8,
    OF_REAL = OF_S | OF_D,
    OF_COMPLEX = OF_C | OF_Z,
    OF_ALL = OF_REAL | OF_COMPLEX
};

#define NO_END INT64_MAX

/* Calls that a choice is for. */
typedef struct crossover {
    int types;           /* a sum of OF_S, ...; 0 ends a table */
    int wants;           /* 'V': with vectors alone, 'N': without; 0: both */
    int64_t from, upto;  /* orders */
    int64_t least, most; /* matrices of the call */
    int64_t rise, per;   /* `most`, or where that is NO_END `least`, grows by `rise` matrices every `per` orders above
                            from - 1; where rise is negative, by -rise every `per` orders below upto */
    int value;           /* what is chosen, where it is a number */
    const char *record;  /* of the measurements: a run or a text of bench/results, or a page of docs/maintainers */
} crossover;

static inline bool crossover_has(const crossover *row, eig_type type, bool vectors, int64_t n, int64_t matrices)
{
    if (!(row->types >> type_index(type) & 1) || n < row->from || n > row->upto) return false;
    if (row->wants && vectors != (row->wants == 'V')) return false;
    int64_t more = 0;
    if (row->rise > 0) more = (n - row->from + 1) * row->rise / row->per;
    if (row->rise < 0) more = (row->upto - n) * -row->rise / row->per;
    int64_t const least = row->least + (row->most == NO_END ? more : 0);
    return matrices >= least && (row->most == NO_END || matrices <= row->most + more);
}

/* The first row of the table for such a call; NULL: there is none. */
static inline const crossover *crossover_of(const crossover *row, eig_type type, bool vectors, int64_t n,
                                            int64_t matrices)
{
    for (; row->types; ++row)
        if (crossover_has(row, type, vectors, n, matrices)) return row;
    return NULL;
}

static inline bool crosses(const crossover *table, eig_type type, bool vectors, int64_t n, int64_t matrices)
{
    return crossover_of(table, type, vectors, n, matrices) != NULL;
}

/* A table, and what it chooses, for printing. */
typedef struct crossover_table {
    const char *family, *choice;
    const crossover *rows;
} crossover_table;

/* The last row of a table that C++ reads, too: there {0} is warned of. */
#define CROSSOVER_END                   \
    {                                   \
        0, 0, 0, 0, 0, 0, 0, 0, 0, NULL \
    }

#endif
