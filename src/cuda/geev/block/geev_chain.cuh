/* geev on CUDA, n > GEEV_MOST: QR with chains of small bulges (geev_bulges.cuh) and early aggressive deflation, by a
 * thread block.
 *
 * Window    rows and columns at the end of the active block, whose Schur form the first warp makes; eigenvalues whose
 *           entry of the spike beside the window is negligible are done.
 * Shifts    the window's other eigenvalues, from the bottom up.
 * Source    dlaqr0 and dlaqr2 of LAPACK, for eigenvalues only. */
#ifndef EIG_GEEV_CHAIN_CUH
#define EIG_GEEV_CHAIN_CUH

#include "geev/block/geev_bulges.cuh"
#include "primitives/team.cuh"

/* ------------------------------------------------------------- shifts */

/* Bulges of a chain on l..i, which has room for them. */
static __device__ __forceinline__ int chain_limit(int l, int i, int most)
{
    int const room = (i - l) / (2 * GEEV_BULGE_ROWS);
    return room < 1 ? 1 : room < most ? room : most;
}

/* The same shifts again, until the chain is complete. */
template <int B, typename entry>
static __device__ __forceinline__ void repeat_shifts(geev_chain<entry, B> &chain, int distinct, int limit)
{
    for (int count = distinct; count < limit; ++count) chain.shifts[count] = chain.shifts[count - distinct];
    chain.bulges = distinct < limit ? limit : distinct;
}

/* The shifts of the next chain on l..i, by one thread: of the `left` eigenvalues that the window kept the last ones, in
 * pairs; then the same again, until the chain is complete.  Shifts that go down twice save windows, which take
 * longer. */
template <int B, typename real, typename view>
static __device__ __noinline__ void choose_chain(geev_chain<real, B> &chain, view h, int l, int i, int most, int steps)
{
    geev_shifts<real> *const at = chain.shifts;
    int count = 0;
    int const limit = chain_limit(l, i, most);
    if (steps > 0 && steps % GEEV_EXCEPTIONAL == 0) {
        for (int q = i; q >= l + 2 && count < limit; q -= 2, ++count) {
            real h11, h12, h21, h22;
            bool const top = steps / GEEV_EXCEPTIONAL % 2 == 0 && count == 0;
            if (top)
                francis_exceptional(h(l, l), h(l + 1, l), h(l + 2, l + 1), &h11, &h12, &h21, &h22);
            else
                francis_exceptional(h(q, q), h(q, q - 1), h(q - 1, q - 2), &h11, &h12, &h21, &h22);
            fast_shifts(h11, h12, h21, h22, &at[count].re1, &at[count].re2, &at[count].im);
        }
        chain.bulges = count;
        return;
    }
    bool waits = false; /* for the second shift of a real pair */
    real other = 0;
    for (int k = chain.left - 1; k >= chain.open && count < limit; --k) {
        real const re = chain.window_re[k], im = chain.window_im[k];
        if (im != 0) {
            at[count] = {re, re, fabs(im)};
            ++count, --k;
        } else if (waits) {
            at[count] = {other, re, 0};
            ++count, waits = false;
        } else {
            other = re, waits = true;
        }
    }
    if (count < limit && (waits || count == 0)) {
        real const shift = waits ? other : h(i, i);
        at[count] = {shift, shift, 0};
        ++count;
    }
    if (count == 1 && at[0].im == 0) { /* twice the one nearer to the last entry, as in dlaqr0 */
        real const near = fabs(at[0].re1 - h(i, i)) < fabs(at[0].re2 - h(i, i)) ? at[0].re1 : at[0].re2;
        at[0].re1 = at[0].re2 = near;
    }
    repeat_shifts(chain, count, limit);
}

/* The same of a complex matrix, where any two shifts make a pair. */
template <int B, typename real, typename view>
static __device__ __noinline__ void choose_chain(geev_chain<complex_of<real>, B> &chain, view h, int l, int i, int most,
                                                 int steps)
{
    using complex = complex_of<real>;
    geev_shifts<complex> *const at = chain.shifts;
    int count = 0;
    int const limit = chain_limit(l, i, most);
    if (steps > 0 && steps % GEEV_EXCEPTIONAL == 0) {
        for (int q = i; q >= l + 2 && count < limit; q -= 2, ++count) {
            bool const top = steps / GEEV_EXCEPTIONAL % 2 == 0 && count == 0;
            complex shift = top ? h(l, l) : h(q, q);
            shift.re += (real)0.75 * (top ? taxicab(h(l + 1, l)) : taxicab(h(q, q - 1)));
            at[count] = {shift, shift};
        }
        chain.bulges = count;
        return;
    }
    int k = chain.left - 1;
    for (; k > chain.open && count < limit; k -= 2, ++count)
        at[count] = {complex{chain.window_re[k], chain.window_im[k]},
                     complex{chain.window_re[k - 1], chain.window_im[k - 1]}};
    if (count < limit && (k == chain.open || count == 0)) {
        complex const shift = k == chain.open ? complex{chain.window_re[k], chain.window_im[k]} : h(i, i);
        at[count] = {shift, shift};
        ++count;
    }
    if (count == 1) { /* twice the nearer one, as above */
        bool const first = taxicab(difference(at[0].s1, h(i, i))) < taxicab(difference(at[0].s2, h(i, i)));
        at[0].s1 = at[0].s2 = first ? at[0].s1 : at[0].s2;
    }
    repeat_shifts(chain, count, limit);
}

/* ------------------------------------------------------- the window of deflation */

/* Loads rows and columns first..first+order-1 of h into the window. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void load_window(const block_type &block, geev_chain<entry, B> &chain, view h,
                                                   int first, int order)
{
    for (int e = block.rank(); e < order * order; e += block.size()) {
        int const r = e / order, c = e % order;
        chain.t[r * chain.LD + c] = r <= c + 1 ? h(first + r, first + c) : entry{};
        chain.v[r * chain.LD + c] = entry_of<entry>((real_of<entry>)(r == c));
    }
}

/* Early aggressive deflation by the first warp: Schur form, shifts, the spike; restores the window where something is
 * deflated.  Without `full` only eigenvalues are wanted.  re, im: where those of the window's first row go.  Not
 * inline, as it is called from two places. */
template <int B, typename entry, typename warp>
static __device__ __noinline__ void deflate_window(warp team, geev_chain<entry, B> &chain, int order, entry spike,
                                                   bool full, real_of<entry> *re, real_of<entry> *im)
{
    geev_square<entry> const t = chain.window(), v = chain.vectors();
    int const open = schur(team, t, v, order, full);
    for (int k = open + team.rank; k < order; k += warp::size)
        schur_value(t, order, k, &chain.window_re[k], &chain.window_im[k]);
    int const left = full ? undeflated(team, t, v, order, open, spike, chain.tiny, chain.window_im) : open;
    team.sync();
    if (left < order) {
        for (int k = left + team.rank; k < order; k += warp::size)
            re[k] = chain.window_re[k], im[k] = chain.window_im[k];
        if (full) restore_window(team, t, v, order, left, chain.u);
    }
    team.sync();
    if (team.rank == 0)
        chain.open = open, chain.left = left, chain.spike = left > 0 ? product(spike, conj(chain.v[0])) : entry{};
    team.sync();
}

/* Writes the leading rows of the restored window back. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void store_window(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                    int first, int order)
{
    for (int e = block.rank(); e < order * order; e += block.size()) {
        int const r = e / order, c = e % order;
        if (r <= c + 1) h(first + r, first + c) = chain.t[r * chain.LD + c];
    }
    if (block.rank() == 0 && first > l) h(first, first - 1) = chain.spike;
}

/* Rows top..bottom of the window's columns: times V.  Lanes share out the columns of a row. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void multiply_window(const block_type &block, geev_chain<entry, B> &chain, view h,
                                                       int top, int bottom, int first, int order)
{
    typename block_type::group_type const group = block.group();
    for (int at = top; at <= bottom; at += block.groups()) {
        int const x = at + block.group_rank();
        bool const acts = x <= bottom;
        entry sum[block_type::group_slots];
#pragma unroll
        for (int slot = 0; slot < block_type::group_slots; ++slot) {
            int const c = group.rank + slot * block_type::group_type::size;
            sum[slot] = entry{};
            for (int k = 0; acts && c < order && k < order; ++k)
                sum[slot] = product_add(h(x, first + k), chain.v[k * chain.LD + c], sum[slot]);
        }
        group.sync(); /* the row is read */
#pragma unroll
        for (int slot = 0; slot < block_type::group_slots; ++slot) {
            int const c = group.rank + slot * block_type::group_type::size;
            if (acts && c < order) h(x, first + c) = sum[slot];
        }
    }
}

/* ------------------------------------------------------------- the iteration */

/* All eigenvalues of a small block l..i, by the first warp. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ int solve_window(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                   int i, real_of<entry> *re, real_of<entry> *im)
{
    int const order = i - l + 1;
    load_window(block, chain, h, l, order);
    block.sync();
    if (block.warp_rank() == 0) deflate_window(block.warp(), chain, order, entry{}, false, re + l, im + l);
    block.sync();
    return chain.open;
}

/* Where the iteration on a matrix stands: the active block l..i, steps on it since the last deflation. */
struct geev_active {
    int lo, hi, l, i, steps;
};

/* Deflates what it can at the end of the block l..i; order: of the window.  Returns how many eigenvalues that were. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ int deflate_end(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                  int i, int order, real_of<entry> *re, real_of<entry> *im)
{
    int const first = i - order + 1;
    load_window(block, chain, h, first, order);
    block.sync();
    if (block.warp_rank() == 0)
        deflate_window(block.warp(), chain, order, first > l ? h(first, first - 1) : entry{}, true, re + first,
                       im + first);
    block.sync();
    if (chain.left < order) store_window(block, chain, h, l, first, order);
    return order - chain.left;
}

/* Eigenvalues of rows lo..hi of the Hessenberg matrix h, with at most `most` steps between two deflations.  Returns 0,
 * or 1 more than the last row whose eigenvalue is not known. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ int chain_solve(const block_type &block, geev_chain<entry, B> &chain, view h, int lo,
                                                  int hi, geev_shape shape, int most, real_of<entry> *re,
                                                  real_of<entry> *im)
{
    using real = real_of<entry>;
    real const least = real_limits<real>::safmin * ((real)(hi - lo + 1) / real_limits<real>::eps);
    int const window = shape.window;
    int i = hi, l = lo, steps = 0;
    if (block.rank() == 0) chain.tiny = least;
    block.sync();
    while (i >= lo) {
        l = last_negligible(block.warp(), h, lo, hi, i >= l ? l : lo, i, chain.tiny);
        block.sync(); /* all have looked at the subdiagonal */
        if (l > lo && block.rank() == 0) h(l, l - 1) = entry{};
        if (i - l < chain.MOST) {
            block.sync();
            int const open = solve_window(block, chain, h, l, i, re, im);
            if (open > 0) return l + open;
            i = l - 1, steps = 0;
            continue;
        }
        block.sync();
        int const deflated = deflate_end(block, chain, h, l, i, window, re, im);
        if (deflated > 0) {
            multiply_window(block, chain, h, l, i - window, i - window + 1, window);
            i -= deflated, steps = 0;
            block.sync();
        } else {
            ++steps;
        }
        if (steps > most) return i + 1;
        if (i - l < chain.MOST || 100 * deflated > GEEV_NIBBLE * window) continue;
        if (block.rank() == 0) choose_chain(chain, h, l, i, shape.bulges, steps);
        block.sync();
        chain_steps(block, chain, h, l, i, l, i, 0, chain_length(l, i, chain.bulges), geev_square<entry>{NULL, 0});
    }
    return 0;
}

/* ------------------------------------------------------------- what the roads `block` and `blocks` share: team, folded
 * matrix, results */

/* A thread block of W warps, as chain_solve wants it: the last one makes reflectors while the others apply them. */
template <int W> struct chain_block {
    using warp_type = lane_team<32>;
    using group_type = lane_team<GEEV_LANES>;
    static constexpr int group_slots = 1;
    __device__ __forceinline__ warp_type warp() const
    {
        return warp_type(threadIdx.x % 32);
    }
    __device__ __forceinline__ int warp_rank() const
    {
        return threadIdx.x / 32;
    }
    __device__ __forceinline__ bool makes() const
    {
        return warp_rank() == W - 1;
    }
    /* This warp's number among those that apply reflectors, and how many those are. */
    __device__ __forceinline__ int worker() const
    {
        return warp_rank();
    }
    __device__ __forceinline__ int workers() const
    {
        return W - 1;
    }
    __device__ __forceinline__ int rank() const
    {
        return threadIdx.x;
    }
    __device__ __forceinline__ int size() const
    {
        return 32 * W;
    }
    __device__ __forceinline__ void sync() const
    {
        __syncthreads();
    }
    /* A barrier of the warps that apply reflectors; the one that makes them passes by. */
    __device__ __forceinline__ void sync_workers() const
    {
        part_barrier(32 * (W - 1));
    }
    __device__ __forceinline__ void skip_workers() const
    {
        skip_part_barrier();
    }
    __device__ __forceinline__ group_type group() const
    {
        return group_type(threadIdx.x % 32);
    }
    __device__ __forceinline__ int group_rank() const
    {
        return threadIdx.x / GEEV_LANES;
    }
    __device__ __forceinline__ int groups() const
    {
        return 32 * W / GEEV_LANES;
    }
};

/* An upper Hessenberg matrix and two more diagonals below it, where bulges are, folded: row r > half lies backwards
 * behind row n + 1 - r.  It takes half of a square, and neighbouring rows and columns still lie in different banks. */
template <typename entry> struct geev_folded {
    static constexpr bool complex = entry_kind<entry>::complex;
    entry *base;
    int n, ld;
    __device__ __forceinline__ bool direct(int r) const
    {
        return r <= (n + 1) / 2;
    }
    __device__ __forceinline__ int step(int r) const
    {
        return direct(r) ? 1 : -1;
    }
    __device__ __forceinline__ entry *row(int r) const
    {
        return base + (direct(r) ? r * ld + 5 : (n + 1 - r) * ld + n - 1);
    }
    __device__ __forceinline__ entry &operator()(int r, int c) const
    {
        return row(r)[direct(r) ? c : -c];
    }
    /* Goes down a column: where its entry is if its row is direct, and if it is not. */
    struct walker {
        entry *base;
        int direct, folded, left, ld; /* left: direct rows from here on */
        __device__ __forceinline__ geev_place<entry> place() const
        {
            return {base + (left >= 0 ? direct : folded), left >= 0 ? 1 : -1};
        }
        __device__ __forceinline__ void down(int rows)
        {
            direct += rows * ld, folded -= rows * ld, left -= rows;
        }
    };
    __device__ __forceinline__ walker walk(int r, int c) const
    {
        return {base, r * ld + 5 + c, (n + 1 - r) * ld + n - 1 - c, (n + 1) / 2 - r, ld};
    }
};

static __host__ __device__ inline int folded_ld(int n)
{
    return (n + 5) | 1;
}

static __host__ __device__ inline int folded_entries(int n)
{
    return ((n + 1) / 2 + 1) * folded_ld(n);
}

/* The largest order that this many numbers hold. */
static inline int folded_most(int64_t numbers)
{
    int n = 0;
    while (folded_entries(n + 1) <= numbers) ++n;
    return n;
}

/* Makes all of the folded matrix of order n zero; a barrier is to follow. */
template <int W, typename entry> static __device__ geev_folded<entry> empty_folded(entry *base, int n)
{
    for (int e = threadIdx.x; e < folded_entries(n); e += 32 * W) base[e] = entry{};
    return geev_folded<entry>{base, n, folded_ld(n)};
}

/* What eigenvalue k is multiplied by.  geev_prepare.cu, for n <= GEEV_MOST, scales all of a matrix; the kernels of
 * larger n scale rows lo..hi, and leave what is isolated outside them as it was. */
static __device__ __forceinline__ double unscale_of(const geev_record &record, int64_t n, int k)
{
    return n > GEEV_MOST && (k < record.lo || k > record.hi) ? 1.0 : record.unscale;
}

/* Stores the results of matrix b, which has converged or was not finite. */
template <typename real>
static __device__ void store_results(const geev_slice &slice, int64_t b, const geev_record &record, const real *re,
                                     const real *im)
{
    const geev_problem &p = slice.p;
    int const n = (int)p.n;
    bool const good = record.info == 0;
    for (int k = threadIdx.x; p.w && k < n; k += blockDim.x) {
        real const factor = good ? (real)unscale_of(record, n, k) : (real)NAN;
        geev_put(p, b, k, good ? re[k] * factor : factor, good ? im[k] * factor : factor);
    }
    if (threadIdx.x > 0) return;
    real measure = good ? (real)0 : (real)NAN;
    for (int k = 0; good && p.value && k < n; ++k) {
        real const factor = (real)unscale_of(record, n, k);
        measure = geev_measure(p.measure, measure, re[k] * factor, im[k] * factor, k == 0);
    }
    if (p.value) ((real *)p.value)[b] = measure;
    if (p.info) p.info[b] = record.info;
}

#endif
