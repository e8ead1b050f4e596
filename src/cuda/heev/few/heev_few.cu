/* heev on CUDA, 8 < n <= 64, tridiagonal, few matrices: all of it in one launch, a thread block a matrix.
 *
 * Few matrices take as long as one does, and that is a chain of dependent operations.  So all threads of a block work
 * on a matrix, which never leaves its registers and shared memory.  Rows and columns stand at the end of R = 32 or 64
 * places.
 *
 * Cost  one wave of blocks takes as long as one block: n steps of the reduction, log2(n) levels of merges, n
 *       reflectors, each a chain of dependent operations; docs/maintainers/cuda/heev.md has their times. */
#include "heev/divide/heev_divide.cuh"
#include "heev/grid/heev_grid.cuh"
#include "heev/heev_certify.cuh"
#include "heev/heev_gauge.cuh"
#include "heev/heev_reflector.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

/* Lanes that find a root, and threads a place; lanes that share a row, or in the back-transformation a column; blocks
 * of 8 places whose steps are the same code. */
enum { FEW_SHARE = 4, FEW_ACROSS = 8, FEW_STAGE = 2 };

/* What R places take.  high: rows of a thread, `rows` apart, or columns; wide: the other ones, 8 apart. */
template <int R> struct few_shape {
    static constexpr int threads = FEW_SHARE * R, warps = threads / 32, rows = threads / FEW_ACROSS;
    static constexpr int high = R / rows, wide = R / FEW_ACROSS;
    static constexpr int pitch = R + 1, u_pitch = R + 2; /* of vectors of T; of U */
};

/* ------------------------------------------------------------------- A = Q T Q^H by Householder reflectors
 *
 * Formula  as heev_reduce.cu: H = I - tau u u^H, u = (1, ...), makes real off-diagonals.
 * Mapping  thread (row, q) has elements (rows*I + row, 8 J + q) of the square in registers.
 * Step     one barrier.  A pass over A applies the reflector before and multiplies the column x by what comes out;
 *          since u is (x - beta e_1) divisor, A u and u^H A u follow from A x, x^H A x and the next column.  Behind the
 *          barrier each warp finds u, w and the next column for itself, a lane a place.
 * Cost     n steps of a chain: the product, five shuffles, the barrier, some 40 operations. */

/* The number of a lane of the warp. */
NUMBER_WORD NUMBER_R of_lane(NUMBER_R x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane)};
}
NUMBER_WORD NUMBER_Z of_lane(NUMBER_Z x, int lane)
{
    return {__shfl_sync(0xffffffffu, x.re, lane), __shfl_sync(0xffffffffu, x.im, lane)};
}

template <typename number, int R> struct few_reduction {
    using real = typename number::real;
    using shape = few_shape<R>;
    static constexpr int high = shape::high, wide = shape::wide, each = R / 32; /* places a lane */
    static constexpr size_t bytes = (3 * shape::warps + 4) * R * sizeof(number) + 2 * shape::warps * sizeof(real);

    number a[high][wide];
    number own[each]; /* the column at this lane's places, below the diagonal */
    int lane, warp, row, q, shift;
    number *x, *u, *w;         /* [R] of this warp: column k, the reflector before; w has the other sign */
    number *products;          /* [2][2 R] A x and the column behind x, in turn */
    real *forms;               /* [2][warps] parts of x^H A x */
    real *d, *e;               /* [n] */
    number *tau, *vectors;     /* [n]; [n - 1][R] the reflectors, or NULL */
    spectrum_sums<real> *sums; /* [warps] of each warp's part of A */

    __device__ __forceinline__ few_reduction(void *memory, int n)
        : lane((int)threadIdx.x % 32), warp((int)threadIdx.x / 32), row((int)threadIdx.x / FEW_ACROSS),
          q((int)threadIdx.x % FEW_ACROSS), shift(R - n), x((number *)memory + 3 * R * warp), u(x + R), w(u + R),
          products((number *)memory + 3 * R * shape::warps), forms((real *)(products + 4 * R))
    {
    }

    /* Elements from the caller's array. */
    __device__ __forceinline__ void fetch(const heev_job &job, int64_t b)
    {
        bool const upper = job.p.upper;
        int64_t const down = upper ? job.at_a.j : job.at_a.i, across = upper ? job.at_a.i : job.at_a.j;
        const number *const from = (const number *)job.p.a + b * job.at_a.b;
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                int const i = shape::rows * I + row - shift, j = FEW_ACROSS * J + q - shift;
                number z = zero_of<number>();
                if (i >= 0 && j >= 0) z = load_number(from + (max(i, j) * down + min(i, j) * across));
                z = lower_of(z, upper);
                if (i < j) z = conj(z);
                if (i == j) set(z, z.re, (real)0);
                a[I][J] = z;
            }
    }

    /* Loads matrix b; returns its unit, or NaN where it is not finite, and then all is zero.  space: [warps]. */
    __device__ __forceinline__ real load(const heev_job &job, int64_t b, real *space)
    {
        real const largest = real_limits<real>::largest;
        real big = 0;
        bool finite = true;
        fetch(job, b);
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                finite = finite && fabs(a[I][J].re) <= largest && fabs(imaginary(a[I][J])) <= largest;
                big = fmax(big, larger_part(a[I][J]));
            }
        for (int across = 16; across > 0; across /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, across));
        if (lane == 0) space[warp] = big;
        finite = __syncthreads_and(finite);
        big = space[0];
        for (int k = 1; k < shape::warps; ++k) big = fmax(big, space[k]);
        real const unit = heev_unit(finite ? big : (real)1), inverse = pow2_inverse(unit);
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) a[I][J] = finite ? scaled(inverse, a[I][J]) : zero_of<number>();
        spectrum_sums<real> part = {0, 0, 0};
#pragma unroll
        for (int I = 0; I < high; ++I)
#pragma unroll
            for (int J = 0; J < wide; ++J) {
                int const i = shape::rows * I + row, j = FEW_ACROSS * J + q; /* places: what lies before is 0 */
                part.squares = part.squares + square(a[I][J]);
                part.form = part.form + probe_form(a[I][J], (unsigned)i, (unsigned)j);
                if (i == j) part.trace = part.trace + a[I][J].re;
            }
        part.trace = lanes_sum<32>(0xffffffffu, part.trace), part.squares = lanes_sum<32>(0xffffffffu, part.squares);
        part.form = lanes_sum<32>(0xffffffffu, part.form);
        if (lane == 0) sums[warp] = part;
        return finite ? unit : (real)NAN;
    }

    /* Puts column `place` into edge[R]. */
    template <int at> __device__ __forceinline__ void put_column(int place, number *edge) const
    {
        if (q != place % FEW_ACROSS) return;
#pragma unroll
        for (int I = FEW_ACROSS * at / shape::rows; I < high; ++I) {
            number z = a[I][at];
#pragma unroll
            for (int J = at + 1; J < wide; ++J) z = choose(J == place / FEW_ACROSS, a[I][J], z);
            edge[shape::rows * I + row] = z;
        }
    }

    /* A lane's places of the column at place k: its diagonal goes to d, what is below to own and x. */
    template <int at> __device__ __forceinline__ void take_column(int k, const number *column)
    {
#pragma unroll
        for (int f = FEW_ACROSS * at / 32; f < each; ++f) {
            int const place = lane + 32 * f;
            if (warp == 0 && place == k) d[k - shift] = column[f].re;
            own[f] = place > k ? column[f] : zero_of<number>();
            x[place] = own[f];
        }
    }

    /* Applies the reflector before to blocks `at` and on, puts A x and column k + 1 into `product` and this warp's part
     * of x^H A x into *form.  Returns the sum of |x|^2 without the real part of its first number. */
    template <int at> __device__ __forceinline__ real pass(int k, number *product, real *form)
    {
        constexpr int first = FEW_ACROSS * at / shape::rows;
        number rows[high], w_rows[high], sums[high];
        real rest = 0;
#pragma unroll
        for (int I = 0; I < high; ++I) {
            sums[I] = zero_of<number>();
            if (I >= first) rows[I] = u[shape::rows * I + row], w_rows[I] = w[shape::rows * I + row];
        }
#pragma unroll
        for (int J = at; J < wide; ++J) {
            int const place = FEW_ACROSS * J + q;
            number const column = x[place], u_column = u[place], w_column = w[place];
            number part = column;
            if (place == k + 1) set(part, (real)0, imaginary(column));
            rest += square(part);
#pragma unroll
            for (int I = first; I < high; ++I) {
                number &z = a[I][J];
                z = conj_product_add(u_column, w_rows[I], conj_product_add(w_column, rows[I], z));
                sums[I] = product_add(z, column, sums[I]);
            }
        }
        put_column<at>(k + 1, product + R);
        constexpr int lanes = FEW_ACROSS / 2, same = FEW_ACROSS / high; /* same: lanes that end with one sum */
        scatter_sums<high, lanes, 1>(lane, sums);
        int const own_row = shape::rows * (q / same) + row;
        if (q % same == 0) product[own_row] = sums[0];
        real part = real_dot(x[own_row], sums[0]);
#pragma unroll
        for (int across = lanes; across > 0; across /= 2) rest += __shfl_xor_sync(0xffffffffu, rest, across);
#pragma unroll
        for (int across = 16; across >= same; across /= 2) part += __shfl_xor_sync(0xffffffffu, part, across);
        if (lane == 0) *form = part;
        return rest;
    }

    /* The step of the column at place k. */
    template <int at> __device__ __forceinline__ void step(int k)
    {
        constexpr int first = FEW_ACROSS * at / 32;
        number *const product = products + k % 2 * 2 * R, *const edge = product + R;
        real *const form = forms + k % 2 * shape::warps;
        real const rest = pass<at>(k, product, form + warp);
        heev_reflector<number> const h = reflector_of(x[k + 1], rest);
        __syncthreads(); /* A x is there, and the column behind x; the ones before are read */
        number reflector[each], other[each], column[each];
        /* u^H A u = |divisor|^2 (x - beta e)^H A (x - beta e), e the unit vector of place k + 1 */
        real const middle = fma(h.beta, edge[k + 1].re, (real)-2 * product[k + 1].re);
        real const whole = square(h.divisor) * fma(h.beta, middle, total_of<shape::warps>(form));
        real const more = (real)-0.5 * square(h.factor) * whole;
#pragma unroll
        for (int f = first; f < each; ++f) {
            int const place = lane + 32 * f;
            column[f] = edge[place], other[f] = product[place];
            reflector[f] = product_add(h.divisor, own[f], zero_of<number>());
            if (place == k + 1) set(reflector[f], (real)1, (real)0);
            other[f] = product_add(h.divisor, scaled_add(-h.beta, column[f], other[f]), zero_of<number>()); /* A u */
            if (place <= k) other[f] = zero_of<number>();
        }
        number beside = zero_of<number>(); /* w at place k + 1 */
#pragma unroll
        for (int f = first; f < each; ++f) {
            other[f] = negative(product_add(h.factor, other[f], scaled(more, reflector[f])));
            beside = choose(f == (k + 1) / 32, other[f], beside);
        }
        beside = of_lane(beside, (k + 1) % 32);
#pragma unroll
        for (int f = first; f < each; ++f) {
            int const place = lane + 32 * f;
            column[f] = conj_product_add(beside, reflector[f], sum(column[f], other[f]));
            u[place] = reflector[f], w[place] = other[f];
        }
        if (vectors && warp >= first && warp < each) {
            number kept = reflector[first];
#pragma unroll
            for (int f = first + 1; f < each; ++f) kept = choose(f == warp, reflector[f], kept);
            vectors[(k - shift) * R + 32 * warp + lane] = kept;
        }
        take_column<at>(k + 1, column);
        if (threadIdx.x == 0) e[k - shift] = h.beta, tau[k - shift] = h.factor;
        __syncwarp(); /* x, u and w are there */
    }

    /* The first column, and no reflector before it. */
    __device__ __forceinline__ void begin()
    {
        number *const edge = products + (shift + 1) % 2 * 2 * R + R;
        number column[each];
        put_column<0>(shift, edge);
        __syncthreads(); /* the column is there */
#pragma unroll
        for (int f = 0; f < each; ++f) {
            column[f] = edge[lane + 32 * f];
            u[lane + 32 * f] = w[lane + 32 * f] = zero_of<number>();
        }
        take_column<0>(shift, column);
        __syncwarp(); /* x, u and w are there */
    }

    /* The steps whose next column lies in blocks `at` and on. */
    template <int at> __device__ __forceinline__ void run()
    {
        int const end = min(FEW_ACROSS * (at + FEW_STAGE) - 1, R - 1);
#pragma unroll 1
        for (int k = max(shift, FEW_ACROSS * at - 1); k < end; ++k) step<at>(k);
        if constexpr (at + FEW_STAGE < wide) run<at + FEW_STAGE>();
    }
};

/* ------------------------------------------------------------------- eigenpairs of T by divide and conquer
 *
 * Mapping  the threads are shared out among the merges of a level; FEW_SHARE lanes find a root.  Sorting and deflation,
 *          where a thread has an entry or two, are left to the first warp of a merge, which needs no barrier of the
 *          block for them.
 * Memory   the vectors of all levels have one place: a thread sums its new entries in registers, then writes them. */

/* The threads of a merge: 2^k of the block's.  space: an int for each warp, in shared memory. */
struct few_team {
    int size, rank, share;
    int *space;
    static constexpr int together = 4;

    __device__ __forceinline__ void sync() const
    {
        if (size <= 32)
            __syncwarp();
        else
            __syncthreads();
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        unsigned const all = __ballot_sync(0xffffffffu, x);
        int const lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = size / 32;
        if (size <= 32) return (all >> (lane / size * size) & (0xffffffffu >> (32 - size))) != 0;
        __syncthreads(); /* space is free */
        if (lane == 0) space[warp] = all != 0;
        __syncthreads(); /* space is filled */
        bool some = false;
        for (int k = warp / warps * warps; k < (warp / warps + 1) * warps; ++k) some = some || space[k];
        return some;
    }
};

/* What the first warp of a merge tells the others. */
template <typename real> struct few_merge_state {
    int k, k_upper, k_both, m;
    real rho;
};

template <typename real, int R> struct few_division {
    using shape = few_shape<R>;
    static constexpr int pitch = shape::pitch, u_pitch = shape::u_pitch, share = FEW_SHARE;
    using state = few_merge_state<real>;

    real *z;     /* [R][pitch] the vectors, column after column */
    real *u;     /* [R][u_pitch] U of all merges, without the norms; a merge begins at a multiple of its largest size */
    char *space; /* merge_space of R rows; the values are its poles */
    state *states;
    int *rotations, *flags; /* [R], [warps] */
    const real *d, *e;      /* T */
    int n;

    static constexpr size_t bytes = (R * pitch + R * u_pitch) * sizeof(real) + R * merge_space<real>::row_bytes +
                                    R * sizeof(state) + (R + shape::warps) * sizeof(int);

    __device__ __forceinline__ few_division(void *memory, const real *diagonal, const real *beside, int order)
        : d(diagonal), e(beside), n(order)
    {
        u = (real *)memory, z = u + R * u_pitch;
        states = (state *)(z + R * pitch), space = (char *)(states + R);
        rotations = (int *)(space + R * merge_space<real>::row_bytes), flags = rotations + R;
    }

    __device__ __forceinline__ real *values() const
    {
        return (real *)space;
    }

    /* The nodes of level `depth`, which have at most two rows. */
    __device__ __forceinline__ void solve_pairs(int depth) const
    {
        int const size = shape::threads >> depth, rank = (int)threadIdx.x % size;
        divide_node const node(n, depth, (int)threadIdx.x / size);
        real *const to = z + node.row * (pitch + 1) + rank;
        if (rank >= node.m) return;
        bool const two = node.m == 2;
        int const last = node.row + node.m - 1;
        real const above = node.row > 0 ? fabs(e[node.row - 1]) : (real)0,
                   below = last < n - 1 ? fabs(e[last]) : (real)0;
        heev_pair<real> const pair(d[node.row] - above, two ? d[last] - below : (real)0, two ? e[node.row] : (real)0);
        values()[node.row + rank] = !two ? d[node.row] - above - below : rank == 0 ? pair.low : pair.high;
        to[0] = !two ? (real)1 : rank == 0 ? -pair.high_y : pair.high_x;
        if (two) to[pitch] = rank == 0 ? pair.high_x : pair.high_y;
    }

    /* Poles, deflation, the order of the columns: by the first warp of each merge.  False where something is not
     * finite. */
    __device__ __forceinline__ bool prepare(int team_size, int team, divide_node node, int rows) const
    {
        int const lane = (int)threadIdx.x % 32;
        real *const corner = z + node.row * (pitch + 1);
        heev_merge<real, merge_lanes> merge = {merge_lanes(lane, min(team_size, 32)), {}, node.m1, rows};
        merge.at.open(space, R, node.row);
        merge.rotations = rotations + team;
        for (int i = merge.team.rank; i < rows; i += merge.team.size)
            merge.at.z[i] = corner[i * pitch + (i < node.m1 ? node.m1 - 1 : node.m1)];
        __syncwarp(); /* z is there */
        bool const good = merge.sort(rows > 0 ? e[node.row + node.m1 - 1] : (real)0);
        int const rotated = merge.deflate();
        for (int i = merge.team.rank; i < merge.m && rotated > 0; i += merge.team.size)
            for (int t = 0; t < rotated; ++t)
                merge.rotate_row(t, i < node.m1 ? COLUMN_UPPER : COLUMN_LOWER,
                                 [=](int column) { return corner + (column * pitch + i); });
        merge.divide();
        if (merge.team.rank == 0) states[team] = {merge.k, merge.k_upper, merge.k_both, merge.m, merge.rho};
        return good;
    }

    /* The new vectors, `count` columns a thread, summed and then written.  most_rows: of a merge of this level. */
    template <int count, typename merge_type>
    __device__ __forceinline__ void multiply(const merge_type &merge, int team, int row, int most_rows) const
    {
        int const own = merge.team.rank % most_rows, first = merge.team.rank / most_rows * count;
        bool const upper = own < merge.m1, works = own < merge.m && first < merge.m;
        int const half = upper ? COLUMN_UPPER : COLUMN_LOWER;
        const real *const here = z + row * (pitch + 1) + own;
        const real *const by = u + team * most_rows * (u_pitch + 1) + first;
        const int *const source = merge.at.source;
        int const begin = upper ? 0 : merge.k_upper, end = upper ? merge.k_upper + merge.k_both : merge.k;
        real sum[count];
#pragma unroll
        for (int c = 0; c < count; ++c) sum[c] = 0;
        if (works && first < merge.k)
#pragma unroll 4
            for (int i = begin; i < end; ++i) {
                real const factor = here[(source[i] & COLUMN_NUMBER) * pitch];
                if constexpr (count == 1) {
                    sum[0] = fma(factor, by[i * u_pitch], sum[0]);
                } else {
                    const pair_of<real> *const pairs = (const pair_of<real> *)(by + i * u_pitch);
#pragma unroll
                    for (int c = 0; c < count; c += 2) {
                        pair_of<real> const two = pairs[c / 2];
                        sum[c] = fma(factor, two.x, sum[c]), sum[c + 1] = fma(factor, two.y, sum[c + 1]);
                    }
                }
            }
        if (works)
#pragma unroll
            for (int c = 0; c < count; ++c) {
                int const j = first + c;
                if (j < merge.k) sum[c] *= merge.at.inverse_norm[j];
                if (j < merge.k || j >= merge.m) continue;
                sum[c] = source[j] & half ? here[(source[j] & COLUMN_NUMBER) * pitch] : (real)0;
            }
        merge.team.sync(); /* the vectors of the level below are read */
        if (works)
#pragma unroll
            for (int c = 0; c < count; ++c)
                if (first + c < merge.m) z[(row + merge.at.place[first + c]) * pitch + row + own] = sum[c];
    }

    /* The same by as many columns a thread as share out those of the largest merge, or `count`. */
    template <int count, typename merge_type>
    __device__ __forceinline__ void multiply_by(const merge_type &merge, int team, int row, int most_rows) const
    {
        if constexpr (count > 1) {
            if (count * share > most_rows) return multiply_by<count / 2>(merge, team, row, most_rows);
        }
        multiply<count>(merge, team, row, most_rows);
    }

    /* The merges of a level. */
    __device__ __forceinline__ void merge_level(int level) const
    {
        int const size = shape::threads >> level, team = (int)threadIdx.x / size, rank = (int)threadIdx.x % size;
        int const most_rows = R >> level;
        divide_node const node(n, level, team);
        int const rows = node.m1 == 0 || node.m1 == node.m ? 0 : node.m;
        bool good = true;
        if (size <= 32 || rank < 32) good = prepare(size, team, node, rows);
        heev_merge<real, few_team> merge = {{size, rank, share, flags}, {}, node.m1, 0};
        merge.at.open(space, R, node.row);
        merge.team.sync(); /* what is left is there */
        state const own = states[team];
        merge.m = own.m, merge.k = own.k, merge.k_upper = own.k_upper, merge.k_both = own.k_both, merge.rho = own.rho;
        good = merge.solve() && good && merge.m == rows;
        real *const column = u + team * most_rows * (u_pitch + 1) + rank / share;
        const int *const slot = merge.at.slot;
        merge.norms([=](int i, real x) { column[slot[i] * u_pitch] = x; }, [](root_lanes, int, real) {});
        merge.order();
        multiply_by<R / share>(merge, team, node.row, most_rows);
        if (rank < rows) merge.at.pole[good ? merge.at.place[rank] : rank] = good ? merge.at.value[rank] : (real)NAN;
        __syncthreads(); /* values and vectors of the level are there */
    }

    /* All levels; by all threads of the block, when T is there. */
    __device__ __forceinline__ void run() const
    {
        int depth = 0;
        while (divide_rows(n, depth) > 2) ++depth;
        solve_pairs(depth);
        __syncthreads(); /* the pairs are there */
        for (int level = depth - 1; level >= 0; --level) merge_level(level);
    }
};

/* ------------------------------------------------------------------- V = Q Z
 *
 * Mapping  thread (row, q) has of columns rows*c + row the places 8 r + q, in registers.
 * Step     a reflector takes products with a column, their sum over 8 lanes, and an update: no barrier. */

template <typename number, int R> struct few_back {
    using real = typename number::real;
    using shape = few_shape<R>;
    static constexpr int high = shape::high, wide = shape::wide;

    number y[high][wide];
    int lane, row, q, n, shift;
    const number *vectors, *tau; /* [n - 1][R] by places, [n - 1] */

    __device__ __forceinline__ few_back(const real *z, int order)
        : lane((int)threadIdx.x % 32), row((int)threadIdx.x / FEW_ACROSS), q((int)threadIdx.x % FEW_ACROSS), n(order),
          shift(R - order)
    {
#pragma unroll
        for (int c = 0; c < high; ++c)
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                int const i = FEW_ACROSS * r + q - shift, j = shape::rows * c + row;
                set(y[c][r], i >= 0 && j < n ? z[j * shape::pitch + i] : (real)0, (real)0);
            }
    }

    /* The reflectors of the steps behind `at`, then of its own, the last one first. */
    template <int at> __device__ __forceinline__ void run()
    {
        if constexpr (at + FEW_STAGE < wide) run<at + FEW_STAGE>();
#pragma unroll 2
        for (int k = min(FEW_ACROSS * (at + FEW_STAGE) - 1, R - 1) - 1; k >= max(shift, FEW_ACROSS * at - 1); --k) {
            const number *const from = vectors + (k - shift) * R + q;
            number const factor = negative(tau[k - shift]);
            number part[wide], dot[high];
#pragma unroll
            for (int r = at; r < wide; ++r) part[r] = from[FEW_ACROSS * r];
#pragma unroll
            for (int c = 0; c < high; ++c) {
                dot[c] = zero_of<number>();
#pragma unroll
                for (int r = at; r < wide; ++r) dot[c] = conj_product_add(part[r], y[c][r], dot[c]);
            }
            all_sums<high, FEW_ACROSS / 2>(lane, dot);
#pragma unroll
            for (int c = 0; c < high; ++c) {
                dot[c] = product_add(factor, dot[c], zero_of<number>());
#pragma unroll
                for (int r = at; r < wide; ++r) y[c][r] = product_add(part[r], dot[c], y[c][r]);
            }
        }
    }

    /* Whether the columns of this thread have length 1; its warp's parts of the sums of all pairs go to own[0] and
     * own[1]. */
    __device__ __forceinline__ bool certify(const real *values, real *own) const
    {
        bool good = true;
        real form = 0, span = 0;
#pragma unroll
        for (int c = 0; c < high; ++c) {
            int const j = shape::rows * c + row;
            real size = 0;
            number with = zero_of<number>();
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                size = size + square(y[c][r]);
                with = probe_add(y[c][r], (unsigned)(FEW_ACROSS * r + q), with);
            }
            size = lanes_sum<FEW_ACROSS>(0xffffffffu, size);
            set(with, lanes_sum<FEW_ACROSS>(0xffffffffu, with.re),
                number::complex ? lanes_sum<FEW_ACROSS>(0xffffffffu, imaginary(with)) : (real)0);
            good = good && (j >= n || spectrum_has_length((real)n, size));
            if (j < n && q == 0) form = fma(values[j], square(with), form), span = span + square(with);
        }
        form = lanes_sum<32>(0xffffffffu, form), span = lanes_sum<32>(0xffffffffu, span);
        if (lane == 0) own[0] = form, own[1] = span;
        return good;
    }

    __device__ __forceinline__ void store(const heev_job &job, int64_t b, bool good) const
    {
        batch_strides const s = job.at_v;
        number *const v = (number *)job.p.v + b * s.b;
#pragma unroll
        for (int c = 0; c < high; ++c) {
            number const lead = gauge_shared_lead<FEW_ACROSS, wide, number>(q, [&](int r) { return y[c][r]; });
            number const by = gauge_factor(lead);
#pragma unroll
            for (int r = 0; r < wide; ++r) {
                int const i = FEW_ACROSS * r + q - shift, j = shape::rows * c + row;
                number x = gauge_turned(lead, by, y[c][r]);
                if (!good) set(x, (real)NAN, (real)NAN);
                if (i >= 0 && j < n) store_number(v + (i * s.i + j * s.j), x);
            }
        }
    }
};

/* Shared memory: T and the reflectors, then what the reduction, or what the division, needs. */
template <typename number, int R> struct few_memory {
    using real = typename number::real;
    static constexpr size_t larger(size_t x, size_t y)
    {
        return x > y ? x : y;
    }
    static constexpr size_t kept(int64_t n, bool vectors)
    {
        return (2 * sizeof(real) + sizeof(number)) * R + (vectors ? (size_t)(n - 1) * R * sizeof(number) : 0);
    }
    static constexpr size_t bytes(int64_t n, bool vectors)
    {
        return kept(n, vectors) + larger(few_reduction<number, R>::bytes, few_division<real, R>::bytes);
    }
};

/* Blocks of a multiprocessor, for their registers. */
template <typename number, int R> static constexpr int few_blocks()
{
    return R * sizeof(number) > 512 ? 1 : 512 / few_shape<R>::threads;
}

/* Whether the values, of T scaled as A is, have A's sums: every warp asks for itself. */
template <int R, typename real>
static __device__ __forceinline__ bool few_certify(int n, const spectrum_sums<real> *parts, const real *values)
{
    spectrum_sums<real> of = parts[0], found = {0, 0, 0};
    for (int k = 1; k < few_shape<R>::warps; ++k) of.trace += parts[k].trace, of.squares += parts[k].squares;
    for (int k = threadIdx.x % 32; k < n; k += 32) found.add(values[k]);
    found.trace = lanes_sum<32>(0xffffffffu, found.trace), found.squares = lanes_sum<32>(0xffffffffu, found.squares);
    return found.certify(n, of, (real)0);
}

/* The same of pairs. */
template <int R, typename real>
static __device__ __forceinline__ bool few_certify_pairs(int n, const spectrum_sums<real> *parts, const real *pairs)
{
    real form = 0, span = 0, squares = 0, of = 0;
    for (int k = 0; k < few_shape<R>::warps; ++k)
        form += pairs[2 * k], span += pairs[2 * k + 1], squares += parts[k].squares, of += parts[k].form;
    real const whole = lanes_sum<32>(0xffffffffu, certify_span<number>(R - n, n, threadIdx.x % 32, 32));
    pair_sums<real> const sums = {form, span, of, whole};
    return sums.certify((real)n, n * real_limits<real>::eps, squares, (real)0, (real)0);
}

template <typename number, int R>
static __global__ void __launch_bounds__(few_shape<R>::threads, few_blocks<number, R>()) heev_few_kernel(heev_job job)
{
    using real = typename number::real;
    extern __shared__ double2 few_space[];
    __shared__ real largest[few_shape<R>::warps];
    __shared__ spectrum_sums<real> sums[few_shape<R>::warps];
    __shared__ real pairs[2 * few_shape<R>::warps];
    int const n = (int)job.p.n;
    int64_t const b = job.first + blockIdx.x;
    bool const with_vectors = job.p.v != NULL;
    number *const tau = (number *)few_space, *const vectors = tau + R;
    real *const d = (real *)(vectors + (with_vectors ? (n - 1) * R : 0)), *const e = d + R;
    void *const memory = e + R;
    real unit;
    {
        few_reduction<number, R> reduction(memory, n);
        reduction.d = d, reduction.e = e, reduction.tau = tau, reduction.vectors = with_vectors ? vectors : NULL;
        reduction.sums = sums;
        unit = reduction.load(job, b, largest);
        reduction.begin();
        reduction.template run<0>();
    }
    __syncthreads(); /* T is there, and the reduction's memory is free */
    few_division<real, R> const division(memory, d, e, n);
    division.run();
    bool const finite = unit == unit;
    bool good = finite && division.values()[0] == division.values()[0];
    if (job.p.certify && good) good = few_certify<R>(n, sums, division.values());
    real const w = good && threadIdx.x < n ? unscaled((real)n, division.values()[threadIdx.x], unit) : (real)0;
    good = !__syncthreads_or(!(fabs(w) <= real_limits<real>::largest)) && good;
    if (threadIdx.x < n) ((real *)job.p.w)[b * job.p.stride_w + threadIdx.x] = good ? w + (real)0 : (real)NAN;
    if (threadIdx.x == 0) {
        if (job.p.info) job.p.info[b] = !finite ? EIG_INFO_NOT_FINITE : good ? 0 : n;
        if (job.p.sweeps) job.p.sweeps[b] = 0;
    }
    if (!with_vectors) return;
    few_back<number, R> back(division.z, n);
    back.vectors = vectors, back.tau = tau;
    back.template run<0>();
    if (job.p.certify && good) {
        good = !__syncthreads_or(!back.certify(division.values(), pairs + 2 * (threadIdx.x / 32)));
        good = good && few_certify_pairs<R>(n, sums, pairs);
    }
    if (!good && finite) {
        if (threadIdx.x == 0 && job.p.info) job.p.info[b] = n;
        if (threadIdx.x < n) ((real *)job.p.w)[b * job.p.stride_w + threadIdx.x] = (real)NAN;
    }
    back.store(job, b, good);
}

template <typename number, int R>
static eig_status launch_few(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    size_t const bytes = few_memory<number, R>::bytes(job.p.n, job.p.v != NULL);
    return cuda_launch(ctx, "heev: few_kernel", stream, {job.count, few_shape<R>::threads, bytes},
                       heev_few_kernel<number, R>, job);
}

eig_status TYPED(eig_cuda_heev_few)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return job.p.n <= 32 ? launch_few<number, 32>(ctx, job, stream) : launch_few<number, 64>(ctx, job, stream);
}

size_t TYPED(eig_cuda_heev_few_bytes)(int64_t n)
{
    return n <= 32 ? few_memory<number, 32>::bytes(n, true) : few_memory<number, 64>::bytes(n, true);
}
