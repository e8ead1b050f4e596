/* stemr on the CPU: representations, counts, twisted factorisations and vectors, a lane each.  Compiled once for each
 * instruction set, in double for either type.
 *
 * Mapping   a SIMD lane is a shift; VECTORS vectors are in flight, since the chain of a row is some hundred cycles
 *           long.
 *           The first representation of a block is broadcast; those of clusters are the lanes' own.
 * Memory    a row of scratch holds, for each vector in flight, a representation (4 vectors) and what one factorisation
 *           leaves for the other (3 vectors).
 * Cost      about 36 operations and a division a row and factorisation.  Finding a twist takes two of all rows and some
 *           25 operations more, a known one (stemr_twisted.h) two that meet.
 * Promises  a lane's result depends on its shift and representation alone.  Variants with FMA give equal bits.
 *
 * Everything here is static but the table at the end. */
#include "stemr_twisted.h"

/* What a walk is for. */
typedef enum purpose { COUNT, REPRESENT, TWIST, STEP, VECTOR, SEEK } purpose;

/* The factorisation from the top. */
SIMD_FN void forward(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, purpose const what,
                     int first, stemr_lanes *t, vreal *own, vreal *trace)
{
    vreal const zero = {0}, one = simd_splat(1);
    wide_lanes x[VECTORS], s[VECTORS];
    vint count[VECTORS];
    vreal third[VECTORS]; /* TWIST: the norm from above; REPRESENT: the growth */
    EACH(v, vectors) {
        x[v] = load_shift(t, first + v * SIMD_LANES);
        s[v] = wide_minus_lanes(x[v]);
        count[v] = (vint){0}, third[v] = what == TWIST ? one : zero;
    }
    for (int64_t i = 0; i < n; ++i) {
        vreal const b = simd_splat(rows[i].b);
        EACH(v, vectors) {
            if (what == TWIST) {
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
                third[v] = longer(third[v], ratio * ratio);
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

/* The factorisation from the bottom, and the row where the two meet. */
SIMD_FN void backward(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, int first, stemr_lanes *t,
                      const vreal *own, vreal *trace)
{
    vreal const one = simd_splat(1);
    wide_lanes x[VECTORS], p[VECTORS], above[VECTORS];
    vreal best[VECTORS], norm[VECTORS], below[VECTORS];
    vint twist[VECTORS];
    EACH(v, vectors) {
        x[v] = load_shift(t, first + v * SIMD_LANES);
        above[v] = row_d(rows, own, is_own, n - 1, v);
        p[v] = wide_add_lanes(above[v], wide_minus_lanes(x[v]));
        best[v] = simd_splat(INFINITY), norm[v] = below[v] = one, twist[v] = (vint){0};
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        vreal const b = simd_splat(rows[i].b);
        EACH(v, vectors) {
            vreal *const at = trace + i * TRACE * VECTORS + v;
            wide_lanes const s = {at[0], at[VECTORS]};
            if (i < n - 1) {
                vreal inverse;
                wide_lanes const d = row_d(rows, own, is_own, i, v), g = row_g(rows, own, is_own, i, v);
                p[v] = mrrr_backward_lanes(d, g, x[v], p[v], &above[v], &inverse);
                vreal const ratio = b * inverse;
                below[v] = longer(below[v], ratio * ratio);
            }
            vreal const gamma = wide_sum_rounded_lanes(s, above[v]);
            vint const better = simd_abs(gamma) < simd_abs(best[v]);
            best[v] = simd_select(better, gamma, best[v]);
            twist[v] = simd_select_bits(better, (vint){0} + i, twist[v]);
            norm[v] = simd_select(better, at[2 * VECTORS] + (below[v] - one), norm[v]);
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->gamma[lane] = best[v][l], t->twist[lane] = twist[v][l];
            t->norm[lane] = norm[v][l];
        }
}

/* One group, its loops made for its number of vectors. */
SIMD_FN void group_of(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, purpose const what,
                      int group, stemr_lanes *t, void *scratch)
{
    lanes_space const s = space_of(scratch, n, group);
    int const first = group * VECTORS * SIMD_LANES;
    if (what == SEEK) {
        seek(rows, n, vectors, t->bits, first, t, s.trace);
    } else if (what == STEP || what == VECTOR) {
        twisted(rows, n, is_own, vectors, what == VECTOR, first, t, s.own, s.trace);
        if (what == VECTOR) entries(n, vectors, first, t, s.trace);
    } else {
        forward(rows, n, is_own, vectors, what, first, t, s.own, s.trace);
        if (what == TWIST) backward(rows, n, is_own, vectors, first, t, s.own, s.trace);
    }
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

static void step_lanes(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, STEP, t, scratch);
    else
        all_groups(rows, n, false, lanes, STEP, t, scratch);
}

static void seek_lanes(const stemr_row *rows, int64_t n, int lanes, stemr_lanes *t, void *scratch)
{
    all_groups(rows, n, false, lanes, SEEK, t, scratch);
}

static void vector_lanes(const stemr_row *rows, int64_t n, bool own, int lanes, stemr_lanes *t, void *scratch)
{
    if (own)
        all_groups(rows, n, true, lanes, VECTOR, t, scratch);
    else
        all_groups(rows, n, false, lanes, VECTOR, t, scratch);
}

static void keep(int64_t n, int lane, const void *scratch, const stemr_row *rows, stemr_row *to)
{
    int const in = lane % (VECTORS * SIMD_LANES);
    const vreal *const own = space_of(scratch, n, lane / (VECTORS * SIMD_LANES)).own + in / SIMD_LANES;
    for (int64_t i = 0; i < n; ++i) {
        const real *const at = (const real *)(own + i * OWN * VECTORS) + in % SIMD_LANES;
        enum { NEXT = VECTORS * SIMD_LANES };
        to[i] = (stemr_row){.d = {at[0], at[NEXT]}, .g = {at[2 * NEXT], at[3 * NEXT]}, .b = rows[i].b};
    }
}

/* ------------------------------------------------------------------- columns */

/* Rows and lanes change places. */
SIMD_FN void transpose(vreal r[SIMD_LANES])
{
#if SIMD_BYTES == 64
    enum { FOURS = SIMD_LANES / 2, TWOS = SIMD_LANES / 4 };
    EACH(i, FOURS) {
        vreal const a = r[i], b = r[i + FOURS];
        r[i] = SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11), r[i + FOURS] = SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    EACH(k, FOURS) {
        int const i = k / TWOS * FOURS + k % TWOS;
        vreal const a = r[i], b = r[i + TWOS];
        r[i] = SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13), r[i + TWOS] = SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    EACH(k, SIMD_LANES / 2) {
        int const i = 2 * k;
        vreal const a = r[i], b = r[i + 1];
        r[i] = SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14), r[i + 1] = SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
#elif SIMD_BYTES == 32
    EACH(i, 2) {
        vreal const a = r[i], b = r[i + 2];
        r[i] = SHUFFLE(a, b, 0, 1, 4, 5), r[i + 2] = SHUFFLE(a, b, 2, 3, 6, 7);
    }
    EACH(k, SIMD_LANES / 2) {
        int const i = 2 * k;
        vreal const a = r[i], b = r[i + 1];
        r[i] = SHUFFLE(a, b, 0, 4, 2, 6), r[i + 1] = SHUFFLE(a, b, 1, 5, 3, 7);
    }
#else
    vreal const a = r[0], b = r[1];
    r[0] = SHUFFLE(a, b, 0, 2), r[1] = SHUFFLE(a, b, 1, 3);
#endif
}

/* The rows of first to last where lanes are as large as `small`: these from *from to *upto.  Returns the signs of lanes
 * whose largest moduli are `most`. */
SIMD_FN vreal find_support(int64_t first, int64_t last, const vreal *at, vreal small, vreal most, vint *from,
                           vint *upto)
{
    vreal const least = gauge_least_lanes(most);
    vreal lead = simd_splat(1);
    vint found = {0}, decided = {0};
    *from = *upto = row_number(first);
    for (int64_t i = first; i <= last && !all_of(decided & found); ++i) {
        vreal const x = at[i * VECTORS], size = simd_abs(x);
        vint const near = size >= least;
        *from = simd_select_bits(found, *from, row_number(i));
        found |= size >= small;
        lead = simd_select(near & ~decided, x, lead);
        decided |= near;
    }
    found = (vint){0};
    for (int64_t i = last; i >= first && !all_of(found); --i) {
        *upto = simd_select_bits(found, *upto, row_number(i));
        found |= simd_abs(at[i * VECTORS]) >= small;
    }
    return gauge_sign_lanes(lead);
}

/* Numbers of a column, from row i on, those outside its support left out. */
SIMD_FN void store_numbers(const stemr_column *c, bool single, int64_t i, vreal z)
{
    typedef float narrow __attribute__((vector_size(SIMD_BYTES / 2)));
    if (i >= c->first && i + SIMD_LANES - 1 <= c->last) {
        narrow const floats = __builtin_convertvector(z, narrow);
        if (single)
            memcpy((float *)c->z + i, &floats, sizeof floats);
        else
            memcpy((double *)c->z + i, &z, sizeof z);
        return;
    }
    for (int l = 0; l < SIMD_LANES; ++l) {
        bool const inside = i + l >= c->first && i + l <= c->last;
        if (single && inside) ((float *)c->z)[i + l] = (float)z[l];
        if (!single && inside) ((double *)c->z)[i + l] = z[l];
    }
}

/* Zeros beside the support. */
static void store_zeros(const stemr_column *c, int64_t n, bool single)
{
    size_t const size = single ? sizeof(float) : sizeof(double);
    memset(c->z, 0, (size_t)c->first * size);
    memset((char *)c->z + (size_t)(c->last + 1) * size, 0, (size_t)(n - 1 - c->last) * size);
}

/* Residuals and lengths of lanes' vectors, whose rows come one after the other. */
typedef struct measure_lanes {
    vreal w, last, partial; /* the last entry, and what its row has of its residual */
    vreal residual, square;
} measure_lanes;

/* The next row: its entry in T's diagonal, and what couples it and the row before. */
SIMD_FN void measure_row(measure_lanes *m, double a, double b, vreal z)
{
    vreal const coupling = simd_splat(b), before = simd_fma(coupling, z, m->partial);
    m->residual = simd_fma(before, before, m->residual);
    m->partial = simd_fma(coupling, m->last, (simd_splat(a) - m->w) * z);
    m->square = simd_fma(z, z, m->square);
    m->last = z;
}

/* Rows i to i + SIMD_LANES - 1, of which some may lie beyond the last one or beside a lane's support. */
SIMD_FN void measure_rows(measure_lanes *m, stemr_matrix t, int64_t i, int64_t last, vint from, vint upto,
                          bool const single, const vreal *z)
{
    typedef float narrow __attribute__((vector_size(SIMD_BYTES / 2)));
    for (int k = 0; k < SIMD_LANES && i + k <= last; ++k) {
        vint const row = (vint){0} + (i + k);
        vreal here = (vreal)((vint)z[k] & (row >= from) & (row <= upto));
        if (single) here = __builtin_convertvector(__builtin_convertvector(here, narrow), vreal);
        measure_row(m, t.a[i + k], t.b[i + k], here);
    }
}

/* The columns of a vector's lanes, of which `at` is row 0. */
SIMD_FN void store_lanes(int64_t n, int lanes, const vreal *at, bool const single, double least, stemr_matrix t,
                         bool const measured, stemr_column *columns)
{
    measure_lanes m = {0};
    vreal scale = simd_splat(1), most = (vreal){0}; /* lanes that are not asked for end the search at once */
    vint from, upto;
    int64_t first = n - 1, last = 0;
    for (int l = 0; l < lanes; ++l) {
        scale[l] = columns[l].scale, most[l] = columns[l].most, m.w[l] = columns[l].w;
        if (columns[l].first < first) first = columns[l].first;
        if (columns[l].last > last) last = columns[l].last;
    }
    scale *= find_support(first, last, at, simd_splat(least) / scale, most, &from, &upto);
    for (int l = 0; l < lanes; ++l) {
        columns[l].first = from[l], columns[l].last = upto[l];
        store_zeros(&columns[l], n, single);
    }
    for (int64_t i = first; i <= last; i += SIMD_LANES) {
        vreal z[SIMD_LANES];
        /* Adding zero makes -0 to 0. */
        EACH(k, SIMD_LANES) z[k] = (i + k <= last ? at[(i + k) * VECTORS] : (vreal){0}) * scale + (vreal){0};
        if (measured) measure_rows(&m, t, i, last, from, upto, single, z);
        transpose(z);
        EACH(l, SIMD_LANES)
            if (l < lanes) store_numbers(&columns[l], single, i, z[l]);
    }
    if (!measured) return;
    measure_row(&m, 0, last + 1 < n ? t.b[last + 1] : 0, (vreal){0}); /* ends the last row, and begins the next one */
    m.residual = simd_fma(m.partial, m.partial, m.residual);
    for (int l = 0; l < lanes; ++l) columns[l].residual = m.residual[l], columns[l].square = m.square[l];
}

static void store(int64_t n, int lanes, const void *scratch, bool single, double least, stemr_matrix t,
                  stemr_column *columns)
{
    int const kind = 2 * single + (t.a != NULL);
    for (int l = 0; l < lanes; l += SIMD_LANES) {
        int const group = l / (VECTORS * SIMD_LANES), v = l / SIMD_LANES % VECTORS;
        int const count = lanes - l < SIMD_LANES ? lanes - l : SIMD_LANES;
        const vreal *const at = space_of(scratch, n, group).trace + v;
        if (kind == 0) store_lanes(n, count, at, false, least, t, false, columns + l);
        if (kind == 1) store_lanes(n, count, at, false, least, t, true, columns + l);
        if (kind == 2) store_lanes(n, count, at, true, least, t, false, columns + l);
        if (kind == 3) store_lanes(n, count, at, true, least, t, true, columns + l);
    }
}

const stemr_kernel ISA_TYPED(eig_cpu_stemr_kernel) = {
    .row_bytes = sizeof(vreal) * VECTORS * (OWN + TRACE) * GROUPS,
    .represent = represent,
    .keep = keep,
    .count = count_lanes,
    .twist = twist_lanes,
    .seek = seek_lanes,
    .step = step_lanes,
    .vectors = vector_lanes,
    .store = store,
};
