/* stemr on CUDA: vectors of pairs whose eigenvalue and twist are known, and what the caller gets beside them.
 *
 *   ratio_kernel     two lanes of a warp a pair, from the top and from the bottom to the twist: the ratios of
 *                    neighbouring entries go where the entries will be, through shared memory, so that runs of 8 rows
 *                    are written at once; at the twist the length and the residual are known
 *   product_kernel   a warp a pair: entries are products of ratios, from the twist outwards, 32 at a time by a scan;
 *                    their length and their residual are measured as they go by; then the vector's sign
 *                    (stemr_gauge.cuh)
 *   output_kernel      values, supports, info
 *
 * Cost      some 40 operations a row and lane; z is written twice and read once, but for the sign.  The residual reads
 *           T, 16 bytes a row of the vector's support, from the caches. */
#include "stemr_gauge.cuh"
#include "stemr_pencil.cuh"
#include "stemr_triple.cuh"
#include "stemr_walk.cuh"

#include "mrrr/stemr_node_rows.cuh"

#include "primitives/team.cuh"

enum { STEP = 8, THREADS = 32, WARPS = 4, PRODUCT_BLOCKS = 8, OUTPUT_THREADS = 256 };

/* Pivots are kept this far from 0 where ratios are stored as floats. */
#define LEAST_FLOAT_PIVOT 0x1p-100

template <typename real> struct ratio_tile {
    real at[32][STEP + 1];
};

/* Places i0 to i0+STEP-1 of the tile's lanes into their columns, as far as there are ratios. */
template <typename real>
static __device__ void write_tile(const ratio_tile<real> &tile, real *column, int n, int i0, int length)
{
    int const lane = threadIdx.x % 32, k = lane % STEP;
    for (int l = 0; l < 32; l += 32 / STEP) {
        int const from = l + lane / STEP;
        bool const back = from >= STEMR_HALF;
        real *const to = (real *)__shfl_sync(0xffffffffu, (unsigned long long)column, from);
        int const end = __shfl_sync(0xffffffffu, length, from), i = i0 + k;
        if (to && i < end) to[back ? n - 1 - i : i] = tile.at[from][k];
    }
}

/* Ratios on their way to the columns. */
template <typename real> struct ratio_sink {
    ratio_tile<real> *tile;
    real *column;
    int n, length;

    __device__ __forceinline__ double kept(double ratio) const
    {
        return sizeof(real) == 4 ? fmax(fmin(ratio, 1 / LEAST_FLOAT_PIVOT), -1 / LEAST_FLOAT_PIVOT) : ratio;
    }
    __device__ __forceinline__ double take(int i, double ratio) const
    {
        ratio = kept(ratio);
        tile->at[threadIdx.x % 32][i % STEP] = (real)ratio;
        return ratio;
    }
    __device__ __forceinline__ void end(int i) const
    {
        __syncwarp(); /* the tile is full */
        write_tile(*tile, column, n, i - STEP, length);
        __syncwarp(); /* and free */
    }
};

template <typename rows_type, typename real>
static __global__ void __launch_bounds__(THREADS, 16) ratio_kernel(stemr_task t)
{
    __shared__ ratio_tile<real> tile;
    __shared__ stemr_root_tile root_tile;
    int const count = t.left[0], lane = threadIdx.x % 32, n = (int)t.n;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        stemr_eigenpair *const pair = t.pair + t.list[real_one ? mine : first];
        bool const wanted = real_one && pair->column >= 0;
        rows_type const rows = stemr_rows_of<rows_type>(t, pair).with(&root_tile);
        wide_d const x = pair->x;
        int const twist = stemr_twist_of(*pair, rows.n), length = back ? rows.n - 1 - twist : twist;
        real *const column = wanted ? (real *)t.p.z + pair->column * t.p.ldz : NULL;
        ratio_sink<real> const sink = {&tile, column, n, length};
        auto const h = stemr_walk_half(rows, x, back, length, warp_max(length), sink);
        stemr_found const f = stemr_meet(rows, x, back, length, h);
        __syncwarp();
        if (!wanted || back) continue;
        bool const stretched = t.limits.stretched > 0 && pair->index % t.limits.stretched == 0;
        pair->scale = (stretched ? 1.01 : 1) / sqrt(f.norm);
        pair->residual = fabs(f.gamma) * pair->scale;
    }
}

/* The square of the residual of a vector whose entries come outwards from the twist, 32 at a time.  A lane has what its
 * own row and the one before it give to the residual of its own row, and completes that of the row before. */
struct outward_residual {
    const double *a, *e; /* the scaled T */
    double w, square, of_twist;
    double last[2], partial[2]; /* of each side: the last entry, and what its row has of its residual */

    __device__ __forceinline__ outward_residual(const stemr_task &t, const stemr_eigenpair &pair, int twist,
                                                double entry)
        : a(t.a), e(t.e), w(stemr_told_value(t, pair)), square(0),
          of_twist(0), last{entry, entry}, partial{0, (a[twist] - w) * entry}
    {
    }
    /* The entries of rows i to i + 31 from the twist, 0 where there are none, upwards (side 0) or downwards.  All
     * lanes. */
    __device__ __forceinline__ void take(int side, int i, int lane, int row, bool there, double entry)
    {
        unsigned const all = 0xffffffffu;
        if (!__any_sync(all, entry != 0) && last[side] == 0 && partial[side] == 0) return;
        double const inner = there ? e[row - side] : 0; /* couples it and the row before it */
        double before = __shfl_up_sync(all, entry, 1);
        before = lane > 0 ? before : last[side];
        double const mine = fma(inner, before, there ? (a[row] - w) * entry : 0);
        double of_before = __shfl_up_sync(all, mine, 1);
        of_before = lane > 0 ? of_before : partial[side];
        double const r = fma(inner, entry, of_before);
        if (i == 1 && lane == 0) /* the other side has a part in it */
            of_twist += r;
        else
            square = fma(r, r, square);
        last[side] = __shfl_sync(all, entry, 31), partial[side] = __shfl_sync(all, mine, 31);
    }
    __device__ __forceinline__ double total(int lane) const
    {
        double const ends = lane == 0 ? of_twist * of_twist + partial[0] * partial[0] + partial[1] * partial[1] : 0;
        return lane_team<32>(lane).sum(square + ends);
    }
};

template <typename real>
static __global__ void __launch_bounds__(32 * WARPS, PRODUCT_BLOCKS) product_kernel(stemr_task t)
{
    int const count = t.left[0], lane = threadIdx.x % 32, n = (int)t.n;
    for (int at = blockIdx.x * WARPS + threadIdx.x / 32; at < count; at += gridDim.x * WARPS) {
        stemr_eigenpair *const pair = t.pair + t.list[at];
        if (pair->column < 0) continue;
        real *const z = (real *)t.p.z + pair->column * t.p.ldz;
        int const twist = stemr_twist_of(*pair, n);
        double const scale = pair->scale;
        int ends[2] = {twist, twist};
        if (lane == 0) z[twist] = (real)scale;
        double carry[2] = {scale, scale}, square = lane == 0 ? scale * scale : 0;
        real most = (real)scale;
        outward_residual residual(t, *pair, twist, (double)most);
        for (int i = 1; i < n; i += 32) { /* distance from the twist */
            if (twist - i < 0 && twist + i >= n) break;
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                int const row = side ? twist + i + lane : twist - i - lane;
                bool const there = row >= 0 && row < n;
                double const ratio = there && carry[side] != 0 ? -(double)z[row] : 0;
                double const entry = stemr_bent(t, *pair, stemr_entry_of<real>(ratio, lane, carry + side));
                if (there) z[row] = (real)entry;
                most = fmax(most, fabs((real)entry));
                square = fma(entry, entry, square);
                if (there && entry != 0) ends[side] = row;
                if (t.p.certify) residual.take(side, i, lane, row, there, (double)(real)entry);
            }
        }
        int const first = warp_min(ends[0]), last = warp_max(ends[1]);
        square = lane_team<32>(lane).sum(square);
        double const off = t.p.certify ? residual.total(lane) : 0;
        __syncwarp(); /* all entries are there */
        stemr_give_sign(z, first, last, lane_team<32>(lane).max(most));
        if (lane != 0) continue;
        pair->support_first = first, pair->support_last = last;
        stemr_judge(t, pair, square, off);
    }
}

/* ------------------------------------------------------------------- outputs */

/* The caller's number. */
static __device__ double value_of(const stemr_task &t, const stemr_eigenpair &k)
{
    double const w = scalbn(k.value, t.counts->scale);
    return t.p.moves ? range_moved(&t.p.by_value, w) : w;
}

/* A pair whose vector is yet to come.  One that would get none, if ever there is one (it is not SINGLE, or has no row
 * of a twist), goes to inverse iteration where there are clusters, or vectors are measured; else info tells.  Where no
 * vectors are wanted info tells of pairs that have not been corrected, if their brackets are wide. */
static __device__ void catch_lost(const stemr_task &t, int64_t k)
{
    stemr_eigenpair *const pair = t.pair + k;
    bool const forced = t.limits.lost > 0 && pair->index % t.limits.lost == 0;
    bool const lost = pair->state != STEMR_SINGLE || pair->twist < 0 || forced;
    pair->residual = INFINITY;
    if (pair->state == STEMR_INVERSE) return;
    if (!pair->member) pair->run = k;
    if (!t.p.z) {
        bool const wide =
            !(stemr_difference(pair->hi, pair->lo).hi <= t.limits.info_above[0] * (double)t.n * stemr_eps(t));
        if ((lost || !pair->aimed) && wide) pair->info |= EIG_STEMR_RESIDUAL;
        return;
    }
    if (!lost) return;
    pair->state = STEMR_INVERSE;
    pair->support_first = 0, pair->support_last = t.n - 1;
    atomicAdd(&t.counts->inverse, 1);
}

/* Values of all pairs. */
static __global__ void value_kernel(stemr_task t)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= t.pairs) return;
    stemr_eigenpair *const pair = t.pair + k;
    pair->value = stemr_whole(t, *pair).hi;
    if (pair->state == STEMR_SKIPPED) return;
    if (pair->column >= 0) catch_lost(t, k);
}

static __global__ void output_kernel(stemr_task t)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k == 0 && t.p.m) *t.p.m = t.counts->columns;
    if (k >= t.pairs) return;
    stemr_eigenpair const pair = t.pair[k];
    if (pair.column < 0) return;
    stemr_put(t.p.type, t.p.w, pair.column, value_of(t, pair));
    if (t.p.info) {
        bool const large = t.p.z && !(pair.residual <= t.limits.info_above[0] * (double)t.n * stemr_eps(t));
        t.p.info[pair.column] = large ? pair.info | EIG_STEMR_RESIDUAL : pair.info;
    }
    if (t.p.z && t.p.isuppz) {
        t.p.isuppz[2 * pair.column] = pair.support_first + 1;
        t.p.isuppz[2 * pair.column + 1] = pair.support_last + 1;
    }
}

/* A T that is not finite (all NaN), or diagonal with one entry alone. */
static __global__ void trivial_kernel(stemr_task t, bool finite, int64_t found, int64_t first)
{
    const stemr_problem &p = t.p;
    int64_t const step = (int64_t)gridDim.x * blockDim.x, from = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t at = from; p.z && at < found * t.n; at += step) {
        int64_t const column = at / t.n, row = at % t.n;
        stemr_put(p.type, p.z, column * p.ldz + row, !finite ? NAN : row == column + first ? 1 : 0);
    }
    for (int64_t k = from; k < found; k += step) {
        stemr_put(p.type, p.w, k, !finite ? NAN : stemr_get(p.type, p.d, t.n == 1 ? 0 : k));
        if (p.residual && p.z) stemr_put(p.type, p.residual, k, finite ? 0 : NAN);
        if (p.info) p.info[k] = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
        if (p.isuppz && p.z)
            p.isuppz[2 * k] = finite ? k + first + 1 : 1, p.isuppz[2 * k + 1] = finite ? k + first + 1 : t.n;
    }
    if (from == 0 && p.m) *p.m = finite ? found : 0;
    if (from == 0 && p.orthogonality && p.z) stemr_put(p.type, p.orthogonality, 0, finite ? 0 : NAN);
}

/* --------------------------------------------------------------- launchers */

template <typename rows_type>
static eig_status launch(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream)
{
    bool const single = t->p.type == EIG_S;
    eig_status status = eig_cuda_stemr_list(ctx, t, kind, true, stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: ratio_kernel", stream, {(t->pairs + STEMR_HALF - 1) / STEMR_HALF, THREADS},
                             single ? ratio_kernel<rows_type, float> : ratio_kernel<rows_type, double>, *t);
    if (kind == STEMR_OF_PENCILS && status == EIG_OK) return eig_cuda_stemr_pencil_vectors(ctx, t, stream);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: product_kernel", stream, {(t->pairs + WARPS - 1) / WARPS, 32 * WARPS},
                             single ? product_kernel<float> : product_kernel<double>, *t);
    return status;
}

eig_status eig_cuda_stemr_vectors(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream)
{
    if (kind == STEMR_OF_PENCILS) return launch<stemr_of_pencil>(ctx, t, kind, stream);
    if (kind == STEMR_OF_TRIPLES) return launch<stemr_of_triples>(ctx, t, kind, stream);
    return kind == STEMR_OF_NODES ? launch<stemr_of_node>(ctx, t, kind, stream)
                                  : launch<stemr_of_root>(ctx, t, kind, stream);
}

eig_status eig_cuda_stemr_values(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    cuda_shape const shape = {(t->pairs + OUTPUT_THREADS - 1) / OUTPUT_THREADS, OUTPUT_THREADS};
    return cuda_launch(ctx, "stemr: value_kernel", stream, shape, value_kernel, *t);
}

eig_status eig_cuda_stemr_outputs(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: output_kernel", stream,
                       {(t->pairs + OUTPUT_THREADS - 1) / OUTPUT_THREADS, OUTPUT_THREADS}, output_kernel, *t);
}

eig_status eig_cuda_stemr_trivial(eig_context *ctx, const stemr_task *t, bool finite, int64_t found, int64_t first,
                                  cudaStream_t stream)
{
    int64_t const work = t->p.z ? found * t->n : found, want = (work + OUTPUT_THREADS - 1) / OUTPUT_THREADS;
    int64_t const blocks = want < 1 ? 1 : want < 4096 ? want : 4096;
    return cuda_launch(ctx, "stemr: trivial_kernel", stream, {blocks, OUTPUT_THREADS}, trivial_kernel, *t, finite,
                       found, first);
}
