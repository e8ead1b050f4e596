/* stemr on CUDA: eigenpairs of pencils: the row of the twist, and vectors.
 *
 *   locate_kernel    two lanes of a warp a pair go along all rows of its pencil, from the top and from the bottom, and
 *                    leave the sizes of their minors; entry k of the inverse's diagonal is a product of two of them
 *   kept_kernel      a warp a pair: entries of the rows that have stayed are products of ratios (stemr_vectors.cu),
 *                    from the twist outwards; what is far from it is 0
 *   shape_kernel     a lane what lies between two rows that have stayed: what each of the two brings to every row, and
 *                    how it changes with x.  Rows that went last come back first.  Once for all members.
 *   fill_kernel      a thread a row, a block a piece of a cluster's rows: goes through the cluster's members
 *   sign_kernel      a warp a pair: its length and residual, and its sign
 *
 * Memory    sizes lie in the pair's column of z, or in the room.  Shapes take the place of what brings rows back, in
 *           the pool: a slot a cluster, in steps where there are more clusters.
 * Bound by  writing z once.
 * Bits      a pair's result depends on its pencil and its bracket alone. */
#include "stemr_gauge.cuh"
#include "stemr_pencil.cuh"
#include "stemr_walk.cuh"

#include "primitives/team.cuh"

enum { THREADS = 32, WARPS = 4 };
enum { LANES = 64, GROUPS = 64 /* blocks a node, at most */, ROWS = 256, AT_ONCE = 4 };

/* Of rows whose products are within a factor of 2^NEARLY of the largest one, the one nearest the middle makes walks
 * short. */
#define NEARLY 2.0f

/* -------------------------------------------------------------------- twists */

/* Sizes of minors as powers of two: the exponent, and the mantissa in a straight line. */
static __device__ __forceinline__ float size_of(double x)
{
    return (float)(__double2hiint(x) & 0x7fffffff) * 0x1p-20f;
}

/* Two floats a row of the pencil, for the pair whose number among those of this launch is `place`. */
static __device__ float *sizes_of(const stemr_task &t, const stemr_eigenpair *pair, int64_t place)
{
    if (!t.p.z) return (float *)(t.room + place * t.n);
    return t.p.type == EIG_S ? (float *)t.p.z + pair->column * t.p.ldz
                             : (float *)((double *)t.p.z + pair->column * t.p.ldz);
}

/* The row where the product is large, by all lanes of the warp. */
static __device__ int large_row(const float *top, const float *bottom, int n)
{
    int const lane = threadIdx.x % 32;
    float most = -INFINITY;
    for (int k = lane; k < n; k += 32) most = fmaxf(most, top[k] + bottom[k]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    int best = INT_MAX; /* twice the distance from the middle, and on which side */
    for (int k = lane; k < n; k += 32)
        if (top[k] + bottom[k] >= most - NEARLY) best = min(best, 2 * abs(2 * k - n) + (2 * k < n));
    best = warp_min(best);
    int const far = best / 2;
    return min(max((best % 2 ? n - far : n + far) / 2, 0), n - 1);
}

static __global__ void __launch_bounds__(THREADS, 16) locate_kernel(stemr_task t, int list_index)
{
    int const count = t.left[list_index], lane = threadIdx.x % 32;
    const int *const list = t.list + (list_index & 1) * t.n;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        const stemr_eigenpair *const pair = t.pair + list[real_one ? mine : first];
        stemr_of_pencil const rows = stemr_pencil_of(t, pair->node);
        wide_d const x = pair->x;
        int const n = rows.n;
        float *const sizes = sizes_of(t, pair, (int64_t)blockIdx.x * STEMR_HALF + lane % STEMR_HALF);
        float *const to = sizes + (back ? n : 0);
        stemr_of_pencil::way w = rows.begin(back, x);
        int exponent = 0;
        rows.walk(back, warp_max(n), [&](int i0, const stemr_of_pencil::line *lines) {
#pragma unroll
            for (int k = 0; k < STEMR_GROUP; ++k) {
                int const i = i0 + k;
                if (real_one && i < n) to[back ? n - 1 - i : i] = size_of(w.here.hi) + (float)exponent;
                w = rows.next(lines[k], x, w);
            }
            w.kept = 1;
            rows.rescale(w);
            exponent += 1023 - (__double2hiint(w.kept) >> 20);
        });
        __syncwarp(); /* all sizes are there */
        for (int j = 0; j < STEMR_HALF && first + j < count; ++j) {
            const float *const top =
                (const float *)__shfl_sync(0xffffffffu, (unsigned long long)sizes, j); /* of the warp's pair j */
            int const its = __shfl_sync(0xffffffffu, n, j), row = large_row(top, top + its, its);
            if (lane == j) t.pair[list[first + j]].twist = row;
        }
        __syncwarp(); /* the sizes' places are free */
    }
}

/* ------------------------------------------------------------------- vectors */

/* Entries of the rows that have stayed; the first and the last row of the pencil that is not 0.  Ratios of the rows
 * above the twist lie at the column's top, those of the others at its end: entries are written from the twist outwards,
 * and never where a ratio is yet to be read, since row k of the pencil is row k or a later one of T~, and as many rows
 * follow it. */
template <typename real>
static __device__ int2 kept_entries(const stemr_task &t, const stemr_eigenpair &pair, const stemr_of_pencil &rows,
                                    real *z)
{
    int const lane = threadIdx.x % 32, n = rows.n, size = (int)t.n, twist = stemr_twist_of(pair, n);
    double const scale = pair.scale;
    int2 ends = make_int2(twist, twist);
    if (lane == 0) z[rows.rows[twist].row] = (real)scale;
    double carry[2] = {scale, scale};
    for (int i = 1; i < n; i += 32) { /* distance from the twist */
        if ((carry[0] == 0 || twist - i < 0) && (carry[1] == 0 || twist + i >= n)) break;
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            int const k = side ? twist + i + lane : twist - i - lane;
            bool const there = k >= 0 && k < n && carry[side] != 0;
            int const row = there ? rows.rows[k].row : 0;
            double const ratio = there ? -(double)z[side ? size - n + k : k] : 0;
            double const entry = stemr_entry_of<real>(ratio, lane, carry + side);
            if (there) z[row] = (real)stemr_bent(t, pair, entry);
            if (there && entry != 0) (side ? ends.y : ends.x) = k;
        }
    }
    ends.x = warp_min(ends.x), ends.y = warp_max(ends.y);
    __syncwarp(); /* all entries are there */
    return ends;
}

/* A warp a pair. */
template <typename real> static __global__ void __launch_bounds__(32 * WARPS) kept_kernel(stemr_task t)
{
    int const count = t.left[0], lane = threadIdx.x % 32, n = (int)t.n;
    for (int at = blockIdx.x * WARPS + threadIdx.x / 32; at < count; at += gridDim.x * WARPS) {
        stemr_eigenpair *const pair = t.pair + t.list[at];
        if (pair->column < 0) continue;
        real *const z = (real *)t.p.z + pair->column * t.p.ldz;
        stemr_of_pencil const rows = stemr_pencil_of(t, pair->node);
        int2 const ends = kept_entries(t, *pair, rows, z);
        for (int k = lane; k < rows.n; k += 32)
            if (k < ends.x || k > ends.y) z[rows.rows[k].row] = 0;
        if (lane != 0) continue;
        pair->support_first = ends.x > 0 ? rows.rows[ends.x - 1].row + 1 : 0;
        pair->support_last = (ends.y + 1 < rows.n ? rows.rows[ends.y + 1].row : n) - 1;
    }
}

/* ------------------------------------------------------------------ all rows */

/* What a row's entry is made of: (u + x u1) z_left + (v + x v1) z_right. */
struct stemr_shape {
    double u, u1, v, v1;
};

/* So small a part is none. */
static __device__ __forceinline__ double cut(double x)
{
    return fabs(x) < 0x1p-200 ? 0 : x;
}

static __device__ __forceinline__ stemr_shape come_back(const stemr_return &r, const stemr_shape &left,
                                                        const stemr_shape &next)
{
    stemr_shape s;
    s.u = cut(-fma(r.f, left.u, r.h * next.u));
    s.v = cut(-fma(r.f, left.v, r.h * next.v));
    s.u1 = cut(-fma(r.f, left.u1, fma(r.f1, left.u, fma(r.h, next.u1, r.h1 * next.u))));
    s.v1 = cut(-fma(r.f, left.v1, fma(r.f1, left.v, fma(r.h, next.v1, r.h1 * next.v))));
    return s;
}

/* Rows from..upto-1, between row k of the pencil and the next one. */
static __device__ void shape_rows(const stemr_task &t, int slot, int k, int from, int upto)
{
    stemr_return *const returns = stemr_returns_of(t, slot);
    stemr_shape *const shapes = (stemr_shape *)returns;
    const unsigned *const stays = stemr_stays_of(t, slot);
    int *const above = stemr_above_of(t, slot);
    stemr_shape const of_left = {1, 0, 0, 0}, of_right = {0, 0, 1, 0};
    /* The last row up to i that stayed in its chunk. */
    auto const record_upto = [&](int i) {
        unsigned const stay = stays[i / STEMR_CHUNK] & (0xffffffffu >> (31 - i % STEMR_CHUNK));
        return i / STEMR_CHUNK * STEMR_CHUNK + 31 - __clz(stay);
    };
    stemr_shape next = of_right;
    for (int i = upto - 1; i >= from; --i) {
        i = record_upto(i);
        if (i < from) break;
        next = come_back(returns[i], of_left, next);
        shapes[i] = next;
    }
    next = of_right;
    int record = upto;
    stemr_shape left = of_left;
    for (int i = upto - 1; i >= from; --i) {
        if (record > i) {
            record = record_upto(i);
            left = record < from ? of_left : shapes[record];
        }
        above[i] = k;
        if (i == record) {
            next = left;
            continue;
        }
        next = come_back(returns[i], left, next);
        shapes[i] = next;
    }
    if (k < 0) return;
    shapes[from - 1] = of_left; /* row k itself */
    above[from - 1] = k;
}

static __global__ void __launch_bounds__(LANES) shape_kernel(stemr_task t, int first, int groups)
{
    int const slot = blockIdx.x / groups, group = blockIdx.x % groups;
    stemr_cluster const &c = t.node[first + slot];
    const stemr_kept *const rows = t.kept + c.kept_at;
    if (c.kept == 0) return;
    for (int k = group * LANES + (int)threadIdx.x - 1; k < c.kept; k += groups * LANES) {
        int const from = k < 0 ? 0 : rows[k].row + 1, upto = k + 1 < c.kept ? rows[k + 1].row : (int)t.n;
        shape_rows(t, slot, k, from, upto);
    }
}

template <typename real> static __global__ void __launch_bounds__(ROWS) fill_kernel(stemr_task t, int first, int pieces)
{
    __shared__ int64_t column[ROWS];
    __shared__ double shift[ROWS];
    int const slot = blockIdx.x / pieces, i = blockIdx.x % pieces * ROWS + (int)threadIdx.x;
    stemr_cluster const &c = t.node[first + slot];
    if (c.kept == 0) return;
    bool const there = i < t.n;
    stemr_shape const s = ((const stemr_shape *)stemr_returns_of(t, slot))[there ? i : 0];
    int const k = stemr_above_of(t, slot)[there ? i : 0];
    const stemr_kept *const rows = t.kept + c.kept_at;
    int const left = k >= 0 ? rows[k].row : -1, right = k + 1 < c.kept ? rows[k + 1].row : -1;
    real *const z = (real *)t.p.z;
    for (int m0 = c.first; m0 <= c.last; m0 += ROWS) {
        int const m = m0 + (int)threadIdx.x, end = min((int)ROWS, c.last - m0 + 1);
        __syncthreads(); /* all are through with the members before */
        bool const asked = m <= c.last && t.pair[m].kind == STEMR_OF_PENCILS && t.pair[m].state == STEMR_SINGLE;
        column[threadIdx.x] = asked ? t.pair[m].column : -1;
        shift[threadIdx.x] = asked ? t.pair[m].x.hi : 0;
        __syncthreads(); /* these members are there */
        if (!there || left == i) continue;
        for (int j0 = 0; j0 < end; j0 += AT_ONCE) {
            double of_left[AT_ONCE], of_right[AT_ONCE];
#pragma unroll
            for (int j = 0; j < AT_ONCE; ++j) {
                int64_t const at = j0 + j < end ? column[j0 + j] : -1;
                of_left[j] = at >= 0 && left >= 0 ? (double)z[at * t.p.ldz + left] : 0;
                of_right[j] = at >= 0 && right >= 0 ? (double)z[at * t.p.ldz + right] : 0;
            }
#pragma unroll
            for (int j = 0; j < AT_ONCE; ++j) {
                int64_t const at = j0 + j < end ? column[j0 + j] : -1;
                if (at < 0) continue;
                double const x = shift[j0 + j];
                double const entry = fma(fma(x, s.u1, s.u), of_left[j], fma(x, s.v1, s.v) * of_right[j]);
                z[at * t.p.ldz + i] = (real)(fabs(entry) < stemr_least_entry<real>() ? 0 : entry);
            }
        }
    }
}

/* Squares of a vector's length and residual, the lane's part of them, and its largest modulus. */
template <typename real> struct stemr_measures {
    double square, residual;
    real most;
};

/* Of rows first to last of z, which is 0 elsewhere. */
template <typename real>
static __device__ __forceinline__ stemr_measures<real> measure(const stemr_task &t, const stemr_eigenpair &pair,
                                                               const real *z, int first, int last)
{
    int const lane = threadIdx.x % 32, n = (int)t.n, end = min(last + 1, n - 1);
    double const w = stemr_told_value(t, pair);
    stemr_measures<real> m = {0, 0, 0};
#pragma unroll 4
    for (int row = max(first - 1, 0) + lane; row <= end; row += 32) {
        double const here = (double)z[row], before = row > 0 ? (double)z[row - 1] : 0,
                     after = row + 1 < n ? (double)z[row + 1] : 0;
        double const r = fma(t.a[row] - w, here, fma(row > 0 ? t.e[row - 1] : 0, before, t.e[row] * after));
        m.residual = fma(r, r, m.residual), m.square = fma(here, here, m.square);
        m.most = fmax(m.most, fabs(z[row]));
    }
    return m;
}

template <typename real> static __global__ void __launch_bounds__(32 * WARPS) sign_kernel(stemr_task t)
{
    int const count = t.left[0], lane = threadIdx.x % 32;
    lane_team<32> const team(lane);
    for (int at = blockIdx.x * WARPS + threadIdx.x / 32; at < count; at += gridDim.x * WARPS) {
        stemr_eigenpair *const pair = t.pair + t.list[at];
        if (pair->column < 0) continue;
        real *const z = (real *)t.p.z + pair->column * t.p.ldz;
        int const first = (int)pair->support_first, last = (int)pair->support_last;
        stemr_measures<real> m = {0, 0, 0};
        if (t.p.certify) {
            m = measure(t, *pair, z, first, last);
        } else {
#pragma unroll 4
            for (int row = first + lane; row <= last; row += 32) m.most = fmax(m.most, fabs(z[row]));
        }
        double const square = team.sum(m.square), residual = team.sum(m.residual);
        __syncwarp(); /* all lanes have read z */
        stemr_give_sign(z, first, last, team.max(m.most));
        if (lane == 0 && t.p.certify) stemr_judge(t, pair, square, residual);
    }
}

/* --------------------------------------------------------------- launchers */

extern "C" eig_status eig_cuda_stemr_pencil_locate(eig_context *ctx, const stemr_task *t, int list_index,
                                                   cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: pencil_locate", stream, {stemr_warps(t), THREADS}, locate_kernel, *t, list_index);
}

static eig_status fill_rows(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    int64_t const pieces = (t->n + ROWS - 1) / ROWS, want = t->n / (8 * LANES) + 1,
                  groups = want < GROUPS ? want : (int64_t)GROUPS;
    eig_status status = EIG_OK;
    for (int64_t first = 0, last; first < t->pencil_nodes && status == EIG_OK; first = last) {
        last = first + t->slots < t->pencil_nodes ? first + t->slots : t->pencil_nodes;
        if (!t->returns_there) status = eig_cuda_stemr_pencil_returns(ctx, t, (int)first, (int)last, stream);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: shapes", stream, {(last - first) * groups, LANES}, shape_kernel, *t,
                                 (int)first, (int)groups);
        if (status == EIG_OK)
            status =
                cuda_launch(ctx, "stemr: pencil_fill", stream, {(last - first) * pieces, ROWS},
                            t->p.type == EIG_S ? fill_kernel<float> : fill_kernel<double>, *t, (int)first, (int)pieces);
    }
    return status;
}

extern "C" eig_status eig_cuda_stemr_pencil_vectors(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    cuda_shape const shape = {(t->pairs + WARPS - 1) / WARPS, 32 * WARPS};
    bool const single = t->p.type == EIG_S;
    eig_status status =
        cuda_launch(ctx, "stemr: pencil_entries", stream, shape, single ? kept_kernel<float> : kept_kernel<double>, *t);
    if (status == EIG_OK) status = fill_rows(ctx, t, stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: pencil_signs", stream, shape,
                             single ? sign_kernel<float> : sign_kernel<double>, *t);
    return status;
}
