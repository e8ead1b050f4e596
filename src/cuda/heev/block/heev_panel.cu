/* heev on CUDA, n > 64, tridiagonal, kernel 1: A = Q T Q^H by Householder reflectors, a thread block a matrix.
 * Matrices that fit the shared memory of a block have the kernel fused; the others go by panels:
 *
 * Formula  as below; panels of columns as LAPACK's zlatrd: within a panel A stays as it is, and what its
 *          reflectors change, A - V W^H - W V^H, is taken into account where A is used; then A is updated at once.
 * Step     two parts, a barrier each.  multiply: A x of the lower triangle alone, the panel's products with x, and the
 *          reflector's numbers.  finish: columns of V and W, and the next x.
 * Product  a warp takes some columns, its lanes rows: each element is read once for A x and for A^H x, and copied to
 *          shared memory some tiles ahead.  Groups of warps share the columns, the warps of a group the rows; each
 *          group adds into a vector of its own.
 * Memory   the lower triangle, as the caller's memory has it column by column, in v or in the workspace; panel and
 *          vectors in shared memory.  The reflectors are left in v, below the diagonal.
 * Cost     complex 8/3 n^3 FMA, half of it in the product; bound by the product's reading of n^3/6 numbers. */
#include "heev/block/heev_stream.cuh"
#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"
#include "per_type.cuh"

/* Where a matrix fits the shared memory of a block.
 *
 * Formula  as heev_reduce.cu: H = I - tau u u^H with u = (1, ...), real off-diagonals.
 * Step     two parts, a barrier each.  update: A - v w^H - w v^H of the step before, and its product with x, the next
 *          column, in one pass over A; beside it one more warp computes the reflector's numbers.  finish: u and w, and
 *          the next x.  Since u is (x - beta e_1) / (x_1 - beta), A u and u^H A u follow from A x, x^H A x and a column
 *          of A.
 * Mapping  lanes take rows from the step's first one on; warps share the columns, and as rows become fewer, more warps
 *          share them.
 * Cost     complex 4 n^3 FMA, both triangles being worked on; bound by latency for few matrices, by shared memory for
 *          many. */

/* The block's shared memory. */
template <typename number> static size_t fused_bytes(int64_t n, int warps)
{
    int64_t const rows = (n + 31) / 32 * 32;
    return (size_t)(n * (n | 1) + 3 * rows + 32 * warps + 2) * sizeof(number) +
           (size_t)(rows + warps + 1) * sizeof(typename number::real);
}

template <typename number, int warps> struct fused_reduction {
    using real = typename number::real;
    int n, pitch;
    number *a, *x, *v, *w, *parts, *tau, *divisor;
    real *squares, *forms, *beta; /* of x, behind its first number; parts of x^H A x */
    number *keep;                 /* NULL, or where the reflectors go, columns keep_pitch apart */
    int64_t keep_pitch;
    int rank, lane, warp;
    int chunks, groups, chunk,
        group; /* the rows that are left, in chunks of 32; groups of warps that share the columns; this warp's */

    /* Shares out the rows from `first` on. The shares change only where the rows fill their last chunk. */
    __device__ __forceinline__ void share(int first)
    {
        chunks = (n - first + 31) / 32, groups = warps / chunks;
        chunk = warp % chunks, group = warp / chunks;
    }

    __device__ void carve(int order, void *memory)
    {
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, n = order, pitch = n | 1;
        int const rows = (n + 31) / 32 * 32;
        a = (number *)memory, x = a + n * pitch, v = x + rows, w = v + rows, parts = w + rows;
        tau = parts + 32 * warps, divisor = tau + 1;
        squares = (real *)(divisor + 1), forms = squares + rows, beta = forms + warps;
        for (int f = rank; f < 3 * rows; f += (int)blockDim.x) x[f] = zero_of<number>();
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ real load(const heev_job &job, int64_t b)
    {
        matrix_source<number> const from(job, b);
        real const unit = from.unit_of(warp, warps + 1, squares), inverse = pow2_inverse(unit == unit ? unit : (real)1);
        from.each(warp, warps + 1, [&](number z, int r, int j) {
            z = unit == unit ? scaled(inverse, z) : zero_of<number>();
            a[r + j * pitch] = z, a[j + r * pitch] = conj(z);
        });
        return unit;
    }

    /* The reflector that takes x to beta e_1: beta, tau, and what x - beta e_1 is multiplied by. */
    __device__ __forceinline__ void reflect(int first) const
    {
        real rest = 0;
        for (int r = first + 1 + lane; r < n; r += 32) rest += squares[r];
        reflector_by_division<number> const h(x[first], warp_sum(rest));
        if (lane == 0) *beta = h.beta, *tau = h.tau, *divisor = h.divisor;
    }

    /* A - v w^H - w v^H from row and column `first` on, and its product with x. */
    __device__ __forceinline__ void update(int first) const
    {
        if (group >= groups) {
            if (lane == 0) forms[warp] = 0;
            return;
        }
        int const r = first + 32 * chunk + lane;
        number y = zero_of<number>();
        real form = 0;
        if (r < n) {
            number const vr = negative(v[r]), wr = negative(w[r]);
#pragma unroll 4
            for (int j = first + group; j < n; j += groups) {
                number z = a[r + j * pitch];
                z = conj_product_add(v[j], wr, conj_product_add(w[j], vr, z));
                a[r + j * pitch] = z;
                y = product_add(z, x[j], y);
            }
            form = real_dot(x[r], y);
        }
        parts[(group * chunks + chunk) * 32 + lane] = y;
        form = warp_sum(form);
        if (lane == 0) forms[warp] = form;
    }

    /* Ends step first - 1, if first is not 0, and makes x of column `first`. */
    __device__ __forceinline__ void finish(int first, real *d)
    {
        if (32 * warp >= n - first) return;
        int const r = first + rank;
        bool const live = r < n;
        number u = zero_of<number>(), own_w = u, pivot = u, z = live ? a[r + first * pitch] : u;
        bool const reflects = first > 0 && tau->re != 0;
        if (reflects) {
            number const by = *divisor, factor = product_add(*tau, by, zero_of<number>());
            real const end = *beta, corner = a[first + first * pitch].re;
            number top = u, y = u; /* rows `first` and r of A x */
#pragma unroll 2
            for (int k = 0; k < groups; ++k) {
                top = sum(top, parts[32 * k * chunks]);
                y = sum(y, parts[32 * k * chunks + rank]);
            }
            real form = total_of<warps>(forms);
            form = square(by) * fma(end, fma(end, corner, -2 * top.re), form); /* u^H A u */
            real const more = (real)-0.5 * square(*tau) * form;
            number edge;
            set(edge, fma(-end, corner, top.re), imaginary(top));
            set(pivot, more, (real)0);
            pivot = product_add(factor, edge, pivot);
            if (live) {
                y = scaled_add(-end, z, y);
                u = product_add(by, x[r], u);
                if (rank == 0) set(u, (real)1, (real)0);
                own_w = rank == 0 ? pivot : product_add(factor, y, scaled(more, u));
                z = conj_product_add(negative(pivot), u, z);
                z = sum(z, negative(own_w));
            }
        }
        if (live && first > 0) {
            v[r] = u, w[r] = own_w;
            if (keep) store_number(keep + (r + (first - 1) * keep_pitch), u);
        }
        if (live) x[r] = rank == 0 ? zero_of<number>() : z;
        if (rank == 0) *d = z.re;
        if (live) squares[r] = square(z);
    }

    __device__ void run(real *d, real *e, number *taus)
    {
        finish(0, d);
        for (int k = 0; k < n - 1; ++k) {
            if (k == 0 || (n - k - 1) % 32 == 0) share(k + 1);
            __syncthreads(); /* x, v and w */
            if (warp == warps)
                reflect(k + 1);
            else
                update(k + 1);
            __syncthreads(); /* A x in parts, and the reflector's numbers */
            if (rank == 0) e[k] = *beta;
            if (rank == 0 && taus) taus[k] = *tau;
            finish(k + 1, d + k + 1);
        }
        if (rank == 0) e[n - 1] = 0;
    }
};

/* The fewest blocks on a multiprocessor, which bounds registers; before sm_80 it has room for 1024 threads. */
template <typename number, int warps> static constexpr int fused_blocks()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    return warps > 8 ? 1 : 3;
#else
    return warps > 8 ? 1 : sizeof(number) == 16 ? 3 : 4;
#endif
}

template <typename number, int warps>
static __global__ void __launch_bounds__(32 * warps + 32, fused_blocks<number, warps>()) heev_fused_kernel(heev_job job)
{
    using real = typename number::real;
    extern __shared__ double panel_memory[];
    int64_t const m = blockIdx.x, n = job.p.n;
    fused_reduction<number, warps> x;
    x.keep = job.p.v ? (number *)job.matrix + m * job.matrix_stride : NULL, x.keep_pitch = job.matrix_pitch;
    x.carve((int)n, panel_memory);
    real const unit = x.load(job, job.first + m);
    __syncthreads(); /* the matrix is there, and squares is free */
    x.run((real *)job.d + m * n, (real *)job.e + m * n, job.p.v ? (number *)job.tau + m * n : NULL);
    if (threadIdx.x == 0) ((real *)job.unit)[m] = unit;
}

template <typename number, int warps>
static eig_status launch_fused(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return cuda_launch(ctx, "heev: fused_kernel", stream,
                       {job.count, 32 * warps + 32, fused_bytes<number>(job.p.n, warps)},
                       heev_fused_kernel<number, warps>, job);
}

enum { PANEL_GROUPS = 4, PANEL_AHEAD = 2 /* tiles under way */ };

/* A warp takes some columns at once; there are `splits` warps a group. */
template <typename number, int splits> struct panel_tile {
    static constexpr int columns = sizeof(number) >= 8 ? 4 : 8, step = columns * PANEL_GROUPS, size = 32 * columns;
    static constexpr int warps = PANEL_GROUPS * splits, threads = 32 * warps, ring = warps * PANEL_AHEAD * size;
    static constexpr int blocks = sizeof(number) < 16 || splits < 4 ? 2 : 1; /* a multiprocessor */
};

template <typename number, int splits> static size_t panel_bytes(int64_t n, int width)
{
    using tile = panel_tile<number, splits>;
    int64_t const rows = (n + 31) / 32 * 32, vectors = 1 + 2 * width + PANEL_GROUPS + splits;
    return (size_t)(tile::ring + vectors * rows + 2 * width + 2) * sizeof(number) +
           (size_t)(rows + tile::warps + 1) * sizeof(typename number::real);
}

/* The most columns of a panel, up to `wide`, that fit; 0 where not even one does. */
template <typename number, int splits> static int panel_width(int64_t n, int wide, size_t most)
{
    int width = wide;
    while (width > 0 && panel_bytes<number, splits>(n, width) > most) --width;
    return width;
}

/* How a block works: it depends on n, the type, and the device's shared memory. */
struct panel_plan {
    int width, splits;
};

/* Two blocks share a multiprocessor where that leaves enough columns; in complex double each then has half the
 * warps. */
template <typename number> static panel_plan panel_plan_of(int64_t n, size_t most)
{
    enum { TWO_BLOCKS = 113 << 10, WIDE = 12, USUAL = 8, LEAST = 5 };
    size_t const half = most < TWO_BLOCKS ? most : (size_t)TWO_BLOCKS;
    int const splits = sizeof(number) == 16 ? 2 : 4;
    int const width = splits == 2 ? panel_width<number, 2>(n, USUAL, half) : panel_width<number, 4>(n, USUAL, half);
    if (width >= LEAST) return {width, splits};
    return {panel_width<number, 4>(n, WIDE, most), 4};
}

/* aligned: numbers in global memory are aligned to their size. */
template <typename number, int splits, bool aligned> struct panel_reduction {
    using real = typename number::real;
    using tile = panel_tile<number, splits>;
    static constexpr int columns = tile::columns, step = tile::step, warps = tile::warps, threads = tile::threads;
    int n, rows, width;
    number *a, *x, *v, *w, *p, *q, *ring, *dots, *tau, *divisor;
    real *squares, *forms, *beta; /* of x, behind its first number; parts of x^H A x */
    int64_t pitch;                /* of a */
    bool keep;                    /* the reflectors, in a */
    int rank, lane, warp;

    __device__ __forceinline__ number fetch(const number *from) const
    {
        return aligned ? *from : load_number(from);
    }
    __device__ __forceinline__ void put(number *to, number z) const
    {
        if (aligned)
            *to = z;
        else
            store_number(to, z);
    }

    __device__ void carve(int order, int panel, void *memory)
    {
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32;
        n = order, rows = (n + 31) / 32 * 32, width = panel;
        x = (number *)memory, v = x + rows, w = v + width * rows, p = w + width * rows, q = p + PANEL_GROUPS * rows;
        ring = q + splits * rows, dots = ring + tile::ring;
        tau = dots + 2 * width, divisor = tau + 1;
        squares = (real *)(divisor + 1), forms = squares + rows, beta = forms + warps;
        for (int f = rank; f < (1 + 2 * width) * rows; f += threads) x[f] = zero_of<number>();
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ real load(const heev_job &job, int64_t b) const
    {
        matrix_source<number> const from(job, b);
        real const unit = from.unit_of(warp, warps, squares), inverse = pow2_inverse(unit == unit ? unit : (real)1);
        from.each(warp, warps, [&](number z, int r, int j) {
            put(a + (r + j * pitch), unit == unit ? scaled(inverse, z) : zero_of<number>());
        });
        return unit;
    }

    /* The tiles of a warp, of rows and columns from `first` on, in turn: 32 rows from r - lane, and columns from j. */
    struct walk {
        int r, j, split, lane;
        __device__ __forceinline__ walk(int first, int warp, int of)
            : j(first / columns * columns + columns * (warp / splits)), split(warp % splits), lane(of)
        {
            top();
        }
        __device__ __forceinline__ void top()
        {
            r = 32 * (j / 32 + ((split - j / 32) & (splits - 1))) + lane;
        }
        /* The next tile; true where it has other columns. */
        __device__ __forceinline__ bool next(int rows)
        {
            r += 32 * splits;
            if (r < rows) return false;
            j += step;
            top();
            return true;
        }
    };

    /* Begins to copy a tile, each lane its own numbers. */
    __device__ __forceinline__ void request(walk *lead, number *to) const
    {
        if (lead->j < n) {
            const number *const from = a + (lead->r + lead->j * pitch);
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                bool const there = lead->r < n && lead->r >= lead->j + c;
                copy_later<aligned>(to + 32 * c, there ? from + c * pitch : a, there);
            }
            lead->next(rows);
        }
        copy_end();
    }

    /* Subtracts from a tile what a panel of `count` columns changes, from row and column `first` on. */
    __device__ __forceinline__ void refresh(const walk &at, int first, int count, number *e) const
    {
#pragma unroll 2
        for (int t = 0; t < count; ++t) {
            const number *const vt = v + t * rows, *const wt = w + t * rows;
            number const vr = negative(vt[at.r]), wr = negative(wt[at.r]);
#pragma unroll
            for (int c = 0; c < columns; ++c)
                e[c] = conj_product_add(vt[at.j + c], wr, conj_product_add(wt[at.j + c], vr, e[c]));
        }
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            bool const there = at.r < n && at.r >= at.j + c && at.j + c >= first;
            if (at.r == at.j + c) set(e[c], e[c].re, (real)0);
            if (there)
                put(a + (at.r + (at.j + c) * pitch), e[c]);
            else
                e[c] = zero_of<number>();
        }
    }

    /* A x in parts: p[group] and q[split]. If count is not 0, A is updated before by a panel of `count` columns. */
    __device__ __forceinline__ void multiply(int first, int count) const
    {
        number *const own = p + warp / splits * rows;
        number *slot = ring + warp * PANEL_AHEAD * tile::size + lane;
        walk at(first, warp, lane), lead = at;
        number across[columns];
        real form = 0;
        bool fresh = true;
#pragma unroll
        for (int c = 0; c < columns; ++c) across[c] = zero_of<number>();
#pragma unroll
        for (int k = 0; k < PANEL_AHEAD; ++k) request(&lead, slot + k * tile::size);
        for (int ahead = 0; at.j < n; ahead = (ahead + 1) % PANEL_AHEAD) {
            int const r = at.r, j = at.j;
            number e[columns], *const here = slot + ahead * tile::size;
            copy_wait<PANEL_AHEAD - 1>();
#pragma unroll
            for (int c = 0; c < columns; ++c) e[c] = here[32 * c];
            request(&lead, here);
            if (r < rows) {
                if (count > 0) refresh(at, first, count, e);
                number const xr = x[r];
                number down = zero_of<number>();
#pragma unroll
                for (int c = 0; c < columns; ++c) {
                    down = product_add(e[c], x[j + c], down);
                    if (r == j + c) e[c] = zero_of<number>();
                    across[c] = conj_product_add(e[c], xr, across[c]);
                }
                form += real_dot(xr, down);
                own[r] = fresh ? down : sum(own[r], down);
            }
            if (!at.next(rows)) continue;
            number const total = warp_totals<columns>(lane, across);
            int const c = j + lane / (32 / columns);
            if (lane % (32 / columns) == 0) q[warp % splits * rows + c] = total, form += real_dot(x[c], total);
#pragma unroll
            for (int k = 0; k < columns; ++k) across[k] = zero_of<number>();
            fresh = false;
        }
        form = warp_sum(form);
        if (lane == 0) forms[warp] = form;
    }

    /* V^H x and W^H x of the panel's i columns. */
    __device__ __forceinline__ void multiply_panel(int first, int i) const
    {
        for (int t = warp; t < 2 * i; t += warps) {
            const number *const u = t < i ? v + t * rows : w + (t - i) * rows;
            number total = zero_of<number>();
#pragma unroll 4
            for (int r = first / 32 * 32 + lane; r < rows; r += 32) total = conj_product_add(u[r], x[r], total);
            total = warp_total(total);
            if (lane == 0) dots[t] = total;
        }
    }

    /* The reflector that takes x to beta e_1. */
    __device__ __forceinline__ void reflect(int first) const
    {
        real rest = 0;
        for (int r = first + 1 + lane; r < n; r += 32) rest += squares[r];
        reflector_by_division<number> const h(x[first], warp_sum(rest));
        if (lane == 0) *beta = h.beta, *tau = h.tau, *divisor = h.divisor;
    }

    /* Row r of A x, from its parts. */
    __device__ __forceinline__ number collect(int first, int r) const
    {
        number y = zero_of<number>();
        int const j = first / columns * columns;
#pragma unroll
        for (int g = 0; g < PANEL_GROUPS; ++g)
            if (j + columns * g < n && r >= (j + columns * g) / 32 * 32) y = sum(y, p[g * rows + r]);
#pragma unroll
        for (int f = 0; f < splits; ++f) y = sum(y, q[f * rows + r]);
        return y;
    }

    /* Ends step first - 1 with columns i of V and W, and makes x of column `first`. */
    __device__ __forceinline__ void finish(int first, int i, real *d) const
    {
        number const by = *divisor, factor = product_add(*tau, by, zero_of<number>());
        real const end = *beta;
        bool const reflects = tau->re != 0;
        number const *const column = a + first * pitch;
        number ahead = rank >= first && rank < n ? fetch(column + rank) : zero_of<number>();
        real const corner = fetch(column + first).re;
        /* u^H A u, and row `first` of A u; they give `pivot`, W's number there */
        number edge = collect(first, first);
        real form = fma(end, fma(end, corner, -2 * edge.re), (real)0);
        form += total_of<warps>(forms);
        edge = sum(edge, negative(scaled(end * corner, one())));
#pragma unroll 4
        for (int t = 0; t < i; ++t) {
            number const vt = v[t * rows + first], wt = w[t * rows + first];
            number const in_v = scaled_add(-end, conj(vt), dots[t]), in_w = scaled_add(-end, conj(wt), dots[i + t]);
            edge = product_add(negative(in_w), vt, product_add(negative(in_v), wt, edge));
            form = fma((real)-2, real_dot(in_v, in_w), form);
        }
        real const more = reflects ? (real)-0.5 * square(*tau) * (square(by) * form) : (real)0;
        number const pivot = product_add(factor, edge, scaled(more, one()));
        for (int r = rank; r < n; r += threads) {
            if (r < first) continue;
            number z = r == rank ? ahead : fetch(column + r);
            number y = scaled_add(-end, z, collect(first, r));
#pragma unroll 2
            for (int t = 0; t < i; ++t) {
                number const vt = v[t * rows + first], wt = w[t * rows + first];
                number const vr = negative(v[t * rows + r]), wr = negative(w[t * rows + r]);
                number const in_v = scaled_add(-end, conj(vt), dots[t]), in_w = scaled_add(-end, conj(wt), dots[i + t]);
                y = product_add(in_w, vr, product_add(in_v, wr, y));
                z = conj_product_add(wt, vr, conj_product_add(vt, wr, z));
            }
            number u = product_add(by, x[r], zero_of<number>());
            if (r == first && reflects) u = one();
            number own = product_add(factor, y, scaled(more, u));
            if (r == first) own = pivot;
            v[i * rows + r] = u, w[i * rows + r] = own;
            if (reflects) z = sum(conj_product_add(negative(pivot), u, z), negative(own));
            if (keep) put(a + (r + (first - 1) * pitch), u);
            x[r] = r == first ? zero_of<number>() : z;
            if (r == first) *d = z.re;
            squares[r] = square(z);
        }
    }

    static __device__ __forceinline__ number one()
    {
        number z;
        set(z, (real)1, (real)0);
        return z;
    }

    /* x of column 0. */
    __device__ __forceinline__ void begin(real *d) const
    {
        for (int r = rank; r < n; r += threads) {
            number const z = fetch(a + r);
            x[r] = r == 0 ? zero_of<number>() : z;
            if (r == 0) *d = z.re;
            squares[r] = square(z);
        }
    }

    __device__ void run(real *d, real *e, number *taus) const
    {
        begin(d);
        for (int k = 0, i = 0; k < n - 1; ++k) {
            __syncthreads(); /* x, V and W */
            bool const full = i == width;
            if (full) i = 0;
            if (warp == warps - 1) reflect(k + 1);
            multiply(k + 1, full ? width : 0);
            multiply_panel(k + 1, i);
            __syncthreads(); /* the parts of A x, and the reflector's numbers */
            if (rank == 0) e[k] = *beta;
            if (rank == 0 && taus) taus[k] = *tau;
            finish(k + 1, i++, d + k + 1);
        }
        if (rank == 0) e[n - 1] = 0;
    }
};

template <typename number, int splits, bool aligned>
static __global__ void __launch_bounds__(panel_tile<number, splits>::threads, panel_tile<number, splits>::blocks)
    heev_panel_kernel(heev_job job, int width)
{
    using real = typename number::real;
    extern __shared__ double panel_memory[];
    int64_t const m = blockIdx.x, n = job.p.n;
    panel_reduction<number, splits, aligned> x;
    x.a = (number *)job.matrix + m * job.matrix_stride, x.pitch = job.matrix_pitch, x.keep = job.p.v != NULL;
    x.carve((int)n, width, panel_memory);
    real const unit = x.load(job, job.first + m);
    __syncthreads(); /* the matrix is there, and squares is free */
    x.run((real *)job.d + m * n, (real *)job.e + m * n, x.keep ? (number *)job.tau + m * n : NULL);
    if (threadIdx.x == 0) ((real *)job.unit)[m] = unit;
}

template <typename number, int splits>
static eig_status launch_panel(eig_context *ctx, const heev_job &job, int width, cudaStream_t stream)
{
    bool const aligned = (uintptr_t)job.matrix % sizeof(number) == 0;
    return cuda_launch(ctx, "heev: panel_kernel", stream,
                       {job.count, panel_tile<number, splits>::threads, panel_bytes<number, splits>(job.p.n, width)},
                       aligned ? heev_panel_kernel<number, splits, true>
                               : heev_panel_kernel<number, splits, !number::complex>,
                       job, width);
}

enum { FUSED_FEW = 8, FUSED_MANY = 16, FUSED_FEW_MOST = 96 /* largest order with few warps */ };

heev_panel_place TYPED(eig_cuda_heev_panel_place)(int64_t n, size_t most)
{
    if (n <= 32 * FUSED_MANY && fused_bytes<number>(n, n > FUSED_FEW_MOST ? FUSED_MANY : FUSED_FEW) <= most)
        return HEEV_PANEL_SHARED;
    return panel_plan_of<number>(n, most).width > 0 ? HEEV_PANEL_GLOBAL : HEEV_PANEL_NOWHERE;
}

eig_status TYPED(eig_cuda_heev_panel)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int64_t const n = job.p.n;
    size_t const most = (size_t)cuda_state_of(ctx)->shared_bytes;
    if (TYPED(eig_cuda_heev_panel_place)(n, most) == HEEV_PANEL_SHARED)
        return n > FUSED_FEW_MOST ? launch_fused<number, FUSED_MANY>(ctx, job, stream)
                                  : launch_fused<number, FUSED_FEW>(ctx, job, stream);
    if constexpr (sizeof(number) == sizeof(float))
        if (stream_bytes(n) <= most) return launch_stream(ctx, job, stream);
    panel_plan const plan = panel_plan_of<number>(n, most);
    if constexpr (sizeof(number) == 16)
        if (plan.splits == 2) return launch_panel<number, 2>(ctx, job, plan.width, stream);
    return launch_panel<number, 4>(ctx, job, plan.width, stream);
}
