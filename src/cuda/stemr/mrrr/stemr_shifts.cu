/* stemr on CUDA, method mrrr: representations of clusters: their shifts, and their rows.
 *
 * Shifts    A warp a cluster, a candidate a lane: sixteen near it, outside at both ends and inside, and sixteen ever
 *           farther out; where none of them serves, sixteen more.  Least growth of D wins among the near ones; the
 *           first far one whose growth is small enough wins where none of those is.  As src/cpu/stemr/stemr_tree.c.
 * Rows      On the first level a candidate leaves marks on its way, from which the winner's rows are made, a thread for
 *           every STEMR_SEGMENT of them.  Else a thread a cluster goes down T once more; on deeper levels through the
 *           shifts of all ancestors at once, row by row, so that nothing else must be in the pool.
 * Chain     n rows. */
#include "stemr_mrrr.cuh"

enum { NEAR = 16, FAR = 16, AHEAD = 4 };

/* Goes down the rows of the representation that the shift leads to from the cluster's parent, through all its
 * ancestors: visit(i, row). */
template <bool deep, typename visitor>
static __device__ __forceinline__ void walk_rows(const stemr_task &t, const stemr_cluster &c, wide_d shift,
                                                 visitor visit)
{
    int const above = deep ? c.level - 1 : 0; /* ancestors */
    wide_d x[STEMR_DEPTH], s[STEMR_DEPTH];
    x[above] = shift;
    if (deep) {
        int node = c.parent;
        for (int level = above - 1; level >= 0; --level, node = t.node[node].parent) x[level] = t.node[node].shift;
        for (int level = 1; level <= above; ++level) s[level] = wide_minus_d(x[level]);
    }
    wide_d first = {0, 0};
    stemr_entry ahead[AHEAD];
    for (int j = 0; j < AHEAD; ++j) ahead[j] = stemr_load_entry(t.entry + min((int64_t)j, t.n - 1));
    for (int64_t i0 = 0; i0 < t.n; i0 += AHEAD) {
        stemr_entry here[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            here[j] = ahead[j];
            ahead[j] = stemr_load_entry(t.entry + min(i0 + AHEAD + j, t.n - 1));
        }
#pragma unroll
        for (int j = 0; j < AHEAD; ++j) {
            if (i0 + j >= t.n) break;
            stemr_first_step const step = stemr_first_row(here[j], x[0], first);
            first = wide_minus_d(step.g);
            stemr_row row = stemr_first_row_of(step);
            for (int level = 1; deep && level <= above; ++level) {
                stemr_step const next = stemr_row_step(row.d, row.g, x[level], s[level]);
                s[level] = next.next;
                row = stemr_row_of(next, here[j].b);
            }
            visit(i0 + j, row);
        }
    }
}

/* Goes down the rows of T~ - x = L D L^T without a division in the way: mark(i, s), s before row i, of every
 * STEMR_SEGMENT-th; the largest pivot. */
template <typename marker>
static __device__ __forceinline__ double walk_minors(const stemr_task &t, wide_d x, marker mark)
{
    __shared__ stemr_root_tile tile;
    stemr_of_root const rows = {t.entry, (int)t.n, &tile};
    stemr_minors m = stemr_first_minors();
    double largest = 0;
    rows.walk(false, rows.n, [&](int i0, const stemr_of_root::line *lines) {
        if (i0 > 0 && i0 % STEMR_SEGMENT == 0) mark(i0, wide_minus_d(stemr_state_of(m)));
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) {
            double const before = stemr_kept_away(m.here.hi, m.before.hi);
            m = stemr_next_minors(lines[k].a, lines[k].b, x, m);
            double const pivot = fabs(m.here.hi * stemr_reciprocal(before, rough_inverse(before)));
            largest = i0 + k < rows.n ? fmax(largest, pivot) : largest;
        }
        stemr_rescale_minors(m);
    });
    return largest;
}

/* The shift of candidate j of a set, against the parent's representation, and what speaks against it. */
static __device__ wide_d candidate(const stemr_cluster &c, int set, int j, double *penalty)
{
    wide_d const lo = c.lo, hi = c.hi;
    double const width = fmax(stemr_difference(hi, lo).hi, DBL_MIN);
    *penalty = 1;
    if (set > 0) {
        double const distance = scalbn(width, 2 * (j / 2) + 6 + FAR * (set - 1));
        return j % 2 ? wide_add_d(hi, stemr_wide(distance)) : wide_add_d(lo, stemr_wide(-distance));
    }
    int const rank = j % 4;
    double const far = rank == 0 ? 0.25 : rank == 1 ? 1 : rank == 2 ? 4 : 16;
    *penalty = j >= 8 ? 3 : rank == 0 ? 1 : rank == 1 ? 1.5 : rank == 2 ? 2 : 4;
    if (j < 4) return wide_add_d(lo, stemr_wide(-width * far));
    if (j < 8) return wide_add_d(hi, stemr_wide(width * far));
    return wide_add_d(lo, stemr_wide(width * (2 * (j - 8) + 1) / 16));
}

/* The lane whose number is least among `lanes`, the first of equal ones. */
static __device__ __forceinline__ int least_lane(double x, unsigned lanes)
{
    int at = threadIdx.x % 32;
    if (!(lanes >> at & 1)) x = INFINITY;
    for (int d = 1; d < 32; d *= 2) {
        double const other = __shfl_xor_sync(0xffffffffu, x, d);
        int const other_at = __shfl_xor_sync(0xffffffffu, at, d);
        if (other < x || (other == x && other_at < at)) x = other, at = other_at;
    }
    return at;
}

/* Shifts of nodes first to last-1, a warp each. */
template <bool deep> static __global__ void __launch_bounds__(32) choose_shifts(stemr_task t, int first)
{
    unsigned const all = 0xffffffffu;
    int const lane = threadIdx.x;
    stemr_cluster &c = t.node[first + blockIdx.x];
    wide_d *const marks = (wide_d *)stemr_slot_of(t, first + blockIdx.x);
    wide_d *const kept = stemr_marks_of(t, first + blockIdx.x);
    int64_t const segments = stemr_segments(t.n);
    double const enough = stemr_most_growth(c);
    double growth = INFINITY;
    wide_d shift = {0, 0};
    int tried = 0;
    for (int attempt = 0; attempt < 2 && !(growth <= enough); ++attempt) {
        int const set = attempt == 0 ? lane / NEAR : 2;
        double penalty, largest = 0;
        bool finite = true;
        wide_d const x = candidate(c, set, lane % NEAR, &penalty);
        if (deep)
            walk_rows<deep>(t, c, x, [&](int64_t, const stemr_row &row) {
                largest = fmax(largest, fabs(row.d.hi));
                finite = finite && fabs(row.d.hi) < INFINITY;
            });
        else
            largest = walk_minors(t, x, [&](int64_t i, wide_d s) { marks[(i / STEMR_SEGMENT - 1) * 32 + lane] = s; });
        __syncwarp(); /* marks are there */
        if (!finite) largest = INFINITY;
        for (int half = attempt; half < 2; ++half) {
            if (growth <= enough) break;
            double const floor = half == 0 ? 4 : enough;
            int const best = least_lane(fmax(largest, floor) * penalty, half == 0 ? 0xffffu
                                                                        : attempt ? all
                                                                                  : 0xffff0000u);
            double const reached = __shfl_sync(all, largest, best);
            tried += NEAR;
            if (!(reached < growth)) continue;
            growth = reached;
            shift = wide_d{__shfl_sync(all, x.hi, best), __shfl_sync(all, x.lo, best)};
            for (int64_t i = lane; !deep && i < segments; i += 32) kept[i] = marks[i * 32 + best];
        }
        __syncwarp(); /* marks are free */
    }
    if (lane != 0) return;
    c.shift = shift, c.growth = growth;
    c.sigma = wide_add_d(c.parent < 0 ? wide_d{0, 0} : t.node[c.parent].sigma, shift);
    c.slot = (int)((first + blockIdx.x) % t.slots), c.wave = (int)((first + blockIdx.x) / t.slots);
    c.tries = tried;
}

static __device__ __forceinline__ void store(stemr_row *at, const stemr_row &row)
{
    ((double2 *)at)[0] = make_double2(row.d.hi, row.d.lo);
    ((double2 *)at)[1] = make_double2(row.g.hi, row.g.lo);
}

/* Rows of nodes from first on, a thread each. */
template <bool deep> static __global__ void write_rows(stemr_task t, int first)
{
    int const node = first + blockIdx.x;
    if (node >= t.counts->nodes) return;
    stemr_cluster const c = t.node[node];
    if (deep != (c.level > 1)) return;
    stemr_row *const rows = stemr_slot_of(t, node);
    walk_rows<deep>(t, c, c.shift, [&](int64_t i, const stemr_row &row) { store(rows + i, row); });
}

/* Rows of nodes first to last-1 of level 1 whose marks are there, a thread a segment. */
static __global__ void __launch_bounds__(32) write_segments(stemr_task t, int first)
{
    int64_t const segments = stemr_segments(t.n) + 1, groups = (segments + 31) / 32;
    int const node = first + (int)(blockIdx.x / groups);
    int64_t const segment = blockIdx.x % groups * 32 + threadIdx.x;
    if (segment >= segments) return;
    wide_d const x = t.node[node].shift;
    wide_d s = segment > 0 ? stemr_marks_of(t, node)[segment - 1] : wide_d{0, 0};
    stemr_row *const rows = stemr_slot_of(t, node);
    int64_t const end = min((segment + 1) * STEMR_SEGMENT, t.n);
    for (int64_t i = segment * STEMR_SEGMENT; i < end; ++i) {
        stemr_first_step const step = stemr_first_row(stemr_load_entry(t.entry + i), x, s);
        s = wide_minus_d(step.g);
        store(rows + i, stemr_first_row_of(step));
    }
}

/* ----------------------------------------------------------------------- host */

static eig_status write_nodes(eig_context *ctx, const stemr_task *t, int64_t first, int64_t last, cudaStream_t stream)
{
    cuda_shape const shape = {last - first, 1}; /* a chain each: what counts is its length, not how lanes are used */
    eig_status const status = cuda_launch(ctx, "stemr: rows", stream, shape, write_rows<false>, *t, (int)first);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stemr: rows", stream, shape, write_rows<true>, *t, (int)first);
}

extern "C" eig_status eig_cuda_stemr_represent(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    return write_nodes(ctx, t, t->wave * t->slots, (t->wave + 1) * t->slots, stream);
}

extern "C" eig_status eig_cuda_stemr_write_rows(eig_context *ctx, const stemr_task *t, int level, int64_t first,
                                                int64_t last, cudaStream_t stream)
{
    int64_t const groups = (stemr_segments(t->n) + 32) / 32;
    if (level > 1) return write_nodes(ctx, t, first, last, stream);
    return cuda_launch(ctx, "stemr: segments", stream, {(last - first) * groups, 32}, write_segments, *t, (int)first);
}

extern "C" eig_status eig_cuda_stemr_choose(eig_context *ctx, const stemr_task *t, int level, int64_t first,
                                            int64_t last, cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: shifts", stream, {last - first, 32},
                       level == 1 ? choose_shifts<false> : choose_shifts<true>, *t, (int)first);
}
