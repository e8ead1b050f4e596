/* stemr on CUDA: Rayleigh corrections.  aim_kernel walks to a row that is known (stemr_locate.cu).  twist_kernel looks
 * at every row: it takes the pairs that have no row, and those that aim_kernel does not bring to an end.  Of
 * twist_kernel:
 *
 * Owner     two lanes of a warp a pair, one from the top and one from the bottom, 16 pairs a warp.
 * Schedule  both walk to the middle and leave their state every STEP rows; then each goes on through the other's rows,
 *           whose states it makes again from those left, and finds gamma and the length of the vector at each: n rows
 *           long, not 2n.  The better of the two twists is the pair's.
 * Memory    states lie in the pair's column of z, 3 doubles every 8 rows; where z is not wanted, in a room of some
 *           lanes.
 * Cost      some 110 operations a row and pair; a chain of some 240 cycles a row.
 * Bits      a pair's result depends on its bracket and its representation alone.  Lists may come in any order. */
#include "stemr_pencil.cuh"
#include "stemr_triple.cuh"
#include "stemr_walk.cuh"

#include "mrrr/stemr_node_rows.cuh"

#include "primitives/team.cuh"

enum { STEP = 8, THREADS = 32, MOST_STEPS = 260 };

struct twist_args {
    stemr_task t;
    stemr_kind kind;
    /* List list_index & 1 is read, the other one written; counts are in left[list_index], left[list_index + 1]. */
    int list_index;
    bool last; /* goes on until all its pairs are done */
    double enough;
};

template <typename rows_type>
static __device__ stemr_found twisted(const rows_type &rows, int n, wide_d x, bool back, const stemr_state_room &mine,
                                      const stemr_state_room &other)
{
    int const half = back ? n - n / 2 : n / 2, beyond = n - half;
    wide_d s = rows.start(back, x), left_s = s;
    double third = 1, left_third = 1;
    int negative = 0;
#pragma unroll 1
    for (int i = 0; i < half; i += STEP) {
        if (i > 0) { /* the last state is handed over directly */
            mine.put(i - STEP, 0, left_s.hi), mine.put(i - STEP, 1, left_s.lo), mine.put(i - STEP, 2, left_third);
        }
        left_s = s, left_third = third;
        rows.fetch(back, i + 2 * STEP + threadIdx.x % STEMR_HALF);
        typename rows_type::line line[STEP];
#pragma unroll
        for (int k = 0; k < STEP; ++k) line[k] = rows.load(back, i + k);
#pragma unroll
        for (int k = 0; k < STEP; ++k) {
            bool const on = i + k < half;
            stemr_stride const r = rows.step(line[k], x, s);
            negative += on && r.pivot < 0;
            s = on ? r.next : s;
            third = on ? stemr_longer(r.ratio, third) : third;
        }
    }
    __syncwarp();
    wide_d const last_s = stemr_shuffle(left_s, STEMR_HALF);
    double const last_third = __shfl_xor_sync(0xffffffffu, left_third, STEMR_HALF);
    stemr_found best = {INFINITY, 1, 0, 0};
    int const top = beyond > 0 ? (beyond - 1) / STEP * STEP : -STEP;
#pragma unroll 1
    for (int j0 = top; j0 >= 0; j0 -= STEP) {
        wide_d states[STEP];
        double thirds[STEP];
        rows.fetch(!back, j0 - 3 * STEP + threadIdx.x % STEMR_HALF);
        states[0] = last_s, thirds[0] = last_third;
        if (j0 < top) states[0] = wide_d{other.get(j0, 0), other.get(j0, 1)}, thirds[0] = other.get(j0, 2);
#pragma unroll
        for (int k = 1; k < STEP; ++k) {
            stemr_stride const r = rows.step(rows.load(!back, j0 + k - 1), x, states[k - 1]);
            states[k] = r.next, thirds[k] = stemr_longer(r.ratio, thirds[k - 1]);
        }
#pragma unroll
        for (int k = STEP - 1; k >= 0; --k) {
            int const i = n - 1 - (j0 + k);
            bool const on = j0 + k < beyond;
            stemr_stride const r = rows.step(rows.load(back, i), x, s);
            double const gamma = rows.gamma(r, x, s, states[k]);
            bool const better = on && fabs(gamma) < fabs(best.gamma);
            best.gamma = better ? gamma : best.gamma;
            best.norm = better ? third + (thirds[k] - 1) : best.norm;
            best.twist = better ? (back ? n - 1 - i : i) : best.twist;
            negative += on && r.pivot < 0;
            s = on ? r.next : s;
            third = on ? stemr_longer(r.ratio, third) : third;
        }
    }
    best.count = negative;
    /* The lane from the top has the right count.  Its twist is taken where both are as good. */
    double const gamma = __shfl_xor_sync(0xffffffffu, best.gamma, STEMR_HALF);
    double const norm = __shfl_xor_sync(0xffffffffu, best.norm, STEMR_HALF);
    int const twist = __shfl_xor_sync(0xffffffffu, best.twist, STEMR_HALF);
    int const count = __shfl_xor_sync(0xffffffffu, best.count, STEMR_HALF);
    bool const take = back ? !(fabs(best.gamma) < fabs(gamma)) : fabs(gamma) < fabs(best.gamma);
    if (take) best.gamma = gamma, best.norm = norm, best.twist = twist;
    if (back) best.count = count;
    return best;
}

/* What a pair carries from step to step. */
struct twist_pair {
    wide_d lo, hi, x;
    double before, gap;
    int64_t index;
};

/* One step of a single, by Rayleigh's quotient inside the bracket, else by bisection; whether it was the last.
 *
 * The residual r = |gamma| / ||z|| of a unit vector bounds the distance of x and an eigenvalue, x + gamma / ||z||^2 is
 * off by r^2 / gap, and a vector for that shift by r^2 / gap^2: `enough` is what r may be beside the gap. */
static __device__ bool take_step(twist_pair &k, const stemr_found &f, double size, double enough)
{
    double const r = fabs(f.gamma) / sqrt(f.norm), least = 0x1p-96 * fmax(fabs(k.x.hi), size);
    wide_d const next = wide_add_d(k.x, stemr_wide(f.gamma / f.norm));
    if (f.count >= k.index)
        k.hi = k.x;
    else
        k.lo = k.x;
    bool const inside = stemr_less(k.lo, next) && stemr_less(next, k.hi);
    if (r <= enough * k.gap || r <= least || stemr_difference(k.hi, k.lo).hi <= least) {
        if (inside) k.x = next;
        return true;
    }
    bool const good = inside && r < 0.5 * k.before;
    k.x = good ? next : stemr_middle(k.lo, k.hi);
    k.before = good ? r : INFINITY;
    return false;
}

template <typename rows_type> static __global__ void __launch_bounds__(THREADS) twist_kernel(twist_args a)
{
    int const count = a.t.left[a.list_index];
    const int *const list = a.t.list + (a.list_index & 1) * a.t.n;
    int *const rest = a.t.list + (1 - (a.list_index & 1)) * a.t.n;
    int const lane = threadIdx.x % 32, n = (int)a.t.n;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        stemr_eigenpair *const pair = a.t.pair + list[real_one ? mine : first];
        rows_type const rows = stemr_rows_of<rows_type>(a.t, pair);
        twist_pair k = {pair->lo, pair->hi, pair->x, pair->before, pair->gap, pair->index};
        int64_t const place = (int64_t)blockIdx.x * STEMR_HALF + (real_one ? lane % STEMR_HALF : 0);
        stemr_state_room const room = stemr_room_of(a.t, pair, place, back),
                               other = stemr_room_of(a.t, pair, place, !back);
        double const size = pair->node < 0 ? 1 : 0;
        bool done = false;
        stemr_found f;
        for (int step = 0; step < (a.last ? MOST_STEPS : 1) && __any_sync(0xffffffffu, !done); ++step) {
            __syncwarp();
            stemr_found const now = twisted(rows, n, k.x, back, room, other);
            if (done) continue;
            f = now;
            done = take_step(k, f, size, a.enough);
        }
        __syncwarp();
        bool const mine_too = real_one && !back;
        int const to = stemr_place_in_list(mine_too && !done && !a.last, &a.t.left[a.list_index + 1]);
        if (to >= 0) rest[to] = (int)(pair - a.t.pair);
        if (!mine_too) continue;
        pair->lo = k.lo, pair->hi = k.hi, pair->x = k.x, pair->before = k.before;
        pair->twist = f.twist, pair->aimed = true;
    }
}

/* Lists the pairs of a kind that are single; all, or those that are to be corrected. */
static __global__ void list_kernel(stemr_task t, stemr_kind kind, bool all)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    stemr_eigenpair *const pair = t.pair + (k < t.pairs ? k : 0);
    bool const single = k < t.pairs && pair->state == STEMR_SINGLE && pair->column >= 0 && pair->kind == kind;
    bool const here = single && (kind == STEMR_OF_NODES ? t.node[pair->node].wave == t.wave : all || !pair->aimed);
    int const to = stemr_place_in_list(here, &t.left[0]);
    if (here) t.list[to] = (int)k, pair->before = INFINITY;
}

/* ------------------------------------------------------------------------ aims */

struct no_sink {
    __device__ __forceinline__ double kept(double ratio) const
    {
        return ratio;
    }
    __device__ __forceinline__ double take(int, double ratio) const
    {
        return ratio;
    }
    __device__ __forceinline__ void end(int) const {}
};

/* Corrections with twists that are known: two walks to the twist and no more.  What does not converge is left to
 * twist_kernel; pairs of pencils keep the last x, and info tells if its residual is too large. */
template <typename rows_type> static __global__ void __launch_bounds__(THREADS, 16) aim_kernel(twist_args a)
{
    bool const pencils = a.kind == STEMR_OF_PENCILS, members = a.kind == STEMR_MEMBERS || pencils;
    /* Most pairs need three or four steps.  Where n is large, warps that wait for one that needs more cost more than a
     * launch. */
    int const steps = !members ? 5 : a.last ? 24 : pencils || a.t.n <= 4096 ? 6 : 3;
    int const count = a.t.left[a.list_index], lane = threadIdx.x % 32;
    const int *const list = a.t.list + (a.list_index & 1) * a.t.n;
    int *const rest = a.t.list + (1 - (a.list_index & 1)) * a.t.n;
    bool const back = lane >= STEMR_HALF;
    __shared__ stemr_root_tile tile;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        stemr_eigenpair *const pair = a.t.pair + list[real_one ? mine : first];
        rows_type const rows = stemr_rows_of<rows_type>(a.t, pair).with(&tile);
        twist_pair k = {pair->lo, pair->hi, pair->x, pair->before, pair->gap, pair->index};
        int const twist = stemr_twist_of(*pair, rows.n), length = back ? rows.n - 1 - twist : twist,
                  longest = warp_max(length);
        double const size = pair->node < 0 || (members && !pencils) ? 1 : 0;
        bool done = false, lost = pair->twist < 0;
        for (int step = 0; step < steps && __any_sync(0xffffffffu, !done && !lost); ++step) {
            auto const h = stemr_walk_half(rows, k.x, back, length, longest, no_sink{});
            stemr_found const f = stemr_meet(rows, k.x, back, length, h);
            if (done || lost) continue;
            done = take_step(k, f, size, a.enough);
            lost = !done && !members && !(k.before < INFINITY);
        }
        __syncwarp();
        bool const leads = real_one && !back;
        int const to = stemr_place_in_list(leads && !done, &a.t.left[a.list_index + 1]);
        if (to >= 0) rest[to] = (int)(pair - a.t.pair);
        if (!leads) continue;
        pair->x = k.x, pair->before = k.before, pair->aimed = done;
        if (!members) pair->lo = k.lo, pair->hi = k.hi; /* others look at members' brackets: they stay */
    }
}

/* Corrections in triple-double arithmetic, which go to the tail of x; two suffice. */
static __global__ void __launch_bounds__(THREADS) triple_kernel(twist_args a)
{
    enum { STEPS = 4 };
    __shared__ stemr_root_tile tile;
    int const count = a.t.left[0], lane = threadIdx.x % 32, n = (int)a.t.n;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        stemr_eigenpair *const pair = a.t.pair + a.t.list[real_one ? mine : first];
        stemr_of_triples rows = stemr_rows_of<stemr_of_triples>(a.t, pair).with(&tile);
        int const twist = stemr_twist_of(*pair, n), length = back ? n - 1 - twist : twist, longest = warp_max(length);
        bool done = false;
        for (int step = 0; step < STEPS && __any_sync(0xffffffffu, !done); ++step) {
            auto const h = stemr_walk_half(rows, pair->x, back, length, longest, no_sink{});
            stemr_found const f = stemr_meet(rows, pair->x, back, length, h);
            double const correction = f.gamma / f.norm;
            if (!done && fabs(correction) < pair->gap) rows.tail += correction;
            done = done || fabs(f.gamma) / sqrt(f.norm) <= a.enough * pair->gap;
        }
        __syncwarp(); /* all have read the pair */
        if (real_one && !back) pair->tail = rows.tail;
    }
}

/* --------------------------------------------------------------- launchers */

/* Lanes whose states have a room where z is not wanted. */
int64_t eig_cuda_stemr_room_lanes(int64_t n)
{
    int64_t const most = ((int64_t)1 << 25) / n, lanes = n < most ? n : most;
    return (lanes < 2 * STEMR_HALF ? 2 * STEMR_HALF : lanes + STEMR_HALF - 1) / STEMR_HALF * STEMR_HALF;
}

eig_status eig_cuda_stemr_list(eig_context *ctx, const stemr_task *t, stemr_kind kind, bool all, cudaStream_t stream)
{
    enum { LISTERS = 128 };
    CUDA_TRY(cudaMemsetAsync(t->left, 0, sizeof t->counts->left[0], stream));
    return cuda_launch(ctx, "stemr: list_kernel", stream, {(t->pairs + LISTERS - 1) / LISTERS, LISTERS}, list_kernel,
                       *t, kind, all);
}

/* What a residual may be beside the gap.  The vector is then off by n eps / 64. */
static double enough_for(const stemr_task *t)
{
    return fmax(sqrt((double)t->n * (t->p.type == EIG_S ? FLT_EPSILON : DBL_EPSILON)) / 8, 0x1p-28);
}

template <typename rows_type>
static eig_status refine(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream)
{
    twist_args a = {*t, kind, 0, false, enough_for(t)};
    eig_status status = eig_cuda_stemr_list(ctx, t, kind, false, stream);
    cuda_shape const shape = {stemr_warps(t), THREADS};
    /* Pairs without a row, and pairs that corrections to a known row do not bring to an end, take twist_kernel. */
    if (status == EIG_OK && kind == STEMR_OF_ROOT) status = eig_cuda_stemr_locate(ctx, t, false, 0, stream);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: aim_kernel", stream, shape, aim_kernel<rows_type>, a);
    ++a.list_index, a.last = true;
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: twist_kernel", stream, shape, twist_kernel<rows_type>, a);
    return status;
}

static eig_status refine_triples(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    twist_args const a = {*t, STEMR_OF_TRIPLES, 0, false, enough_for(t)};
    eig_status const status = eig_cuda_stemr_list(ctx, t, a.kind, true, stream);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "stemr: triple_kernel", stream, {stemr_warps(t), THREADS}, triple_kernel, a);
}

eig_status eig_cuda_stemr_aim_members(eig_context *ctx, const stemr_task *t, bool pencils, cudaStream_t stream)
{
    twist_args a = {*t, pencils ? STEMR_OF_PENCILS : STEMR_MEMBERS, 0, false, enough_for(t)};
    cuda_shape const shape = {stemr_warps(t), THREADS};
    eig_status status = eig_cuda_stemr_list(ctx, t, a.kind, false, stream);
    /* The second list has the pairs that need more steps than most.  They get new rows, which may be neighbours of the
     * first ones, since x was less known. */
    for (; a.list_index < 2 && status == EIG_OK; ++a.list_index) {
        a.last = a.list_index == 1;
        status = pencils ? eig_cuda_stemr_pencil_locate(ctx, t, a.list_index, stream)
                         : eig_cuda_stemr_locate(ctx, t, true, a.list_index, stream);
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: aim_kernel", stream, shape,
                                 pencils ? aim_kernel<stemr_of_pencil> : aim_kernel<stemr_of_root>, a);
    }
    return status;
}

/* Those of pencils are corrected already, as may be those of T~. */
eig_status eig_cuda_stemr_refine(eig_context *ctx, const stemr_task *t, stemr_kind kind, cudaStream_t stream)
{
    if (kind == STEMR_OF_PENCILS || (kind == STEMR_OF_ROOT && t->refined && !t->others)) return EIG_OK;
    if (kind == STEMR_OF_TRIPLES) return refine_triples(ctx, t, stream);
    return kind == STEMR_OF_NODES ? refine<stemr_of_node>(ctx, t, kind, stream)
                                  : refine<stemr_of_root>(ctx, t, kind, stream);
}
