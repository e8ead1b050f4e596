/* Sorting of numbers, ascending: by cells of the range between the least and the largest.
 *
 * Method    First 2^20 cells of equal width: two stable passes by 10 bits each put the cells in order (a radix sort). 
 *           A cell that holds several numbers is finished by insertion, or, where it holds many, in the same way by
 *           cells of equal numbers of doubles: a double's bits are an integer that ascends with it.
 * Cost      about 8 ns a number where they are spread evenly, 20 at worst (a sort by comparisons takes 80 for 20,000).
 * Limit     the first level by width; each further one divides the 2^64 doubles by 2^30 or more: at most four levels.
 *           */
#include "sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS, MOST_DIGITS = 3, INSERTION = 24, MERGE = 512 };

/* Merges x[0..half) and x[half..n), each ascending, into out. */
static void merge(const double *x, int64_t half, int64_t n, double *out)
{
    int64_t i = 0, j = half;
    for (int64_t k = 0; k < n; ++k) out[k] = j >= n || (i < half && x[i] <= x[j]) ? x[i++] : x[j++];
}

/* Few numbers: runs by insertion, then merged. */
static void merge_sort(double *x, int64_t n, double *scratch)
{
    double *from = x, *to = scratch;
    for (int64_t i = 0; i < n; i += INSERTION) cpu_insertion_sort(x + i, n - i < INSERTION ? n - i : INSERTION);
    for (int64_t run = INSERTION; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t const length = n - i < 2 * run ? n - i : 2 * run;
            merge(from + i, run < length ? run : length, length, to + i);
        }
        double *const swap = from;
        from = to, to = swap;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
}

/* A number's place among all doubles: an integer that ascends with it.  Of zeros, -0 comes first. */
static uint64_t place_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Cell 0 begins at the least number. */
typedef struct cells {
    bool by_width; /* as numbers; else as places */
    double low, factor;
    uint64_t least;
    int shift, digits;
} cells;

/* Either way it ascends with x: every operation is monotone. */
static uint64_t cell_of(cells c, double x)
{
    return c.by_width ? (uint64_t)(int64_t)((x - c.low) * c.factor) : (place_of(x) - c.least) >> c.shift;
}

/* A stable pass, from -> to, by one digit of the cell; count: numbers of each value of the digit. */
static void pass(cells c, const double *from, int64_t n, double *to, int digit, int64_t *count)
{
    int64_t sum = 0;
    for (int value = 0; value < DIGITS; ++value) {
        int64_t const here = count[value];
        count[value] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; ++i) to[count[(cell_of(c, from[i]) >> (digit * DIGIT_BITS)) % DIGITS]++] = from[i];
}

/* Cells that divide the range of x; no digits where all numbers are equal. */
static cells choose_cells(const double *x, int64_t n, bool by_width)
{
    double lowest = x[0], highest = x[0];
#pragma omp simd simdlen(8) reduction(min : lowest) reduction(max : highest)
    for (int64_t i = 1; i < n; ++i) {
        lowest = x[i] < lowest ? x[i] : lowest;
        highest = x[i] > highest ? x[i] : highest;
    }
    cells c = {.low = lowest, .factor = (DIGITS * DIGITS - 1) / (highest - lowest), .digits = 2};
    c.by_width = by_width && c.factor > 0 && c.factor < INFINITY;
    if (c.by_width) return c;
    c.digits = 0;
    c.least = place_of(lowest) - 1; /* -0 and 0 compare equal: either may have been found */
    if (lowest == highest) return c;
    uint64_t const last = place_of(highest) + 1 - c.least;
    while (last >> c.shift >= (uint64_t)1 << (MOST_DIGITS * DIGIT_BITS)) ++c.shift;
    while (c.digits < MOST_DIGITS && last >> c.shift >> (c.digits * DIGIT_BITS) > 0) ++c.digits;
    return c;
}

static void sort(double *x, int64_t n, double *scratch, int64_t *count, bool by_width)
{
    if (n < MERGE) {
        merge_sort(x, n, scratch);
        return;
    }
    cells const c = choose_cells(x, n, by_width);
    if (c.digits == 0) return; /* all are equal */
    memset(count, 0, (size_t)c.digits * DIGITS * sizeof *count);
    for (int64_t i = 0; i < n; ++i)
        for (int digit = 0; digit < c.digits; ++digit)
            ++count[digit * DIGITS + (int)((cell_of(c, x[i]) >> (digit * DIGIT_BITS)) % DIGITS)];
    double *from = x, *to = scratch;
    for (int digit = 0; digit < c.digits; ++digit) {
        pass(c, from, n, to, digit, count + digit * DIGITS);
        double *const swap = from;
        from = to, to = swap;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
    for (int64_t i = 1; i < n; ++i) {
        if (x[i - 1] <= x[i]) continue;
        uint64_t const cell = cell_of(c, x[i]);
        int64_t first = i - 1, end = i + 1;
        while (first > 0 && cell_of(c, x[first - 1]) == cell) --first;
        while (end < n && cell_of(c, x[end]) == cell) ++end;
        if (end - first <= INSERTION)
            cpu_insertion_sort(x + first, end - first);
        else
            sort(x + first, end - first, scratch, count, false);
        i = end;
    }
}

void eig_cpu_sort(double *x, int64_t n, double *scratch)
{
    int64_t count[MOST_DIGITS * DIGITS];
    sort(x, n, scratch, count, true);
}
