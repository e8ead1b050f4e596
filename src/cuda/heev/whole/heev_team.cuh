/* heev on CUDA, n > 64, tridiagonal, kernel 1 where a matrix fits the shared memory of a team of thread blocks: A = Q T
 * Q^H by Householder reflectors.
 *
 * Formula  as heev_panel.cu: H = I - tau u u^H with u = (1, ...), real off-diagonals; A u and u^H A u from A x.
 * Mapping  block b of a team of G has rows b, b + G, ... of the whole square, both triangles, in registers.  v, w, x
 *          are in all blocks.  A warp has some of the block's rows, and a class of columns; its lanes have columns.
 * Step     multiply: A - v w^H - w v^H of the step before on the own rows, and their product with x.  exchange: every
 *          block gets all of A x, and the next column of A, which is a number of each row.  finish: every block makes
 *          u, w and the next x for itself.  So a column takes one exchange and no barrier of the team.
 * Exchange numbers of a row go to a slot that holds a mark until they come; readers look until it has gone.  Slots are
 * used in
 *          turn, three of them, and the writer puts the mark back when all blocks have read: who has received a turn
 *          from all blocks knows that they have read the one before.  So a block goes on sending its last row when that
 *          is done.
 * Bits     a sum's order depends on n alone, so G does not matter: columns in classes of 32 at a distance, lanes, then
 *          classes.
 * Cost     complex 2 n^3 FMA; bound by the exchange, some 0.7 us a column, and by shared memory, 2 n^3 / 3 numbers. */
#ifndef EIG_HEEV_TEAM_CUH
#define EIG_HEEV_TEAM_CUH

#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"
#include "primitives/ptx.cuh"

enum { TEAM_TURNS = 3 };

/* What a team works on: matrices of order n at `from`, element (i, j) of the lower triangle at i down + j across.
 * Columns of u go to `keep`, below the diagonal. */
struct team_job {
    const void *from;
    int64_t from_stride, down, across;
    bool upper, scaled; /* scaled: entries have been divided by the unit */
    int n;
    int64_t count; /* matrices */
    void *d, *e, *tau, *unit;
    int64_t row; /* the distance of d, e, tau of two matrices */
    void *keep;
    int64_t keep_pitch, keep_stride;
    void *slots, *units; /* [teams][TEAM_TURNS][n] messages; [count][team] reals; all marks */
    int team;            /* blocks */
};

/* A number of A x and one of A, in words that come whole. */
template <typename number> struct team_message {
    static constexpr int words = 2 * sizeof(number) / 8;
    union {
        unsigned long long word[words];
        number pair[2];
    };
    __device__ __forceinline__ team_message() {}
};

/* How a block works: its warps, the rows of v, w and x a thread, the classes of columns, and the numbers of the matrix
 * that a thread has: `deep` rows of the block's in `wide` columns. */
template <int warps_, int most_, int classes_, int deep_, int wide_> struct team_shape {
    static constexpr int warps = warps_, most = most_, classes = classes_, deep = deep_, wide = wide_;
    static constexpr int threads = 32 * warps, groups = warps / classes;
    static constexpr int rows = groups * deep /* a block, at most */, columns = 32 * classes * wide;
    static_assert(threads * most >= columns, "x has as many rows as the matrix");
};

/* v and w of a row. */
template <typename number> struct alignas(2 * sizeof(number) < 16 ? 2 * sizeof(number) : 16) team_two {
    number v, w;
};

/* The shared memory of a block: its inbox, v, w and x, the parts of A x and the column's own numbers. */
template <typename number, typename shape, bool cluster> static size_t team_bytes(int64_t n)
{
    size_t const inbox = cluster ? 16 + 2 * (size_t)n * sizeof(team_message<number>) : 0;
    return inbox + (size_t)(3 * shape::columns + shape::rows * (shape::classes + 1) + 2) * sizeof(number) +
           (size_t)(2 * shape::warps + 1) * sizeof(typename number::real);
}

template <typename number, typename shape, bool cluster> struct team_reduction {
    using real = typename number::real;
    using message = team_message<number>;
    using two = team_two<number>;
    static constexpr int warps = shape::warps, most = shape::most, classes = shape::classes, deep = shape::deep;
    static constexpr int wide = shape::wide, groups = shape::groups, threads = shape::threads;
    team_job job;
    int n, rows, team, block, rank, lane, warp, of, group; /* of: the warp's class of columns; group: of rows */
    unsigned turn;                                         /* exchanges so far */
    two *vw;
    number *x, *parts, *column, *head; /* head: numbers `first` of A x and of the column */
    real *forms, *squares, *own_largest;
    unsigned long long *slots; /* of the team in global memory, or of this block in shared memory */
    unsigned barriers;         /* cluster: two, of 8 bytes */

    __device__ void carve(void *memory)
    {
        n = job.n, team = job.team, block = (int)blockIdx.x % team;
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, of = warp % classes, group = warp / classes;
        turn = 0, rows = n > block ? (n - block + team - 1) / team : 0;
        if constexpr (cluster) { /* the same places in all blocks */
            barriers = shared_address(memory), slots = (unsigned long long *)memory + 2;
            memory = slots + 2 * n * message::words;
            if (rank == 0) begin_arrivals(barriers), begin_arrivals(barriers + 8);
            cluster_barrier();
        } else {
            slots = (unsigned long long *)job.slots + (int64_t)(blockIdx.x / team) * TEAM_TURNS * n * message::words;
        }
        vw = (two *)memory, x = (number *)(vw + shape::columns), parts = x + shape::columns;
        column = parts + shape::rows * classes, head = column + shape::rows;
        forms = (real *)(head + 2), squares = forms + warps, own_largest = squares + warps;
    }

    __device__ __forceinline__ unsigned long long *slot(unsigned at, int r) const
    {
        return slots + (int64_t)((at % (cluster ? 2 : TEAM_TURNS)) * n + r) * message::words;
    }

    /* Row t of the warp, in the block; its row of the matrix. */
    __device__ __forceinline__ int row_of_block(int t) const
    {
        return group + groups * t;
    }
    __device__ __forceinline__ int column_of(int c) const
    {
        return 32 * (of + classes * c) + lane;
    }

    /* ------------------------------------------------------------------ exchange */

    /* To block `peer`, or, in global memory, to all. */
    __device__ __forceinline__ void send(int r, number y, number z, int peer) const
    {
        message m;
        m.pair[0] = y, m.pair[1] = z;
        unsigned long long *const to = slot(turn, r);
        if constexpr (cluster) {
            unsigned const there = address_of_peer(shared_address(to), peer);
            unsigned const barrier = address_of_peer(barriers + 8 * (turn % 2), peer);
            if constexpr (message::words == 1) {
                send_to_peer(there, barrier, m.word[0]);
            } else {
#pragma unroll
                for (int k = 0; k < message::words; k += 2)
                    send_to_peer(there + 8 * k, barrier, m.word[k], m.word[k + 1]);
            }
        } else if constexpr (message::words == 1) {
            team_write(to, m.word[0]);
        } else {
#pragma unroll
            for (int k = 0; k < message::words; k += 2) team_write(to + k, m.word[k], m.word[k + 1]);
        }
    }

    /* One look at a slot: whether all has come. */
    static __device__ __forceinline__ bool look(const unsigned long long *from, message &m)
    {
        bool there = true;
        if constexpr (message::words == 1) {
            m.word[0] = team_read(from);
        } else {
#pragma unroll
            for (int k = 0; k < message::words; k += 2) team_read(from + k, m.word[k], m.word[k + 1]);
        }
#pragma unroll
        for (int k = 0; k < message::words; ++k) there = there && m.word[k] != ~0ull;
        return there;
    }

    /* The first row of a turn: the last rows of all blocks come in every turn, needed or not. */
    __device__ __forceinline__ int sent_from(int first) const
    {
        return min(first, max(n - team, 0));
    }

    /* Rows first + rank, first + rank + threads, ... of this turn. */
    __device__ __forceinline__ void receive(int first, message (&m)[most]) const
    {
        if constexpr (cluster) {
            if (rank == 0)
                expect_bytes(barriers + 8 * (turn % 2), (unsigned)((n - sent_from(first)) * sizeof(message)));
            __syncwarp(); /* else the others may wait long before lane 0 comes to that */
            while (!bytes_are_there(barriers + 8 * (turn % 2), turn / 2 % 2)) {}
#pragma unroll
            for (int c = 0; c < most; ++c) {
                int const r = first + rank + c * threads;
                const unsigned long long *const from = slot(turn, r);
#pragma unroll
                for (int k = 0; k < message::words; ++k) m[c].word[k] = r < n ? from[k] : 0;
            }
        } else {
            bool there[most];
            int const probe = first + 32 * warp; /* one lane looks first: all at once would crowd out the writers */
            message one;
            if (lane == 0 && probe < n)
                while (!look(slot(turn, probe), one)) {}
            __syncwarp();
#pragma unroll
            for (int c = 0; c < most; ++c) {
                int const r = first + rank + c * threads;
                there[c] = r >= n || look(slot(turn, r), m[c]);
            }
#pragma unroll
            for (int c = 0; c < most; ++c)
                while (!there[c]) there[c] = look(slot(turn, first + rank + c * threads), m[c]);
            for (int r = sent_from(first) + rank; r < first; r += threads)
                while (!look(slot(turn, r), one)) {}
        }
    }

    /* All blocks have read the turn before the last: marks come back into this block's slots of it, rows from `first`
     * on; by a warp. */
    __device__ __forceinline__ void mark(int first) const
    {
        for (int i = lane; i < rows; i += 32) {
            int const r = block + i * team;
            if (r < sent_from(first)) continue;
            unsigned long long *const to = slot(turn + TEAM_TURNS - 2, r);
            if constexpr (message::words == 1) {
                team_write(to, ~0ull);
            } else {
#pragma unroll
                for (int k = 0; k < message::words; k += 2) team_write(to + k, ~0ull, ~0ull);
            }
        }
    }

    /* ---------------------------------------------------------------------- load */

    __device__ __forceinline__ number entry(const number *from, int r, int j) const
    {
        bool const mirror = j > r;
        int const i = mirror ? j : r, k = mirror ? r : j;
        number z = lower_of(load_number(from + (i * job.down + k * job.across)), job.upper);
        if (i == k) set(z, z.re, (real)0);
        return mirror ? conj(z) : z;
    }

    /* Loads matrix m; returns its unit, or NaN where it is not finite, and then all is zero. */
    __device__ real load(int64_t m, number (&a)[deep][wide])
    {
        const number *const from = (const number *)job.from + m * job.from_stride;
        real big = 0;
        bool finite = true;
        if (!cluster && turn > 1 && warp == warps - 1) {
            mark(n - 2);
            __threadfence();
        }
#pragma unroll
        for (int t = 0; t < deep; ++t)
#pragma unroll
            for (int c = 0; c < wide; ++c) {
                int const i = row_of_block(t), j = column_of(c);
                number const z = i < rows && j < n ? entry(from, block + i * team, j) : zero_of<number>();
                real const largest = real_limits<real>::largest;
                finite = finite && fabs(z.re) <= largest && fabs(imaginary(z)) <= largest;
                big = fmax(big, larger_part(z));
                a[t][c] = z;
            }
        for (int j = rank; j < shape::columns; j += threads) vw[j].v = vw[j].w = x[j] = zero_of<number>();
        real unit = 1;
        if (!job.scaled) {
            for (int across = 16; across > 0; across /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, across));
            if (lane == 0) forms[warp] = big;
            finish_load_sync(finite, big);
            unit = unit_of_team(m, big);
            real const inverse = pow2_inverse(unit == unit ? unit : (real)1);
#pragma unroll
            for (int t = 0; t < deep; ++t)
#pragma unroll
                for (int c = 0; c < wide; ++c) a[t][c] = unit == unit ? scaled(inverse, a[t][c]) : zero_of<number>();
        }
        if (of == 0 && lane == 0)
#pragma unroll
            for (int t = 0; t < deep; ++t) column[row_of_block(t)] = a[t][0];
        __syncthreads(); /* column 0 is there; v, w and x are 0 */
        return unit;
    }

    __device__ __forceinline__ void finish_load_sync(bool finite, real &big) const
    {
        finite = !__syncthreads_or(!finite);
        big = forms[0];
        for (int k = 1; k < warps; ++k) big = fmax(big, forms[k]);
        if (!finite) big = (real)NAN;
    }

    /* The unit of matrix m from the blocks' largest entries. */
    __device__ __forceinline__ real unit_of_team(int64_t m, real big) const
    {
        if constexpr (cluster) {
            real *const own = own_largest, none = 0;
            if (rank == 0) *own = big;
            cluster_barrier();
            real all = none;
            bool finite = true;
            for (int b = 0; b < team; ++b) {
                real const other = read_peer(own, b);
                finite = finite && other == other;
                all = fmax(all, other == other ? other : none);
            }
            cluster_barrier();
            return finite ? heev_unit(all) : (real)NAN;
        }
        volatile real *const of = (volatile real *)job.units + m * team;
        if (rank == 0) of[block] = big;
        real all = 0;
        bool finite = true;
        for (int b = rank; b < team; b += threads) {
            real other = poll(of + b);
            while (is_mark(other)) other = poll(of + b);
            finite = finite && other == other;
            all = fmax(all, other == other ? other : (real)0);
        }
        __syncthreads(); /* forms is free */
        for (int across = 16; across > 0; across /= 2) all = fmax(all, __shfl_xor_sync(0xffffffffu, all, across));
        if (lane == 0) forms[warp] = all;
        finish_load_sync(finite, all);
        return all == all ? heev_unit(all) : all;
    }

    /* ------------------------------------------------------------------ multiply */

    __device__ __forceinline__ int first_row(int first) const
    {
        return first > block ? (first - block + team - 1) / team : 0;
    }

    /* A - v w^H - w v^H from row and column `first` on, its product with x in parts, and column `first`.  Rows and
     * columns that are done are left alone, four and two at a time. */
    __device__ __forceinline__ void multiply(int first, number (&a)[deep][wide]) const
    {
        enum { ROWS = deep < 4 ? deep : 4, COLUMNS = wide < 2 ? wide : 2 };
        int const begin = first_row(first), chunk = first / 32;
        number y[deep];
#pragma unroll
        for (int t = 0; t < deep; ++t) y[t] = zero_of<number>();
#pragma unroll
        for (int c0 = 0; c0 < wide; c0 += COLUMNS) {
            constexpr int last = COLUMNS - 1;
            if (column_of(c0 + last < wide ? c0 + last : wide - 1) - lane + 31 < first) continue;
            two vwj[COLUMNS];
            number xj[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
                if (c0 + c < wide) vwj[c] = vw[column_of(c0 + c)], xj[c] = x[column_of(c0 + c)];
#pragma unroll
            for (int t0 = 0; t0 < deep; t0 += ROWS) {
                if (row_of_block(t0 + ROWS - 1) < begin || row_of_block(t0) >= rows) continue;
                two vwr[ROWS];
#pragma unroll
                for (int t = 0; t < ROWS; ++t)
                    vwr[t] = vw[min(block + row_of_block(t0 + t) * team, shape::columns - 1)];
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c)
                    if (c0 + c < wide)
#pragma unroll
                        for (int t = 0; t < ROWS; ++t) {
                            number &z = a[t0 + t][c0 + c];
                            z = conj_product_add(vwj[c].v, negative(vwr[t].w),
                                                 conj_product_add(vwj[c].w, negative(vwr[t].v), z));
                            y[t0 + t] = product_add(z, xj[c], y[t0 + t]);
                        }
            }
        }
        if ((chunk & (classes - 1)) == of) {
#pragma unroll
            for (int t = 0; t < deep; ++t) {
                number z = a[t][0];
#pragma unroll
                for (int c = 1; c < wide; ++c) z = either(chunk / classes == c, a[t][c], z);
                if (lane == first % 32) column[row_of_block(t)] = z;
            }
        }
        store_totals<deep, 0>(y);
    }

    /* As warp_totals, of y[from], ..., y[from + count - 1]; partners are `across` lanes away. */
    template <int count, int from, int across, int room>
    __device__ __forceinline__ number totals(const number (&y)[room]) const
    {
        if constexpr (across == 0) {
            return y[from];
        } else if constexpr (count == 1) {
            number const z[1] = {sum(y[from], from_lane(y[from], across))};
            return totals<1, 0, across / 2>(z);
        } else {
            number z[count / 2];
            bool const upper = lane & across;
#pragma unroll
            for (int t = 0; t < count / 2; ++t) {
                number const low = y[from + t], high = y[from + count / 2 + t];
                z[t] = sum(either(upper, high, low), from_lane(either(upper, low, high), across));
            }
            return totals<count / 2, 0, across / 2>(z);
        }
    }
    static __device__ __forceinline__ number either(bool which, number x, number y)
    {
        set(y, which ? x.re : y.re, which ? imaginary(x) : imaginary(y));
        return y;
    }

    /* Sums rows from, ..., from + count - 1 of the warp over its lanes. */
    template <int count, int from> __device__ __forceinline__ void store_totals(number (&y)[deep]) const
    {
        constexpr int now = count >= 32 ? 32 : count >= 16 ? 16 : count >= 8 ? 8 : count >= 4 ? 4 : count >= 2 ? 2 : 1;
        number const total = totals<now, from, 16>(y);
        int const i = row_of_block(from + lane / (32 / now));
        if (lane % (32 / now) == 0) parts[i * classes + of] = total;
        if constexpr (count > now) store_totals<count - now, from + now>(y);
    }

    /* Numbers of the own rows: of A x, and of column `first`. */
    __device__ __forceinline__ void send_rows(int first) const
    {
        int const peers = cluster ? team : 1;
        for (int peer = cluster ? warp : 0; peer < peers; peer += warps)
            for (int i = first_row(sent_from(first)) + (cluster ? lane : rank); i < rows; i += cluster ? 32 : threads)
                send(block + i * team, first > 0 ? total_of<classes>(parts + i * classes) : zero_of<number>(),
                     column[i], peer);
    }
    template <int count> static __device__ __forceinline__ number total_of(const number *p)
    {
        if constexpr (count == 1)
            return p[0];
        else
            return sum(total_of<count / 2>(p), total_of<count / 2>(p + count / 2));
    }

    /* -------------------------------------------------------------------- finish */

    /* Column `first` of A has come, and A x: ends step first - 1, if first is not 0, and makes x of column `first`.
     * Returns the thread's part of the norm of x behind its first number. */
    __device__ __forceinline__ real finish(int first, const reflector_by_division<number> &h, real *d,
                                           number *keep) const
    {
        message m[most];
        number u[most];
        real form = 0;
        bool const reflects = first > 0 && h.tau.re != 0;
        number const by = h.divisor, factor = product_add(h.tau, by, zero_of<number>());
        real const end = h.beta, half = reflects ? (real)-0.5 * square(h.tau) * square(by) : (real)0;
#pragma unroll
        for (int c = 0; c < most; ++c) {
            int const r = first + rank + c * threads;
            u[c] = r < n ? x[r] : zero_of<number>();
        }
        receive(first, m);
#pragma unroll
        for (int c = 0; c < most; ++c) {
            int const r = first + rank + c * threads;
            if (r >= n) m[c].pair[0] = m[c].pair[1] = zero_of<number>();
            form += real_dot(u[c], m[c].pair[0]);
        }
        form = warp_sum(form);
        if (lane == 0) forms[warp] = form;
        if (rank == 0) head[0] = m[0].pair[0], head[1] = m[0].pair[1];
#pragma unroll
        for (int c = 0; c < most; ++c) { /* u, and w but for a part of u */
            u[c] = product_add(by, u[c], zero_of<number>());
            if (c == 0 && rank == 0) set(u[c], (real)reflects, (real)0);
            m[c].pair[0] = product_add(factor, scaled_add(-end, m[c].pair[1], m[c].pair[0]), zero_of<number>());
        }
        __syncthreads(); /* all has been received; the form in parts */
        number const top = head[0];
        real const corner = head[1].re;
        form = ::total_of<warps>(forms);
        real const more = half * fma(end, fma(end, corner, -2 * top.re), form); /* - 1/2 |tau|^2 u^H A u */
        number edge, pivot;
        set(edge, fma(-end, corner, top.re), imaginary(top));
        set(pivot, more, (real)0);
        pivot = negative(product_add(factor, edge, pivot));
        real squared = 0;
#pragma unroll
        for (int c = 0; c < most; ++c) {
            int const r = first + rank + c * threads;
            number z = m[c].pair[1], w = scaled_add(more, u[c], m[c].pair[0]);
            if (c == 0 && rank == 0) w = negative(pivot);
            if (reflects)
                z = sum(conj_product_add(pivot, u[c], z), negative(w));
            else
                u[c] = w = zero_of<number>();
            if (r >= n) continue;
            two both;
            both.v = u[c], both.w = w;
            if (first > 0) vw[r] = both;
            if (keep) store_number(keep + r, u[c]);
            x[r] = r == first ? zero_of<number>() : z;
            if (r == first && d) *d = z.re;
            if (r > first + 1) squared += square(z);
        }
        __syncthreads(); /* v, w, x */
        return squared;
    }

    __device__ void run(int64_t m, number (&a)[deep][wide])
    {
        real *const d = block == 0 ? (real *)job.d + m * job.row : NULL, *const e = (real *)job.e + m * job.row;
        number *const taus = job.tau ? (number *)job.tau + m * job.row : NULL;
        number *const keep = job.keep ? (number *)job.keep + m * job.keep_stride : NULL;
        send_rows(0);
        real squared = finish(0, reflector_by_division<number>(zero_of<number>(), 0), d, NULL);
        ++turn;
        for (int k = 0; k < n - 1; ++k) {
            bool const marks = !cluster && warp == warps - 1;
            if (marks && turn > 1) mark(k > 0 ? k - 1 : 0);
            multiply(k + 1, a);
            squared = warp_sum(squared);
            if (lane == 0) squares[warp] = squared;
            if (marks) __threadfence(); /* the marks are seen before what is sent now */
            __syncthreads();            /* A x in parts */
            send_rows(k + 1);
            reflector_by_division<number> const h(x[k + 1], ::total_of<warps>(squares));
            if (block == 0 && rank == 0) {
                e[k] = h.beta;
                if (taus) taus[k] = h.tau;
            }
            bool const keeps = keep && k % team == block;
            squared = finish(k + 1, h, d ? d + k + 1 : NULL, keeps ? keep + k * job.keep_pitch : NULL);
            ++turn;
        }
        if (block == 0 && rank == 0) e[n - 1] = 0;
    }
};

template <typename number, typename shape, bool cluster>
static __global__ void __launch_bounds__(shape::threads, 512 / shape::threads) heev_team_kernel(team_job job)
{
    extern __shared__ double team_memory[];
    team_reduction<number, shape, cluster> t;
    number a[shape::deep][shape::wide];
    t.job = job;
    t.carve(team_memory);
    int64_t const teams = gridDim.x / job.team;
    for (int64_t m = blockIdx.x / job.team; m < job.count; m += teams) {
        typename number::real const unit = t.load(m, a);
        t.run(m, a);
        if (!job.scaled && t.block == 0 && threadIdx.x == 0) ((typename number::real *)job.unit)[m] = unit;
        __syncthreads(); /* the shared memory is free */
    }
    if (cluster) cluster_barrier(); /* no block ends before its peers */
}

#endif
