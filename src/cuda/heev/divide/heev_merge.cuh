/* heev on CUDA: the eigenpairs of T from those of its two halves, by one team.
 *
 * T = diag(T1, T2) + e (1; +-1)(1; +-1)^T around the cut, T1 = Q1 D1 Q1^T, T2 = Q2 D2 Q2^T: what is left is D + rho z z^T
 * with z from the last row of Q1 and the first of Q2.  J. Cuppen, A divide and conquer method for the symmetric
 * tridiagonal eigenproblem, Numer. Math. 36, 1981.
 *
 * Steps    sort the poles; deflate (as LAPACK's dlaed2: z[i] that is negligible, and of two poles that are close a
 *          rotation makes one z negligible); roots, z' and norms of the vectors (heev_secular.cuh); places of all values
 * Schedule a thread an entry, a pole or a root; only rotations that follow one another go one by one
 * Vectors  V = diag(Q1, Q2) U, where U[i, j] = z'[i] / (pole[i] - root[j]) / norm[j], is left to the caller.  A column of
 *          diag(Q1, Q2) is zero in one half, unless a rotation has mixed it: marks tell. */
#ifndef EIG_HEEV_MERGE_CUH
#define EIG_HEEV_MERGE_CUH

#include "heev/divide/heev_secular.cuh"

/* Marks of a column: it is not zero in the upper half, in the lower half. */
enum { COLUMN_UPPER = 1 << 29, COLUMN_LOWER = 1 << 30, COLUMN_NUMBER = COLUMN_UPPER - 1 };

/* The eigenpairs of [x, off; off, y], entries of about 1; the vector of the lower value is (-high_y, high_x).  Where the squares
 * of off and x - y vanish, they are negligible. */
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

    /* Merges the values of both halves, each ascending; e: the entry of T at the cut.  False, and m = 0, where something
     * is not finite. */
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

#endif
