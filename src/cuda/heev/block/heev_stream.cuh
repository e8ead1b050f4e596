/* heev on CUDA, n > 64, tridiagonal, kernel 1 for float matrices that do not fit the shared memory of a block: A = Q T
 * Q^T by Householder reflectors, a thread block a matrix, by panels.
 *
 * Formula  as heev_panel.cu.
 * Step     two parts, a barrier each.  multiply: A x of the lower triangle alone, and the panel's products with x.
 *          finish: columns of V and W, and the next x.
 * Product  a tile has 128 rows and 8 columns: a lane has four rows of each.  A warp has a strip of 8 columns of 64 (16
 *          warps: 128), with all of its tiles, and loads a tile into registers while it works on the one before, its
 *          first one while it ends the step before.  Each element is read once for A x and for A^T x.  No other thread
 *          writes what a thread reads.
 * Memory   the lower triangle column by column in v or in the workspace; panel and vectors in shared memory.  The
 *          reflectors are left in v, below the diagonal.  What lies above the diagonal is undefined.
 * Cost     4/3 n^3 FMA; bound by the product's reading of n^3/6 numbers. */
#ifndef EIG_HEEV_STREAM_CUH
#define EIG_HEEV_STREAM_CUH

#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"

enum {
    STREAM_COLUMNS = 8,
    STREAM_ROWS = 128,
    STREAM_PANEL = 8 /* columns; two blocks of 8 warps share a multiprocessor */
};
/* Of a block: measured on an H200, where few large matrices leave its warps waiting, while many smaller ones share a
 * multiprocessor. */
static inline int stream_warps(int64_t n)
{
    return n > 640 && n <= 1536 ? 16 : 8;
}

static inline size_t stream_bytes(int64_t n)
{
    int64_t const rows = (n + STREAM_ROWS - 1) / STREAM_ROWS * STREAM_ROWS;
    return (size_t)((3 + stream_warps(n) + 2 * STREAM_PANEL) * rows + 2 * STREAM_PANEL + 2 * stream_warps(n)) *
           sizeof(float);
}

/* aligned: columns in global memory begin at multiples of 16 bytes, and so do their ends. */
template <int warps, bool aligned> struct stream_reduction {
    using number = number_of<float, false>;
    using real = float;
    static constexpr int columns = STREAM_COLUMNS, threads = 32 * warps, stride = columns * warps;
    int n, rows;
    float *a, *x, *column, *q, *p, *v, *w, *dots, *forms, *squares;
    int64_t pitch; /* of a */
    bool keep;     /* the reflectors, in a */
    int rank, lane, warp;

    struct tile {
        float e[columns][4];
    };

    __device__ void carve(int order, float *memory)
    {
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32;
        n = order, rows = (n + STREAM_ROWS - 1) / STREAM_ROWS * STREAM_ROWS;
        x = memory, column = x + rows, q = column + rows, p = q + rows, v = p + warps * rows;
        w = v + STREAM_PANEL * rows, dots = w + STREAM_PANEL * rows, forms = dots + 2 * STREAM_PANEL,
        squares = forms + warps;
        for (int f = rank; f < (3 + warps + 2 * STREAM_PANEL) * rows; f += threads) x[f] = 0;
    }

    __device__ __forceinline__ void put(float *to, float z) const
    {
        if (aligned)
            *to = z;
        else
            store_number((number *)to, number{z});
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ real load(const heev_job &job, int64_t b) const
    {
        matrix_source<number> const from(job, b);
        real const unit = from.unit_of(warp, warps, squares);
        real const inverse = pow2_inverse(unit == unit ? unit : (real)1);
        from.each(warp, warps,
                  [&](number z, int r, int j) { put(a + (r + j * pitch), unit == unit ? scaled(inverse, z).re : 0); });
        return unit;
    }

    /* The tiles of a warp, of columns from `first` on, in turn: rows r, ..., r + 3 of this lane, and columns from j. */
    struct walk {
        int r, j, lane;
        __device__ __forceinline__ walk(int first, int warp, int of) : lane(of)
        {
            int const strip = first / columns;
            j = columns * (strip + ((warp - strip) & (warps - 1)));
            top();
        }
        __device__ __forceinline__ void top()
        {
            r = j / STREAM_ROWS * STREAM_ROWS + 4 * lane;
        }
        __device__ __forceinline__ bool is_diagonal() const
        {
            return r - 4 * lane <= j;
        }
        /* The next tile; true where it has other columns. */
        __device__ __forceinline__ bool next(int n)
        {
            r += STREAM_ROWS;
            if (r - 4 * lane < n) return false;
            j += stride;
            top();
            return true;
        }
    };

    /* Whether the lane has elements of column j + c, from column `first` on. */
    __device__ __forceinline__ bool has(const walk &at, int c, int first) const
    {
        return at.r < n && at.r + 3 >= at.j && at.j + c >= first && at.j + c < n;
    }

    __device__ __forceinline__ void fetch(const walk &at, int first, tile &t) const
    {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            const float *const from = a + (at.r + (at.j + c) * pitch);
            bool const there = has(at, c, first);
            if (aligned) {
                float4 const z = there ? __ldcg((const float4 *)from) : make_float4(0, 0, 0, 0);
                t.e[c][0] = z.x, t.e[c][1] = z.y, t.e[c][2] = z.z, t.e[c][3] = z.w;
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    t.e[c][i] = there && at.r + i < n ? load_number((const number *)from + i).re : 0.0f;
            }
        }
    }

    __device__ __forceinline__ void store(const walk &at, int first, const tile &t) const
    {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            float *const to = a + (at.r + (at.j + c) * pitch);
            if (!has(at, c, first)) continue;
            if (aligned) {
                *(float4 *)to = make_float4(t.e[c][0], t.e[c][1], t.e[c][2], t.e[c][3]);
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (at.r + i < n) store_number((number *)to + i, number{t.e[c][i]});
            }
        }
    }

    static __device__ __forceinline__ void take4(const float *from, float (&to)[4])
    {
        float4 const z = *(const float4 *)from;
        to[0] = z.x, to[1] = z.y, to[2] = z.z, to[3] = z.w;
    }
    static __device__ __forceinline__ void take8(const float *from, float (&to)[columns])
    {
        float4 const y = *(const float4 *)from, z = *(const float4 *)(from + 4);
        to[0] = y.x, to[1] = y.y, to[2] = y.z, to[3] = y.w, to[4] = z.x, to[5] = z.y, to[6] = z.z, to[7] = z.w;
    }

    /* Subtracts what a panel of `count` columns changes. */
    __device__ __forceinline__ void refresh(const walk &at, int count, tile &t) const
    {
#pragma unroll 1
        for (int s = 0; s < count; ++s) {
            const float *const vs = v + s * rows, *const ws = w + s * rows;
            float vr[4], wr[4], vj[columns], wj[columns];
            take4(vs + at.r, vr), take4(ws + at.r, wr), take8(vs + at.j, vj), take8(ws + at.j, wj);
#pragma unroll
            for (int c = 0; c < columns; ++c)
#pragma unroll
                for (int i = 0; i < 4; ++i) t.e[c][i] = fma(-vj[c], wr[i], fma(-wj[c], vr[i], t.e[c][i]));
        }
    }

    /* A tile's part of A x, in `across`, and returns its part of x^T A x; column `first` is left in shared memory. */
    __device__ __forceinline__ float work(const walk &at, int first, int count, bool fresh, tile &t,
                                          float (&across)[columns]) const
    {
        float xr[4], xj[columns], down[4] = {0, 0, 0, 0};
        if (count > 0) refresh(at, count, t), store(at, first, t);
        take4(x + at.r, xr), take8(x + at.j, xj);
        bool const diagonal = at.is_diagonal();
        if (diagonal)
#pragma unroll
            for (int c = 0; c < columns; ++c)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (at.r + i < at.j + c) t.e[c][i] = 0;
        if (at.j <= first)
#pragma unroll
            for (int c = 0; c < columns; ++c)
                if (at.j + c == first)
                    *(float4 *)(column + at.r) = make_float4(t.e[c][0], t.e[c][1], t.e[c][2], t.e[c][3]);
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int i = 0; i < 4; ++i) down[i] = fma(t.e[c][i], xj[c], down[i]);
        if (diagonal)
#pragma unroll
            for (int c = 0; c < columns; ++c)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (at.r + i == at.j + c) t.e[c][i] = 0;
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int i = 0; i < 4; ++i) across[c] = fma(t.e[c][i], xr[i], across[c]);
        float *const own = p + warp * rows + at.r;
        float form = 0, before[4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < 4; ++i) form = fma(xr[i], down[i], form);
        if (!fresh) take4(own, before);
        *(float4 *)own =
            make_float4(before[0] + down[0], before[1] + down[1], before[2] + down[2], before[3] + down[3]);
        return form;
    }

    /* Where a strip has ended: its columns' sums go to q. */
    __device__ __forceinline__ float end_strip(int j, float (&across)[columns]) const
    {
        number sums[columns];
#pragma unroll
        for (int c = 0; c < columns; ++c) sums[c] = number{across[c]}, across[c] = 0;
        float const total = warp_totals<columns>(lane, sums).re;
        int const c = j + lane / (32 / columns);
        if (lane % (32 / columns) != 0) return 0;
        q[c] = total;
        return x[c] * total;
    }

    /* A x in parts: q, and p of each warp. If count is not 0, A is updated before by a panel of `count` columns.  `t`
     * is the warp's first tile, and then that of the next step. */
    __device__ __forceinline__ void multiply(int first, int count, tile &t) const
    {
        tile other;
        walk at(first, warp, lane);
        float across[columns], form = 0;
        bool fresh = true;
#pragma unroll
        for (int c = 0; c < columns; ++c) across[c] = 0;
        int const base = first / STREAM_ROWS * STREAM_ROWS, top = at.j < n ? at.j / STREAM_ROWS * STREAM_ROWS : rows;
        for (int r = base + 4 * lane; r < top; r += STREAM_ROWS)
            *(float4 *)(p + warp * rows + r) = make_float4(0, 0, 0, 0);
        auto const turn = [&](tile &now, tile &ahead) {
            walk lead = at;
            bool const ends = lead.next(n);
            fetch(lead, first, ahead);
            form += work(at, first, count, fresh, now, across);
            if (ends) form += end_strip(at.j, across), fresh = false;
            at = lead;
        };
        while (at.j < n) {
            turn(t, other);
            if (at.j < n) turn(other, t);
        }
        fetch(walk(first + 1, warp, lane), first + 1, t);
        form = warp_sum(form);
        if (lane == 0) forms[warp] = form;
    }

    /* V^T x and W^T x of the panel's i columns. */
    __device__ __forceinline__ void multiply_panel(int first, int i) const
    {
        for (int s = warp; s < 2 * i; s += warps) {
            const float *const u = s < i ? v + s * rows : w + (s - i) * rows;
            float total = 0;
#pragma unroll 4
            for (int r = first / STREAM_ROWS * STREAM_ROWS + 4 * lane; r < rows; r += STREAM_ROWS) {
                float ur[4], xr[4];
                take4(u + r, ur), take4(x + r, xr);
#pragma unroll
                for (int k = 0; k < 4; ++k) total = fma(ur[k], xr[k], total);
            }
            total = warp_sum(total);
            if (lane == 0) dots[s] = total;
        }
    }

    /* Row r of A x, from its parts. */
    __device__ __forceinline__ float collect(int r) const
    {
        float y = q[r];
#pragma unroll
        for (int g = 0; g < warps; ++g) y += p[g * rows + r];
        return y;
    }

    /* Ends step first - 1 with columns i of V and W, and makes x of column `first`; returns the thread's part of the
     * sum of its squares behind the first number. */
    __device__ __forceinline__ float finish(int first, int i, const reflector_by_division<number> &h, float *d) const
    {
        enum { ONCE = 2 };
        float const by = h.divisor.re, factor = h.tau.re * by, end = h.beta, corner = column[first];
        bool const reflects = h.tau.re != 0;
        float squared = 0;
        for (int r0 = first + rank; r0 < n; r0 += ONCE * threads) {
            float edge = collect(first), form = fma(end, fma(end, corner, -2 * edge), total_of<warps>(forms));
            float y[ONCE], z[ONCE];
            int r[ONCE];
            edge = fma(-end, corner, edge);
#pragma unroll
            for (int k = 0; k < ONCE; ++k) {
                r[k] = min(r0 + k * threads, n - 1), z[k] = column[r[k]];
                y[k] = fma(-end, z[k], collect(r[k]));
            }
#pragma unroll 2
            for (int s = 0; s < i; ++s) {
                const float *const vs = v + s * rows, *const ws = w + s * rows;
                float const vt = vs[first], wt = ws[first];
                float const in_v = fma(-end, vt, dots[s]), in_w = fma(-end, wt, dots[i + s]);
                edge = fma(-in_w, vt, fma(-in_v, wt, edge)), form = fma(-2 * in_v, in_w, form);
#pragma unroll
                for (int k = 0; k < ONCE; ++k) {
                    float const vr = vs[r[k]], wr = ws[r[k]];
                    y[k] = fma(-in_w, vr, fma(-in_v, wr, y[k])), z[k] = fma(-wt, vr, fma(-vt, wr, z[k]));
                }
            }
            float const more = reflects ? -0.5f * (h.tau.re * h.tau.re) * ((by * by) * form) : 0;
            float const pivot = fma(factor, edge, more);
#pragma unroll
            for (int k = 0; k < ONCE; ++k) {
                int const at = r0 + k * threads;
                if (at >= n) continue;
                float u = by * x[at];
                if (at == first && reflects) u = 1;
                float const own = at == first ? pivot : fma(factor, y[k], more * u);
                v[i * rows + at] = u, w[i * rows + at] = own;
                if (reflects) z[k] = fma(-pivot, u, z[k]) - own;
                if (keep) put(a + (at + (first - 1) * pitch), u);
                x[at] = at == first ? 0 : z[k];
                if (at == first) *d = z[k];
                if (at > first + 1) squared = fma(z[k], z[k], squared);
            }
        }
        return squared;
    }

    /* x of column 0. */
    __device__ __forceinline__ float begin(float *d) const
    {
        float squared = 0;
        for (int r = rank; r < n; r += threads) {
            float const z = load_number((const number *)a + r).re;
            x[r] = r == 0 ? 0 : z;
            if (r == 0) *d = z;
            if (r > 1) squared = fma(z, z, squared);
        }
        return squared;
    }

    __device__ void run(float *d, float *e, float *taus) const
    {
        tile t;
        float squared = begin(d);
        fetch(walk(1, warp, lane), 1, t);
        for (int k = 0, i = 0; k < n - 1; ++k) {
            squared = warp_sum(squared);
            if (lane == 0) squares[warp] = squared;
            __syncthreads(); /* x, V and W */
            bool const full = i == STREAM_PANEL;
            if (full) i = 0;
            reflector_by_division<number> const h(number{x[k + 1]}, total_of<warps>(squares));
            multiply_panel(k + 1, i);
            multiply(k + 1, full ? STREAM_PANEL : 0, t);
            __syncthreads(); /* the parts of A x */
            if (rank == 0) e[k] = h.beta;
            if (rank == 0 && taus) taus[k] = h.tau.re;
            squared = finish(k + 1, i++, h, d + k + 1);
        }
        if (rank == 0) e[n - 1] = 0;
    }
};

template <int warps, bool aligned>
static __global__ void __launch_bounds__(32 * warps, 16 / warps) heev_stream_kernel(heev_job job)
{
    extern __shared__ float4 stream_memory[];
    int64_t const m = blockIdx.x, n = job.p.n;
    stream_reduction<warps, aligned> x;
    x.a = (float *)job.matrix + m * job.matrix_stride, x.pitch = job.matrix_pitch, x.keep = job.p.v != NULL;
    x.carve((int)n, (float *)stream_memory);
    float const unit = x.load(job, job.first + m);
    __syncthreads(); /* the matrix is there */
    x.run((float *)job.d + m * n, (float *)job.e + m * n, x.keep ? (float *)job.tau + m * n : NULL);
    if (threadIdx.x == 0) ((float *)job.unit)[m] = unit;
}

template <int warps> static eig_status launch_stream_by(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    bool const aligned =
        (uintptr_t)job.matrix % 16 == 0 && job.matrix_pitch % 4 == 0 && job.matrix_stride % 4 == 0 && job.p.n % 4 == 0;
    return cuda_launch(ctx, "heev: stream_kernel", stream, {job.count, 32 * warps, stream_bytes(job.p.n)},
                       aligned ? heev_stream_kernel<warps, true> : heev_stream_kernel<warps, false>, job);
}

static inline eig_status launch_stream(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return stream_warps(job.p.n) == 16 ? launch_stream_by<16>(ctx, job, stream) : launch_stream_by<8>(ctx, job, stream);
}

#endif
