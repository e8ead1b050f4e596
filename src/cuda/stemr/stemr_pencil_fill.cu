/* stemr on CUDA: vectors of pencils, from the entries of the rows that have stayed to all of them.
 *
 *   shape_kernel   a lane what lies between two rows that have stayed: what each of the two brings to every row, and
 *                  how it changes with x. Rows that went last come back first.  Once for all members.
 *   fill_kernel    a thread a row, a block a piece of a cluster's rows: goes through the cluster's members
 *
 * Memory    shapes take the place of what brings rows back, in the pool; a slot a cluster, in turns where there are
 *           more clusters.
 * Bound by  writing z once. */
#include "stemr_lanes.cuh"
#include "stemr_pencil.cuh"

enum { LANES = 64, GROUPS = 64 /* blocks a node, at most */, ROWS = 256, AT_ONCE = 4 };

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
    stemr_node const &c = t.node[first + slot];
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
    stemr_node const &c = t.node[first + slot];
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
        bool const asked = m <= c.last && t.pair[m].close == STEMR_IN_PENCIL && t.pair[m].state == STEMR_SINGLE;
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

extern "C" eig_status eig_cuda_stemr_pencil_fill(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
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
