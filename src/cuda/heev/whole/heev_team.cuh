/* heev on CUDA, n > 64, tridiagonal, kernel 1 where a matrix fits the shared memory of a team of thread blocks: A = Q T Q^H by
 * Householder reflectors.
 *
 * Formula  as heev_fused.cuh: H = I - tau u u^H with u = (1, ...), real off-diagonals; A u and u^H A u from A x.
 * Mapping  block b of a team of G has rows b, b + G, ... of the whole square, both triangles.  v, w, x are in all blocks.
 * Step     multiply: A - v w^H - w v^H of the step before on the own rows, and their product with x.  exchange: every block
 *          gets all of A x, and the next column of A, which is a number of each row.  finish: every block makes u, w and the
 *          next x for itself.  So a column takes one exchange and no barrier of the team.
 * Exchange numbers of a row go to a slot that holds a mark until they come; readers look until it has gone.  Slots are used in
 *          turn, three of them, and the writer puts the mark back when all blocks have read.
 * Bits     a sum's order depends on n alone, so G does not matter: columns in classes of 32 at a distance, lanes, then classes.
 * Cost     complex 2 n^3 FMA; bound by the exchange, some 0.7 us a column, and by shared memory, 2 n^3 / 3 numbers. */
#ifndef EIG_HEEV_TEAM_CUH
#define EIG_HEEV_TEAM_CUH

#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"

enum { TEAM_TURNS = 3, TEAM_MARK = 0xff };

/* What a team works on: matrices of order n at `from`, element (i, j) of the lower triangle at i down + j across.  Columns of u go to
 * `keep`, below the diagonal. */
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

static __device__ __forceinline__ unsigned long long team_read(const unsigned long long *from)
{
    unsigned long long x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
    return x;
}
static __device__ __forceinline__ void team_read(const unsigned long long *from, unsigned long long &x,
                                                 unsigned long long &y)
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(from) : "memory");
}
static __device__ __forceinline__ void team_write(unsigned long long *to, unsigned long long x)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(x) : "memory");
}
static __device__ __forceinline__ void team_write(unsigned long long *to, unsigned long long x, unsigned long long y)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(x), "l"(y) : "memory");
}

/* ------------------------------------------------------------- cluster's words */

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
#define TEAM_ASM(...) asm volatile(__VA_ARGS__)
#else
#define TEAM_ASM(...) /* no clusters: nothing comes here */
#endif

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
/* The same place in the shared memory of block `of` of the cluster. */
static __device__ __forceinline__ unsigned address_of_peer(unsigned mine, int of)
{
    unsigned other = 0;
    TEAM_ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(of));
    return other;
}
/* Sends words to a peer; its barrier counts their bytes. */
static __device__ __forceinline__ void send_to_peer(unsigned to, unsigned barrier, unsigned long long x)
{
    TEAM_ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(to), "l"(x), "r"(barrier)
             : "memory");
}
static __device__ __forceinline__ void send_to_peer(unsigned to, unsigned barrier, unsigned long long x,
                                                    unsigned long long y)
{
    TEAM_ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(x),
             "l"(y), "r"(barrier)
             : "memory");
}
static __device__ __forceinline__ void begin_arrivals(unsigned barrier)
{
    TEAM_ASM("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
static __device__ __forceinline__ void expect_bytes(unsigned barrier, unsigned bytes)
{
    TEAM_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
static __device__ __forceinline__ bool bytes_are_there(unsigned barrier, unsigned parity)
{
    unsigned done = 1;
    TEAM_ASM("{\n.reg .pred p;\n"
             "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
             "selp.u32 %0, 1, 0, p;\n}"
             : "=r"(done)
             : "r"(barrier), "r"(parity)
             : "memory");
    return done;
}
static __device__ __forceinline__ void cluster_barrier()
{
    TEAM_ASM("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
template <typename real> static __device__ __forceinline__ real read_peer(const real *mine, int of)
{
    unsigned const from = address_of_peer(shared_address(mine), of);
    real x = 0;
    if constexpr (sizeof(real) == 8)
        TEAM_ASM("ld.shared::cluster.f64 %0, [%1];" : "=d"(x) : "r"(from) : "memory");
    else
        TEAM_ASM("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(from) : "memory");
    return x;
}

/* The shared memory of a block. */
template <typename number, int warps, int classes, bool cluster> static size_t team_bytes(int64_t n, int64_t team)
{
    int64_t const rows = (n + team - 1) / team, wide = (n + 31) / 32 * 32;
    size_t const inbox = cluster ? 16 + 2 * (size_t)n * sizeof(team_message<number>) : 0;
    return (size_t)(rows * wide + 3 * wide + rows * classes + 4) * sizeof(number) + inbox +
           (size_t)(warps + 4) * sizeof(typename number::real);
}

/* A block has `warps` warps, and one more that makes the reflector's numbers.  A thread has up to `most` rows of v, w and x;
 * columns come in `classes`. */
template <typename number, int warps, int most, int classes, bool cluster> struct team_reduction {
    using real = typename number::real;
    using message = team_message<number>;
    struct reflector_of_step {
        real beta;
        number tau, divisor;
    };
    static constexpr int threads = 32 * warps, all_threads = threads + 32,
                         chunk = sizeof(number) == 4   ? 8
                                 : sizeof(number) == 8 ? 4
                                                       : 2;
    team_job job;
    int n, wide, rows, team, block, rank, lane, warp;
    unsigned turn;                                        /* exchanges so far */
    number *a, *v, *w, *x, *parts, *head, *tau, *divisor; /* head: numbers `first` of A x and of the column */
    real *forms, *beta, *own_largest;
    unsigned long long *slots; /* of the team in global memory, or of this block in shared memory */
    unsigned barriers;         /* cluster: two, of 8 bytes */

    __device__ void carve(void *memory)
    {
        n = job.n, wide = (n + 31) / 32 * 32, team = job.team, block = (int)blockIdx.x % team;
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, turn = 0;
        rows = n > block ? (n - block + team - 1) / team : 0;
        int const room = (n + team - 1) / team;
        if constexpr (cluster) { /* the same places in all blocks */
            barriers = shared_address(memory), slots = (unsigned long long *)memory + 2;
            memory = slots + 2 * n * message::words;
            if (rank == 0) begin_arrivals(barriers), begin_arrivals(barriers + 8);
            cluster_barrier();
        }
        a = (number *)memory, v = a + room * wide, w = v + wide, x = w + wide, parts = x + wide;
        head = parts + room * classes, tau = head + 2, divisor = tau + 1;
        forms = (real *)(divisor + 1), beta = forms + warps + 1, own_largest = beta + 1;
        if constexpr (!cluster)
            slots = (unsigned long long *)job.slots + (int64_t)(blockIdx.x / team) * TEAM_TURNS * n * message::words;
    }

    __device__ __forceinline__ unsigned long long *slot(unsigned of, int r) const
    {
        return slots + (int64_t)((of % (cluster ? 2 : TEAM_TURNS)) * n + r) * message::words;
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

    /* Rows first + rank, first + rank + threads, ... of this turn. */
    __device__ __forceinline__ void receive(int first, message (&m)[most]) const
    {
        if constexpr (cluster) {
            if (rank == 0) expect_bytes(barriers + 8 * (turn % 2), (unsigned)((n - first) * sizeof(message)));
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
#pragma unroll
            for (int c = 0; c < most; ++c) {
                int const r = first + rank + c * threads;
                there[c] = r >= n || look(slot(turn, r), m[c]);
            }
#pragma unroll
            for (int c = 0; c < most; ++c)
                while (!there[c]) there[c] = look(slot(turn, first + rank + c * threads), m[c]);
        }
    }

    /* All blocks have read the turn before the last: marks come back into this block's slots of it, rows from `first`
     * on; by a warp. */
    __device__ __forceinline__ void mark(int first) const
    {
        for (int i = lane; i < rows; i += 32) {
            int const r = block + i * team;
            if (r < first) continue;
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
    __device__ real load(int64_t m)
    {
        const number *const from = (const number *)job.from + m * job.from_stride;
        real big = 0;
        bool finite = true;
        if (!cluster && turn > 1 && warp == warps) {
            mark(n - 2);
            __threadfence();
        }
        for (int i = 0; i < rows; ++i)
            for (int j = rank; j < wide; j += all_threads) {
                int const r = block + i * team;
                number const z = j < n ? entry(from, r, j) : zero_of<number>();
                real const largest = real_limits<real>::largest;
                finite = finite && fabs(z.re) <= largest && fabs(imaginary(z)) <= largest;
                big = fmax(big, larger_part(z));
                a[i * wide + j] = z;
            }
        for (int j = rank; j < 3 * wide; j += all_threads) v[j] = zero_of<number>();
        if (job.scaled) {
            __syncthreads(); /* the rows are there */
            return 1;
        }
        for (int across = 16; across > 0; across /= 2) big = fmax(big, __shfl_xor_sync(0xffffffffu, big, across));
        if (lane == 0) forms[warp] = big;
        finish_load_sync(finite, big);
        real const unit = unit_of_team(m, big);
        real const inverse = pow2_inverse(unit == unit ? unit : (real)1);
        for (int i = 0; i < rows; ++i)
            for (int j = rank; j < wide; j += all_threads)
                a[i * wide + j] = unit == unit ? scaled(inverse, a[i * wide + j]) : zero_of<number>();
        __syncthreads(); /* the rows are there */
        return unit;
    }

    __device__ __forceinline__ void finish_load_sync(bool finite, real &big) const
    {
        finite = !__syncthreads_or(!finite);
        big = forms[0];
        for (int k = 1; k <= warps; ++k) big = fmax(big, forms[k]);
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
        for (int b = rank; b < team; b += all_threads) {
            real other = of[b];
            while (is_mark(other)) other = of[b];
            finite = finite && other == other;
            all = fmax(all, other == other ? other : (real)0);
        }
        __syncthreads(); /* forms is free */
        for (int across = 16; across > 0; across /= 2) all = fmax(all, __shfl_xor_sync(0xffffffffu, all, across));
        if (lane == 0) forms[warp] = all;
        finish_load_sync(finite, all);
        return all == all ? heev_unit(all) : all;
    }
    static __device__ __forceinline__ bool is_mark(double z)
    {
        return __double_as_longlong(z) == -1;
    }
    static __device__ __forceinline__ bool is_mark(float z)
    {
        return __float_as_int(z) == -1;
    }

    /* ------------------------------------------------------------------ multiply */

    /* Columns j, j + 32 classes, ...: `columns` of them. */
    template <int R, int columns>
    __device__ __forceinline__ void multiply_columns(const int (&at)[R], int j, const number (&vr)[R],
                                                     const number (&wr)[R], number (&y)[R]) const
    {
        number z[columns][R], vj[columns], wj[columns], xj[columns];
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            int const k = j + c * 32 * classes;
            vj[c] = v[k], wj[c] = w[k], xj[c] = x[k];
#pragma unroll
            for (int t = 0; t < R; ++t) z[c][t] = a[at[t] + k];
        }
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int t = 0; t < R; ++t) {
                z[c][t] = conj_product_add(vj[c], wr[t], conj_product_add(wj[c], vr[t], z[c][t]));
                y[t] = product_add(z[c][t], xj[c], y[t]);
            }
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int t = 0; t < R; ++t) a[at[t] + j + c * 32 * classes] = z[c][t];
    }

    /* Rows i, ..., i + R - 1 of the block and columns of a class.  Where the block has fewer rows, its last one comes
     * several times, with the same numbers. */
    template <int R> __device__ __forceinline__ void multiply_rows(int first, int i, int of) const
    {
        number y[R], vr[R], wr[R];
        int at[R];
#pragma unroll
        for (int t = 0; t < R; ++t) {
            int const own = min(i + t, rows - 1), r = block + own * team;
            at[t] = own * wide, vr[t] = negative(v[r]), wr[t] = negative(w[r]), y[t] = zero_of<number>();
        }
        int const q0 = first / 32;
        int j = 32 * (q0 + ((of - q0) & (classes - 1))) + lane;
        if constexpr (R * sizeof(number) <= 32)
#pragma unroll 1
            for (; j + 32 * classes < wide; j += 64 * classes) multiply_columns<R, 2>(at, j, vr, wr, y);
#pragma unroll 1
        for (; j < wide; j += 32 * classes) multiply_columns<R, 1>(at, j, vr, wr, y);
        number const total = warp_totals<R>(lane, y);
        int const t = lane / (32 / R);
        if (lane % (32 / R) == 0 && i + t < rows) parts[(i + t) * classes + of] = total;
    }

    __device__ __forceinline__ int first_row(int first) const
    {
        return first > block ? (first - block + team - 1) / team : 0;
    }

    template <int R> __device__ __forceinline__ void multiply_all(int first, int begin) const
    {
        int const items = (rows - begin + R - 1) / R * classes;
#pragma unroll 1
        for (int k = warp; k < items; k += warps) multiply_rows<R>(first, begin + k / classes * R, k % classes);
    }

    /* A - v w^H - w v^H from row and column `first` on, and its product with x in parts. */
    __device__ __forceinline__ void multiply(int first) const
    {
        int const begin = first_row(first), share = (rows - begin) * classes;
        if (chunk == 2 || share <= 2 * warps)
            multiply_all<2>(first, begin);
        else if (chunk == 4 || share <= 4 * warps)
            multiply_all < chunk<4 ? 2 : 4>(first, begin);
        else
            multiply_all<chunk>(first, begin);
    }

    /* The reflector that takes x to beta e_1; by a warp. */
    __device__ __forceinline__ void reflect(int first) const
    {
        real rest = 0, more = 0;
        int r = first + 1 + lane;
        for (; r + 32 < n; r += 64) rest += square(x[r]), more += square(x[r + 32]);
        if (r < n) rest += square(x[r]);
        reflector_by_division<number> const h(x[first], warp_sum(rest + more));
        if (lane == 0) *beta = h.beta, *tau = h.tau, *divisor = h.divisor;
    }

    /* Numbers of the own rows: of A x, and of column `first`. */
    __device__ __forceinline__ void send_rows(int first) const
    {
        int const peers = cluster ? team : 1;
        for (int peer = cluster ? warp : 0; peer < peers; peer += warps)
            for (int i = first_row(first) + (cluster ? lane : rank); i < rows; i += cluster ? 32 : threads)
                send(block + i * team, first > 0 ? total_of<classes>(parts + i * classes) : zero_of<number>(),
                     a[i * wide + first], peer);
    }
    template <int count> static __device__ __forceinline__ number total_of(const number *p)
    {
        if constexpr (count == 1)
            return p[0];
        else
            return sum(total_of<count / 2>(p), total_of<count / 2>(p + count / 2));
    }

    /* -------------------------------------------------------------------- finish */

    /* Column `first` of A has come, and A x: ends step first - 1, if first is not 0, and makes x of column `first`. */
    __device__ __forceinline__ void finish(int first, real *d, number *keep)
    {
        message m[most];
        number own_x[most];
        real form = 0;
        if (warp < warps) {
            receive(first, m);
#pragma unroll
            for (int c = 0; c < most; ++c) {
                int const r = first + rank + c * threads;
                if (r >= n) m[c].pair[0] = m[c].pair[1] = zero_of<number>();
                own_x[c] = r < n ? x[r] : zero_of<number>();
                form += real_dot(own_x[c], m[c].pair[0]);
            }
            form = warp_sum(form);
            if (lane == 0) forms[warp] = form;
            if (rank == 0) head[0] = m[0].pair[0], head[1] = m[0].pair[1];
        }
        __syncthreads(); /* all has been received; the form in parts */
        if (warp < warps) end_step(first, m, own_x, d, keep);
        __syncthreads(); /* v, w, x */
    }

    __device__ __forceinline__ void end_step(int first, const message (&m)[most], const number (&own_x)[most], real *d,
                                             number *keep) const
    {
        reflector_of_step const h = {*beta, *tau, *divisor};
        real form = ::total_of<warps>(forms);
        bool const reflects = first > 0 && h.tau.re != 0;
        number const by = h.divisor, factor = product_add(h.tau, by, zero_of<number>()), top = head[0];
        real const end = h.beta, corner = head[1].re;
        form = square(by) * fma(end, fma(end, corner, -2 * top.re), form); /* u^H A u */
        real const more = (real)-0.5 * square(h.tau) * form;
        number edge, pivot;
        set(edge, fma(-end, corner, top.re), imaginary(top));
        set(pivot, more, (real)0);
        pivot = product_add(factor, edge, pivot);
#pragma unroll
        for (int c = 0; c < most; ++c) {
            int const r = first + rank + c * threads;
            if (r >= n) continue;
            number z = m[c].pair[1], u = zero_of<number>(), own_w = u;
            if (reflects) {
                number const y = scaled_add(-end, z, m[c].pair[0]);
                u = product_add(by, own_x[c], u);
                if (r == first) set(u, (real)1, (real)0);
                own_w = r == first ? pivot : product_add(factor, y, scaled(more, u));
                z = conj_product_add(negative(pivot), u, z);
                z = sum(z, negative(own_w));
            }
            if (first > 0) v[r] = u, w[r] = own_w;
            if (keep) store_number(keep + r, u);
            x[r] = r == first ? zero_of<number>() : z;
            if (r == first && d) *d = z.re;
        }
    }

    __device__ void run(int64_t m)
    {
        real *const d = block == 0 ? (real *)job.d + m * job.row : NULL, *const e = (real *)job.e + m * job.row;
        number *const taus = job.tau ? (number *)job.tau + m * job.row : NULL;
        number *const keep = job.keep ? (number *)job.keep + m * job.keep_stride : NULL;
        if (warp < warps) send_rows(0);
        finish(0, d, NULL), ++turn;
        for (int k = 0; k < n - 1; ++k) {
            if (warp < warps) {
                multiply(k + 1);
            } else {
                if (!cluster && turn > 1) mark(k > 0 ? k - 1 : 0);
                reflect(k + 1);
                if (block == 0 && lane == 0) {
                    e[k] = *beta;
                    if (taus) taus[k] = *tau;
                }
                if (!cluster) __threadfence(); /* the marks are seen before what is sent now */
            }
            __syncthreads(); /* A x in parts, and the reflector */
            if (warp < warps) send_rows(k + 1);
            bool const keeps = keep && k % team == block;
            finish(k + 1, d ? d + k + 1 : NULL, keeps ? keep + k * job.keep_pitch : NULL), ++turn;
        }
        if (block == 0 && rank == 0) e[n - 1] = 0;
    }
};

template <typename number, int warps, int most, int classes, bool cluster>
static __global__ void __launch_bounds__(32 * warps + 32) heev_team_kernel(team_job job)
{
    extern __shared__ double team_memory[];
    team_reduction<number, warps, most, classes, cluster> t;
    t.job = job;
    t.carve(team_memory);
    int64_t const teams = gridDim.x / job.team;
    for (int64_t m = blockIdx.x / job.team; m < job.count; m += teams) {
        typename number::real const unit = t.load(m);
        t.run(m);
        if (!job.scaled && t.block == 0 && threadIdx.x == 0) ((typename number::real *)job.unit)[m] = unit;
        __syncthreads(); /* the shared memory is free */
    }
}

#endif
