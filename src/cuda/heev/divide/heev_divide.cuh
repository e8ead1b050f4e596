/* heev on CUDA: divide and conquer on batches of tridiagonal matrices; what its kernels share.
 *
 * heev_divide.cu          the levels, the workspace
 * heev_divide_leaf.cu    blocks of at most 32 rows from single rows on, in shared memory; a warp a block
 * heev_divide_merge.cu   a level: values and vectors' coefficients of pairs of blocks; a thread block a pair
 * heev_divide_update.cu  a level: the products of the vectors
 * below                  the eigenproblem D + rho z z^T, the steps of a merge by lanes or a block, the tree
 *
 * Tree     level L has 2^L nodes; node q holds rows floor(q n / 2^L) to floor((q + 1) n / 2^L).  Below n = 48 the first
 *          of the two halves has 32 rows, a whole leaf.  The tree's depth, and so every order of operations, follows
 *          from n alone.
 * Failure  an entry that is not finite, or a root that is not found, makes all values of its node NaN, and so of the
 *          nodes above it. */
#ifndef EIG_HEEV_DIVIDE_CUH
#define EIG_HEEV_DIVIDE_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"

/* heev on CUDA: the eigenpairs of T from those of its two halves, by one team.
 *
 * T = diag(T1, T2) + e (1; +-1)(1; +-1)^T around the cut, T1 = Q1 D1 Q1^T, T2 = Q2 D2 Q2^T: what is left is D + rho z
 * z^T with z from the last row of Q1 and the first of Q2.  J. Cuppen, A divide and conquer method for the symmetric
 * tridiagonal eigenproblem, Numer. Math. 36, 1981.
 *
 * Steps    sort the poles; deflate (as LAPACK's dlaed2: z[i] that is negligible, and of two poles that are close a
 *          rotation makes one z negligible); roots, z' and norms of the vectors; places of all values
 * Schedule a thread an entry, a pole or a root; only rotations that follow one another go one by one
 * Vectors  V = diag(Q1, Q2) U, where U[i, j] = z'[i] / (pole[i] - root[j]) / norm[j], is left to the caller.  A column
 *          of diag(Q1, Q2) is zero in one half, unless a rotation has mixed it: marks tell. */

/* heev on CUDA: the eigenvalue problem D + rho z z^T, some lanes a root.
 *
 * Poles     d[0] < ... < d[k-1], rho > 0, no z[i] is 0: root j lies between poles j and j+1, the last one above the
 *           last pole.  R.-C. Li, Solving secular equations stably and efficiently, LAPACK working note 89, 1994.
 * Roots     are kept as an origin, the nearer pole, and the offset from it, so that the distance to every pole has all
 *           its digits.
 * Vectors   belong to a z' for which the roots found are exact: so they are orthogonal without longer numbers.
 *           M. Gu, S. Eisenstat, A stable and efficient algorithm for the rank-one modification of the symmetric
 *           eigenproblem, SIAM J. Matrix Anal. Appl. 15, 1994.
 * Ends      a root has a bracket; from SECULAR_SWIFT evaluations on it is halved each time. */

enum { SECULAR_SWIFT = 30, SECULAR_MOST = 110 };

template <typename real> struct heev_root {
    real offset; /* the root is pole[origin] + offset */
    int origin;
    bool found;
};

/* The lanes that share a root's sums: 2^k neighbours. */
struct root_lanes {
    int size, rank;
    unsigned mask; /* the root's */

    template <typename real> __device__ __forceinline__ real sum(real x) const
    {
        for (int d = 1; d < size; d *= 2) x += __shfl_xor_sync(mask, x, d);
        return x;
    }
    template <typename real> __device__ __forceinline__ real product(real x) const
    {
        for (int d = 1; d < size; d *= 2) x *= __shfl_xor_sync(mask, x, d);
        return x;
    }
};

/* work(i, there) for this lane's share of i = 0, ..., count - 1: one after the other, or `together` at a time, the last
 * ones of which may not be there. */
template <int together, typename function>
static __device__ __forceinline__ void each_of(root_lanes lanes, int count, function work)
{
    if constexpr (together == 1) {
#pragma unroll 4
        for (int i = lanes.rank; i < count; i += lanes.size) work(i, true);
    } else {
        for (int first = lanes.rank; first < count; first += together * lanes.size)
#pragma unroll
            for (int c = 0; c < together; ++c) {
                int const i = first + c * lanes.size;
                work(min(i, count - 1), i < count);
            }
    }
}

template <typename real, int together> struct heev_secular {
    const real *pole, *square; /* [k]; the squares of z */
    int k;
    real rho, inverse_rho;

    /* Sums over all poles: of square / (pole - x), of its absolute value, and of its slope. */
    struct sums {
        real value, size, slope;
    };

    __device__ __forceinline__ sums at(root_lanes lanes, real origin, real offset) const
    {
        sums s = {0, 0, 0};
        each_of<together>(lanes, k, [&](int i, bool there) {
            real const w = inverse((pole[i] - origin) - offset), term = there ? square[i] * w : (real)0;
            s.value += term, s.size += fabs(term), s.slope = fma(term, w, s.slope);
        });
        return {lanes.sum(s.value), lanes.sum(s.size), lanes.sum(s.slope)};
    }

    /* The root of c x^2 - a x + b that has the sign of p; near 0 the one that goes with it. */
    static __device__ __forceinline__ real quadratic(real a, real b, real c, real p)
    {
        real const square = fmax(fma(a, a, -4 * b * c), real_limits<real>::safmin);
        real const root = copysign(square * inverse_root(square), p);
        bool const one_side = a * p > 0;
        return (one_side ? 2 * b : a - root) * inverse(one_side ? a + root : 2 * c);
    }

    /* The root of c - own / x + S / (p - x), which has F's value and slope at t: Li's fixed weight. p > 0: the pole
     * on the other side. p < 0: there is no such pole, and p is the next one on this side. A root far below t is
     * found directly, another one by its distance from t: either keeps its digits. */
    static __device__ __forceinline__ real root_near(real t, real p, real own, real value, real slope)
    {
        real const far = p - t, ratio = inverse(t), rest = fma(-own * ratio, ratio, slope);
        real const c = fma(-far, rest, fma(own, ratio, value));
        real const x = quadratic(fma(c, p, fma(far * far, rest, own)), own * p, c, p);
        real const y = t + quadratic(fma(far - t, value, t * far * slope), -t * far * value, c, p);
        return x < (real)0.25 * t ? x : y;
    }

    /* Root j, by all of its lanes. s is the sign of the side on which the root lies, x = pole[origin] + s t, t > 0.
     * Then F(t) = s (1/rho + sum of square / (pole - x)) ascends, and its pole at 0 is the origin. A step that is
     * shorter than the distance to all poles by sqrt(eps) leaves an error below eps t. */
    __device__ heev_root<real> find(root_lanes lanes, int j) const
    {
        real const eps = real_limits<real>::eps, short_step = sizeof(real) == 4 ? (real)0x1p-12 : (real)0x1p-27;
        bool const last = j == k - 1;
        int origin = j;
        real const here = pole[j], gap = last ? (k > 1 ? pole[k - 2] - here : -rho) : pole[j + 1] - here;
        real t = (real)0.5 * (last ? rho : gap), high = last ? (real)1.001 * rho : t;
        sums s = at(lanes, here, t);
        real side = 1;
        if (!last && inverse_rho + s.value < 0) side = -1, origin = j + 1;
        real const own = square[origin], start = pole[origin];
        real low = (real)0.999 * own / (inverse_rho + s.size), before = real_limits<real>::largest;
        bool found = false;
        int slows = 0;
        for (int step = 1; step < SECULAR_MOST && !found; ++step) {
            real const value = side * (inverse_rho + s.value), size = fabs(value);
            real const noise = eps * fma((real)0.5 * t, s.slope, fma((real)2, s.size, inverse_rho));
            found = size <= noise || (size >= before && size <= 16 * noise);
            if (found) break;
            slows = size > (real)0.5 * before ? slows + 1 : 0;
            bool const slow = slows >= 2 || step >= SECULAR_SWIFT;
            before = size;
            if (value < 0)
                low = t;
            else
                high = t;
            real next = root_near(t, gap, own, value, s.slope);
            bool const inside = !slow && next > low && next < high;
            if (!inside) next = high > 4 * low ? sqrt(low) * sqrt(high) : (real)0.5 * (low + high);
            found = inside ? fabs(next - t) <= short_step * t : high - low <= 2 * eps * high;
            t = next;
            if (!found) s = at(lanes, start, side * t);
        }
        return {side * t, origin, found};
    }
};

/* Marks of a column: it is not zero in the upper half, in the lower half. */
enum { COLUMN_UPPER = 1 << 29, COLUMN_LOWER = 1 << 30, COLUMN_NUMBER = COLUMN_UPPER - 1 };

/* The eigenpairs of [x, off; off, y], entries of about 1; the vector of the lower value is (-high_y, high_x).  Where
 * the squares of off and x - y vanish, they are negligible. */
template <typename real> struct heev_pair {
    real low, high, high_x, high_y;

    __device__ __forceinline__ heev_pair(real x, real y, real off)
    {
        real const far = fabs(x - y), square = fma(far, far, 4 * off * off);
        bool const some = square > real_limits<real>::safmin / real_limits<real>::eps;
        real const root = some ? inverse_root(square) : (real)0, both = x + y, gap = some ? square * root : far;
        real const c2 = some ? fma((real)0.5 * root, far, (real)0.5) : (real)1, c = c2 * inverse_root(c2);
        real const s = some ? off * root * inverse_root(c2) : (real)0;
        low = (real)0.5 * (both - gap), high = (real)0.5 * (both + gap);
        high_x = x >= y ? c : s, high_y = x >= y ? s : c;
    }
};

/* Some 2^k neighbouring lanes of a warp; all lanes of the warp call together. */
struct merge_lanes {
    int size, rank;
    unsigned lanes;                               /* the team's */
    static constexpr int share = 1, together = 1; /* lanes a root; poles at a time (each_of) */

    __device__ __forceinline__ merge_lanes(int lane, int team_size)
        : size(team_size), rank(lane % team_size),
          lanes((0xffffffffu >> (32 - team_size)) << (lane / team_size * team_size))
    {
    }
    __device__ __forceinline__ void sync() const
    {
        __syncwarp();
    }
    template <typename real> __device__ __forceinline__ real max(real x) const
    {
        for (int d = 1; d < size; d *= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d));
        return x;
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return (__ballot_sync(0xffffffffu, x) & lanes) != 0;
    }
    /* How many threads of lower rank have the flag; *all: how many have it. */
    __device__ __forceinline__ int before(bool x, int *all) const
    {
        unsigned const ours = __ballot_sync(0xffffffffu, x) & lanes;
        *all = __popc(ours);
        return __popc(ours & ((1u << (threadIdx.x % 32)) - 1));
    }
};

/* A thread block of several warps; space: [32] in shared memory. */
struct merge_block {
    int size, rank;
    double *space;
    int share;
    static constexpr int together = 1;

    __device__ __forceinline__ void sync() const
    {
        __syncthreads();
    }
    template <typename real> __device__ __forceinline__ real max(real x) const
    {
        for (int d = 1; d < 32; d *= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d));
        __syncthreads(); /* space is free */
        if (rank % 32 == 0) space[rank / 32] = (double)x;
        __syncthreads(); /* space is filled */
        for (int warp = 0; warp < size / 32; ++warp) x = fmax(x, (real)space[warp]);
        return x;
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return __syncthreads_or(x);
    }
    __device__ __forceinline__ int before(bool x, int *all) const
    {
        int *const counts = (int *)space;
        unsigned const ours = __ballot_sync(0xffffffffu, x);
        __syncthreads(); /* space is free */
        if (rank % 32 == 0) counts[rank / 32] = __popc(ours);
        __syncthreads(); /* space is filled */
        int below = __popc(ours & ((1u << (rank % 32)) - 1));
        *all = 0;
        for (int warp = 0; warp < size / 32; ++warp) {
            if (warp < rank / 32) below += counts[warp];
            *all += counts[warp];
        }
        return below;
    }
};

/* The arrays of a merge of m values. Those that share a place are never in use together. */
template <typename real> struct merge_space {
    real *pole, *z; /* first the unsorted input, values of both halves and rows of Q1 and Q2; then what is left of it */
    union {
        real *d, *z_new; /* sorted; z' */
    };
    union {
        real *sorted_z, *offset;
    };
    union {
        real *square, *cosine, *inverse_norm;
    };
    union {
        real *value, *sine; /* value: the roots, then what was deflated */
    };
    int *column; /* with marks; sorted */
    int *source; /* with marks: columns in the order upper, both, lower, then deflated ones */
    union {
        int *live, *slot; /* sorted places; slot: pole i is number slot[i] among sources */
    };
    union {
        int *origin, *rotated_p;
    };
    union {
        int *place, *rotated_q;
    };
    uint8_t *stays, *near;

    static constexpr size_t row_bytes = 6 * sizeof(real) + 5 * sizeof(int) + 2;

    /* Rows `at` and on of a memory of `most` rows, a multiple of 8. */
    __device__ __forceinline__ void open(char *memory, int most, int at)
    {
        pole = (real *)memory + at, z = pole + most, d = z + most, sorted_z = d + most;
        square = sorted_z + most, value = square + most;
        column = (int *)((real *)memory + 6 * most) + at, source = column + most, live = source + most;
        origin = live + most, place = origin + most;
        stays = (uint8_t *)((int *)((real *)memory + 6 * most) + 5 * most) + at, near = stays + most;
    }
};

template <typename real, typename team_type> struct heev_merge {
    team_type team;
    merge_space<real> at;
    int m1, m; /* rows of the upper half, of both; m = 0: this team has nothing to do */
    real rho, bound;
    int *rotations;         /* how many rotations; in the team's shared memory */
    int k, k_upper, k_both; /* poles that are left; columns that are zero below; mixed columns */

    /* ------------------------------------------------------------------ poles */

    __device__ __forceinline__ int rank_in(const real *list, int count, real x, bool ties) const
    {
        int low = 0, high = count;
        while (low < high) {
            int const mid = (low + high) / 2;
            if (list[mid] < x || (ties && list[mid] == x))
                low = mid + 1;
            else
                high = mid;
        }
        return low;
    }

    /* Merges the values of both halves, each ascending; e: the entry of T at the cut.  False, and m = 0, where
     * something is not finite. */
    __device__ bool sort(real e)
    {
        real const eps = real_limits<real>::eps, largest = real_limits<real>::largest;
        real most = 0;
        bool bad = !(fabs(e) <= largest);
        for (int i = team.rank; i < m; i += team.size) {
            bad = bad || !(fabs(at.pole[i]) <= largest);
            most = fmax(most, fabs(at.pole[i]));
        }
        bad = team.any(bad), most = team.max(most);
        if (bad) m = 0;
        rho = 2 * fabs(e), bound = fmax(2 * eps * fmax(most, rho), (real)0.25 * eps);
        for (int i = team.rank; i < m; i += team.size) {
            bool const upper = i < m1;
            real const own = at.pole[i], z = (real)0.70710678118654752440 * at.z[i];
            int const other = upper ? rank_in(at.pole + m1, m - m1, own, false) : rank_in(at.pole, m1, own, true);
            int const to = upper ? i + other : i - m1 + other;
            at.d[to] = own, at.sorted_z[to] = !upper && e < 0 ? -z : z;
            at.column[to] = i | (upper ? COLUMN_UPPER : COLUMN_LOWER);
        }
        team.sync(); /* all is there */
        return !bad;
    }

    /* --------------------------------------------------------------- deflation */

    __device__ __forceinline__ bool are_near(int p, int q) const
    {
        real const x = at.sorted_z[p], y = at.sorted_z[q];
        return fabs((at.d[q] - at.d[p]) * x * y) <= bound * fma(x, x, y * y);
    }

    /* Rotates poles p and q, which are near: p becomes negligible. */
    __device__ __forceinline__ void rotate(int p, int q, int number)
    {
        real const x = at.sorted_z[p], y = at.sorted_z[q], both = sqrt(fma(x, x, y * y));
        real const c = y / both, s = -x / both, dp = at.d[p], dq = at.d[q], change = (dq - dp) * s * s;
        int const cp = at.column[p], cq = at.column[q], marks = (cp | cq) & ~COLUMN_NUMBER;
        at.sorted_z[q] = both, at.stays[p] = 0;
        at.d[p] = dp + change, at.d[q] = dq - change;
        at.cosine[number] = c, at.sine[number] = s, at.rotated_p[number] = cp, at.rotated_q[number] = cq;
        at.column[p] = cp | marks, at.column[q] = cq | marks;
    }

    /* Marks the poles that stay. Returns how many rotations are to be applied to the columns, in their order. */
    __device__ int deflate()
    {
        int left = 0;
        for (int base = 0; base == 0 || base < m; base += team.size) {
            int const i = base + team.rank;
            bool const stays = i < m && !(rho * fabs(at.sorted_z[i]) <= bound);
            int all, to = left + team.before(stays, &all);
            if (i < m) at.stays[i] = stays;
            if (stays) at.live[to] = i;
            left += all;
        }
        team.sync(); /* live is there */
        bool some = false;
        for (int i = team.rank; i < left - 1; i += team.size) {
            bool const near = are_near(at.live[i], at.live[i + 1]);
            at.near[i] = near;
            some = some || near;
        }
        some = team.any(some);
        team.sync(); /* near is there */
        if (team.rank == 0) {
            int number = 0;
            for (int i = 0; some && i < left - 1; ++i) {
                if (!at.near[i]) continue;
                for (; i < left - 1 && are_near(at.live[i], at.live[i + 1]); ++i)
                    rotate(at.live[i], at.live[i + 1], number++);
            }
            *rotations = number;
        }
        team.sync(); /* the rotations are there */
        return *rotations;
    }

    /* Rotation `number` of a row of the columns, in the upper or the lower half: at(column) is its entry. */
    template <typename entry> __device__ __forceinline__ void rotate_row(int number, int half, entry entry_of) const
    {
        int const p = at.rotated_p[number], q = at.rotated_q[number];
        if (!((p | q) & half)) return;
        real const c = at.cosine[number], s = at.sine[number];
        real *const to_p = entry_of(p & COLUMN_NUMBER), *const to_q = entry_of(q & COLUMN_NUMBER);
        real const x = p & half ? *to_p : (real)0, y = q & half ? *to_q : (real)0;
        *to_p = fma(c, x, s * y), *to_q = fma(c, y, -s * x);
    }

    /* Puts the poles, the deflated values, and the columns of both in order. The rotations are used before. */
    __device__ void divide()
    {
        int all, upper = 0, both = 0, left = 0;
        team.sync(); /* the rotations' places are free */
        for (int base = 0; base == 0 || base < m; base += team.size) {
            int const i = base + team.rank;
            int const marks = i < m && at.stays[i] ? at.column[i] & ~COLUMN_NUMBER : 0;
            team.before(marks != 0, &all), left += all;
            team.before(marks == COLUMN_UPPER, &all), upper += all;
            team.before(marks == (COLUMN_UPPER | COLUMN_LOWER), &all), both += all;
        }
        k = left, k_upper = upper, k_both = both;
        left = upper = both = 0;
        for (int base = 0; base == 0 || base < m; base += team.size) {
            int const i = base + team.rank;
            bool const stays = i < m && at.stays[i];
            int const marks = stays ? at.column[i] & ~COLUMN_NUMBER : 0;
            int const number = left + team.before(stays, &all);
            left += all;
            int const as_upper = upper + team.before(marks == COLUMN_UPPER, &all);
            upper += all;
            int const as_both = both + team.before(marks == (COLUMN_UPPER | COLUMN_LOWER), &all);
            both += all;
            if (i >= m) continue;
            if (!stays) {
                at.value[k + i - number] = at.d[i], at.source[k + i - number] = at.column[i];
                continue;
            }
            int const slot = marks == COLUMN_UPPER   ? as_upper
                             : marks == COLUMN_LOWER ? k_upper + k_both + number - as_upper - as_both
                                                     : k_upper + as_both;
            real const z = at.sorted_z[i];
            at.pole[number] = at.d[i], at.z[number] = z, at.square[number] = z * z;
            at.slot[number] = slot, at.source[slot] = at.column[i];
        }
        team.sync(); /* what is left is there */
    }

    /* ----------------------------------------------------------- roots, vectors */

    /* pole[i] - root[j] */
    __device__ __forceinline__ real distance(int i, int j) const
    {
        return (at.pole[i] - at.pole[at.origin[j]]) - at.offset[j];
    }

    __device__ __forceinline__ root_lanes lanes_of_root() const
    {
        int const rank = team.rank % team.share, first = (int)threadIdx.x % 32 - rank;
        return {team.share, rank, (0xffffffffu >> (32 - team.share)) << first};
    }

    /* Roots and z'; false where a root was not found. */
    __device__ bool solve()
    {
        heev_secular<real, team_type::together> const f = {at.pole, at.square, k, rho, 1 / rho};
        root_lanes const lanes = lanes_of_root();
        int const first = team.rank / team.share, step = team.size / team.share;
        bool lost = false;
        for (int j = first; j < k; j += step) {
            heev_root<real> const root = f.find(lanes, j);
            if (lanes.rank == 0) at.offset[j] = root.offset, at.origin[j] = root.origin;
            lost = lost || !root.found;
        }
        lost = team.any(lost);
        team.sync(); /* the roots are there */
        for (int i = first; i < k; i += step) {
            real const own = at.pole[i];
            real product = 1;
            each_of<team_type::together>(lanes, k, [&](int j, bool there) {
                real const far = distance(i, j), ratio = j == i ? -far : far * inverse(own - at.pole[j]);
                product *= there ? ratio : (real)1;
            });
            product = fabs(lanes.product(product));
            if (lanes.rank == 0) at.z_new[i] = copysign(sqrt(product), at.z[i]);
        }
        team.sync(); /* z' is there */
        return !lost;
    }

    /* Norm and value of every root. use(i, u) gets each entry of its vector before the division by the norm, and
     * then done(lanes, j, 1 / norm) is called. */
    template <typename user, typename ender> __device__ void norms(user use, ender done)
    {
        root_lanes const lanes = lanes_of_root();
        for (int j = team.rank / team.share; j < k; j += team.size / team.share) {
            real const start = at.pole[at.origin[j]], offset = at.offset[j];
            real squares = 0;
            each_of<team_type::together>(lanes, k, [&](int i, bool there) {
                real const u = there ? at.z_new[i] * inverse((at.pole[i] - start) - offset) : (real)0;
                squares = fma(u, u, squares);
                if (there) use(i, u);
            });
            real const norm = inverse_root(lanes.sum(squares));
            if (lanes.rank == 0) at.inverse_norm[j] = norm, at.value[j] = start + offset;
            done(lanes, j, norm);
        }
        team.sync(); /* all values are there */
    }

    /* The ascending place of every value. The roots ascend: root j lies between poles j and j + 1, also as computed. */
    __device__ void order()
    {
        for (int j = team.rank; j < m; j += team.size) {
            real const own = at.value[j];
            bool const is_root = j < k;
            int place = is_root ? j : 0;
            for (int i = is_root ? k : 0; i < m; ++i)
                place += at.value[i] < own || (!is_root && at.value[i] == own && i < j);
            at.place[j] = place;
        }
        team.sync(); /* the places are there */
    }
};

enum { DIVIDE_LEAF = 32 };

/* What the products of a merge need. */
struct divide_counts {
    int k, k_upper, k_both; /* see heev_merge */
    int good;
};

struct divide_job {
    heev_tridiagonals t;
    int levels;                  /* levels of merges by thread blocks; below them are leaves */
    int level;                   /* of this launch */
    void *from, *to;             /* [count][n*n] the vectors of the level below, and of this one */
    void *first, *last;          /* values only: [count][n] first and last entries of the vectors of each node */
    void *pole, *z;              /* [count][n] by node: poles and z' in the order of their columns */
    void *start, *offset, *norm; /* [count][n] a root is start + offset; norm: the inverse */
    int *source, *place;         /* [count][n] columns in order, with marks; the places of roots or columns */
    divide_counts *counts;       /* [count][2^level] */
    char *room;                  /* merges that are too large for shared memory: a merge_space each */
    size_t room_bytes;
};

/* Rows of the first node of level 1. */
static __host__ __device__ __forceinline__ int64_t divide_half(int64_t n)
{
    return n > DIVIDE_LEAF && n < DIVIDE_LEAF + DIVIDE_LEAF / 2 ? (int64_t)DIVIDE_LEAF : n / 2;
}

static __host__ __device__ __forceinline__ int divide_row(int64_t n, int level, int64_t node)
{
    if (level == 0 || n >= DIVIDE_LEAF + DIVIDE_LEAF / 2) return (int)((node * n) >> level);
    int64_t const half = divide_half(n), nodes = (int64_t)1 << (level - 1);
    return (int)(node < nodes ? (node * half) >> (level - 1) : half + (((node - nodes) * (n - half)) >> (level - 1)));
}

/* The largest number of rows of a node. */
static __host__ __device__ __forceinline__ int divide_rows(int64_t n, int level)
{
    if (level == 0 || n >= DIVIDE_LEAF + DIVIDE_LEAF / 2) return (int)((n + ((int64_t)1 << level) - 1) >> level);
    int64_t const half = divide_half(n), most = half > n - half ? half : n - half;
    return (int)((most + ((int64_t)1 << (level - 1)) - 1) >> (level - 1));
}

/* Rows of a node of a level, and of the upper one of its halves. */
struct divide_node {
    int row, m1, m;
    __device__ __forceinline__ divide_node(int64_t n, int level, int64_t node)
    {
        row = divide_row(n, level, node);
        m1 = divide_row(n, level + 1, 2 * node + 1) - row, m = divide_row(n, level, node + 1) - row;
    }
};

/* First and last entries of the vectors of a node, for values alone: the new ones come from those of both halves. */
template <typename real> struct divide_ends {
    real *first, *last, *ordered_first, *ordered_last; /* [m] by column; by pole, then by what was deflated */

    __device__ __forceinline__ void open(real *memory, int most, int at)
    {
        first = memory + at, last = first + most, ordered_first = last + most, ordered_last = ordered_first + most;
    }

    /* z is there already.  The first row is zero in the columns of the lower half. */
    template <typename merge_type> __device__ void begin(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size)
            if (i < merge.m1)
                last[i] = 0;
            else
                first[i] = 0;
        merge.team.sync(); /* both rows are whole */
    }

    template <typename merge_type> __device__ void rotate(const merge_type &merge, int rotations) const
    {
        for (int row = merge.team.rank; row < 2; row += merge.team.size) {
            real *const x = row ? last : first;
            for (int i = 0; i < rotations; ++i)
                merge.rotate_row(i, COLUMN_UPPER | COLUMN_LOWER, [x](int column) { return x + column; });
        }
    }

    template <typename merge_type> __device__ void arrange(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
            int const column = merge.at.source[i < merge.k ? merge.at.slot[i] : i] & COLUMN_NUMBER;
            ordered_first[i] = first[column], ordered_last[i] = last[column];
        }
    }

    template <typename merge_type> __device__ void norms(merge_type &merge) const
    {
        real x = 0, y = 0;
        auto const use = [&](int i, real u) { x = fma(ordered_first[i], u, x), y = fma(ordered_last[i], u, y); };
        merge.norms(use, [&](root_lanes lanes, int j, real norm) {
            x = lanes.sum(x), y = lanes.sum(y);
            if (lanes.rank == 0) merge.at.z[j] = x * norm, merge.at.inverse_norm[j] = y * norm;
            x = y = 0;
        });
    }

    template <typename merge_type> __device__ void end(const merge_type &merge) const
    {
        for (int i = merge.team.rank; i < merge.m; i += merge.team.size) {
            int const to = merge.at.place[i];
            first[to] = i < merge.k ? merge.at.z[i] : ordered_first[i];
            last[to] = i < merge.k ? merge.at.inverse_norm[i] : ordered_last[i];
        }
    }
};

extern "C" {
#define DIVIDE_LAUNCHERS(pass)                                                                                \
    eig_status eig_cuda_heev_divide_##pass##_s(eig_context *ctx, const divide_job &job, cudaStream_t stream); \
    eig_status eig_cuda_heev_divide_##pass##_d(eig_context *ctx, const divide_job &job, cudaStream_t stream);
DIVIDE_LAUNCHERS(leaf)
DIVIDE_LAUNCHERS(merge)
DIVIDE_LAUNCHERS(update)
#undef DIVIDE_LAUNCHERS

/* Bytes of a merge_space and of the entries that go with it, for a merge of m rows. */
size_t eig_cuda_heev_divide_merge_bytes(const heev_tridiagonals *t, int64_t m);
}

#endif
