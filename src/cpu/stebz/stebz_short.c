/* stebz on the CPU: all eigenvalues of many short matrices, the blocks of a T that splits.  In double for either type.
 * Compiled once for each instruction set.
 *
 * Mapping   a SIMD lane is one eigenvalue of one matrix; a lane that has finished takes the next.  Every lane has its
 *           own copy of its matrix, rows side by side, so that a row of all lanes is read at once.
 * Method    QL sweeps of as many matrices as a set has lanes propose the eigenvalues; counts by pivots (sturm.inc)
 *           decide: two where the proposal was good, else brackets by bracket.h, where the product of the pivots is the
 *           characteristic polynomial that the interpolation asks for.  Where small eigenvalues are wanted to relative
 *           accuracy nothing is proposed.  Matrices of two rows need no count: see below.
 * Promises  what a lane gets depends on its matrix alone, not on its place or on the number of matrices.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "stebz_kernels.h"

#include "bracket.h"

#define TEMPLATE "bracket.inc"
#include "for_lanes.h"
#define TEMPLATE "pwk.inc"
#include "for_lanes.h"

enum { SET = 16, VECTORS = SET / SIMD_LANES };

/* A number for each lane of a set. */
typedef struct lanes {
    vreal v[VECTORS];
} lanes;

/* The matrices and brackets of a set's lanes. */
typedef struct lane_set {
    lanes a[STEBZ_SHORT_ROWS], b[STEBZ_SHORT_ROWS]; /* b[i] couples rows i-1 and i; b[0] = 0 */
    lanes unit;            /* 1 / (what the pivots are about), so that their product is not tiny */
    lanes xa, pa, count_a; /* the end of the bracket that moved last, the polynomial and the count there */
    lanes xb, pb, count_b; /* the other end */
    lanes xc, pc;          /* the point dropped last */
    lanes k, slow;         /* number of the eigenvalue; steps in a row that did not halve the bracket */
    lanes stride;          /* of the search around the proposed eigenvalue; 0: none was proposed */
    lanes x, p, count;     /* the point counted */
} lane_set;

static void put(lanes *to, int l, double x)
{
    to->v[l / SIMD_LANES][l % SIMD_LANES] = x;
}

static double get(const lanes *from, int l)
{
    return from->v[l / SIMD_LANES][l % SIMD_LANES];
}

SIMD_FN vreal minimum(vreal a, vreal b)
{
    return simd_select(a < b, a, b);
}

/* Counts at x, and the characteristic polynomials there. */
SIMD_FN void count_set(lane_set *s, int rows)
{
    vreal const least = simd_splat(DBL_TRUE_MIN);
    vreal x[VECTORS], q[VECTORS], p[VECTORS], count[VECTORS];
    for (int v = 0; v < VECTORS; ++v) {
        x[v] = s->x.v[v];
        q[v] = p[v] = simd_splat(1), count[v] = simd_splat(0);
    }
    for (int i = 0; i < rows; ++i)
        for (int v = 0; v < VECTORS; ++v) {
            vreal const a = s->a[i].v[v], b = s->b[i].v[v], next = (a - x[v]) - b * (b / q[v]);
            q[v] = simd_select(next == 0, least, next);
            p[v] *= q[v] * s->unit.v[v];
            count[v] += simd_select(q[v] < 0, simd_splat(1), simd_splat(0));
        }
    for (int v = 0; v < VECTORS; ++v) s->p.v[v] = p[v], s->count.v[v] = count[v];
}

/* ------------------------------------------------------------------ proposals */

/* One QL sweep by the shift of the first two rows, l and l+1 (pwk.inc).  e2[i] is between rows i and i+1. */
SIMD_FN void sweep(lanes *d, lanes *e2, int l, int rows, int const vectors)
{
    vreal sigma[VECTORS], gamma[VECTORS], c[VECTORS], s[VECTORS], p[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        sigma[v] = pwk_shift_lanes(d[l].v[v], d[l + 1].v[v], e2[l].v[v]);
        c[v] = simd_splat(1), s[v] = simd_splat(0);
        gamma[v] = d[rows - 1].v[v] - sigma[v];
        p[v] = gamma[v] * gamma[v];
    }
    for (int i = rows - 2; i >= l; --i)
        for (int v = 0; v < vectors; ++v) {
            vreal below;
            pwk_row_lanes(e2[i].v[v], d[i].v[v], sigma[v], &c[v], &s[v], &gamma[v], &p[v], &below, &d[i + 1].v[v]);
            if (i < rows - 2) e2[i + 1].v[v] = below;
        }
    for (int v = 0; v < vectors; ++v) {
        e2[l].v[v] = s[v] * p[v];
        d[l].v[v] = sigma[v] + gamma[v];
    }
}

enum { MOST_SWEEPS = 8 }; /* for an eigenvalue; two or three are the rule, and a poor proposal costs only time */

SIMD_FN void iterate(lanes *d, lanes *e2, int rows, double negligible, int const vectors)
{
    vreal const least = simd_splat(negligible * negligible);
    for (int l = 0; l + 1 < rows; ++l)
        for (int sweeps = 0; sweeps < MOST_SWEEPS; ++sweeps) {
            vint coupled = {0};
            for (int v = 0; v < vectors; ++v) coupled |= e2[l].v[v] > least;
            if (!simd_any(coupled)) break;
            sweep(d, e2, l, rows, vectors);
        }
}

/* Approximate eigenvalues of up to SET matrices, ascending, to where the matrices' rows stand in t->lo.  Lanes sweep
 * together until the last one is done, so that a proposal depends on all matrices of the set: those that are not wanted
 * take part where one is. */
static void propose(const stebz_short *t, int most, const stebz_short_rows *matrix, int count)
{
    lanes d[STEBZ_SHORT_ROWS], e2[STEBZ_SHORT_ROWS];
    bool wanted = false;
    for (int l = 0; l < count; ++l) wanted |= matrix[l].wanted;
    if (!wanted) return;
    for (int l = 0; l < SET; ++l) {
        stebz_short_rows const m = matrix[l < count ? l : count - 1];
        for (int i = 0; i < most; ++i) {
            double const b = i + 1 < m.rows ? t->b[m.start + i + 1] : 0;
            put(&d[i], l, i < m.rows ? t->a[m.start + i] : 0);
            put(&e2[i], l, b * b);
        }
    }
    if (count <= SET / 2 && VECTORS > 1)
        iterate(d, e2, most, 0.125 * t->abstol, (VECTORS + 1) / 2);
    else
        iterate(d, e2, most, 0.125 * t->abstol, VECTORS);
    for (int l = 0; l < count; ++l) {
        double *const w = t->lo + matrix[l].start;
        for (int i = 0; i < matrix[l].rows && matrix[l].wanted; ++i) {
            double const x = get(&d[i], l);
            int j = i;
            for (; j > 0 && w[j - 1] > x; --j) w[j] = w[j - 1];
            w[j] = x;
        }
    }
}

/* ------------------------------------------------------------------- brackets */

/* Lane l gets eigenvalue k (from 1) of the matrix m, and as its bracket Gerschgorin's interval, widened by the error of
 * a count.  Its first shift lies half a final bracket below the proposed eigenvalue, where there is one, else in the
 * middle.  Up to `most` rows that count for nothing are added. */
static void load_lane(const stebz_short *t, lane_set *s, int l, int most, stebz_short_rows m, int k)
{
    double lo = INFINITY, hi = -INFINITY, before = 0;
    for (int i = 0; i < m.rows; ++i) {
        double const a = t->a[m.start + i], after = i + 1 < m.rows ? t->b[m.start + i + 1] : 0;
        double const radius = fabs(before) + fabs(after);
        lo = a - radius < lo ? a - radius : lo;
        hi = a + radius > hi ? a + radius : hi;
        put(&s->a[i], l, a), put(&s->b[i], l, before);
        before = after;
    }
    lo -= t->margin, hi += t->margin;
    for (int i = m.rows; i < most; ++i) put(&s->a[i], l, hi + (hi - lo)), put(&s->b[i], l, 0);
    double const proposed = t->lo[m.start + k - 1], size = t->reltol * fabs(proposed);
    double const width = t->abstol > size ? t->abstol : size, first = proposed - 0.5 * width;
    bool const near = !t->fine && lo < first && first < hi;
    put(&s->xa, l, lo), put(&s->pa, l, 0), put(&s->count_a, l, 0);
    put(&s->xb, l, hi), put(&s->pb, l, 0), put(&s->count_b, l, m.rows);
    put(&s->xc, l, lo), put(&s->pc, l, 0);
    put(&s->unit, l, 1 / (hi - lo));
    put(&s->x, l, near ? first : lo + 0.5 * (hi - lo));
    put(&s->stride, l, near ? 0.96875 * width : 0);
    put(&s->k, l, k);
    put(&s->slow, l, BRACKET_PATIENCE); /* the polynomial is not known at the ends */
}

/* x = the next shift of every lane, an end of the bracket where the lane has finished.  Bit l: lane l has not. */
SIMD_FN unsigned next_shifts(const stebz_short *t, lane_set *s)
{
    vreal const abstol = simd_splat(t->abstol);
    double const least = t->abstol > DBL_MIN ? t->abstol : DBL_MIN;
    unsigned working = 0;
    for (int v = 0; v < VECTORS; ++v) {
        vreal const xa = s->xa.v[v], xb = s->xb.v[v], lo = minimum(xa, xb), hi = simd_max(xa, xb);
        vreal const width = simd_max(abstol, t->reltol * simd_max(simd_abs(lo), simd_abs(hi)));
        vint const inside_one = simd_abs(s->count_b.v[v] - s->count_a.v[v]) == 1;
        vint const interpolate = inside_one & (s->slow.v[v] < BRACKET_PATIENCE);
        vreal const proposed =
            bracket_step_lanes(xa, s->pa.v[v], xb, s->pb.v[v], s->xc.v[v], s->pc.v[v], lo == lo, interpolate, width);
        vreal middle = lo + 0.5 * (hi - lo);
        if (t->fine)
            for (int l = 0; l < SIMD_LANES; ++l) middle[l] = bracket_fine_middle(lo[l], hi[l], least);
        vreal const inner = simd_select(interpolate & (proposed > lo) & (proposed < hi), proposed, middle);
        /* Around a proposed eigenvalue: from the end that moved last, by strides that grow until it is enclosed. */
        vreal const stride = s->stride.v[v];
        vint const searching = (stride > 0) & (hi - lo > 4 * stride);
        vreal const x = simd_select(searching, xa + simd_select(xa < xb, stride, -stride), inner);
        s->stride.v[v] = simd_select(searching, 4 * stride, simd_splat(0));
        vint const open = (hi - lo > width) & (lo < x) & (x < hi);
        s->x.v[v] = simd_select(open, x, xa);
        working |= simd_mask_bits(open) << (v * SIMD_LANES);
    }
    return working;
}

/* Moves one end of every bracket to the point just counted, unless that is an end. */
SIMD_FN void move_ends(lane_set *s)
{
    for (int v = 0; v < VECTORS; ++v) {
        vreal const x = s->x.v[v], xa = s->xa.v[v], xb = s->xb.v[v], old = simd_abs(xb - xa);
        vint const open = x != xa, left = s->count.v[v] >= s->k.v[v]; /* the eigenvalue lies below x */
        vint const drop_b = open & ~(left ^ (xa < xb)), drop_a = open & ~drop_b;
        s->xc.v[v] = simd_select(drop_b, xb, simd_select(drop_a, xa, s->xc.v[v]));
        s->pc.v[v] = simd_select(drop_b, s->pb.v[v], simd_select(drop_a, s->pa.v[v], s->pc.v[v]));
        s->xb.v[v] = simd_select(drop_b, xa, xb);
        s->pb.v[v] = simd_select(drop_b, s->pa.v[v], s->pb.v[v]);
        s->count_b.v[v] = simd_select(drop_b, s->count_a.v[v], s->count_b.v[v]);
        s->xa.v[v] = x;
        s->pa.v[v] = simd_select(open, s->p.v[v], s->pa.v[v]);
        s->count_a.v[v] = simd_select(open, s->count.v[v], s->count_a.v[v]);
        vint const halved = simd_abs(s->xb.v[v] - x) <= 0.5 * old;
        s->slow.v[v] = simd_select(halved, simd_splat(0), s->slow.v[v] + 1);
    }
}

/* The eigenvalues that the lanes work on: number k of a matrix; k = 0: none. */
typedef struct lane_items {
    const stebz_short_rows *matrix; /* of the next */
    int64_t left;                   /* matrices */
    int k, working;
    int64_t at[SET]; /* place of the result; -1: none */
} lane_items;

/* Lanes that have finished leave their result and take the next eigenvalue. */
static void refill(const stebz_short *t, lane_set *s, lane_items *item, int most, unsigned open)
{
    for (unsigned closed = ~open & ((1u << SET) - 1); closed; closed &= closed - 1) {
        int const l = __builtin_ctz(closed);
        if (item->at[l] >= 0) {
            double const xa = get(&s->xa, l), xb = get(&s->xb, l);
            t->lo[item->at[l]] = xa < xb ? xa : xb;
            t->hi[item->at[l]] = xa < xb ? xb : xa;
            item->at[l] = -1;
            --item->working;
        }
        for (; item->left > 0 && !item->matrix->wanted; --item->left) ++item->matrix;
        if (item->left == 0) continue;
        ++item->working;
        item->at[l] = item->matrix->start + item->k - 1;
        load_lane(t, s, l, most, *item->matrix, item->k);
        if (++item->k > item->matrix->rows) ++item->matrix, --item->left, item->k = 1;
    }
}

/* All eigenvalues of `count` matrices of up to `most` rows each. */
static void solve_sets(const stebz_short *t, int most, const stebz_short_rows *matrix, int64_t count)
{
    lane_set s;
    lane_items item = {.matrix = matrix, .left = count, .k = 1};
    for (int64_t i = 0; i < count && !t->fine; i += SET)
        propose(t, most, matrix + i, (int)(count - i < SET ? count - i : SET));
    for (int l = 0; l < SET; ++l) {
        item.at[l] = -1;
        load_lane(t, &s, l, most, matrix[0], 1);
    }
    refill(t, &s, &item, most, 0);
    while (item.working > 0) {
        count_set(&s, most);
        move_ends(&s);
        refill(t, &s, &item, most, next_shifts(t, &s));
    }
}

static void solve_ones(const stebz_short *t, const stebz_short_rows *matrix, int64_t count)
{
    for (int64_t j = 0; j < count; ++j)
        if (matrix[j].wanted) t->lo[matrix[j].start] = t->hi[matrix[j].start] = t->a[matrix[j].start];
}

static void solve_twos(const stebz_short *t, const stebz_short_rows *matrix, int64_t count)
{
    for (int64_t j = 0; j < count; ++j) {
        int64_t const at = matrix[j].start;
        if (!matrix[j].wanted) continue;
        double w[2];
        stebz_twos(t->a[at], t->a[at + 1], t->b[at + 1], w);
        t->lo[at] = t->hi[at] = w[0], t->lo[at + 1] = t->hi[at + 1] = w[1];
    }
}

static void solve_short(const stebz_short *t, const stebz_short_rows *matrix, int64_t count)
{
    /* Neighbours of similar size are solved together, with rows added to the shorter ones. */
    for (int64_t first = 0, end; first < count; first = end) {
        int const rows = matrix[first].rows, most = rows <= 2 ? rows : (rows + 3) / 4 * 4;
        for (end = first; end < count && matrix[end].rows <= most;) ++end;
        if (rows == 1)
            solve_ones(t, matrix + first, end - first);
        else if (rows == 2 && !t->fine)
            solve_twos(t, matrix + first, end - first);
        else
            solve_sets(t, most, matrix + first, end - first);
    }
}

const stebz_short_kernel ISA_TYPED(eig_cpu_stebz_short) = {.solve = solve_short};
