/* geev on CUDA, kernel 2 for many matrices of double: as geev_qr.cu, but a block takes a tile, in which one warp makes
 * the reflectors of all matrices and the others apply them.
 *
 * Rounds   the leader deflates and finds the next shifts by itself; then all warps sweep.
 * Memory   tiles are as large as two of them fit a multiprocessor: what a block waits for, another one fills. */
#include "geev/team/geev_chase.cuh"
#include "geev/team/geev_qr_tile.cuh"
#include "primitives/copy.cuh"

/* One sweep of a tile of up to 32 matrices by a block.
 *
 * Leader    warp 0, a lane a matrix, holds the 3 x 3 block under the bulge and the column beside it.  In step k it
 *           takes them through reflector k and makes reflector k+1, which it leaves in shared memory.
 * Followers the other warps, a lane a matrix too, take the other rows and columns through reflector k meanwhile, with
 * slots as
 *           in geev_chase.cuh.  All lanes of a warp have the same indices: what a slot is at step k is known to a whole
 *           warp.
 * Steps     end with a barrier of the block.  The two entries that the next reflectors changed in a column go to shared
 *           memory when the leader takes the column over, a step before it reads them; what the leader leaves of row k
 *           is read by the row's follower a step later.
 * Order     the arithmetic of an entry is that of geev_chase.cuh: same bits. */

/* The threads of a tile of M matrices: W warps, the first of which leads.  Lanes M to 31 look at matrix 0, and change
 * nothing. */
template <int M, int W> struct lead_team {
    static constexpr int size = W, matrices = M, threads = 32 * W;
    int g, r, thread;
    bool owns;

    __device__ __forceinline__ lead_team()
        : g(threadIdx.x % 32 < M ? threadIdx.x % 32 : 0), r(threadIdx.x / 32), thread(threadIdx.x),
          owns(M == 32 || threadIdx.x % 32 < M)
    {
    }
};

/* What the leader tells, in the block's dynamic shared memory: two reflectors in turn; the next sweep, whose end is -1
 * when there is none; then the matrices' windows. */
template <typename real, int M> struct lead_shared {
    real t[2][5][M];
    int word[M]; /* the largest upper words */
    int i[M], info[M];
    bool waits[M];
    int begin, end;
};

template <typename real, int M> static __device__ __forceinline__ lead_shared<real, M> *shared_at(int offset)
{
    return (lead_shared<real, M> *)(qr_memory + offset);
}

/* The place of reflector k of matrix g. */
template <typename real, int M> static __device__ __forceinline__ int ring_place(int shared, int k, int g)
{
    return shared + (k & 1) * (5 * M * (int)sizeof(real)) + g * (int)sizeof(real);
}

template <int M, typename real>
static __device__ __forceinline__ void tell(int shared, int k, int g, bool owns, const reflector3<real> &t)
{
    real *const to = (real *)(qr_memory + ring_place<real, M>(shared, k, g));
    if (!owns) return;
    to[0] = t.u1, to[M] = t.u2, to[2 * M] = t.tau, to[3 * M] = t.t1, to[4 * M] = t.t2;
}

template <typename real, int M> static __device__ __forceinline__ reflector3<real> heard(int shared, int k, int g)
{
    const real *const from = (const real *)(qr_memory + ring_place<real, M>(shared, k, g));
    return reflector3<real>{from[0], from[M], from[2 * M], from[3 * M], from[4 * M]};
}

/* An offset that stays in its register, and is not computed again for each slot. */
static __device__ __forceinline__ int kept(int offset)
{
    asm("" : "+r"(offset));
    return offset;
}

/* To the next row. */
static __device__ __forceinline__ void advance(qr_cursor &c, int unit)
{
    c.row0 = c.row1, c.row1 = c.row2;
    c.row2 += c.down - 2 * unit, c.down -= unit, c.column += unit;
    ++c.k;
}

/* ------------------------------------------------------------------ the leader */

/* The state of a matrix, and the rows whose subdiagonal entries are small beside their diagonal entries: where
 * francis_may_deflate holds, and perhaps more. */
template <typename real> struct lead_state : qr_state<real, 1, 1> {
    unsigned likely;
    real tiny;
    real diagonal, below; /* h[k-1][k-1] and h[k][k-1] after the sweep, k the row of the step */
};

/* Column k+2 beside the block: rows k..k+2, and the entry below them. */
template <typename real> struct lead_column {
    real x[3], sub;
};

/* The block at row c.k and the column beside it, before the first step. */
template <typename real, int G>
static __device__ __forceinline__ lead_column<real> load_block(lead_state<real> &q, qr_entries<real, G> h,
                                                               const qr_cursor &c)
{
    constexpr int unit = qr_entries<real, G>::unit;
    int const at = c.row0 + c.column, below = c.row1 + c.column, last = c.row2 + c.column;
    q.b00 = h.at(at), q.b01 = h.at(at + unit), q.b10 = h.at(below), q.b11 = h.at(below + unit);
    q.b20 = 0, q.b21 = h.at(last + unit);
    q.v0 = q.v1 = q.v2 = 0, q.diagonal = q.below = 0;
    return {{h.at(at + 2 * unit), h.at(below + 2 * unit), h.at(last + 2 * unit)}, h.at(last + c.down)};
}

/* Rows end-3 and end-2, which no follower has, in the last two steps. */
template <typename real, int G>
static __device__ __forceinline__ void last_rows(qr_entries<real, G> h, const qr_cursor &c, bool owns,
                                                 const reflector3<real> &t)
{
    constexpr int unit = qr_entries<real, G>::unit;
    int at = c.row0 - c.down - unit + c.column; /* (k-1, k) */
#pragma unroll 1
    for (int row = c.k - 1; row >= c.end - 3 && row >= 0; --row) {
        real x0 = h.at(at), x1 = h.at(at + unit), x2 = h.at(at + 2 * unit);
        t.apply(x0, x1, x2);
        if (owns) h.at(at) = x0, h.at(at + unit) = x1;
        if (owns && c.k + 2 <= c.end) h.at(at + 2 * unit) = x2;
        at -= c.down + (c.k - row + 1) * unit;
    }
}

/* Row k has its last values: is its subdiagonal entry to be tested? */
template <typename real> static __device__ __forceinline__ void look_at_row(lead_state<real> &q, int k)
{
    real const sum = fabs(q.diagonal) + fabs(q.b00);
    bool const likely = !(fabs(q.below) > fma(real_limits<real>::eps, sum, q.tiny)) || sum == 0;
    q.likely |= (unsigned)likely << k;
    q.diagonal = q.b00;
}

/* Matrices whose sweep begins in row k; at: of entry (k, k-1). */
template <typename real, typename team_type>
static __device__ __forceinline__ reflector3<real>
enter(team_type team, lead_state<real> &q, qr_entries<real, team_type::matrices> h, int k, int at, bool begins)
{
    bool const enters = begins && k == q.m;
    if (enters) q.v0 = q.first0, q.v1 = q.first1, q.v2 = q.first2;
    next_reflector<real> const made = begin_reflector(q, k);
    reflector3<real> const t = finish_reflector(team, q, h, k, at, true, made);
    if (enters && q.m > q.l) h.at(at) *= 1 - t.tau;
    return t;
}

/* Step k: the block and the column beside it through reflector t; row k leaves the block.  t becomes reflector k+1. */
template <typename real, typename team_type>
static __device__ __forceinline__ void lead_step(team_type team, lead_state<real> &q,
                                                 qr_entries<real, team_type::matrices> h, const qr_cursor &c,
                                                 bool begins, int &stop, lead_column<real> &column, reflector3<real> &t)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
    int const at = c.row0 + c.column, next = 3 * unit, row3 = c.row2 + c.down - 2 * unit;
    real beside = h.at(at + next);
    lead_column<real> after = {
        {h.at(c.row1 + c.column + next), h.at(c.row2 + c.column + next), h.at(row3 + c.column + next)},
        h.at(row3 + c.down - 3 * unit + c.column + next)};
    real f[3];
    transform_block(q, t, column.x, column.sub, f);
    t.apply(beside, after.x[0], after.x[1]);
    if (team.owns) h.at(at) = q.b00;
    if (team.owns) h.at(at + unit) = q.b01;
    if (team.owns & (c.k + 2 <= c.end)) h.at(at + 2 * unit) = column.x[0];
    if (team.owns & (c.k + 3 <= c.end)) h.at(at + next) = beside;
    look_at_row(q, c.k);
    q.v0 = q.b10, q.v1 = q.b20, q.v2 = f[0];
    q.b00 = q.b11, q.b01 = column.x[1], q.b10 = q.b21, q.b11 = column.x[2], q.b20 = f[1], q.b21 = f[2];
    column = after;

    int const k = c.k + 1, below = c.row1 + c.column;
    next_reflector<real> made = begin_reflector(q, k);
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    bool const tiny = made.acts && made.square < least;
    bool done = false;
    if (__any_sync(0xffffffffu, tiny || k == stop || k + 1 >= c.end)) {
        if (k + 1 >= c.end) last_rows(h, c, team.owns, t);
        if (k == stop && k < c.end) {
            made.t = enter(team, q, h, k, below, begins), done = true;
            q.likely |= 1u << k; /* its entry is not in made */
            stop = warp_min(begins && q.m > k ? q.m : c.end);
        } else if (tiny) {
            real beta;
            made.t = tiny_reflector(q.v0, q.v1, q.v2, &beta);
            made.sub = beta;
        }
    }
    bool const final = !done && (unsigned)(k - 1 - q.m) < (unsigned)(q.i - q.m); /* rows m+1 to i */
    if (final && k < c.end) h.at(below) = made.sub;
    if (final && upper_word(made.sub) < q.small_word) q.small |= 1u << k;
    q.below = made.sub;
    t = made.t;
}

/* A sweep of the matrices that begin one, from row c.k to row c.end. */
template <typename real, typename team_type>
static __device__ __forceinline__ void
lead(team_type team, lead_state<real> &q, qr_entries<real, team_type::matrices> h, bool begins, int shared, qr_cursor c)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit, M = team_type::matrices;
    lead_column<real> column = load_block(q, h, c);
    reflector3<real> t = enter(team, q, h, c.k, c.row0 + c.column - unit, begins);
    int stop = warp_min(begins && q.m > c.k ? q.m : c.end);
    tell<M>(shared, c.k, team.g, team.owns, t);
    __syncthreads(); /* the first reflector is there */
#pragma unroll 1
    while (c.k < c.end) {
        lead_step(team, q, h, c, begins, stop, column, t);
        advance(c, unit);
        tell<M>(shared, c.k, team.g, team.owns, t);
        __syncthreads();
    }
    look_at_row(q, c.end);
    /* Row `end` is still in the block. */
    if (begins && q.i == c.end) h.at(c.row0 + c.column - unit) = q.v0, h.at(c.row0 + c.column) = q.b00;
    __syncthreads(); /* the sweep is done */
}

/* deflate() of geev_qr_state.cuh by the leader alone. */
template <typename real, int G>
static __device__ __forceinline__ bool deflate_alone(lead_state<real> &q, qr_entries<real, G> h)
{
    bool looks = q.waits;
    while (__any_sync(0xffffffffu, looks)) {
        unsigned const tested = looks ? q.small & q.likely & rows_between<unsigned>(q.l + 1, q.i) : 0u;
        unsigned const found = negligible_rows(q, h, tested);
        clear_rows(h, q.n, found);
        if (looks) looks = split_all(q, found);
    }
    return q.waits;
}

/* --------------------------------------------------------------- the followers
 *
 * Slot s of follower r is place p = s P + r.  At step k it is row p where p < k, else column p + 4: rows and columns
 * beside the block fill the places 0..end-4 without a gap.  Rows end-3 and end-2 are the leader's. */

template <typename real, int S> struct lead_slots {
    real x0[S], x1[S], x2[S]; /* as in qr_state; x2 is loaded in each step */
    int row[S];
};

template <int P, typename real, int S, typename team_type>
static __device__ __forceinline__ void load_slots(team_type team, lead_slots<real, S> &q,
                                                  qr_entries<real, team_type::matrices> h, const qr_cursor &c)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
#pragma unroll
    for (int s = 0; s < S; ++s) {
        int const p = s * P + team.r - 1;
        bool const is_row = p < c.k;
        q.x0[s] = q.x1[s] = q.x2[s] = 0;
        if (p > c.end - 4) continue;
        q.x0[s] = h.at(is_row ? q.row[s] + c.column : c.row0 + (p + 4) * unit);
        q.x1[s] = h.at(is_row ? q.row[s] + c.column + unit : c.row1 + (p + 4) * unit);
    }
}

/* Step k, whose place k is in slot B. */
template <int B, int P, typename real, int S, typename team_type>
static __device__ __forceinline__ void follow_step(team_type team, lead_slots<real, S> &q,
                                                   qr_entries<real, team_type::matrices> h, const qr_cursor &c,
                                                   const reflector3<real> &t, int most)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit, across = P * unit;
    int const r = team.r - 1, j = c.k - B * P, shift = (r + 4) * unit;
    int const col0 = kept(c.row0 + shift), col2 = kept(c.row2 + shift);
    int here[S];
#pragma unroll
    for (int s = 0; s < S; ++s) {
        bool const is_row = s < B || (s == B && r < j), inside = s < B - 1 || s * P <= most;
        here[s] = is_row ? q.row[s] + c.column : col0 + s * across;
        if (inside) q.x2[s] = h.at(is_row ? here[s] + 2 * unit : col2 + s * across);
        /* The row that left the block in the step before. */
        if ((s == B && inside & (r == j - 1)) || (s == B - 1 && inside & (r - P == j - 1)))
            q.x0[s] = h.at(here[s]), q.x1[s] = h.at(here[s] + unit);
    }
#pragma unroll
    for (int s = 0; s < S; ++s) {
        bool const inside = s < B - 1 ? team.owns : s * P <= most;
        real x0 = q.x0[s], x1 = q.x1[s], x2 = q.x2[s];
        t.apply(x0, x1, x2);
        if (inside) h.at(here[s]) = x0;
        if (s == B && r == j && inside) { /* the column that enters the block next */
            h.at(c.row1 + shift + s * across) = x1;
            h.at(col2 + s * across) = x2;
        }
        q.x0[s] = x1, q.x1[s] = x2;
    }
}

template <int B, int P, typename real, int S, typename team_type>
static __device__ __forceinline__ void follow_from(team_type team, lead_slots<real, S> &q,
                                                   qr_entries<real, team_type::matrices> h, qr_cursor &c, int shared)
{
    constexpr int unit = qr_entries<real, team_type::matrices>::unit;
    int const last = c.end < (B + 1) * P || B == S ? c.end : (B + 1) * P;
    int const most = team.owns ? c.end - 4 - (team.r - 1) : -1; /* slots s with s P up to this one have work */
#pragma unroll 1
    while (c.k < last) {
        follow_step<B, P>(team, q, h, c, heard<real, team_type::matrices>(shared, c.k, team.g), most);
        advance(c, unit);
        __syncthreads();
    }
    if constexpr (B < S)
        if (c.k < c.end) follow_from<B + 1, P>(team, q, h, c, shared);
}

template <int P, typename real, int S, typename team_type>
static __device__ __forceinline__ void follow(team_type team, lead_slots<real, S> &q,
                                              qr_entries<real, team_type::matrices> h, int shared, qr_cursor c)
{
    load_slots<P>(team, q, h, c);
    follow_from<0, P>(team, q, h, c, shared);
    /* The rows' entries in column `end` are in registers. */
#pragma unroll
    for (int s = 0; s < S; ++s)
        if (s * P + team.r - 1 <= c.end - 4 && team.owns) h.at(q.row[s] + c.column) = q.x0[s];
}

/* Sends the tile's matrices on their way to shared memory. */
template <typename real, typename team_type>
static __device__ __forceinline__ void send_tile(team_type team, const geev_slice &slice, int64_t matrix, int entries,
                                                 real *tile)
{
    const real *const packed = geev_packed_matrix<real>(slice, matrix);
    for (int e = team.r; e < entries && team.owns; e += team_type::size)
        copy_number(&tile[e * team_type::matrices + team.g], &packed[(int64_t)e * slice.tile]);
    copy_end();
}

/* The largest upper word of each matrix, to all of its threads; word: 0 before. */
template <typename team_type, typename real>
static __device__ __forceinline__ int largest_of(team_type team, const real *matrix, int entries, int *word)
{
    int most = 0;
    for (int e = team.r; e < entries; e += team_type::size) {
        int const here = upper_word(matrix[e * team_type::matrices]);
        most = here > most ? here : most;
    }
    atomicMax(&word[team.g], most);
    __syncthreads();
    return word[team.g];
}

/* The cursor at the beginning of the sweep that was told. */
template <typename real, int M>
static __device__ __forceinline__ qr_cursor first_step(qr_entries<real, M> h, int n, int begin, int end)
{
    constexpr int unit = qr_entries<real, M>::unit;
    int const row = h.base + place_of(n, begin, 0) * unit, down = (n - begin) * unit;
    return {begin, end, row, row + down, row + 2 * down - unit, down, begin * unit};
}

/* All sweeps of a tile, by its leader. */
template <typename real, typename team_type>
static __device__ __forceinline__ void lead_tile(team_type team, lead_state<real> &q,
                                                 qr_entries<real, team_type::matrices> h, const geev_slice &slice,
                                                 int place)
{
    auto *const shared = shared_at<real, team_type::matrices>(place);
    bool begins = slice.stage > 0 ? q.waits : deflate_alone(q, h);
    while (__any_sync(0xffffffffu, q.waits && q.i >= slice.stop)) {
        if (begins) {
            begin_sweep(q, h);
            q.likely = (q.likely & ~rows_between<unsigned>(q.m + 1, q.i)) | 1u << q.m;
        } else {
            q.m = q.i;
        }
        int const begin = warp_min(begins ? q.m : GEEV_MOST), end = warp_max(begins ? q.i : 0);
        shared->begin = begin, shared->end = end;
        lead(team, q, h, begins, place, first_step(h, q.n, begin, end));
        begins = deflate_alone(q, h);
    }
    shared->end = -1;
    if (team.owns) shared->i[team.g] = q.i, shared->waits[team.g] = q.waits, shared->info[team.g] = q.info;
    __syncthreads();
}

/* The same by a follower. */
template <int W, int S, typename real, typename team_type>
static __device__ __forceinline__ void follow_tile(team_type team, lead_state<real> &q,
                                                   qr_entries<real, team_type::matrices> h, int place)
{
    auto *const shared = shared_at<real, team_type::matrices>(place);
    lead_slots<real, S> slots;
#pragma unroll
    for (int s = 0; s < S; ++s) slots.row[s] = h.base + place_of(q.n, s * (W - 1) + team.r - 1, 0) * h.unit;
    for (;;) {
        __syncthreads();
        int const end = shared->end;
        if (end < 0) break;
        follow<W - 1>(team, slots, h, place, first_step(h, q.n, shared->begin, end));
        __syncthreads(); /* the sweep is done */
    }
    q.i = shared->i[team.g], q.waits = shared->waits[team.g], q.info = shared->info[team.g];
}

template <typename real, int M, int W, int S>
static __global__ void __launch_bounds__(32 * W) lead_kernel(geev_slice slice)
{
    __shared__ unsigned long long number;
    lead_team<M, W> const team;
    int const n = slice.order, entries = n * (n + 1) / 2 + n - 1, space = tile_entries(n, n);
    int const place = kept(space * M * (int)sizeof(real));
    auto *const shared = shared_at<real, M>(place);
    real *const tile = (real *)qr_memory;
    for (int e = entries * M + team.thread; e < space * M; e += team.threads) tile[e] = 0;
    for (;;) {
        if (team.thread == 0) number = atomicAdd(&slice.queue->iterate[slice.stage], 1ull);
        if (team.thread < M) shared->word[team.thread] = 0;
        __syncthreads();
        int64_t const first = (int64_t)number * M, mine = first + team.g;
        if (first >= slice.count) return;
        bool const there =
            team.owns && mine < slice.count; /* the others load the first matrix, and do nothing with it */
        send_tile(team, slice, there ? mine : first, entries, tile);
        geev_record record = {1, 0, -1, 0, 0, 0};
        if (there) record = slice.records[mine];
        geev_progress progress = whole_matrix(record, 0);
        if (slice.stage > 0 && there) progress = slice.progress[mine];
        copy_wait<0>();
        __syncthreads(); /* the tile is loaded */
        if (slice.stage == 0)
            progress.small_word = largest_of(team, tile + team.g, entries, shared->word) - qr_flags<real>::step;
        qr_entries<real, M> const h = {(int)((char *)(tile + team.g) - qr_memory)};
        lead_state<real> q;
        begin_matrix(team, q, slice, h.base, record, progress);
        q.likely = ~0u;
        q.tiny = real_limits<real>::safmin * ((real)(q.hi - q.lo + 1) / real_limits<real>::eps);
        int const last = slice.stage > 0 ? q.i : n - 1;
        if (team.r == 0)
            lead_tile(team, q, h, slice, place);
        else
            follow_tile<W, S>(team, q, h, place);
        if (there) leave_matrix(team, slice, mine, q, last, tile);
        __syncthreads(); /* results are read before the next tile comes */
    }
}

/* --------------------------------------------------------------- launchers */

template <typename real, int M, int W, int S>
static eig_status launch_lead(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const tiles = (slice.count + M - 1) / M;
    size_t const bytes =
        (size_t)tile_entries(slice.order, slice.order) * M * sizeof(real) + sizeof(lead_shared<real, M>);
    auto const kernel = lead_kernel<real, M, W, S>;
    eig_status const status = eig_cuda_allow_shared(ctx, (const void *)kernel);
    if (status != EIG_OK) return status;
    int each = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 32 * W, bytes));
    int64_t const room = (int64_t)(each > 0 ? each : 1) * state->multiprocessors;
    return cuda_launch(ctx, "geev: lead_kernel", stream, {tiles < room ? tiles : room, 32 * W, bytes}, kernel, slice);
}

/* For orders up to `most`: W warps, of which a follower has S slots. */
template <int most, int W>
static eig_status launch_order(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    constexpr int P = W - 1, S = (most - 4 + P - 1) / P;
    constexpr int M = most <= 28 ? 32 : most <= 30 ? 28 : 24; /* geev_lead_matrices */
    return launch_lead<double, M, W, S>(ctx, slice, stream);
}

/* Measured on an H100. */
eig_status eig_cuda_geev_lead_d(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    if (slice.order <= 16) return launch_order<16, 3>(ctx, slice, stream);
    if (slice.order <= 20) return launch_order<20, 4>(ctx, slice, stream);
    if (slice.order <= 25) return launch_order<25, 4>(ctx, slice, stream);
    if (slice.order <= 28) return launch_order<28, 4>(ctx, slice, stream);
    if (slice.order <= 30) return launch_order<30, 4>(ctx, slice, stream);
    return launch_order<32, 4>(ctx, slice, stream);
}
