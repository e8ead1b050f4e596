/* Rows of choices in which every pair of levels of every two factors stands: few calls that cross all options by twos.
 *
 * Greedy: each row begins with a pair that no row has yet, and gives each other factor the level that brings most new pairs.  The
 * same rows from run to run.  What does not go together the caller's `mend` changes; a pair that it never lets stand counts as
 * impossible. */
#ifndef EIG_TEST_PAIRS_H
#define EIG_TEST_PAIRS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PAIR_FACTORS = 32, PAIR_LEVELS = 20, PAIR_ROWS = 1000, PAIR_TRIES = 12 };

typedef struct pairs {
    int factors, levels[PAIR_FACTORS];
    void (*mend)(int *row); /* or NULL */
    int rows, impossible;
    int row[PAIR_ROWS][PAIR_FACTORS];
    uint64_t state;
    unsigned char seen[PAIR_FACTORS][PAIR_LEVELS][PAIR_FACTORS][PAIR_LEVELS];
} pairs;

/* A number below `below`. */
static inline int pairs_lot(pairs *p, int below)
{
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((p->state >> 33) % (uint64_t)below);
}

/* New pairs of factor f at this level with those that have one. */
static inline int pairs_gain(const pairs *p, const int *row, int f, int level)
{
    int gain = 0;
    for (int g = 0; g < p->factors; ++g)
        if (g != f && row[g] >= 0) gain += !p->seen[f][level][g][row[g]];
    return gain;
}

static inline void pairs_fill(pairs *p, int *row)
{
    int const start = pairs_lot(p, p->factors), step = pairs_lot(p, 2) ? 1 : p->factors - 1;
    for (int k = 0, f = start; k < p->factors; ++k, f = (f + step) % p->factors) {
        if (row[f] >= 0) continue;
        int best = -1, most = -1;
        int const first = pairs_lot(p, p->levels[f]);
        for (int l = 0; l < p->levels[f]; ++l) {
            int const level = (first + l) % p->levels[f], gain = pairs_gain(p, row, f, level);
            if (gain > most) most = gain, best = level;
        }
        row[f] = best;
    }
    if (p->mend) p->mend(row);
}

static inline int pairs_new(const pairs *p, const int *row)
{
    int gain = 0;
    for (int f = 0; f < p->factors; ++f) gain += pairs_gain(p, row, f, row[f]);
    return gain / 2;
}

static inline void pairs_take(pairs *p, const int *row)
{
    memcpy(p->row[p->rows++], row, sizeof p->row[0]);
    for (int f = 0; f < p->factors; ++f)
        for (int g = 0; g < p->factors; ++g) p->seen[f][row[f]][g][row[g]] = 1;
}

/* A row in which level a of factor f stands with level b of g. */
static inline void pairs_cover(pairs *p, int f, int a, int g, int b)
{
    int best[PAIR_FACTORS], most = -1;
    for (int t = 0; t < PAIR_TRIES; ++t) {
        int row[PAIR_FACTORS];
        for (int k = 0; k < PAIR_FACTORS; ++k) row[k] = -1;
        row[f] = a, row[g] = b;
        pairs_fill(p, row);
        int const gain = row[f] == a && row[g] == b ? pairs_new(p, row) : -1;
        if (gain > most) most = gain, memcpy(best, row, sizeof best);
    }
    if (most >= 0) pairs_take(p, best);
    if (most < 0) ++p->impossible, p->seen[f][a][g][b] = p->seen[g][b][f][a] = 1;
}

/* p->factors, levels and mend are given; false: too many rows. */
static inline bool pairs_make(pairs *p, uint64_t seed)
{
    p->rows = p->impossible = 0, p->state = seed;
    memset(p->seen, 0, sizeof p->seen);
    for (int f = 0; f < p->factors; ++f)
        for (int g = f + 1; g < p->factors; ++g)
            for (int k = 0; k < p->levels[f] * p->levels[g]; ++k) {
                int const a = k % p->levels[f], b = k / p->levels[f];
                if (!p->seen[f][a][g][b] && p->rows == PAIR_ROWS) return false;
                if (!p->seen[f][a][g][b]) pairs_cover(p, f, a, g, b);
            }
    return true;
}

#endif
