/* stemr on the CPU: representations, counts, twisted factorisations and vectors, a lane each.  Compiled once for each
 * instruction set, in double for either type.
 *
 * Mapping   a SIMD lane is a shift; VECTORS vectors are in flight, since the chain of a row is some hundred cycles long.
 *           The first representation of a block is broadcast; those of clusters are the lanes' own.
 * Memory    a row of scratch holds, for each vector in flight, a representation (4 vectors) and what the factorisation
 *           from the top leaves for that from the bottom (3 vectors).
 * Cost      about 60 operations and a division a row and factorisation; a twisted one takes two and some 25 more.
 * Promises  a lane's result depends on its shift and representation alone.  Variants with FMA give equal bits.
 *
 * Everything here is static but the table at the end. */
#include "stemr_kernels.h"

#include "simd.h"

#include <string.h>

/* c - a*b; without FMA by Dekker's splitting. */
SIMD_FN vreal wide_rest_lanes(vreal a, vreal b, vreal c)
{
#if defined(__AVX2__) || defined(__AVX512F__) || defined(__aarch64__)
    return simd_fma(-a, b, c);
#else
    vreal const split = simd_splat((real)134217729.0), ta = split * a, tb = split * b, p = a * b; /* 2^27 + 1 */
    vreal const ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    return (c - p) - (((ah * bh - p) + (ah * bl + al * bh)) + al * bl);
#endif
}

SIMD_FN vreal wide_fma_lanes(vreal a, vreal b, vreal c)
{
    return simd_fma(a, b, c);
}

#define TEMPLATE "wide.inc"
#include "for_lanes.h"
#define TEMPLATE "mrrr.inc"
#include "for_lanes.h"

enum {
    VECTORS = STEMR_LANES / SIMD_LANES < 4 ? STEMR_LANES / SIMD_LANES : 4, /* in flight */
    GROUPS = STEMR_LANES / (VECTORS * SIMD_LANES),
    OWN = 4,  /* vectors of a row of a lane's own representation: D.hi, D.lo, G.hi, G.lo */
    TRACE = 3 /* of a row of a factorisation's trace: s.hi, s.lo, and a third */
};

/* Sums of squares stay below this: their next term then does not overflow. */
#define MOST_NORM 0x1p400
/* Entries of a vector below this, beside the one at the twist, are 0. */
#define LEAST_ENTRY 0x1p-600

/* The scratch of one group of VECTORS vectors. */
typedef struct lanes_space {
    vreal *own, *trace;
} lanes_space;

SIMD_FN lanes_space space_of(const void *scratch, int64_t n, int group)
{
    vreal *const at = (vreal *)scratch + (int64_t)group * n * VECTORS * (OWN + TRACE);
    lanes_space const s = {at, at + n * VECTORS * OWN};
    return s;
}

SIMD_FN wide_lanes splat_wide(wide_d x)
{
    wide_lanes const r = {simd_splat(x.hi), simd_splat(x.lo)};
    return r;
}

/* D and G of row i for vector v. */
SIMD_FN wide_lanes row_d(const stemr_row *rows, const vreal *own, bool const is_own, int64_t i, int v)
{
    if (!is_own) return splat_wide(rows[i].d);
    wide_lanes const r = {own[(i * OWN) * VECTORS + v], own[(i * OWN + 1) * VECTORS + v]};
    return r;
}

SIMD_FN wide_lanes row_g(const stemr_row *rows, const vreal *own, bool const is_own, int64_t i, int v)
{
    if (!is_own) return splat_wide(rows[i].g);
    wide_lanes const r = {own[(i * OWN + 2) * VECTORS + v], own[(i * OWN + 3) * VECTORS + v]};
    return r;
}

SIMD_FN wide_lanes load_shift(const stemr_lanes *t, int first)
{
    wide_lanes x;
    memcpy(&x.hi, t->hi + first, sizeof x.hi);
    memcpy(&x.lo, t->lo + first, sizeof x.lo);
    return x;
}

/* What the forward factorisation is for. */
typedef enum purpose { COUNT, REPRESENT, TWIST, VECTOR } purpose;

/* The factorisation from the top. */
SIMD_FN void forward(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, purpose const what,
                     int first, stemr_lanes *t, vreal *own, vreal *trace)
{
    vreal const zero = {0}, one = simd_splat(1);
    wide_lanes x[VECTORS], s[VECTORS];
    vint count[VECTORS];
    vreal third[VECTORS]; /* TWIST: the norm from above; REPRESENT: the growth */
    for (int v = 0; v < vectors; ++v) {
        x[v] = load_shift(t, first + v * SIMD_LANES);
        s[v] = wide_minus_lanes(x[v]);
        count[v] = (vint){0}, third[v] = what == TWIST ? one : zero;
    }
    for (int64_t i = 0; i < n; ++i) {
        vreal const b = simd_splat(rows[i].b);
        for (int v = 0; v < vectors; ++v) {
            if (what == TWIST || what == VECTOR) {
                trace[(i * TRACE) * VECTORS + v] = s[v].hi, trace[(i * TRACE + 1) * VECTORS + v] = s[v].lo;
            }
            wide_lanes pivot;
            vreal inverse;
            wide_lanes const d = row_d(rows, own, is_own, i, v), g = row_g(rows, own, is_own, i, v);
            s[v] = mrrr_forward_lanes(d, g, x[v], s[v], &pivot, &inverse);
            count[v] += pivot.hi < zero;
            vreal const ratio = b * inverse;
            if (what == TWIST) {
                trace[(i * TRACE + 2) * VECTORS + v] = third[v];
                vreal const next = one + ratio * ratio * third[v];
                third[v] = simd_select(next < MOST_NORM, next, simd_splat(MOST_NORM));
            } else if (what == VECTOR) {
                trace[(i * TRACE + 2) * VECTORS + v] = ratio;
            } else if (what == REPRESENT) {
                wide_lanes const coupling = mrrr_coupling_lanes(b, pivot, inverse);
                own[(i * OWN) * VECTORS + v] = pivot.hi, own[(i * OWN + 1) * VECTORS + v] = pivot.lo;
                own[(i * OWN + 2) * VECTORS + v] = coupling.hi, own[(i * OWN + 3) * VECTORS + v] = coupling.lo;
                third[v] = simd_max(third[v], simd_abs(pivot.hi));
            }
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->count[lane] = -count[v][l];
            if (what == REPRESENT) t->growth[lane] = third[v][l];
        }
}

/* The factorisation from the bottom, and the row where the two are joined. */
SIMD_FN void backward(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, purpose const what,
                      int first, stemr_lanes *t, const vreal *own, vreal *trace)
{
    vreal const one = simd_splat(1);
    wide_lanes x[VECTORS], p[VECTORS], above[VECTORS];
    vreal best[VECTORS], norm[VECTORS], below[VECTORS];
    vint twist[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        x[v] = load_shift(t, first + v * SIMD_LANES);
        above[v] = row_d(rows, own, is_own, n - 1, v);
        p[v] = wide_add_lanes(above[v], wide_minus_lanes(x[v]));
        best[v] = simd_splat(INFINITY), norm[v] = below[v] = one, twist[v] = (vint){0};
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        vreal const b = simd_splat(rows[i].b);
        for (int v = 0; v < vectors; ++v) {
            vreal *const at = trace + i * TRACE * VECTORS + v;
            wide_lanes const s = {at[0], at[VECTORS]};
            if (i < n - 1) {
                vreal inverse;
                wide_lanes const d = row_d(rows, own, is_own, i, v), g = row_g(rows, own, is_own, i, v);
                p[v] = mrrr_backward_lanes(d, g, x[v], p[v], &above[v], &inverse);
                vreal const ratio = b * inverse;
                if (what == VECTOR) at[0] = ratio;
                if (what == TWIST) {
                    vreal const next = one + ratio * ratio * below[v];
                    below[v] = simd_select(next < MOST_NORM, next, simd_splat(MOST_NORM));
                }
            }
            vreal const gamma = wide_sum_rounded_lanes(s, above[v]);
            vint const better = simd_abs(gamma) < simd_abs(best[v]);
            best[v] = simd_select(better, gamma, best[v]);
            twist[v] = simd_select_bits(better, (vint){0} + i, twist[v]);
            if (what == TWIST) norm[v] = simd_select(better, at[2 * VECTORS] + (below[v] - one), norm[v]);
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->gamma[lane] = best[v][l], t->twist[lane] = twist[v][l];
            if (what == TWIST) t->norm[lane] = norm[v][l];
        }
}

/* z = 1 at the twist, from there up by the ratios of the forward factorisation, down by those of the other one; goes
 * where the forward ratios were. */
SIMD_FN void entries(int64_t n, int const vectors, int first, stemr_lanes *t, vreal *trace)
{
    vreal const zero = {0}, one = simd_splat(1), least = simd_splat(LEAST_ENTRY);
    vreal z[VECTORS], norm[VECTORS];
    vint twist[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        memcpy(&twist[v], t->twist + first + v * SIMD_LANES, sizeof twist[v]);
        z[v] = norm[v] = zero;
    }
    for (int64_t i = n - 1; i >= 0; --i)
        for (int v = 0; v < vectors; ++v) {
            vreal *const at = trace + (i * TRACE + 2) * VECTORS + v;
            vreal next = -at[0] * z[v];
            next = simd_select(simd_abs(next) < least, zero, next);
            at[0] = z[v] = simd_select(twist[v] == i, one, next);
            norm[v] += z[v] * z[v];
        }
    for (int v = 0; v < vectors; ++v) z[v] = zero;
    for (int64_t i = 0; i < n - 1; ++i)
        for (int v = 0; v < vectors; ++v) {
            vreal *const at = trace + i * TRACE * VECTORS + v, *const below = at + (TRACE + 2) * VECTORS;
            vreal const here = simd_select(twist[v] == i, one, z[v]), next = -at[0] * here;
            z[v] = simd_select(simd_abs(next) < least, zero, next);
            below[0] += z[v];
            norm[v] += z[v] * z[v];
        }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) t->norm[first + v * SIMD_LANES + l] = norm[v][l];
}

/* One group, its loops made for its number of vectors. */
SIMD_FN void group_of(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, purpose const what,
                      int group, stemr_lanes *t, void *scratch)
{
    lanes_space const s = space_of(scratch, n, group);
    int const first = group * VECTORS * SIMD_LANES;
    forward(rows, n, is_own, vectors, what, first, t, s.own, s.trace);
    if (what == TWIST || what == VECTOR) backward(rows, n, is_own, vectors, what, first, t, s.own, s.trace);
    if (what == VECTOR) entries(n, vectors, first, t, s.trace);
}

SIMD_FN void all_groups(const stemr_row *rows, int64_t n, bool const is_own, int lanes, purpose const what,
                        stemr_lanes *t, void *scratch)
{
    for (int group = 0; group * VECTORS * SIMD_LANES < lanes; ++group) {
        int const vectors = (lanes - group * VECTORS * SIMD_LANES + SIMD_LANES - 1) / SIMD_LANES;
        if (vectors <= 1)
            group_of(rows, n, is_own, 1, what, group, t, scratch);
        else if (vectors <= 2 && VECTORS > 2)
            group_of(rows, n, is_own, 2, what, group, t, scratch);
        else
            group_of(rows, n, is_own, VECTORS, what, group, t, scratch);
    }
}

static void represent(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, REPRESENT, t, scratch);
    else
        all_groups(rows, n, false, lanes, REPRESENT, t, scratch);
}

static void count_lanes(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, const void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, COUNT, t, (void *)scratch);
    else
        all_groups(rows, n, false, lanes, COUNT, t, (void *)scratch);
}

static void twist_lanes(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, TWIST, t, scratch);
    else
        all_groups(rows, n, false, lanes, TWIST, t, scratch);
}

static void vector_lanes(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, VECTOR, t, scratch);
    else
        all_groups(rows, n, false, lanes, VECTOR, t, scratch);
}

/* Rows i0 to i1-1 of a lane's vector, of which `at` is row 0. */
static void store_rows(const real *at, int64_t i0, int64_t i1, bool single, double scale, void *z)
{
    enum { STEP = TRACE * VECTORS * SIMD_LANES };
    float *const zs = z;
    double *const zd = z;
    if (single)
        for (int64_t i = i0; i < i1; ++i) zs[i] = (float)(at[i * STEP] * scale);
    else
        for (int64_t i = i0; i < i1; ++i) zd[i] = at[i * STEP] * scale;
}

static void find_support(const real *at, int64_t n, bool single, double least, stemr_column *c)
{
    enum { STEP = TRACE * VECTORS * SIMD_LANES };
    double const small = least / c->scale;
    int64_t first = 0, last = n - 1;
    while (first < last && fabs(at[first * STEP]) < small) ++first;
    while (last > first && fabs(at[last * STEP]) < small) --last;
    c->first = first, c->last = last;
    size_t const size = single ? sizeof(float) : sizeof(double);
    memset(c->z, 0, (size_t)first * size);
    memset((char *)c->z + (size_t)(last + 1) * size, 0, (size_t)(n - 1 - last) * size);
}

static void store(int64_t n, int lanes, const void *scratch, bool single, double least, stemr_column *columns)
{
    enum { ROWS = 32 }; /* that stay in the first cache for all lanes */
    const real *at[STEMR_LANES];
    for (int l = 0; l < lanes; ++l) {
        int const group = l / (VECTORS * SIMD_LANES), in = l % (VECTORS * SIMD_LANES);
        const vreal *const trace = space_of(scratch, n, group).trace;
        at[l] = (const real *)(trace + 2 * VECTORS + in / SIMD_LANES) + in % SIMD_LANES;
        find_support(at[l], n, single, least, &columns[l]);
    }
    for (int64_t i0 = 0; i0 < n; i0 += ROWS)
        for (int l = 0; l < lanes; ++l) {
            stemr_column const c = columns[l];
            int64_t const from = i0 > c.first ? i0 : c.first, to = i0 + ROWS <= c.last ? i0 + ROWS : c.last + 1;
            store_rows(at[l], from, to, single, c.scale, c.z);
        }
}

const stemr_kernel ISA_TYPED(eig_cpu_stemr_kernel) = {
    .row_bytes = sizeof(vreal) * VECTORS * (OWN + TRACE) * GROUPS,
    .represent = represent,
    .count = count_lanes,
    .twist = twist_lanes,
    .vectors = vector_lanes,
    .store = store,
};
