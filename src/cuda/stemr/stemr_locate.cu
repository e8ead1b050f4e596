/* stemr on CUDA: the row of a pair's vector at which its factorisation is twisted.
 *
 * Owner     two lanes of a warp a pair, one from the top and one from the bottom, 16 pairs a warp.
 * Schedule  both go to the middle and leave their minors every SEGMENT rows; then each goes on through the other's
 *           rows, whose minors it makes again from those left.  The better of the two finds is the pair's.
 * Memory    states lie in the pair's column of z, 3 or 5 doubles every 32 rows; where z is not wanted, in a room of
 *           some lanes.
 * Digits    a double's for pairs of T~ that are well apart, twice these for members of clusters. */
#include "stemr_walk.cuh"

enum { THREADS = 32 };

/* Leading minors of T~ - x from one end, up to a power of two, on their way to find_row: m_i, and m_{i-1}. */
struct plain_minors {
    enum { NUMBERS = 3 };
    double before, here, square; /* square: of what couples the last row and the next one */
    int exponent;

    __device__ __forceinline__ void begin()
    {
        before = 0, here = 1, square = 0, exponent = 0;
    }
    __device__ __forceinline__ void step(const stemr_of_root::line &l, wide_d x)
    {
        double const next = fma(l.a.hi - x.hi, here, -(square * before));
        before = here, here = next, square = fma(l.b, l.b, STEMR_LEAST_SQUARE);
    }
    __device__ __forceinline__ void rescale()
    {
        int const field = max(__double2hiint(before) & 0x7fffffff, __double2hiint(here) & 0x7fffffff) >> 20;
        double const factor = __hiloint2double((2046 - field) << 20, 0);
        before *= factor, here *= factor, exponent += field - 1023;
    }
    __device__ __forceinline__ double number(int k) const
    {
        return k == 0 ? before : k == 1 ? here : __hiloint2double(exponent, 0);
    }
    __device__ __forceinline__ void set(const double *numbers, double b)
    {
        before = numbers[0], here = numbers[1], exponent = __double2hiint(numbers[2]);
        square = fma(b, b, STEMR_LEAST_SQUARE);
    }
    __device__ __forceinline__ double size() const
    {
        return fabs(here);
    }
};

/* The same with twice the digits. */
struct wide_minors {
    enum { NUMBERS = 5 };
    stemr_minors m;
    int exponent;

    __device__ __forceinline__ void begin()
    {
        m = stemr_first_minors(), exponent = 0;
    }
    __device__ __forceinline__ void step(const stemr_of_root::line &l, wide_d x)
    {
        m = stemr_next_minors(l.a, l.b, x, m);
    }
    __device__ __forceinline__ void rescale()
    {
        exponent += 1023 - (__double2hiint(stemr_rescale_minors(m)) >> 20);
    }
    __device__ __forceinline__ double number(int k) const
    {
        return k == 0   ? m.before.hi
               : k == 1 ? m.before.lo
               : k == 2 ? m.here.hi
               : k == 3 ? m.here.lo
                        : __hiloint2double(exponent, 0);
    }
    __device__ __forceinline__ void set(const double *numbers, double b)
    {
        m.before = wide_d{numbers[0], numbers[1]}, m.here = wide_d{numbers[2], numbers[3]}, m.b = b;
        exponent = __double2hiint(numbers[4]);
    }
    __device__ __forceinline__ double size() const
    {
        return fabs(m.here.hi);
    }
};

/* A row and how large the vector's square is there, mantissa 2^exponent; mantissa < 0: none. */
struct peak {
    double mantissa;
    int exponent, row;

    /* Whether this one is larger by more than a factor of 4.  Of rows that are nearly as good, those near the middle
     * make short walks. */
    __device__ __forceinline__ bool beats(const peak &other) const
    {
        if (!(mantissa > 0)) return false;
        if (!(other.mantissa > 0)) return true;
        int const more = exponent - other.exponent;
        return more > 2 || (more == 2 && mantissa > other.mantissa);
    }
};

enum { SEGMENT = 32 }; /* rows from state to state */

/* The other lanes' minors of a segment. */
struct their_minors {
    double size[SEGMENT][32];
    int exponent[SEGMENT / STEMR_GROUP][32];
};

/* Goes through the other lane's places j0+SEGMENT-1 to j0, whose minors are in theirs; whole: none is beyond the
 * end. */
template <bool whole, typename minors>
static __device__ __forceinline__ void look(const stemr_of_root &rows, wide_d x, bool back, int j0, int beyond,
                                            double coupling, const their_minors &theirs, minors &m, peak &best)
{
    int const lane = threadIdx.x % 32;
#pragma unroll 1
    for (int k0 = SEGMENT - STEMR_GROUP; k0 >= 0; k0 -= STEMR_GROUP) {
        double most = -1;
        int at = 0;
#pragma unroll
        for (int k = k0 + STEMR_GROUP - 1; k >= k0; --k) {
            if (!whole && j0 + k >= beyond) continue;
            double const product = m.size() * theirs.size[k][lane];
            bool const more = product > most;
            most = more ? product : most, at = more ? j0 + k : at;
            stemr_of_root::line line = rows.tile_line(0, !back, k);
            line.b = k > 0 ? rows.tile->b[0][!back][k - 1] : coupling;
            m.step(line, x);
        }
        int const field = __double2hiint(most) >> 20;
        peak const here = {most > 0 ? most * __hiloint2double((2046 - field) << 20, 0) : -1,
                           m.exponent + theirs.exponent[k0 / STEMR_GROUP][lane] + field, back ? at : rows.n - 1 - at};
        if (here.beats(best)) best = here;
        m.rescale();
    }
}

/* Where the vector of a pair is large: entry i of the inverse's diagonal is m_i m'_i / det, m and m' the minors from
 * both ends up to row i. */
template <typename minors>
static __device__ int large_row(const stemr_of_root &rows, wide_d x, bool back, const stemr_state_room &mine,
                                const stemr_state_room &other, their_minors &theirs)
{
    int const n = rows.n, half = back ? n - n / 2 : n / 2, beyond = n - half, lane = threadIdx.x % 32;
    minors m;
    m.begin();
    auto const leave = [&](int i) { /* the state at place i */
                                    if (i > 0 && i % SEGMENT == 0)
                                        for (int k = 0; k < minors::NUMBERS; ++k) mine.put(i - SEGMENT, k, m.number(k));
    };
    int const whole = n / 2 / STEMR_GROUP * STEMR_GROUP; /* both lanes go that far */
    rows.walk(back, whole, [&](int i0, const stemr_of_root::line *lines) {
        leave(i0);
#pragma unroll
        for (int k = 0; k < STEMR_GROUP; ++k) m.step(lines[k], x);
        m.rescale();
    });
    for (int i = whole; i < half; ++i) leave(i), m.step(rows.load(back, i), x);
    m.rescale();
    __syncwarp(); /* all states are there */
    peak best = {-1, 0, n / 2};
    int const top = (n - n / 2 - 1) / SEGMENT * SEGMENT;
    stemr_of_root::line lines[2];
    rows.fetch_tile(top, lines);
#pragma unroll 1
    for (int j0 = top; j0 >= 0; j0 -= SEGMENT) {
        rows.put_tile(0, lines);
        if (j0 > 0) rows.fetch_tile(j0 - SEGMENT, lines);
        minors o;
        o.begin();
        double coupling = 0; /* of the other's place j0 and the one before it */
        if (j0 > 0) {
            double numbers[minors::NUMBERS];
            for (int k = 0; k < minors::NUMBERS; ++k) numbers[k] = j0 < beyond ? other.get(j0 - SEGMENT, k) : 0;
            coupling = rows.load(!back, j0 - 1).b;
            o.set(numbers, coupling);
        }
#pragma unroll 1
        for (int k0 = 0; k0 < SEGMENT; k0 += STEMR_GROUP) {
            theirs.exponent[k0 / STEMR_GROUP][lane] = o.exponent;
#pragma unroll
            for (int k = k0; k < k0 + STEMR_GROUP; ++k) {
                theirs.size[k][lane] = o.size();
                o.step(rows.tile_line(0, !back, k), x);
            }
            o.rescale();
        }
        if (j0 + SEGMENT <= n / 2)
            look<true>(rows, x, back, j0, beyond, coupling, theirs, m, best);
        else
            look<false>(rows, x, back, j0, beyond, coupling, theirs, m, best);
        __syncwarp(); /* the tile is free */
    }
    peak const rival = {__shfl_xor_sync(0xffffffffu, best.mantissa, STEMR_HALF),
                        __shfl_xor_sync(0xffffffffu, best.exponent, STEMR_HALF),
                        __shfl_xor_sync(0xffffffffu, best.row, STEMR_HALF)};
    if (rival.beats(best) || best.beats(rival)) return rival.beats(best) ? rival.row : best.row;
    int const far = abs(2 * best.row - n), rival_far = abs(2 * rival.row - n);
    return rival_far < far || (rival_far == far && rival.row < best.row) ? rival.row : best.row;
}

/* The rows of pairs of T~. */
template <typename minors>
static __global__ void __launch_bounds__(THREADS, 16) locate_kernel(stemr_task t, int list_index)
{
    __shared__ their_minors theirs;
    __shared__ stemr_root_tile tile;
    int const count = t.left[list_index], lane = threadIdx.x % 32;
    bool const back = lane >= STEMR_HALF;
    for (int first = blockIdx.x * STEMR_HALF; first < count; first += gridDim.x * STEMR_HALF) {
        int const mine = first + lane % STEMR_HALF;
        bool const real_one = mine < count;
        stemr_eigenpair *const pair = t.pair + t.list[(list_index & 1) * t.n + (real_one ? mine : first)];
        if (list_index == 0 && __all_sync(0xffffffffu, pair->twist >= 0)) continue;
        int64_t const place = (int64_t)blockIdx.x * STEMR_HALF + (real_one ? lane % STEMR_HALF : 0);
        stemr_of_root const rows = stemr_rows_of<stemr_of_root>(t, pair).with(&tile);
        int const row = large_row<minors>(rows, pair->x, back, stemr_room_of(t, pair, place, back),
                                          stemr_room_of(t, pair, place, !back), theirs);
        __syncwarp(); /* all lanes have read pairs */
        if (real_one && !back && (list_index > 0 || pair->twist < 0)) pair->twist = row;
    }
}

eig_status eig_cuda_stemr_locate(eig_context *ctx, const stemr_task *t, bool wide, int list_index, cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: locate_kernel", stream, {stemr_warps(t), THREADS},
                       wide ? locate_kernel<wide_minors> : locate_kernel<plain_minors>, *t, list_index);
}
