/* heev on CUDA, two stages, the second: from a band to tridiagonal form.
 *
 * Sweep k reflects column k's TWO_BAND elements below the diagonal to one.  The reflection fills the block below; its first column is
 * reflected too, and so on down to the end (K. Murata and K. Horikoshi, Information Processing in Japan 15 (1975); B. Lang, SIAM J.
 * Sci. Comput. 14 (1993)).  A step is
 *
 *     D := H D H            the diagonal block of these TWO_BAND rows, its lower triangle
 *     B := H' B H           the block below; H' reflects the first column of B H
 *
 * and the next step goes on with H'.
 *
 * Mapping   a block has a sweep; the band is in L2.  A lane has a row of D and B, a warp every eighth column, in registers.  What the
 *           columns give to D v and B v goes through shared memory: a step has one barrier of the block.  All warps make H' for
 *           themselves.
 * Order     step s of a sweep needs all of step s of the sweep before, which its warps count when they have stored it, and of step
 *           s + 1 the first column of D and the first number of B.  These are sent ahead of the rest: a slot holds marks until they
 *           come, and who has received them puts the marks back.  CHASE_SLOTS sweeps take turns with the slots: before one uses a
 *           slot again, sweeps between the two have waited for whoever received from it.  All blocks run at once.
 * Races     what is sent is not stored: the sweep behind stores it with its own step.  The last row of B has but its last number
 *           before a step, and is not loaded.
 * Bits      what a sweep does depends on nothing else.
 * Cost      6 n^2 TWO_BAND flops (complex: 24); 2 n steps, one after the other. */
#ifndef EIG_HEEV_TWO_CHASE_CUH
#define EIG_HEEV_TWO_CHASE_CUH

#include "heev/two/heev_two.cuh"

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

    /* What sweep k sends in step s: TWO_BAND + 1 numbers of column k + 1 + s TWO_BAND of the band, from the diagonal on. */
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

#endif
