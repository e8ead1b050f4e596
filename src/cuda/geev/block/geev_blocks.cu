/* geev on CUDA, road `blocks`: large matrices, one or several thread blocks a matrix, all of it in one kernel.
 *
 * Owner     a group of blocks takes matrices from a queue.  All of its blocks reduce the matrix (geev_group.cuh); then
 *           its leader iterates, and all of them bring the rest of the matrix up to date.
 * Sweep     the leader takes the rows and columns around a chain of bulges into shared memory, moves the chain down as
 *           far as they reach, and collects its reflectors in U; the rows above and the columns to the right are then
 *           multiplied by U, eight at a time a warp.
 * Roots     in double on GPUs with FP64 tensor cores all blocks try Aberth's iteration (geev_aberth.cuh) first; the
 *           leader iterates where that does not prove its results.
 * Tail      an active block that fits the shared memory folded is solved there to its end, by the leader alone.
 * Memory    a work area a group: the matrix, row by row, U, and some vectors.
 * Cost      10 n^3/3 flops for the reduction, of which 2 n^3 read the matrix once a column; about 10 n^3 for the
 *           iteration.  A single matrix waits for the leader's super-steps and windows. */
#include "geev/aberth/geev_aberth.cuh"
#include "geev/block/geev_chain.cuh"
#include "geev/reduce/geev_group.cuh"
#include "geev/reduce/geev_turn.cuh"
#include "per_type.cuh"

#include <type_traits>

using entry = std::conditional<number::complex, number, real>::type;

enum {
    SWEEP_ORDER = number::complex ? 80 : 96, /* rows and columns around a chain */
    SWEEP_LD = SWEEP_ORDER + 1,
    MOST_BULGES = number::complex ? 10 : GEEV_MANY_BULGES,
    SIDE = number::complex ? 4 : 8, /* rows or columns that a warp multiplies at a time */
    LEAST_NUMBERS = SWEEP_ORDER * SWEEP_LD + SIDE * SWEEP_ORDER * GROUP_WARPS, /* of shared memory */
    LOADERS = LEAST_NUMBERS / LOAD_TILE < GROUP_WARPS ? LEAST_NUMBERS / LOAD_TILE : GROUP_WARPS,
    FEWEST_ROWS = 8 /* of the matrix for each block of a group */
};
static_assert(GEEV_BULGE_ROWS * MOST_BULGES + 1 < SWEEP_ORDER, "a chain fits, and can move");

extern __shared__ __align__(16) char blocks_memory[];

using leader_block = chain_block<GROUP_WARPS>;

static __device__ __forceinline__ geev_shape shape_of(int n)
{
    enum { MOST = geev_chain<entry, MOST_BULGES>::MOST };
    geev_shape const shape = geev_shape_of(n);
    return {shape.bulges < MOST_BULGES ? shape.bulges : (int)MOST_BULGES,
            shape.window < MOST ? shape.window : (int)MOST};
}

/* The arrays of a group in its work area. */
struct group_area {
    entry *a, *exchange, *u;
    real *re, *im, *scale;
    double *roots; /* aligned to 16 bytes */
};

constexpr bool HAS_ROOTS = std::is_same<entry, double>::value;

/* Of these, for Aberth's iteration; they come last. */
static __host__ __device__ inline int64_t root_bytes(int64_t n)
{
    return HAS_ROOTS ? geev_root_numbers(n) * (int64_t)sizeof(double) + 16 : 0;
}

static __host__ __device__ inline int64_t area_bytes(int64_t n)
{
    return root_bytes(n) + (n * n + SWEEP_ORDER * SWEEP_ORDER + 2 * n) * (int64_t)sizeof(entry) +
           3 * n * (int64_t)sizeof(real);
}

static __device__ __forceinline__ group_area place_area(const geev_slice &slice, int group)
{
    int64_t const n = slice.p.n;
    group_area w;
    w.a = (entry *)((char *)slice.plain + group * (size_t)slice.plain_bytes);
    w.exchange = w.a + n * n, w.u = w.exchange + 2 * n;
    w.re = (real *)(w.u + SWEEP_ORDER * SWEEP_ORDER), w.im = w.re + n, w.scale = w.im + n;
    w.roots = (double *)(((uintptr_t)(w.scale + n) + 15) / 16 * 16);
    return w;
}

/* --------------------------------------------------------------- before the reduction */

/* Permutes, scales, balances and turns the matrix; by the leader. */
static __device__ geev_record condition(block_team<GROUP_THREADS> team, const geev_problem &p, bool finite,
                                        const group_area &w)
{
    int const n = (int)p.n;
    geev_view<entry> const h = {w.a, n, n, 1};
    geev_record record = {1, 0, n - 1, 0, 0, 0};
    if (p.balance && finite) isolate(team, h, &record.lo, &record.hi);
    normalise(team, h, &record);
    if (record.info == 0 && p.balance && wants_balance(team, h, record.lo, record.hi, w.re, w.im))
        balance(team, h, record.lo, record.hi, w.scale);
    turn(team, h, &record);
    return record;
}

/* ------------------------------------------------------- products with a transformation */

/* Multiplies eight rows from the right, or columns from the left by the transpose, by U of this order, in shared memory
 * in rows of SWEEP_LD numbers: entry k of vector v is at[v*apart + k*along].  space: [order][SIDE] of the warp. */
static __device__ __forceinline__ void multiply_side(entry *at, int64_t apart, int64_t along, int count, int order,
                                                     const entry *u, entry *space)
{
    constexpr int COLUMNS = (SWEEP_ORDER + 31) / 32;
    entry const zero = entry{};
    int const lane = threadIdx.x % 32;
    bool const rows = along == 1; /* lanes go along the direction in which numbers are neighbours */
    for (int v = 0; rows && v < SIDE; ++v)
        for (int k = lane; k < order; k += 32) space[k * SIDE + v] = v < count ? at[v * apart + k] : zero;
    for (int e = lane; !rows && e < SIDE * order; e += 32)
        space[e] = e % SIDE < count ? at[e % SIDE + e / SIDE * along] : zero;
    __syncwarp();
    entry sum[SIDE][COLUMNS];
#pragma unroll
    for (int v = 0; v < SIDE; ++v)
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) sum[v][c] = zero;
    for (int k = 0; k < order; ++k) {
        entry x[SIDE];
#pragma unroll
        for (int v = 0; v < SIDE; ++v) x[v] = space[k * SIDE + v];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            if (32 * c >= order) break;
            entry const g = 32 * c + lane < order ? u[k * SWEEP_LD + 32 * c + lane] : zero, f = rows ? g : conj(g);
#pragma unroll
            for (int v = 0; v < SIDE; ++v) sum[v][c] = product_add(x[v], f, sum[v][c]);
        }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int v = 0; v < SIDE; ++v)
            if (32 * c + lane < order && v < count) at[v * apart + (32 * c + lane) * along] = sum[v][c];
    __syncwarp();
}

/* Multiplies rows top..from-1 in columns from..from+order-1, and columns from+order..right in rows
 * from..from+order-1. */
static __device__ void multiply_all(const geev_member &member, entry *a, int n, int top, int from, int order, int right,
                                    const entry *u, entry *space)
{
    int const above = (from - top + SIDE - 1) / SIDE, next = from + order;
    int const beside = right >= next ? (right - next + SIDE) / SIDE : 0;
    entry *const own = space + (threadIdx.x / 32) * (SIDE * SWEEP_ORDER);
    for (int task = member.warp(); task < above + beside; task += member.warps()) {
        if (task < above) {
            int const r = top + task * SIDE;
            multiply_side(a + (int64_t)r * n + from, n, 1, from - r < SIDE ? from - r : (int)SIDE, order, u, own);
        } else {
            int const c = next + (task - above) * SIDE;
            multiply_side(a + (int64_t)from * n + c, 1, n, right + 1 - c < SIDE ? right + 1 - c : (int)SIDE, order, u,
                          own);
        }
    }
}

/* ------------------------------------------------------------------ the leader's part */

/* Where the leader's window, U and the warps' space lie in shared memory; the space takes the window's place. */
static __device__ __forceinline__ entry *shared_u()
{
    return (entry *)blocks_memory;
}

static __device__ __forceinline__ entry *shared_window()
{
    return shared_u() + SWEEP_ORDER * SWEEP_LD;
}

/* What all blocks do when the leader has made a transformation. */
static __device__ void follow(geev_member &member, const group_area &w, int n)
{
    const geev_group &g = *member.group;
    int const order = g.order;
    if (!member.leads()) {
        for (int e = threadIdx.x; e < order * order; e += GROUP_THREADS)
            shared_u()[e / order * SWEEP_LD + e % order] = w.u[e];
    }
    __syncthreads();
    multiply_all(member, w.a, n, g.top, g.from, order, g.right, shared_u(), shared_window());
    member.sync(); /* the matrix is up to date */
}

/* Announces the transformation in shared_u, and takes part in it. */
static __device__ void lead(geev_member &member, const group_area &w, int n, int top, int from, int order, int right)
{
    geev_group &g = *member.group;
    if (threadIdx.x == 0) g.top = top, g.from = from, g.order = order, g.right = right;
    for (int e = threadIdx.x; member.count > 1 && e < order * order; e += GROUP_THREADS)
        w.u[e] = shared_u()[e / order * SWEEP_LD + e % order];
    member.sync(); /* all know what to do */
    follow(member, w, n);
}

/* A sweep on l..i, window by window. */
static __device__ void sweep_windows(geev_member &member, const group_area &w, geev_chain<entry, MOST_BULGES> &chain,
                                     int n, int l, int i)
{
    leader_block const block;
    int const tail = GEEV_BULGE_ROWS * (chain.bulges - 1), total = chain_length(l, i, chain.bulges);
    int const steps = SWEEP_ORDER - tail - GEEV_BULGE_ROWS - 1;
    for (int first = 0; first < total; first += steps) {
        int const last = first + steps < total ? first + steps : total;
        int const from = first > tail ? l - 1 + first - tail : l, to = l + last + 2 < i ? l + last + 2 : i;
        int const order = to - from + 1;
        entry *const t = shared_window(), *const u = shared_u();
        for (int e = threadIdx.x; e < order * order; e += GROUP_THREADS) {
            int const r = e / order, c = e % order;
            t[r * SWEEP_LD + c] = w.a[(int64_t)(from + r) * n + from + c];
            u[r * SWEEP_LD + c] = entry_of<entry>((real)(r == c));
        }
        __syncthreads();
        int const shift = from * SWEEP_LD + from;
        chain_steps(block, chain, geev_square<entry>{t - shift, SWEEP_LD}, l, i, from, to, first, last,
                    geev_square<entry>{u - shift, SWEEP_LD});
        for (int e = threadIdx.x; e < order * order; e += GROUP_THREADS)
            w.a[(int64_t)(from + e / order) * n + from + e % order] = t[e / order * SWEEP_LD + e % order];
        __syncthreads(); /* the window is stored; its place is free */
        lead(member, w, n, l, from, order, i);
    }
}

/* The block l..i, which fits the shared memory. */
static __device__ int solve_tail(geev_chain<entry, MOST_BULGES> &chain, const group_area &w, int n, int l, int i,
                                 int most)
{
    int const order = i - l + 1;
    geev_folded<entry> const h = empty_folded<GROUP_WARPS>((entry *)blocks_memory, order);
    __syncthreads();
    for (int r = threadIdx.x / 32; r < order; r += GROUP_WARPS)
        for (int c = (r > 0 ? r - 1 : 0) + (int)threadIdx.x % 32; c < order; c += 32)
            h(r, c) = w.a[(int64_t)(l + r) * n + l + c];
    __syncthreads();
    int const info = chain_solve(leader_block(), chain, h, 0, order - 1, shape_of(order), most, w.re + l, w.im + l);
    __syncthreads(); /* the memory is free */
    return info > 0 ? l + info : 0;
}

/* chain_solve on a matrix that is larger than the shared memory. */
static __device__ int lead_iteration(geev_member &member, block_team<GROUP_THREADS> team, const geev_slice &slice,
                                     const group_area &w, geev_chain<entry, MOST_BULGES> &chain, int lo, int hi)
{
    leader_block const block;
    int const n = (int)slice.p.n;
    geev_shape const shape = shape_of(n);
    int const window = shape.window;
    geev_square<entry> const h = {w.a, n};
    int i = hi, l = lo, steps = 0;
    if (threadIdx.x == 0) chain.tiny = real_limits<real>::safmin * ((real)(hi - lo + 1) / real_limits<real>::eps);
    __syncthreads();
    while (i >= lo) {
        l = last_negligible(team, h, lo, hi, i >= l ? l : lo, i, chain.tiny);
        __syncthreads(); /* all have looked at the subdiagonal */
        if (l > lo && threadIdx.x == 0) h(l, l - 1) = entry{};
        __syncthreads();
        if (i - l < slice.folded) {
            int const info = solve_tail(chain, w, n, l, i, slice.p.max_steps);
            if (info > 0) return info;
            i = l - 1, steps = 0;
            continue;
        }
        int const deflated = deflate_end(block, chain, h, l, i, window, w.re, w.im), first = i - window + 1;
        if (deflated > 0) {
            for (int e = threadIdx.x; e < window * window; e += GROUP_THREADS)
                shared_u()[e / window * SWEEP_LD + e % window] = chain.v[e / window * chain.LD + e % window];
            __syncthreads();
            lead(member, w, n, l, first, window, i);
            i -= deflated, steps = 0;
        } else {
            ++steps;
        }
        if (steps > slice.p.max_steps) return i + 1;
        if (i - l < slice.folded || 100 * deflated > GEEV_NIBBLE * window) continue;
        if (threadIdx.x == 0) choose_chain(chain, h, l, i, shape.bulges, steps);
        __syncthreads();
        sweep_windows(member, w, chain, n, l, i);
    }
    return 0;
}

/* ----------------------------------------------------------------------- the kernel */

/* Eigenvalues of the reduced matrix, and results. */
static __device__ void iterate(geev_member &member, block_team<GROUP_THREADS> team, const geev_slice &slice, int64_t at,
                               const group_area &w, const geev_record &record)
{
    __shared__ geev_chain<entry, MOST_BULGES> chain;
    int const n = (int)slice.p.n;
    if (member.leads()) {
        for (int k = threadIdx.x; k < n; k += GROUP_THREADS)
            w.re[k] = real_part(w.a[(int64_t)k * n + k]), w.im[k] = imaginary(w.a[(int64_t)k * n + k]);
        __syncthreads();
        int info = 0;
        if (record.info == 0) info = lead_iteration(member, team, slice, w, chain, record.lo, record.hi);
        __syncthreads();
        if (info == 0)
            store_results(slice, slice.first + at, record, w.re, w.im);
        else if (threadIdx.x == 0)
            slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = slice.first + at;
        if (threadIdx.x == 0) member.group->order = 0;
        member.sync(); /* the others know that it is over */
        return;
    }
    for (;;) {
        member.sync();
        if (member.group->order == 0) return;
        follow(member, w, n);
    }
}

/* P points of a warp at a time. */
template <int P, typename get>
static __device__ __noinline__ bool solve_roots(geev_member &member, get h, const group_area &w,
                                                const geev_record &record, int bytes)
{
    int const m = record.hi - record.lo + 1, each = hyman_points<P>::warp_bytes(m);
    int const fit = (bytes - aberth_common_bytes(m)) / each;
    return aberth_solve<hyman_points<P>>(member, h, record.lo, record.hi, fit < GROUP_WARPS ? fit : (int)GROUP_WARPS,
                                         w.roots, blocks_memory, &member.group->proved, w.re + record.lo,
                                         w.im + record.lo);
}

/* Aberth's iteration by all blocks, and results, if it serves. */
template <bool has_roots>
static __device__ __forceinline__ bool find_roots(geev_member &member, const geev_slice &slice, int64_t at,
                                                  const group_area &w, const geev_record &record, int bytes)
{
    if constexpr (has_roots) {
        int const n = (int)slice.p.n;
        if (slice.points == 0 || record.info != 0) return false;
        const entry *const a = w.a;
        auto const h = [a, n](int i, int j) { return real_part(a[(int64_t)i * n + j]); };
        if (!(slice.points == 8 ? solve_roots<8>(member, h, w, record, bytes)
                                : solve_roots<4>(member, h, w, record, bytes)))
            return false;
        if (!member.leads()) return true;
        for (int k = threadIdx.x; k < n; k += GROUP_THREADS)
            if (k < record.lo || k > record.hi) w.re[k] = h(k, k), w.im[k] = 0;
        __syncthreads();
        store_results(slice, slice.first + at, record, w.re, w.im);
        return true;
    }
    return false;
}

static __global__ void __launch_bounds__(GROUP_THREADS) blocks_kernel(geev_slice slice, int members, int numbers)
{
    __shared__ double space[GROUP_WARPS];
    int const n = (int)slice.p.n, group = blockIdx.x / members;
    geev_member member = {slice.groups + group, (int)blockIdx.x % members, members, 0};
    geev_group &g = *member.group;
    block_team<GROUP_THREADS> const team = {(int)threadIdx.x, space};
    group_area const w = place_area(slice, group);
    for (;;) {
        if (member.leads() && threadIdx.x == 0) {
            g.at = (int64_t)atomicAdd(&slice.queue->iterate[0], 1ull);
            g.bad = 0;
        }
        member.sync();
        int64_t const at = g.at;
        if (at >= slice.count) return;
        bool const finite = load_matrix(member, slice.p, slice.first + at, w.a, (entry *)blocks_memory, LOADERS);
        if (!finite && threadIdx.x == 0) atomicOr(&g.bad, 1);
        member.sync();
        if (member.leads()) {
            geev_record const record = condition(team, slice.p, g.bad == 0, w);
            if (threadIdx.x == 0) g.record = record;
        }
        member.sync();
        geev_record const record = g.record;
        if (record.info == 0)
            group_reduce(member, place_panel((entry *)blocks_memory, n, slice.panel, numbers, members == 1), w.a,
                         record.lo, record.hi, w.exchange);
        member.sync();
        if (find_roots<HAS_ROOTS>(member, slice, at, w, record, numbers * (int)sizeof(entry))) continue;
        iterate(member, team, slice, at, w, record);
    }
}

size_t TYPED(eig_cuda_geev_blocks_area)(int64_t n)
{
    return arena_rounded((size_t)area_bytes(n));
}

/* Numbers of dynamic shared memory. */
static int64_t blocks_numbers(const cuda_state *state)
{
    enum { STATIC = number::complex ? 16 << 10 : 8 << 10 };
    return (state->shared_bytes - STATIC) / (int64_t)sizeof(entry);
}

bool TYPED(eig_cuda_geev_blocks_fit)(const eig_context *ctx, int64_t n)
{
    int64_t const numbers = blocks_numbers(cuda_state_of(ctx));
    return numbers >= LEAST_NUMBERS && geev_panel_width<entry>(n, numbers) >= 2;
}

eig_status TYPED(eig_cuda_geev_blocks)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const numbers = blocks_numbers(state), n = slice.p.n;
    int64_t const groups = slice.count < slice.plain_blocks ? slice.count : slice.plain_blocks;
    int64_t const share = state->multiprocessors / groups, useful = n / FEWEST_ROWS;
    int const members = (int)(share < useful ? share > 1 ? share : 1 : useful);
    geev_slice s = slice;
    s.folded = folded_most(numbers);
    s.panel = geev_panel_width<entry>(n, numbers);
    if (s.points > 0) s.points = HAS_ROOTS ? aberth_points(n, numbers * (int64_t)sizeof(entry)) : 0;
    CUDA_TRY(cudaMemsetAsync(s.groups, 0, (size_t)groups * sizeof *s.groups, stream));
    cuda_shape shape = {groups * members, GROUP_THREADS, (size_t)numbers * sizeof(entry)};
    shape.cooperative = members > 1;
    return cuda_launch(ctx, "geev: blocks_kernel", stream, shape, blocks_kernel, s, members, (int)numbers);
}
