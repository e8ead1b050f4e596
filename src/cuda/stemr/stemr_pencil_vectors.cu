/* stemr on CUDA: eigenpairs of pencils: the row of the twist, and vectors.
 *
 *   locate_kernel    two lanes of a warp a pair go along all rows of its pencil, from the top and from the bottom, and
 *                    leave the sizes of their minors; entry k of the inverse's diagonal is a product of two of them
 *   kept_kernel      a warp a pair: entries of the rows that have stayed are products of ratios (stemr_vectors.cu),
 *                    from the twist outwards; what is far from it is 0
 *
 * Rows that went come last (stemr_pencil_fill.cu).
 * Memory    sizes lie in the pair's column of z, or in the room.
 * Bits      a pair's result depends on its pencil and its bracket alone. */
#include "stemr_lanes.cuh"
#include "stemr_pencil.cuh"

#include "words/team.cuh"

enum { THREADS = 32, WARPS = 4 };

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
static __device__ float *sizes_of(const stemr_task &t, const stemr_pair *pair, int64_t place)
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

static __global__ void __launch_bounds__(THREADS, 16) locate_kernel(stemr_task t, int turn)
{
    int const count = t.left[turn], lane = threadIdx.x % 32;
    const int *const list = t.list + (turn & 1) * t.n;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        const stemr_pair *const pair = t.pair + list[real_one ? mine : first];
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
static __device__ int2 kept_entries(const stemr_of_pencil &rows, real *z, int size, int twist, double scale)
{
    int const lane = threadIdx.x % 32, n = rows.n;
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
            if (there) z[row] = (real)entry;
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
        stemr_pair *const pair = t.pair + t.list[at];
        if (pair->column < 0) continue;
        real *const z = (real *)t.p.z + pair->column * t.p.ldz;
        stemr_of_pencil const rows = stemr_pencil_of(t, pair->node);
        int2 const ends = kept_entries(rows, z, n, stemr_twist_of(*pair, rows.n), pair->scale);
        for (int k = lane; k < rows.n; k += 32)
            if (k < ends.x || k > ends.y) z[rows.rows[k].row] = 0;
        if (lane != 0) continue;
        pair->support_first = ends.x > 0 ? rows.rows[ends.x - 1].row + 1 : 0;
        pair->support_last = (ends.y + 1 < rows.n ? rows.rows[ends.y + 1].row : n) - 1;
    }
}

/* --------------------------------------------------------------- launchers */

extern "C" eig_status eig_cuda_stemr_pencil_locate(eig_context *ctx, const stemr_task *t, int turn, cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: pencil_locate", stream, {stemr_warps(t), THREADS}, locate_kernel, *t, turn);
}

extern "C" eig_status eig_cuda_stemr_pencil_vectors(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    eig_status const status =
        cuda_launch(ctx, "stemr: pencil_entries", stream, {(t->pairs + WARPS - 1) / WARPS, 32 * WARPS},
                    t->p.type == EIG_S ? kept_kernel<float> : kept_kernel<double>, *t);
    return status == EIG_OK ? eig_cuda_stemr_pencil_fill(ctx, t, stream) : status;
}
