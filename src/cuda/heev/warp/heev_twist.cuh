/* CUDA: all eigenpairs of a symmetric tridiagonal T of 8 to 32 rows, a lane a pair, for heev (heev_twist.cu) and stemr
 * (stemr/stemr_batch_twist.cu).
 *
 * Form      With D = diag(t), t_k e_k t_{k+1} = 1, the matrix D (T - x) D has ones beside its diagonal.  A row of its
 *           factorisation is y_{k+1} = (x - d_k) t_k^2 y_k - y_{k-1}: two operations, and no division; the numbers of
 *           the same row serve the way down and the way up.  The signs of y count the eigenvalues below x (Sylvester).
 * Values    Lanes share their counts until every eigenvalue stands alone, some four rounds.  Then bisection, and the
 *           secant.
 * Vectors   y of the way down and of the way up, joined at the row where T - x is most nearly singular, as in MRRR;
 *           Rayleigh's quotient corrects x, until the residual is one of rounding.
 * Proof     Z'Z - I is computed on tensor cores, and Z becomes Z - Z (Z'Z - I) / 2: orthogonal to the square of what it
 *           was, with residuals as before, since an inner product is no larger than a residual over a gap.  What is
 *           still too large is taken out again.
 * Fails     where eigenvalues are too close for that, or y over- or underflows: another kernel solves T.
 * Cost      some 45 n^3 operations; bound by FP64.
 * Bits      of a matrix do not depend on what the other lanes of the warp do. */
#ifndef EIG_HEEV_TWIST_CUH
#define EIG_HEEV_TWIST_CUH

#include "primitives/fast.cuh"
#include "primitives/real.cuh"
#include "primitives/team.cuh"
#include "primitives/tensor.cuh"

enum {
    TWIST_THREADS = 128,
    TWIST_ROUNDS = 40,
    TWIST_BISECTIONS = 3,
    TWIST_SECANTS = 5,
    TWIST_CORRECTIONS = 8,
    TWIST_POLISHES = 6
};

/* Off-diagonals below this are as good as this; a residual of so many eps is one of rounding; Z'Z - I up to
 * TWIST_ENOUGH becomes negligible when it is squared. */
static constexpr double TWIST_LEAST_OFF = 0x1p-60, TWIST_ROUNDING = 2, TWIST_ENOUGH = 0x1p-30, TWIST_HOPELESS = 0.25;

/* Eigenvalues of a scaled T that are closer than this are left to others, and so is a T of which an eighth of the
 * off-diagonals are below SPLIT: it mostly has eigenvalues in common. */
static constexpr double TWIST_CLOSE = 0x1p-38, TWIST_SPLIT = 0x1p-52;

/* A row of D (T - x) D: t^2 and -d t^2. */
struct alignas(16) twist_row {
    double square, diagonal;
};

template <int N> struct twist_shape {
    static constexpr int lanes = N <= 16 ? 16 : 32, teams = TWIST_THREADS / lanes;
    static constexpr int pitch = lanes + 1; /* of Z: row i of column k at z[i*pitch + k] */
    static constexpr size_t rows = N * (sizeof(twist_row) + sizeof(double)), z = (size_t)(N * pitch) * sizeof(double);
};

/* What a team has of a matrix in shared memory. */
template <int N> struct twist_place {
    twist_row *rows; /* [N] */
    double *factor;  /* [N] t */
    double *z;

    static constexpr size_t bytes = twist_shape<N>::rows + (twist_shape<N>::z + 15) / 16 * 16;
    __device__ __forceinline__ explicit twist_place(void *memory)
        : rows((twist_row *)memory), factor((double *)(rows + N)), z(factor + N)
    {
    }
};

/* A lane's row of T over 2^scale: the largest entry is from 1/4 to 1/2, or nearly so where that would over- or
 * underflow. */
struct twist_entry {
    double d, e; /* 0 where there is no such row */
    int scale;
    bool finite;
};

template <int L>
static __device__ __forceinline__ twist_entry twist_scaled(const lane_team<L> &team, double d, double e)
{
    /* From the upper word: those of infinities and NaN are the largest. */
    int const most = team.max(max(upper_word(d), upper_word(e)));
    bool const finite = most < 0x7ff00000;
    int const scale = finite ? min((most >> 20) - 1021, 1022) : 0;
    double const unit = finite ? __hiloint2double((1023 - scale) << 20, 0) : 0.0;
    return {finite ? d * unit : 0, finite ? e * unit : 0, scale, finite};
}

struct twist_count {
    double last; /* y below the last row */
    int below;   /* eigenvalues below x */
};

/* How many eigenvalues are below x, by the signs of y. */
static __device__ __forceinline__ int count_of(unsigned signs, int n)
{
    unsigned const changes = (signs ^ signs >> 1) & (0xffffffffu >> (32 - n));
    return n - __popc(changes);
}

/* A row of y for x on the way down; its sign joins those of the rows above. */
static __device__ __forceinline__ void next_row(const twist_row &row, double x, double *y, double *before,
                                                unsigned *signs)
{
    double const next = fma(fma(x, row.square, row.diagonal), *y, -*before);
    *before = *y, *y = next;
    *signs = __funnelshift_l((unsigned)__double2hiint(next), *signs, 1);
}

static __device__ __forceinline__ twist_count count_at(const twist_row *rows, int n, double x)
{
    double y = 1, before = 0;
    unsigned signs = 0;
#pragma unroll 8
    for (int k = 0; k < n; ++k) next_row(rows[k], x, &y, &before, &signs);
    return {y, count_of(signs, n)};
}

/* Lane k's eigenvalue k is between lo and hi, below which `less` and `more` eigenvalues lie. */
struct twist_bracket {
    double lo, hi;
    int less, more;
};

/* What all lanes have found at their x, which ascend: the closest two beside the lane's eigenvalue. */
template <int L>
static __device__ __forceinline__ void share(const lane_team<L> &team, int n, double x, int below, twist_bracket *b)
{
    constexpr unsigned all = lane_team<L>::all;
    int const own = team.rank < n ? below : 2 * L;
    int lanes = 0; /* with at most `rank` eigenvalues below their x */
#pragma unroll
    for (int step = L / 2; step > 0; step /= 2)
        if (__shfl_sync(all, own, lanes + step - 1, L) <= team.rank) lanes += step;
    if (__shfl_sync(all, own, lanes, L) <= team.rank) ++lanes;
    int const left = max(lanes - 1, 0), right = min(lanes, L - 1);
    double const x_left = __shfl_sync(all, x, left, L), x_right = __shfl_sync(all, x, right, L);
    int const below_left = __shfl_sync(all, own, left, L), below_right = __shfl_sync(all, own, right, L);
    if (lanes > 0 && x_left > b->lo) b->lo = x_left, b->less = below_left;
    if (lanes < n && x_right < b->hi) b->hi = x_right, b->more = below_right;
}

/* The lane's eigenvalue, nearly; false where eigenvalues do not part. */
template <int L>
static __device__ __forceinline__ bool find_value(const lane_team<L> &team, const twist_row *rows, int n, bool works,
                                                  twist_bracket *b, double *value)
{
    double x = 0, x_before = 0, y = 0, y_before = 0;
    bool open = works, good = works;
#pragma unroll 1
    for (int round = 0, more = 0; round < TWIST_ROUNDS; ++round) {
        bool const together = team.rank < n && b->more - b->less > 1;
        bool const apart = !team.any(together);
        bool const close = team.any(together && b->hi - b->lo < TWIST_CLOSE);
        good = good && !close;
        if ((apart && more++ == TWIST_BISECTIONS) || !good) open = false;
        if (!__any_sync(lane_team<L>::all, open)) break;
        /* Lanes that have a bracket in common divide it. */
        float const part = (float)(team.rank - b->less + 1) * good_inverse((float)(b->more - b->less + 1));
        double const middle = fma(b->hi - b->lo, (double)part, b->lo);
        twist_count const found = count_at(rows, n, middle);
        twist_bracket next = *b;
        if (__any_sync(lane_team<L>::all, together)) share(team, n, middle, found.below, &next);
        if (apart) { /* what the others find lies outside of the bracket */
            next = *b;
            (found.below > team.rank ? next.hi : next.lo) = middle;
        }
        if (open) *b = next, x_before = x, y_before = y, x = middle, y = found.last;
    }
    if (!__any_sync(lane_team<L>::all, good)) return false;
#pragma unroll 1
    for (int k = 0; k <= TWIST_SECANTS; ++k) {
        double const step = x - x_before, slope = y - y_before;
        double next = x - (step == 0 ? 0 : y * step * inverse(slope));
        if (!(next >= b->lo && next <= b->hi)) next = 0.5 * (b->lo + b->hi);
        if (k == TWIST_SECANTS) {
            x = next;
            break;
        }
        twist_count const found = count_at(rows, n, next);
        if (found.below > team.rank)
            b->hi = next;
        else
            b->lo = next;
        x_before = x, y_before = y, x = next, y = found.last;
    }
    *value = x;
    return good && !open;
}

/* 2^-k for a number of 2^k to 2^(k+1). */
static __device__ __forceinline__ double inverse_power(double x)
{
    return __hiloint2double(min(max(0x7fe00000 - (__double2hiint(x) & 0x7ff00000), 0x00100000), 0x7fe00000), 0);
}

/* y for x, from both ends to the row that suits it best, to `column` of Z.  Returns the square of its length in the
 * metric of t^2.  The way down is gone twice, so that its y need no registers. */
static __device__ __forceinline__ double join(const twist_row *rows, int n, int pitch, double x, double *column,
                                              int *best_row, int *below)
{
    double y = 1, before = 0;
#pragma unroll 8
    for (int k = n - 1; k >= 0; --k) {
        column[k * pitch] = y;
        twist_row const row = rows[k];
        double const next = fma(fma(x, row.square, row.diagonal), y, -before);
        before = y, y = next;
    }
    double best = -1, upper = 0;
    unsigned signs = 0;
    int at = 0;
    y = 1, before = 0;
#pragma unroll 8
    for (int k = 0; k < n; ++k) {
        twist_row const row = rows[k];
        double const size = fabs(y * row.square * column[k * pitch]);
        bool const better = size > best;
        best = better ? size : best, at = better ? k : at, upper = better ? y : upper;
        next_row(row, x, &y, &before, &signs);
    }
    double const lower = column[at * pitch];
    /* Powers of two keep the entries near 1. */
    double const unit_upper = inverse_power(upper), unit_lower = inverse_power(lower);
    double const first = lower * unit_lower * unit_upper, second = upper * unit_upper * unit_lower;
    double square = 0;
    y = 1, before = 0;
#pragma unroll 8
    for (int k = 0; k < n; ++k) {
        twist_row const row = rows[k];
        double const entry = (k <= at ? y : column[k * pitch]) * (k <= at ? first : second);
        column[k * pitch] = entry;
        square = fma(entry * row.square, entry, square);
        double const next = fma(fma(x, row.square, row.diagonal), y, -before);
        before = y, y = next;
    }
    *best_row = at, *below = count_of(signs, n);
    return square;
}

/* The lane's vector at x, and the value that it corrects x to; true where its residual is one of rounding. */
template <int N, int L>
static __device__ __forceinline__ bool find_vector(const lane_team<L> &team, const twist_row *rows, int n, double norm,
                                                   bool works, twist_bracket b, double *column, double *value,
                                                   double *square)
{
    constexpr int pitch = twist_shape<N>::pitch;
    double const least = TWIST_ROUNDING * real_limits<double>::eps * norm;
    double x = *value;
    bool found = !works || team.rank >= n;
#pragma unroll 1
    for (int k = 0; k < TWIST_CORRECTIONS && __any_sync(lane_team<L>::all, !found); ++k) {
        int at, below;
        *square = join(rows, n, pitch, x, column, &at, &below);
        twist_row const row = rows[at];
        double const y = column[at * pitch], above = at > 0 ? column[(at - 1) * pitch] : 0;
        double const beneath = at + 1 < n ? column[(at + 1) * pitch] : 0;
        double const rest = above + beneath - fma(x, row.square, row.diagonal) * y;
        double next = x + y * rest * inverse(*square);
        if (!found) {
            *value = next;
            found = rest * rest <= least * least * row.square * *square; /* what has been found stays as it is */
        }
        if (below > team.rank)
            b.hi = fmin(b.hi, x);
        else
            b.lo = fmax(b.lo, x);
        /* A step that goes a little too far ends at the bracket. */
        double const slack = 0.125 * fabs(next - x), inside = fmin(fmax(next, b.lo), b.hi);
        next = fabs(next - inside) <= slack ? inside : 0.5 * (b.lo + b.hi);
        x = found ? x : next;
    }
    return works && found;
}

/* The rows of D (T - x) D, a lane a row: t is a product of ratios, and then what its rounding left of t e t - 1 is
 * taken out. */
template <int L>
static __device__ __forceinline__ double scale_rows(const lane_team<L> &team, int n, double d, double e, twist_row *row)
{
    constexpr unsigned all = lane_team<L>::all;
    int const rank = team.rank;
    if (!(fabs(e) >= TWIST_LEAST_OFF)) e = copysign(TWIST_LEAST_OFF, e);
    double const before = __shfl_up_sync(all, e, 1, L), two_before = __shfl_up_sync(all, e, 2, L);
    double t = rank == 0 ? 1 : (rank == 1 ? 1 : two_before) / before;
#pragma unroll
    for (int k = 2; k < L; k *= 2) {
        double const other = __shfl_up_sync(all, t, k, L);
        if (rank >= k) t *= other;
    }
    double const next = __shfl_down_sync(all, t, 1, L), product = t * e, error = fma(t, e, -product);
    double const off = fma(product, next, -1.0) + error * next;
    double sum = __shfl_up_sync(all, rank % 2 == 0 ? off : -off, 1, L);
    if (rank == 0) sum = 0;
#pragma unroll
    for (int k = 1; k < L; k *= 2) {
        double const other = __shfl_up_sync(all, sum, k, L);
        if (rank >= k) sum += other;
    }
    t = fma(t, rank % 2 == 0 ? sum : -sum, t);
    if (rank < n) row->square = t * t, row->diagonal = -d * (t * t);
    return t;
}

/* ------------------------------------------------------------- orthogonality */

/* Rows of Z that the lanes of a quarter read at once, so that they use different banks. */
template <int N> static __device__ __forceinline__ int product_row(int step, int quarter)
{
    return N % 16 == 0 ? step / 4 * 16 + quarter * 4 + step % 4 : quarter * (N / 4) + step;
}

/* Z, columns of a matrix of order N in shared memory, becomes Z - Z (Z'Z - I) / 2.  Returns the largest entry of Z'Z -
 * I; Z stays as it is where that is TWIST_HOPELESS.  All lanes of a warp. */
template <int N> static __device__ __forceinline__ double polish(double *z, int n, int lane)
{
    constexpr int down = (N + 15) / 16, across = N / 8, pitch = twist_shape<N>::pitch;
    int const group = lane / 4, quarter = lane % 4;
    double gram[down][across][4] = {};
#pragma unroll 2
    for (int s = 0; s < N / 4; ++s) {
        const double *const from = z + product_row<N>(s, quarter) * pitch + group;
        double x[2 * down];
#pragma unroll
        for (int j = 0; j < 2 * down; ++j) x[j] = from[8 * j];
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int j = 0; j < across; ++j) tensor_16x8x4(gram[i][j], gram[i][j] + 2, x[2 * i], x[2 * i + 1], x[j]);
    }
    int most = 0; /* by its upper word, of which that of a NaN is the largest */
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
        for (int j = 0; j < across; ++j)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                int const row = 16 * i + 8 * (k / 2) + group, column = 8 * j + 2 * quarter + k % 2;
                if (row == column && row < n) gram[i][j][k] -= 1; /* columns beyond the matrix are zero */
                most = max(most, upper_word(gram[i][j][k]));
            }
    double const largest = __hiloint2double(warp_max(most), 0);
    if (!(largest < TWIST_HOPELESS)) return INFINITY;
    int const shift = group % 2 + group / 2 % 2 * 8 + group / 4 * 2;
#pragma unroll 1
    for (int i = 0; i < down; ++i) {
        int const row[2] = {16 * i + shift, 16 * i + shift + 4};
        double x[across][2][2], change[across][4] = {};
#pragma unroll
        for (int j = 0; j < across; ++j)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                x[j][k % 2][k / 2] = row[k / 2] < N ? z[row[k / 2] * pitch + 8 * j + 2 * quarter + k % 2] : 0.0;
#pragma unroll
        for (int j = 0; j < across; ++j)
#pragma unroll
            for (int side = 0; side < 2; ++side)
#pragma unroll
                for (int k = 0; k < across; ++k)
                    tensor_16x8x4(change[k], change[k] + 2, x[j][side][0], x[j][side][1],
                                  gram[k / 2][j][k % 2 * 2 + side]);
        __syncwarp(); /* these rows have been read */
#pragma unroll
        for (int j = 0; j < across; ++j)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (row[k / 2] < N)
                    z[row[k / 2] * pitch + 8 * j + 2 * quarter + k % 2] = fma(-0.5, change[j][k], x[j][k % 2][k / 2]);
    }
    __syncwarp(); /* Z is there */
    return largest;
}

/* Whether Z of a team has become orthogonal; the matrices of a warp take turns.  z: of the warp's first team; stride:
 * numbers to the next one's. */
template <int N, int L>
static __device__ __forceinline__ bool make_orthogonal(double *z, int stride, int n, int lane, bool works)
{
    bool good = false;
#if __CUDA_ARCH__ >= 800
#pragma unroll 1
    for (int k = 0; k < 32 / L; ++k) {
        if (!__shfl_sync(0xffffffffu, works, k * L)) continue;
        double most = 1;
        for (int round = 0; round < TWIST_POLISHES && most > TWIST_ENOUGH && most < INFINITY; ++round)
            most = polish<N>(z + k * stride, n, lane);
        if (lane / L == k) good = most <= TWIST_ENOUGH;
    }
#endif
    return good;
}

/* All pairs of a scaled T; norm: its largest sum of a row.  Lane k has pair k: *value, and column k of Z.  False where
 * they were not found; so it is where the team does not work.  All lanes of a warp; stride: numbers from a team's place
 * to the next one's. */
template <int N, int L>
static __device__ __forceinline__ bool twist_pairs(const lane_team<L> &team, int n, bool works, const twist_entry &row,
                                                   const twist_place<N> &at, int stride, double *norm, double *value)
{
    constexpr int pitch = twist_shape<N>::pitch;
    int const rank = team.rank, lane = threadIdx.x % 32;
    double const before = __shfl_up_sync(team.all, fabs(row.e), 1, L), beside = fabs(row.e) + (rank > 0 ? before : 0);
    *norm = team.max(fabs(row.d) + beside);
    double const t = scale_rows(team, n, row.d, row.e, at.rows + min(rank, N - 1));
    if (rank < n) at.factor[rank] = t;
    double const far = 4 * n * real_limits<double>::eps * *norm;
    twist_bracket bracket = {-team.max(rank < n ? beside - row.d : -INFINITY) - far,
                             team.max(rank < n ? beside + row.d : -INFINITY) + far, 0, n};
    int const splits = team.sum(rank < n - 1 && fabs(row.e) <= TWIST_SPLIT ? 1 : 0);
    works = works && splits <= n / 8;
    __syncwarp(); /* the rows are there */
    double x = 0, square = 1;
    bool good = find_value(team, at.rows, n, works, &bracket, &x);
    good = !team.any(!good);
    if (!__any_sync(team.all, good)) return false;
    double *const column = at.z + rank;
    good &= find_vector<N>(team, at.rows, n, *norm, good, bracket, column, &x, &square) || rank >= n;
    double const length = rank < n ? inverse_root(square) : 0;
    good &= isfinite(length);
    /* Lanes and rows beyond the matrix are zero in the products. */
#pragma unroll 8
    for (int k = 0; k < n; ++k) column[k * pitch] = rank < n ? column[k * pitch] * (at.factor[k] * length) : 0.0;
    for (int k = n; k < N; ++k) column[k * pitch] = 0;
    *value = x;
    good = !team.any(!good);
    __syncwarp(); /* Z is there */
    return make_orthogonal<N, L>(at.z - lane / L * stride, stride, n, lane, good);
}

#endif
