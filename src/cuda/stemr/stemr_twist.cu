/* stemr on CUDA: Rayleigh corrections by twisted factorisations.
 *
 * Owner     two lanes of a warp a pair, one from the top and one from the bottom, 16 pairs a warp.
 * Schedule  both walk to the middle and leave their state every STEP rows; then each goes on through the other's rows,
 *           whose states it makes again from those left, and finds gamma and the length of the vector at each: n rows
 *           long, not 2n.  The better of the two twists is the pair's.
 * Memory    states lie in the pair's column of z, 3 doubles every 8 rows; where z is not wanted, in a room of some lanes.
 * Cost      some 110 operations a row and pair; a chain of some 130 cycles a row.
 * Bits      a pair's result depends on its bracket and its representation alone.  Lists may come in any order. */
#include "stemr_walk.cuh"

#include "team.cuh"

enum { STEP = 8, HALF = 16, THREADS = 32, MOST_ROUNDS = 260 };

/* Where a lane leaves states: 3 numbers each. */
struct state_room {
    double *doubles; /* one of the two is set */
    unsigned *words;
    int n;
    bool back;

    __device__ __forceinline__ int at(int place, int k, int words_each) const
    {
        int const from_end = place + k * words_each;
        return back ? n - words_each - from_end : from_end;
    }
    __device__ __forceinline__ void put(int place, int k, double x) const
    {
        if (doubles) {
            doubles[at(place, k, 1)] = x;
        } else {
            unsigned *const to = words + at(place, k, 2);
            to[0] = (unsigned)__double2loint(x), to[1] = (unsigned)__double2hiint(x);
        }
    }
    __device__ __forceinline__ double get(int place, int k) const
    {
        if (doubles) return doubles[at(place, k, 1)];
        const unsigned *const from = words + at(place, k, 2);
        return __hiloint2double((int)from[1], (int)from[0]);
    }
};

struct twist_args {
    stemr_task t;
    int wave;
    int turn;  /* list turn & 1 is read, the other one written; counts in left[turn], left[turn + 1] */
    bool last; /* goes on until all its pairs are done */
    double enough;
};

template <typename rows_type>
static __device__ stemr_found twisted(const rows_type &rows, int n, wide_d x, bool back, const state_room &mine,
                                      const state_room &other)
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
        rows.fetch(back, i + 2 * STEP + threadIdx.x % HALF);
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
    wide_d const last_s = stemr_shuffle(left_s, HALF);
    double const last_third = __shfl_xor_sync(0xffffffffu, left_third, HALF);
    stemr_found best = {INFINITY, 1, 0, 0};
    int const top = beyond > 0 ? (beyond - 1) / STEP * STEP : -STEP;
#pragma unroll 1
    for (int j0 = top; j0 >= 0; j0 -= STEP) {
        wide_d states[STEP];
        double thirds[STEP];
        rows.fetch(!back, j0 - 3 * STEP + threadIdx.x % HALF);
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
    /* That from the top is right about the count, and wins where both are as good. */
    double const gamma = __shfl_xor_sync(0xffffffffu, best.gamma, HALF);
    double const norm = __shfl_xor_sync(0xffffffffu, best.norm, HALF);
    int const twist = __shfl_xor_sync(0xffffffffu, best.twist, HALF);
    int const count = __shfl_xor_sync(0xffffffffu, best.count, HALF);
    bool const take = back ? !(fabs(best.gamma) < fabs(gamma)) : fabs(gamma) < fabs(best.gamma);
    if (take) best.gamma = gamma, best.norm = norm, best.twist = twist;
    if (back) best.count = count;
    return best;
}

/* Where a lane's entry of a list goes, or -1: those of a warp stay together, so that they read the same rows. */
static __device__ __forceinline__ int place_in_list(bool mine, int *count)
{
    unsigned const mask = __ballot_sync(0xffffffffu, mine);
    int const lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    return mine ? base + __popc(mask & ((1u << lane) - 1)) : -1;
}

/* What a pair carries from step to step. */
struct twist_pair {
    wide_d lo, hi, x;
    double before, gap;
    int64_t index;
};

/* One step of a single, by Rayleigh's quotient inside the bracket, else by bisection; whether it was the last.
 *
 * The residual r = |gamma| / ||z|| of a unit vector bounds the distance of x and an eigenvalue, x + gamma / ||z||^2 is off
 * by r^2 / gap, and a vector for that shift by r^2 / gap^2: `enough` is what r may be beside the gap. */
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

static __device__ state_room room_of(const twist_args &a, const stemr_pair *k, int64_t lane, bool back)
{
    const stemr_problem &p = a.t.p;
    state_room r = {NULL, NULL, (int)a.t.n, back};
    if (!p.z)
        r.doubles = a.t.room + lane * a.t.n;
    else if (p.type == EIG_S)
        r.words = (unsigned *)p.z + k->column * p.ldz;
    else
        r.doubles = (double *)p.z + k->column * p.ldz;
    return r;
}

template <typename rows_type> static __global__ void __launch_bounds__(THREADS) twist_kernel(twist_args a)
{
    int const count = a.t.counts->left[a.turn];
    const int *const list = a.t.list + (a.turn & 1) * a.t.n;
    int *const rest = a.t.list + (1 - (a.turn & 1)) * a.t.n;
    int const lane = threadIdx.x % 32, n = (int)a.t.n;
    bool const back = lane >= HALF;
    for (int first = blockIdx.x * HALF; first < count; first += gridDim.x * HALF) {
        int const mine = first + lane % HALF;
        bool const real_one = mine < count;
        stemr_pair *const pair = a.t.pair + list[real_one ? mine : first];
        rows_type const rows = stemr_rows_of<rows_type>(a.t, pair);
        twist_pair k = {pair->lo, pair->hi, pair->x, pair->before, pair->gap, pair->index};
        int64_t const place = (int64_t)blockIdx.x * HALF + (real_one ? lane % HALF : 0);
        state_room const room = room_of(a, pair, place, back), other = room_of(a, pair, place, !back);
        double const size = pair->node < 0 ? 1 : 0;
        bool done = false;
        stemr_found f;
        for (int turn = 0; turn < (a.last ? MOST_ROUNDS : 1) && __any_sync(0xffffffffu, !done); ++turn) {
            __syncwarp();
            stemr_found const now = twisted(rows, n, k.x, back, room, other);
            if (done) continue;
            f = now;
            done = take_step(k, f, size, a.enough);
        }
        __syncwarp();
        bool const mine_too = real_one && !back;
        int const to = place_in_list(mine_too && !done && !a.last, &a.t.counts->left[a.turn + 1]);
        if (to >= 0) rest[to] = (int)(pair - a.t.pair);
        if (!mine_too) continue;
        pair->lo = k.lo, pair->hi = k.hi, pair->x = k.x, pair->before = k.before;
        pair->twist = f.twist;
    }
}

/* Lists the pairs that are single, with representations of the wave. */
static __global__ void list_kernel(stemr_task t, int wave)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    stemr_pair *const pair = t.pair + (k < t.pairs ? k : 0);
    bool const single = k < t.pairs && pair->state == STEMR_SINGLE && pair->column >= 0;
    bool const here = single && (pair->node < 0 ? -1 : t.node[pair->node].wave) == wave;
    int const to = place_in_list(here, &t.counts->left[0]);
    if (here) t.list[to] = (int)k, pair->before = INFINITY;
}

/* ------------------------------------------------------------------------ aims */

/* Leading minors of T~ - x from one end, in double: m_i, and m_{i-1} times what couples the two. */
struct minors {
    double before, here, square;
    int exponent;

    __device__ __forceinline__ void step(double2 row, double x, bool on)
    {
        double const next = fma(row.x - x, here, -(square * before));
        before = on ? here : before, here = on ? next : here, square = on ? row.y : square;
    }
    __device__ __forceinline__ void rescale()
    {
        int const field = max(__double2hiint(before) & 0x7fffffff, __double2hiint(here) & 0x7fffffff) >> 20;
        double const factor = __hiloint2double((2046 - field) << 20, 0);
        before *= factor, here *= factor, exponent += field - 1023;
    }
};

/* The diagonal at place i, and the square of what couples it and the next one. */
static __device__ __forceinline__ double2 minor_row(const stemr_of_root &rows, bool back, int i)
{
    int const row = min(max(back ? rows.n - 1 - i : i, 0), rows.n - 1);
    return make_double2(rows.entry[row].a.hi, rows.entry[max(row - back, 0)].square);
}

/* Where the vector of a pair is largest: entry i of the inverse's diagonal is m_i m'_i / det, m and m' the minors from both
 * ends up to row i.  Two lanes a pair as above, but in double and without a division: singles of T~ are far enough from
 * each other. */
static __device__ int largest_row(const stemr_of_root &rows, int n, double x, bool back, const state_room &mine,
                                  const state_room &other)
{
    int const half = back ? n - n / 2 : n / 2, beyond = n - half;
    minors m = {0, 1, 0, 0}, left = m;
    double2 next[STEP], next_his[STEP]; /* loaded a turn ahead */
#pragma unroll
    for (int k = 0; k < STEP; ++k) next[k] = minor_row(rows, back, k);
#pragma unroll 1
    for (int i = 0; i < half; i += STEP) {
        if (i > 0) { /* the last one is handed over directly */
            mine.put(i - STEP, 0, left.before), mine.put(i - STEP, 1, left.here);
            mine.put(i - STEP, 2, __hiloint2double(left.exponent, 0));
        }
        left = m;
        double2 line[STEP];
#pragma unroll
        for (int k = 0; k < STEP; ++k) line[k] = next[k], next[k] = minor_row(rows, back, i + STEP + k);
#pragma unroll
        for (int k = 0; k < STEP; ++k) m.step(line[k], x, i + k < half);
        m.rescale();
    }
    __syncwarp();
    double const last_before = __shfl_xor_sync(0xffffffffu, left.before, HALF);
    double const last_here = __shfl_xor_sync(0xffffffffu, left.here, HALF);
    int const last_exponent = __shfl_xor_sync(0xffffffffu, left.exponent, HALF);
    double best = -1;
    int row = 0, best_exponent = 0;
    int const top = beyond > 0 ? (beyond - 1) / STEP * STEP : -STEP;
    double kept[3] = {0, 0, 0};
    if (top >= STEP)
        for (int k = 0; k < 3; ++k) kept[k] = other.get(top - STEP, k);
#pragma unroll
    for (int k = 0; k < STEP; ++k) {
        next[k] = minor_row(rows, back, n - 1 - (top + k));
        next_his[k] = minor_row(rows, !back, top + k);
    }
#pragma unroll 1
    for (int j0 = top; j0 >= 0; j0 -= STEP) {
        minors o = {last_before, last_here, 0, last_exponent};
        if (j0 < top) o.before = kept[0], o.here = kept[1], o.exponent = __double2hiint(kept[2]);
        if (j0 < top && j0 >= STEP)
            for (int k = 0; k < 3; ++k) kept[k] = other.get(j0 - STEP, k);
        double2 line[STEP], his[STEP];
#pragma unroll
        for (int k = 0; k < STEP; ++k) {
            line[k] = next[k], his[k] = next_his[k];
            next[k] = minor_row(rows, back, n - 1 - (j0 - STEP + k));
            next_his[k] = minor_row(rows, !back, j0 - STEP + k);
        }
        o.square = j0 > 0 ? next_his[STEP - 1].y : 0;
        double theirs[STEP], most = -1;
        int at = 0;
#pragma unroll
        for (int k = 0; k < STEP; ++k) {
            theirs[k] = o.here;
            o.step(his[k], x, true);
        }
        m.rescale();
#pragma unroll
        for (int k = STEP - 1; k >= 0; --k) {
            bool const on = j0 + k < beyond;
            double const product = fabs(m.here * theirs[k]);
            if (on && product > most) most = product, at = k;
            m.step(line[k], x, on);
        }
        int const field = __double2hiint(most) >> 20, exponent = m.exponent + o.exponent + field;
        double const mantissa = most * __hiloint2double((2046 - field) << 20, 0);
        bool const larger =
            most > 0 && (best < 0 || exponent > best_exponent || (exponent == best_exponent && mantissa > best));
        if (larger) best = mantissa, best_exponent = exponent, row = back ? j0 + at : n - 1 - (j0 + at);
    }
    double const rival = __shfl_xor_sync(0xffffffffu, best, HALF);
    int const rival_exponent = __shfl_xor_sync(0xffffffffu, best_exponent, HALF);
    int const rival_row = __shfl_xor_sync(0xffffffffu, row, HALF);
    bool const larger = rival >= 0 && (best < 0 || rival_exponent > best_exponent ||
                                       (rival_exponent == best_exponent && (rival > best || (rival == best && back))));
    return larger ? rival_row : row;
}

static __global__ void __launch_bounds__(THREADS, 12) locate_kernel(twist_args a)
{
    int const count = a.t.counts->left[0], lane = threadIdx.x % 32, n = (int)a.t.n;
    bool const back = lane >= HALF;
    for (int first = blockIdx.x * HALF; first < count; first += gridDim.x * HALF) {
        int const mine = first + lane % HALF;
        bool const real_one = mine < count;
        stemr_pair *const pair = a.t.pair + a.t.list[real_one ? mine : first];
        int64_t const place = (int64_t)blockIdx.x * HALF + (real_one ? lane % HALF : 0);
        stemr_of_root const rows = stemr_rows_of<stemr_of_root>(a.t, pair);
        int const row =
            largest_row(rows, n, pair->x.hi, back, room_of(a, pair, place, back), room_of(a, pair, place, !back));
        __syncwarp();
        if (real_one && !back) pair->twist = row;
    }
}

struct no_sink {
    __device__ __forceinline__ double take(int, double ratio) const
    {
        return ratio;
    }
    __device__ __forceinline__ void end(int) const {}
};

/* Corrections with twists that are known: two walks to the twist and no more.  What does not converge is left to
 * twist_kernel. */
template <typename rows_type> static __global__ void __launch_bounds__(THREADS, 16) aim_kernel(twist_args a)
{
    enum { TURNS = 5 };
    int const count = a.t.counts->left[a.turn], lane = threadIdx.x % 32, n = (int)a.t.n;
    const int *const list = a.t.list + (a.turn & 1) * a.t.n;
    int *const rest = a.t.list + (1 - (a.turn & 1)) * a.t.n;
    bool const back = lane >= HALF;
    for (int first = blockIdx.x * HALF; first < count; first += gridDim.x * HALF) {
        int const mine = first + lane % HALF;
        bool const real_one = mine < count;
        stemr_pair *const pair = a.t.pair + list[real_one ? mine : first];
        rows_type const rows = stemr_rows_of<rows_type>(a.t, pair);
        twist_pair k = {pair->lo, pair->hi, pair->x, pair->before, pair->gap, pair->index};
        int const length = back ? n - 1 - pair->twist : pair->twist, longest = warp_max(length);
        double const size = pair->node < 0 ? 1 : 0;
        bool done = false, lost = false;
        for (int turn = 0; turn < TURNS && __any_sync(0xffffffffu, !done && !lost); ++turn) {
            stemr_half const h = stemr_walk_half(rows, k.x, back, length, longest, no_sink{});
            stemr_found const f = stemr_meet(rows, k.x, back, length, h);
            if (done || lost) continue;
            done = take_step(k, f, size, a.enough);
            lost = !done && !(k.before < INFINITY);
        }
        __syncwarp();
        bool const leads = real_one && !back;
        int const to = place_in_list(leads && !done, &a.t.counts->left[a.turn + 1]);
        if (to >= 0) rest[to] = (int)(pair - a.t.pair);
        if (leads) pair->lo = k.lo, pair->hi = k.hi, pair->x = k.x, pair->before = k.before;
    }
}

/* --------------------------------------------------------------- launchers */

/* Lanes whose states have a room where z is not wanted. */
int64_t eig_cuda_stemr_room_lanes(int64_t n)
{
    int64_t const most = ((int64_t)1 << 25) / n, lanes = n < most ? n : most;
    return (lanes < 2 * HALF ? 2 * HALF : lanes + HALF - 1) / HALF * HALF;
}

eig_status eig_cuda_stemr_list(eig_context *ctx, const stemr_task *t, int wave, cudaStream_t stream)
{
    enum { LISTERS = 128 };
    CUDA_TRY(cudaMemsetAsync(t->counts->left, 0, sizeof t->counts->left, stream));
    return cuda_launch(ctx, "stemr: list_kernel", stream, {(t->pairs + LISTERS - 1) / LISTERS, LISTERS}, list_kernel,
                       *t, wave);
}

template <typename rows_type>
static eig_status polish(eig_context *ctx, const stemr_task *t, int wave, cudaStream_t stream)
{
    double const eps = t->p.type == EIG_S ? FLT_EPSILON : DBL_EPSILON;
    /* The vector may then be off by n eps / 64. */
    twist_args a = {*t, wave, 0, false, fmax(sqrt((double)t->n * eps) / 8, 0x1p-28)};
    int64_t blocks = (t->pairs + HALF - 1) / HALF;
    if (!t->p.z && blocks > t->room_lanes / HALF) blocks = t->room_lanes / HALF;
    eig_status status = eig_cuda_stemr_list(ctx, t, wave, stream);
    /* T~: its row, then corrections there.  Nodes: a twisted factorisation finds the row.  What is left after that goes
     * the long way to its end. */
    cuda_shape const shape = {blocks, THREADS};
    if (status == EIG_OK && wave < 0)
        status = cuda_launch(ctx, "stemr: locate_kernel", stream, shape, locate_kernel, a);
    else if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: twist_kernel", stream, shape, twist_kernel<rows_type>, a);
    a.turn = wave < 0 ? 0 : 1;
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: aim_kernel", stream, shape, aim_kernel<rows_type>, a);
    ++a.turn, a.last = true;
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: twist_kernel", stream, shape, twist_kernel<rows_type>, a);
    return status;
}

eig_status eig_cuda_stemr_polish(eig_context *ctx, const stemr_task *t, int wave, cudaStream_t stream)
{
    return wave < 0 ? polish<stemr_of_root>(ctx, t, wave, stream) : polish<stemr_of_node>(ctx, t, wave, stream);
}
