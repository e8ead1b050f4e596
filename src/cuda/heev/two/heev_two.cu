/* heev on CUDA, one large matrix, tridiagonal, kernel 1 by two stages: the second one, and the launches of both. */
#include "heev/two/heev_two.cuh"
#include "heev/two/heev_two_band.cuh"
#include "heev/whole/heev_panels.cuh"
#include "per_type.cuh"

/* The second stage: from a band to tridiagonal form.
 *
 * Sweep k reflects column k's TWO_BAND elements below the diagonal to one.  The reflection fills the block below; its
 * first column is reflected too, and so on down to the end (K. Murata and K. Horikoshi, Information Processing in Japan
 * 15 (1975); B. Lang, SIAM J.  Sci. Comput. 14 (1993)).  A step is
 *
 *     D := H D H            the diagonal block of these TWO_BAND rows, its lower triangle
 *     B := H' B H           the block below; H' reflects the first column of B H
 *
 * and the next step goes on with H'.
 *
 * Mapping   a block has a sweep; the band is in L2.  A lane has a row of D and B, a warp every eighth column, in
 *           registers.  What the columns give to D v and B v goes through shared memory: a step has one barrier of the
 *           block.  All warps make H' for themselves.
 * Order     step s of a sweep needs all of step s of the sweep before, which its warps count when they have stored it,
 *           and of step s + 1 the first column of D and the first number of B.  These are sent ahead of the rest: a
 *           slot holds marks until they come, and who has received them puts the marks back.  CHASE_SLOTS sweeps take
 *           turns with the slots: before one uses a slot again, sweeps between the two have waited for whoever received
 *           from it.  All blocks run at once.
 * Races     what is sent is not stored: the sweep behind stores it with its own step.  The last row of B has but its
 *           last number before a step, and is not loaded.
 * Bits      what a sweep does depends on nothing else.
 * Cost      6 n^2 TWO_BAND flops (complex: 24); 2 n steps, one after the other. */

enum {
    CHASE_THREADS = 256,
    CHASE_WARPS = CHASE_THREADS / 32,
    CHASE_EACH = TWO_BAND / CHASE_WARPS, /* columns of a warp */
    CHASE_BLOCKS = 2,                    /* on a multiprocessor */
    SWEEP_OVER = 1 << 30                 /* counted when a sweep is over */
};

/* What warps tell each other in a step; two steps take turns. */
template <typename number> struct chase_turn {
    number of_d[CHASE_WARPS][32], of_b[CHASE_WARPS][32]; /* rows of D v and B v: what a warp's columns give */
    number mirrored[32];                                 /* what D's mirror images give */
    number first[32];                                    /* the first column of B */
};

template <typename number> struct chase {
    using real = typename number::real;
    number *band, *slots; /* slots: [CHASE_SLOTS][steps][CHASE_SLOT] */
    number *a, *turns;    /* where reflectors are kept; or turns is NULL */
    int64_t pitch;
    real *d, *e;
    volatile int *done;
    int n, steps, lane, warp;
    number v; /* the reflection H = I - tau v v^H, row `lane`, of the next step */
    real tau;

    /* Waits until sweep k has stored `steps` steps. */
    __device__ __forceinline__ void wait_for(int k, int steps) const
    {
        if (k >= 0 && lane == 0) {
            while (poll(done + k) < steps * CHASE_WARPS) {}
            __threadfence();
        }
        __syncwarp();
    }

    /* What sweep k sends in step s: TWO_BAND + 1 numbers of column k + 1 + s TWO_BAND of the band, from the diagonal
     * on. */
    __device__ __forceinline__ number *slot(int k, int s) const
    {
        return slots + ((int64_t)(k % CHASE_SLOTS) * steps + s) * CHASE_SLOT;
    }

    /* Number i of the column; by who alone receives it. */
    __device__ __forceinline__ number receive(int k, int s, int i) const
    {
        number *const from = slot(k, s) + i;
        number const x = awaited(from);
        put_marks(from);
        return x;
    }
    static __device__ __forceinline__ void put_marks(number *to)
    {
        if constexpr (sizeof(real) == 8)
            *(volatile long long *)to = -1;
        else
            *(volatile int *)to = -1;
        if constexpr (number::complex) {
            if constexpr (sizeof(real) == 8)
                ((volatile long long *)to)[1] = -1;
            else
                ((volatile int *)to)[1] = -1;
        }
    }
    static __device__ __forceinline__ void send(number *to, number x)
    {
        *(volatile real *)&to->re = x.re;
        if constexpr (number::complex) *((volatile real *)to + 1) = imaginary(x);
    }

    /* The reflection that takes x, row `lane`, to the first lane; returns what is left there. */
    __device__ __forceinline__ number reflect(number x)
    {
        hermitian_reflector<number> const h(number_of_lane(x, 0), warp_sum(square(x)));
        v = scaled(h.inverse, x);
        if (lane == 0) v = sum(v, h.direction);
        tau = h.tau;
        return h.beta;
    }

    __device__ __forceinline__ void begin(int k, chase_turn<number> &turn)
    {
        int const rows = min((int)TWO_BAND, n - 1 - k);
        const number *const from = band + (int64_t)k * TWO_COLUMN;
        number x = zero_of<number>(), corner = x;
        if (k > 0) { /* warp 0 receives for all */
            if (warp == 0) {
                wait_for(k - 2, 1); /* the slot's last column has been received */
                x = receive(k - 1, 0, lane);
                turn.first[lane] = x;
                if (lane == 0) turn.mirrored[0] = receive(k - 1, 0, TWO_BAND);
            }
            __syncthreads(); /* the column is there */
            corner = turn.first[0];
            x = lane + 1 < 32 ? turn.first[(lane + 1) % 32] : turn.mirrored[0];
            if (lane >= rows) x = zero_of<number>();
            __syncthreads(); /* its place is free */
        } else {
            corner = from[0];
            if (lane < rows) x = from[1 + lane];
        }
        number const first = reflect(x);
        if (threadIdx.x > 0) return;
        d[k] = corner.re, e[k] = magnitude(first);
        if (turns) turns[k] = first;
    }

    /* v, of step s, for the vectors; by one warp. */
    __device__ __forceinline__ void keep(int k, int s, int rows) const
    {
        if (turns && lane < rows) a[s * TWO_BAND + lane + (n - 1 - k) * pitch] = v;
    }

    /* Rows row, ..., row + rows - 1 of D, `below` rows of B. */
    __device__ __forceinline__ void step(int k, int s, int row, int rows, int below, chase_turn<number> &turn)
    {
        number D[CHASE_EACH], B[CHASE_EACH], vc[CHASE_EACH], totals[CHASE_EACH];
        if (warp == CHASE_WARPS - 2) keep(k, s, rows);
        number dv = zero_of<number>(), bv = zero_of<number>();
        wait_for(k - 1, s + 1);
        number *const at = band + (int64_t)row * TWO_COLUMN;
#pragma unroll
        for (int q = 0; q < CHASE_EACH; ++q) {
            int const c = warp + q * CHASE_WARPS;
            const number *const from = at + c * TWO_COLUMN - c + lane;
            D[q] = B[q] = zero_of<number>();
            if (c == TWO_BAND - 1 && k > 0) continue;
            if (lane >= c && lane < rows) D[q] = fresh(from);
            /* then rows is TWO_BAND; the last row has but its last number yet */
            if (lane < below && (lane < 31 || c == 31)) B[q] = fresh(from + TWO_BAND);
        }
        if (k > 0 && warp == CHASE_WARPS - 1 && rows == TWO_BAND) { /* its last column is what the sweep before sends */
            number const x = receive(k - 1, s + 1, lane);
            number last = zero_of<number>();
            if (lane == 31) last = receive(k - 1, s + 1, TWO_BAND);
            __syncwarp();
            D[CHASE_EACH - 1] = number_of_lane(x, 0);
            if (lane < 31) D[CHASE_EACH - 1] = zero_of<number>();
            B[CHASE_EACH - 1] = number_of_lane(x, (lane + 1) % 32);
            if (lane == 31) B[CHASE_EACH - 1] = last;
            if (lane >= below) B[CHASE_EACH - 1] = zero_of<number>();
        }
#pragma unroll
        for (int q = 0; q < CHASE_EACH; ++q) {
            int const c = warp + q * CHASE_WARPS;
            vc[q] = number_of_lane(v, c);
            dv = product_add(D[q], vc[q], dv), bv = product_add(B[q], vc[q], bv);
            totals[q] = lane > c ? conj_product_add(D[q], v, zero_of<number>()) : zero_of<number>();
        }
        number const total = warp_totals<CHASE_EACH>(lane, totals);
        turn.of_d[warp][lane] = dv, turn.of_b[warp][lane] = bv;
        if (lane % (32 / CHASE_EACH) == 0) turn.mirrored[warp + lane / (32 / CHASE_EACH) * CHASE_WARPS] = total;
        if (warp == 0) turn.first[lane] = B[0];
        __syncthreads(); /* the columns' parts are there, and all warps have stored what the step before left */
        dv = turn.mirrored[lane], bv = zero_of<number>();
#pragma unroll
        for (int w = 0; w < CHASE_WARPS; ++w) dv = sum(dv, turn.of_d[w][lane]), bv = sum(bv, turn.of_b[w][lane]);
        dv = scaled(tau, dv), bv = scaled(tau, bv);
        number const old = v, start = number_of_lane(v, 0);
        number const u = scaled_add((real)-0.5 * tau * warp_sum(real_dot(v, dv)), v, dv);
        number const first = reflect(product_add(negative(bv), conj(start), turn.first[lane]));
        /* D - v u^H - u v^H, and B H */
#pragma unroll
        for (int q = 0; q < CHASE_EACH; ++q) {
            int const c = warp + q * CHASE_WARPS;
            number *const to = at + c * TWO_COLUMN - c + lane;
            number const uc = number_of_lane(u, c);
            number x = product_add(negative(old), conj(uc), product_add(negative(u), conj(vc[q]), D[q]));
            if (lane == c) set(x, x.re, (real)0);
            if (c == 0 && k < n - 2) { /* the sweep behind stores it */
                send(slot(k, s) + lane, lane < rows ? x : zero_of<number>());
                if (lane == 0) send(slot(k, s) + TWO_BAND, below > 0 ? first : zero_of<number>());
            } else if (lane >= c && lane < rows) {
                *to = x;
            }
        }
#pragma unroll
        for (int q = 0; q < CHASE_EACH; ++q) {
            B[q] = product_add(negative(bv), conj(vc[q]), B[q]);
            totals[q] = conj_product_add(v, B[q], zero_of<number>());
        }
        number const all = scaled(-tau, warp_totals<CHASE_EACH>(lane, totals));
#pragma unroll
        for (int q = 0; q < CHASE_EACH; ++q) {
            int const c = warp + q * CHASE_WARPS;
            number x = product_add(v, number_of_lane(all, q * (32 / CHASE_EACH)), B[q]);
            if (c == 0) x = zero_of<number>();
            if (lane < below && c + lane > 0) at[c * TWO_COLUMN - c + lane + TWO_BAND] = x;
        }
        __threadfence();
        __syncwarp(); /* the warp's columns are stored */
        if (lane == 0) atomicAdd((int *)done + k, 1);
    }
};

template <typename number>
static __global__ void __launch_bounds__(CHASE_THREADS, CHASE_BLOCKS)
    heev_two_chase_kernel(const __grid_constant__ two_job job)
{
    using real = typename number::real;
    __shared__ chase_turn<number> turns[2];
    int const n = job.n;
    chase<number> x;
    x.band = (number *)job.band, x.d = (real *)job.d, x.e = (real *)job.e, x.done = job.done, x.n = n;
    x.a = (number *)job.a, x.turns = (number *)job.turns, x.pitch = job.pitch;
    x.slots = (number *)job.slots, x.steps = (n + TWO_BAND - 1) / TWO_BAND;
    x.lane = (int)threadIdx.x % 32, x.warp = (int)threadIdx.x / 32;
    for (int k = (int)blockIdx.x; k < n - 1; k += (int)gridDim.x) {
        x.begin(k, turns[1]);
        int s = 0;
        for (int row = k + 1; row < n; row += TWO_BAND, ++s)
            x.step(k, s, row, min((int)TWO_BAND, n - row), max(0, min((int)TWO_BAND, n - row - TWO_BAND)),
                   turns[s % 2]);
        __syncthreads(); /* all warps have stored the last step */
        if (threadIdx.x > 0) continue;
        __threadfence();
        atomicAdd(job.done + k, (int)SWEEP_OVER);
        if (k == n - 2) x.d[n - 1] = fresh(x.band + (int64_t)(n - 1) * TWO_COLUMN).re, x.e[n - 1] = 0;
    }
}

#define TELL_FLOPS 2e11 /* some 10 ms */

/* Of the first stage. */
#define BAND_SHARE 0.7

enum {
    MOST_ROWS = sizeof(number) == 4 ? 32 : 16, /* of a thread of the factor */
    PRODUCT_BLOCKS = 528,                      /* what an H200 has at a time, twice */
    LEAST_DEPTH = 64                           /* columns of A in a part of a sum */
};

static int64_t padded(int64_t n)
{
    return (n + TWO_TILE - 1) / TWO_TILE * TWO_TILE;
}

/* Rows of a thread, and blocks, of the factor of a panel with so many rows: of the order alone. */
static int rows_of_factor(int64_t all)
{
    int rows = 8;
    while (rows < MOST_ROWS && all > (int64_t)FACTOR_BLOCKS * FACTOR_WARPS * rows) rows *= 2;
    return rows;
}

static int64_t blocks_of_factor(int64_t all)
{
    int64_t const each = (int64_t)FACTOR_WARPS * rows_of_factor(all);
    return all > each ? (all + each - 1) / each : 1;
}

/* The most blocks of the factor of any panel. */
static int64_t most_blocks(int64_t pitch)
{
    int64_t most = 1;
    for (int64_t first = TWO_BAND; first < pitch; first += TWO_BAND) {
        int64_t const own = blocks_of_factor(pitch - first);
        most = own > most ? own : most;
    }
    return most;
}

/* Parts of the sums of A V T, of the order alone. */
static int64_t splits_of(int64_t pitch, int64_t first)
{
    int64_t const tiles = pitch / TWO_TILE - first / TWO_TILE, fit = (pitch - first + LEAST_DEPTH - 1) / LEAST_DEPTH;
    int64_t const most = PRODUCT_BLOCKS / tiles > 0 ? PRODUCT_BLOCKS / tiles : 1;
    return most < fit ? most : fit;
}

int64_t TYPED(eig_cuda_heev_two_pitch)(const eig_context *ctx, int64_t n)
{
    const cuda_state *const s = cuda_state_of(ctx);
    size_t const product = product_shape<number>::bytes, update = two_update_shape<number>::bytes;
    size_t const most = product > update ? product : update;
    bool const serves = n > 1 && n <= INT_MAX / 2 && most <= (size_t)s->shared_bytes &&
                        blocks_of_factor(padded(n) - TWO_BAND) <= s->multiprocessors;
    return serves ? padded(n) : 0;
}

/* ------------------------------------------------------------------- workspace */

struct two_areas {
    two_job job;
    void *largest;
    size_t slots_bytes;
    size_t band_bytes; /* and of the sweeps' steps, behind it */
};

static size_t carve_two(const eig_context *ctx, int64_t n, void *base, two_areas *w)
{
    *w = two_areas{};
    arena a = {(char *)base, 0};
    int64_t const pitch = padded(n), rows = pitch * TWO_BAND, square = TWO_BAND * TWO_BAND;
    int64_t parts = 1; /* tiles */
    for (int64_t first = TWO_BAND; first < pitch; first += TWO_BAND) {
        int64_t const own = splits_of(pitch, first) * (pitch / TWO_TILE - first / TWO_TILE);
        parts = own > parts ? own : parts;
    }
    two_job *const job = &w->job;
    job->pitch = pitch, job->n = (int)n;
    job->v = arena_take(&a, rows, sizeof(number));
    job->w = arena_take(&a, rows, sizeof(number));
    job->z = arena_take(&a, rows, sizeof(number));
    job->x = arena_take(&a, rows, sizeof(number));
    job->parts = arena_take(&a, parts * TWO_TILE * TWO_BAND, sizeof(number));
    job->forms = arena_take(&a, pitch / SLICE * square, sizeof(number));
    job->form = arena_take(&a, square, sizeof(number));
    job->dots = arena_take(&a, most_blocks(pitch) * square, sizeof(number));
    job->tops = arena_take(&a, square, sizeof(number));
    job->marks = (most_blocks(pitch) + 1) * square * (int64_t)sizeof(number) / (int64_t)sizeof(uint4);
    w->slots_bytes = (size_t)(CHASE_SLOTS * ((n + TWO_BAND - 1) / TWO_BAND) * CHASE_SLOT) * sizeof(number);
    job->slots = arena_take(&a, 1, w->slots_bytes);
    w->largest = arena_take(&a, cuda_state_of(ctx)->multiprocessors, sizeof(real));
    size_t const before = arena_rounded(a.used);
    job->band = arena_take(&a, n * TWO_COLUMN, sizeof(number));
    job->done = (int *)arena_take(&a, n, sizeof(int));
    w->band_bytes = a.used - before;
    return arena_rounded(a.used);
}

size_t TYPED(eig_cuda_heev_two_bytes)(const eig_context *ctx, const heev_job *job)
{
    two_areas w;
    return carve_two(ctx, job->p.n, NULL, &w);
}

/* ----------------------------------------------------------------------- stages */

template <int rows> static eig_status launch_factor(eig_context *ctx, const two_job &job, cudaStream_t stream)
{
    int64_t const all = job.pitch - job.k0 - TWO_BAND;
    if constexpr (rows < MOST_ROWS)
        if (rows_of_factor(all) > rows) return launch_factor<2 * rows>(ctx, job, stream);
    cuda_shape shape = {blocks_of_factor(all), FACTOR_THREADS};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: two_factor_kernel", stream, shape, heev_two_factor_kernel<number, rows>, job);
}

/* The products of a panel, and the triangle. */
static eig_status launch_products(eig_context *ctx, const two_job &job, cudaStream_t stream)
{
    int64_t const first = job.k0 + TWO_BAND, I0 = first / TWO_TILE, I1 = job.pitch / TWO_TILE;
    int64_t const slices = (job.pitch - first) / SLICE;
    eig_status status = cuda_launch(ctx, "heev: two_product_kernel", stream,
                                    {(I1 - I0) * job.splits, PRODUCT_THREADS, product_shape<number>::bytes},
                                    heev_two_product_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_combine_kernel", stream, {slices, SLICE_THREADS},
                             heev_two_combine_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_form_kernel", stream, {TWO_BAND, SLICE_THREADS},
                             heev_two_form_kernel<number>, job, (int)slices);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_finish_kernel", stream, {slices, SLICE_THREADS},
                             heev_two_finish_kernel<number>, job);
    if (status == EIG_OK)
        status = cuda_launch(ctx, "heev: two_update_kernel", stream,
                             {two_tiles(I1, I0, first / TWO_TOP), TWO_UPDATE_THREADS, two_update_shape<number>::bytes},
                             heev_two_update_kernel<number>, job);
    return status;
}

/* Matrix m of the slice: the band. */
static eig_status enqueue_band(eig_context *ctx, const heev_job &job, int64_t m, two_job two, cudaStream_t stream)
{
    double const n = (double)job.p.n;
    double untold = 0; /* flops since the caller was told */
    eig_status status = EIG_OK;
    for (int64_t k = 0; k < two.n && status == EIG_OK; k += TWO_BAND) {
        int64_t const first = k + TWO_BAND;
        two.k0 = (int)k;
        status = launch_factor<8>(ctx, two, stream);
        if (first >= two.n || status != EIG_OK) continue;
        two.splits = (int)splits_of(two.pitch, first);
        status = launch_products(ctx, two, stream);
        double const rest = n - (double)first, left = rest / n;
        untold += 4 * rest * rest * TWO_BAND * (number::complex ? 4 : 1);
        if (untold < TELL_FLOPS || status != EIG_OK) continue;
        double const part = BAND_SHARE * (1 - left * left * left);
        status = eig_cuda_heev_tell(ctx, job, stream, ((double)m + part) / (double)job.count);
        untold = 0;
    }
    return status;
}

static eig_status enqueue_chase(eig_context *ctx, const two_job &two, cudaStream_t stream)
{
    int64_t const at_once = (int64_t)CHASE_BLOCKS * cuda_state_of(ctx)->multiprocessors;
    int64_t const most = two.n / (2 * TWO_BAND) + 1; /* sweeps under way: each is two steps behind the one ahead */
    cuda_shape shape = {most < at_once ? most : at_once, CHASE_THREADS};
    shape.cooperative = true;
    return cuda_launch(ctx, "heev: two_chase_kernel", stream, shape, heev_two_chase_kernel<number>, two);
}

eig_status TYPED(eig_cuda_heev_two)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    int const blocks = cuda_state_of(ctx)->multiprocessors;
    int64_t const n = job.p.n;
    two_areas w;
    carve_two(ctx, n, job.room, &w);
    eig_status status = EIG_OK;
    for (int64_t m = 0; m < job.count && status == EIG_OK; ++m) {
        two_job two = w.job;
        two.a = (number *)job.matrix + m * job.matrix_stride;
        two.d = (real *)job.d + m * n, two.e = (real *)job.e + m * n;
        if (job.p.vectors) two.tau = (number *)job.tau + m * n, two.turns = job.turns;
        if (two.pitch > n)
            CUDA_TRY(cudaMemsetAsync(two.a, 0, (size_t)(two.pitch * two.pitch) * sizeof(number), stream));
        CUDA_TRY(cudaMemsetAsync(two.dots, HEEV_MARK, (size_t)two.marks * sizeof(uint4), stream));
        CUDA_TRY(cudaMemsetAsync(two.slots, HEEV_MARK, w.slots_bytes, stream));
        CUDA_TRY(cudaMemsetAsync(two.band, 0, w.band_bytes, stream));
        status = cuda_launch(ctx, "heev: largest_kernel", stream, {blocks, COPY_THREADS}, heev_largest_kernel<number>,
                             job, job.first + m, w.largest);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "heev: scale_kernel", stream, {4 * blocks, COPY_THREADS},
                                 heev_scale_kernel<number>, job, m, (const void *)w.largest, blocks);
        if (status == EIG_OK) status = enqueue_band(ctx, job, m, two, stream);
        if (status == EIG_OK) status = enqueue_chase(ctx, two, stream);
    }
    return status;
}
