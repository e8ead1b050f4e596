/* stemr on CUDA, method mrrr: counts of eigenvalues of a representation below a shift.
 *
 * Two neighbouring lanes a shift: one goes down from the first row, the other up from the last, and they meet in the
 * middle.  That is half the chain of a count from one end. */
#ifndef EIG_STEMR_NODE_COUNT_CUH
#define EIG_STEMR_NODE_COUNT_CUH

#include "stemr_node_rows.cuh"

/* Rows that loads are ahead. */
enum { STEMR_AHEAD = 4, STEMR_ROUGH_AHEAD = 8 };

/* The rows of a representation in the order of a lane that goes down, or up, from its end to the middle.  What is added
 * to s comes first, what is divided second: D and G, or G and D. */
struct half_rows {
    const stemr_row *at;
    int steps, stride, first, second; /* in doubles */

    __device__ __forceinline__ half_rows(const stemr_row *rows, int n, bool upwards)
        : at(rows + (upwards ? n - 2 : 0)), steps(upwards ? n - 1 - n / 2 : n / 2), stride(upwards ? -4 : 4),
          first(upwards ? 2 : 0), second(upwards ? 0 : 2)
    {
    }
};

/* A walk down such a half: step(a, c, j) of every row; loads are `ahead` rows ahead. */
template <int ahead, typename word, typename stepper>
static __device__ __forceinline__ void walk_half(const half_rows &half, stepper step)
{
    const double *a = (const double *)half.at + half.first, *c = (const double *)half.at + half.second;
    word next_a[ahead], next_c[ahead];
    int const groups = half.steps / ahead, rest = half.steps % ahead;
    for (int group = 0; group <= groups; ++group) {
        word here_a[ahead], here_c[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j) here_a[j] = next_a[j], here_c[j] = next_c[j];
        if (group < groups) {
#pragma unroll
            for (int j = 0; j < ahead; ++j) {
                next_a[j] = *(const word *)a, next_c[j] = *(const word *)c;
                a += half.stride, c += half.stride;
            }
        }
        if (group == 0) continue;
#pragma unroll
        for (int j = 0; j < ahead; ++j) step(here_a[j], here_c[j], j);
    }
    for (int j = 0; j < rest; ++j) {
        step(*(const word *)a, *(const word *)c, j);
        a += half.stride, c += half.stride;
    }
}

/* The same with two buffers in turn, which saves copies where registers are not scarce. */
template <int ahead, typename word, typename stepper>
static __device__ __forceinline__ void walk_half_in_turn(const half_rows &half, stepper step)
{
    const double *at = (const double *)half.at + half.first;
    int const other = half.second - half.first;
    int groups = half.steps / ahead;
    struct buffer {
        word a[ahead], c[ahead];
    } even, odd;
    auto const load = [&](buffer &b) {
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            b.a[j] = *(const word *)at, b.c[j] = *(const word *)(at + other);
            at += half.stride;
        }
    };
    auto const work = [&](const buffer &b) {
#pragma unroll
        for (int j = 0; j < ahead; ++j) step(b.a[j], b.c[j], j);
    };
    if (groups > 0) load(even);
#pragma unroll 1
    for (; groups > 2; groups -= 2) {
        load(odd);
        work(even);
        load(even);
        work(odd);
    }
    if (groups > 1) load(odd);
    if (groups > 0) work(even);
    if (groups > 1) work(odd);
#pragma unroll 1
    for (int j = 0; j < half.steps % ahead; ++j, at += half.stride)
        step(*(const word *)at, *(const word *)(at + other), j);
}

/* Eigenvalues of a representation below x, by two neighbouring lanes with the same x; n > 1.  All lanes of the warp. */
static __device__ int count_below(const stemr_row *rows, int n, wide_d x, bool upwards)
{
    wide_d s = wide_minus_d(x);
    if (upwards) s = wide_add_d(rows[n - 1].d, s);
    int count = 0;
    walk_half<STEMR_AHEAD, double2>(half_rows(rows, n, upwards), [&](double2 a, double2 c, int) {
        stemr_step const step = stemr_row_step(wide_d{a.x, a.y}, wide_d{c.x, c.y}, x, s);
        count += (unsigned)__double2hiint(step.pivot.hi) >> 31;
        s = step.next;
    });
    unsigned const all = 0xffffffffu;
    wide_d const mine = upwards ? wide_add_d(s, x) : s;
    wide_d const other = {__shfl_xor_sync(all, mine.hi, 1), __shfl_xor_sync(all, mine.lo, 1)};
    count += __shfl_xor_sync(all, count, 1);
    return count + (wide_sum_rounded_d(mine, other) < 0);
}

/* Those of a representation with a double's digits: without divisions, s being u / v and pivots w / v.  Factors
 * between the entries of a row reach 2^200 at the worst, so that four rows do not overflow.  An answer that is wrong
 * costs time only. */
static __device__ int rough_count_below(const stemr_row *rows, int n, double x, bool upwards)
{
    double u = upwards ? rows[n - 1].d.hi - x : -x, v = 1;
    int count = 0;
    walk_half_in_turn<STEMR_ROUGH_AHEAD, double>(half_rows(rows, n, upwards), [&](double a, double c, int j) {
        double const w = fma(a, v, u);
        count += (unsigned)(__double2hiint(w) ^ __double2hiint(v)) >> 31;
        u = fma(-x, w, c * u);
        v = w;
        if (j % 4 != 3) return;
        int const e = max(__double2hiint(u) & 0x7ff00000, __double2hiint(v) & 0x7ff00000);
        double const scale = __hiloint2double(0x7fd00000 - e, 0);
        u *= scale, v *= scale;
    });
    unsigned const all = 0xffffffffu;
    double const mine = upwards ? u / v + x : u / v, other = __shfl_xor_sync(all, mine, 1);
    count += __shfl_xor_sync(all, count, 1);
    return count + (mine + other < 0);
}

#endif
