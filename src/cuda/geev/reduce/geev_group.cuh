/* geev on CUDA, n > GEEV_MOST: the reduction to Hessenberg form by the thread blocks that compute a matrix together.
 *
 * Panels   some columns are reduced, then the rest of the matrix is brought up to date (geev_group_update.cuh, in double
 *          geev_group_tensor.cuh).
 * Column   (geev_group_column.cuh, geev_group_product.cuh)
 *          1 the sums V'x of the column, by the threads that have its rows; 2 T' times them, by one warp; 3 x - V w; 4 in one go
 *          the product of A and x, the sums V'x again, and the reflector; 5 Y and V.  A barrier after each of the first four.
 *          The reflector's u is a multiple of x but for its first entry, so that the product need not wait for it.
 * Memory   the matrix lies in global memory, row by row: in the second-level cache where it fits.  A block that has it to itself
 *          keeps the last rows and columns, as many as fit, in shared memory, where most products find them.
 * Order    each sum is made in an order that only n decides, so that the number of blocks changes no bit. */
#ifndef EIG_GEEV_GROUP_CUH
#define EIG_GEEV_GROUP_CUH

#include "geev/reduce/geev_group_column.cuh"
#include "geev/reduce/geev_group_product.cuh"

/* All that needs column first + c as a whole: its product with A, sums[q] = V[q]' x, q < c, and its reflector. */
template <typename entry>
static __device__ void column_products(const geev_member &member, const geev_panel<entry> &p, const entry *a, int hi,
                                       int first, int c, entry *to)
{
    lane_team<32> const warp(threadIdx.x % 32);
    int const from = first + c + 1, own = threadIdx.x / 32;
    const entry *const x = p.column - p.base;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    if (own == GROUP_WARPS - 1) find_turn(p.turn, x, from, hi);
    for (int q = GROUP_WARPS - 2 - own; q >= 0 && q < c; q += GROUP_WARPS) {
        entry s0 = zero, s1 = zero;
        for (int r = from + warp.rank; r <= hi; r += 64) {
            s0 = conj_product_add(p.v(q)[r], x[r], s0);
            if (r + 32 <= hi) s1 = conj_product_add(p.v(q)[r + 32], x[r + 32], s1);
        }
        entry const sum = warp_total(warp, total(s0, s1));
        if (warp.rank == 0) p.sums[q] = sum;
    }
    group_product(member, p, a, first + 1, hi, from, x, to);
}

/* The rest of the matrix, when a panel is done. */
template <typename entry>
static __device__ __forceinline__ void update_matrix(const geev_member &member, const geev_panel<entry> &p, entry *a,
                                                     int top, int right, int hi, int first, int fresh)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<entry, double>::value) {
        tensor_above(member, p, a, top, hi, first, fresh);
        tensor_update(member, p, a, hi, right, first);
        return;
    }
#endif
    panel_above(member, p, a, top, hi, first, fresh);
    __syncthreads(); /* the space is free */
    panel_update(member, p, a, hi, right, first);
}

/* A := Q' A Q, upper Hessenberg in rows and columns lo..hi.  exchange: [2][n] in global memory.  factors: NULL, or what is
 * above and beside those rows follows, tau of each reflector goes there, and its u, without the first entry 1, stays below
 * the subdiagonal. */
template <typename entry>
static __device__ void group_reduce(geev_member &member, geev_panel<entry> p, entry *a, int lo, int hi, entry *exchange,
                                    real_of<entry> *factors = NULL)
{
    using real = real_of<entry>;
    int const most = p.width, top = factors ? 0 : lo, right = factors ? p.n - 1 : hi;
    if (hi - lo < 2) return;
    if (threadIdx.x == 0) p.turn->unit = 0;
    for (int e = threadIdx.x; e < p.most * p.t_ld; e += GROUP_THREADS) p.t[e] = entry_of<entry>((real)0);
    keep(p, a, lo, hi);
    int fresh = lo; /* rows from here on have never been above a panel */
    for (int first = lo; first < hi - 1; first += most) {
        p.width = hi - 1 - first < most ? hi - 1 - first : most;
        load_panel(p, a, hi, first);
        put_back(p, a, hi, fresh, first, first, first);
        __syncthreads(); /* the panel is there */
        for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS) p.column[r - p.base] = p.v(0)[r];
        for (int c = 0; c < p.width; ++c) {
            bool const shared = member.count == 1 && p.product;
            entry *const product = shared ? p.product - p.base : exchange + (c & 1) * p.n;
            turn_column(p, hi, first, c);
            next_column(p, hi, first, c);
            column_products(member, p, a, hi, first, c, product);
            member.sync(); /* the products are there, and all have read the panel */
            for (real unit; (unit = p.turn->unit) != 0;) {
                /* squares lost digits: again, scaled */
                for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS)
                    if (r > first + c) p.column[r - p.base] = scaled(unit, p.column[r - p.base]);
                __syncthreads(); /* the column is there */
                column_products(member, p, a, hi, first, c, product);
                member.sync();
            }
            if (factors && member.leads() && threadIdx.x == 0) factors[first + c] = p.turn->tau;
            panel_extend(p, product, hi, first, c);
        }
        for (int e = threadIdx.x; e < PANEL_ROOM * p.width; e += GROUP_THREADS)
            p.v(e / PANEL_ROOM)[hi + 1 + e % PANEL_ROOM] = p.y(e / PANEL_ROOM)[hi + 1 + e % PANEL_ROOM] =
                entry_of<entry>((real)0);
        __syncthreads(); /* V, Y and T are there, and the column's place is free */
        if (member.leads()) store_panel(p, a, hi, first, factors != NULL);
        update_matrix(member, p, a, top, right, hi, first, fresh);
        member.sync(); /* the matrix is up to date */
        fresh = first + 1;
    }
    put_back(p, a, hi, fresh, hi, hi - 1, hi);
    member.sync();
}

#endif
