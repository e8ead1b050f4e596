/* stemr on CUDA: pencils of clusters (stemr_pencil.cuh), from T~.
 *
 *   rows      a thread a chunk of CHUNK rows: the first one stays, the others go where they can
 *   records   what has stayed once more, one after the other, now without chunks: a thread a cluster
 *
 * A cluster has no pencil if it, or T, is small, if it is wide beside what the pencil's two powers of x reach, or if
 * too many rows stay.  It is given up (eig_cuda_stemr_leave_pencils) if its members' gaps are too narrow for the
 * pencil's entries.
 *
 * Mapping   a block a cluster.  Chain: CHUNK rows, and all records.
 * Memory    STEMR_KEPT_ROWS n rows for what stays, since a pencil has at most this many a member; the blocks' records.
 * Bits      a pencil depends on T~ and on the cluster's first brackets alone. */
#include "stemr_pencil.cuh"

#include "cuda/crossovers.h"

#include <limits.h>

enum { ROOM = 8, THREADS = 128, BLOCKS = 64 };

/* A row goes if its pivot is this large beside its derivative, and if z^2 there is at most MOST_LENGTH times z^2 of its
 * neighbours. */
#define LEAST_PIVOT 0x1p-20
#define LEAST_BY_WIDTH 0x1p25 /* times the cluster's width: the next power of x then adds a few eps */
#define MOST_LENGTH 64.0
#define MOST_WIDTH 0x1p-30 /* of a cluster */

/* ---------------------------------------------------------------- elimination */

/* Rows are handed over one after the other; the last one that stays waits for what the next ones do to it. */
struct squeezer {
    double least;
    stemr_kept last;
    bool any;
    stemr_pencil add; /* to the diagonal of the next row */
    int below;
};

static __device__ squeezer empty(double least)
{
    squeezer s = {};
    s.least = least;
    return s;
}

static __device__ bool can_go(double least, double f, const stemr_pencil &d, double h)
{
    double const length = fabs(d.c1), square = d.c0.hi * d.c0.hi;
    return fabs(d.c0.hi) >= least * length && fmax(f * f, h * h) * length <= MOST_LENGTH * square;
}

/* Takes the next row; a is its diagonal element, h couples it to the row after it.  *back: what brings it back, if it
 * goes.  Else emit(the last row that stays). */
template <typename emitter>
static __device__ __forceinline__ bool push(squeezer &s, const stemr_pencil &a, const stemr_pencil &h, int row,
                                            bool stays, stemr_return *back, emitter emit)
{
    stemr_pencil const d = stemr_sum(a, s.add);
    if (!stays && can_go(s.least, s.last.f.c0.hi, d, h.c0.hi)) {
        stemr_pencil const inverse = stemr_one_over(d), f = stemr_product(s.last.f, inverse),
                           g = stemr_product(h, inverse);
        s.last.a = stemr_sum(s.last.a, stemr_minus(stemr_product(s.last.f, f)));
        s.add = stemr_minus(stemr_product(h, g));
        s.last.f = stemr_minus(stemr_product(s.last.f, g));
        s.below += d.c0.hi < 0;
        *back = stemr_return{f.c0.hi, f.c1, g.c0.hi, g.c1};
        return true;
    }
    if (s.any) emit(s.last);
    s.last.a = d, s.last.f = h, s.last.row = row, s.any = true;
    s.add = stemr_constant(0);
    return false;
}

/* ------------------------------------------------------------------- a block */

struct pencil_args {
    stemr_task t;
    stemr_forest f;
    int first, last;    /* nodes */
    bool make, returns; /* what brings rows back goes to a slot for each node from first on, if there is one */
};

/* What a block needs while it works on a cluster. */
struct block_room {
    stemr_kept *record;  /* [chunks][ROOM] */
    stemr_pencil *carry; /* [chunks] to the first row of the next one */
    int *count;          /* [chunks] */
};

static size_t block_bytes(int64_t n)
{
    size_t const each = ROOM * sizeof(stemr_kept) + sizeof(stemr_pencil) + sizeof(int);
    return ((size_t)stemr_chunks(n) * each + 255) / 256 * 256;
}

static int64_t blocks_for(int64_t n)
{
    int64_t const clusters = n / STEMR_PENCIL_MEMBERS + 1;
    return clusters < BLOCKS ? clusters : (int64_t)BLOCKS;
}

static __device__ block_room room_of(const stemr_task &t, int block, size_t bytes)
{
    int64_t const chunks = stemr_chunks(t.n);
    char *const at = (char *)t.records + (size_t)block * bytes;
    stemr_kept *const record = (stemr_kept *)at;
    stemr_pencil *const carry = (stemr_pencil *)(record + chunks * ROOM);
    return block_room{record, carry, (int *)(carry + chunks)};
}

/* Rows of a chunk; how many have gone with a pivot below 0. */
static __device__ int squeeze_chunk(const pencil_args &a, const block_room &room, wide_d center, double least,
                                    int chunk, int slot, bool *full)
{
    const stemr_task &t = a.t;
    int const from = chunk * STEMR_CHUNK, upto = min(from + STEMR_CHUNK, (int)t.n);
    stemr_kept *const record = room.record + (int64_t)chunk * ROOM;
    int count = 0;
    auto const emit = [&](const stemr_kept &row) {
        if (count < ROOM) record[count] = row;
        ++count;
    };
    squeezer s = empty(least);
    unsigned stay = 0;
    stemr_entry next = stemr_load_entry(t.entry + from);
    for (int i = from; i < upto; ++i) {
        stemr_entry const entry = next;
        next = stemr_load_entry(t.entry + min(i + 1, (int)t.n - 1));
        stemr_pencil const d = {stemr_difference(entry.a, center), -1, 0};
        stemr_return back;
        if (!push(s, d, stemr_constant(entry.b), i, i == from, &back, emit))
            stay |= 1u << (i - from);
        else if (slot >= 0)
            stemr_returns_of(t, slot)[i] = back;
    }
    emit(s.last);
    room.count[chunk] = count, room.carry[chunk] = s.add;
    if (count > ROOM) *full = true;
    if (slot >= 0) stemr_stays_of(t, slot)[chunk] = stay;
    return s.below;
}

/* Squeezes all records; a warp reads them, its first lane works.  What stays goes to its place, `most` rows at most.
 * Returned is how many rows stay, or more than `most`. */
static __device__ int squeeze_records(const pencil_args &a, const block_room &room, double least, int most, int slot,
                                      stemr_kept *tile, int *below)
{
    int const lane = threadIdx.x % 32, chunks = (int)stemr_chunks(a.t.n);
    int kept = 0;
    auto const emit = [&](const stemr_kept &row) {
        if (kept < most) room.record[kept] = row;
        ++kept;
    };
    squeezer s = empty(least);
    for (int c0 = 0; c0 < chunks && kept <= most; c0 += 32) {
        int const chunk = c0 + lane, count = chunk < chunks ? room.count[chunk] : 0;
        int end = count;
        for (int d = 1; d < 32; d *= 2) {
            int const before = __shfl_up_sync(0xffffffffu, end, d);
            if (lane >= d) end += before;
        }
        for (int j = 0; j < count; ++j) {
            stemr_kept row = room.record[(int64_t)chunk * ROOM + j];
            if (j == 0 && chunk > 0) row.a = stemr_sum(row.a, room.carry[chunk - 1]);
            tile[end - count + j] = row;
        }
        int const total = __shfl_sync(0xffffffffu, end, 31);
        __syncwarp(); /* the tile is there, and its records' places are free */
        for (int i = 0; lane == 0 && i < total; ++i) {
            stemr_kept const &row = tile[i];
            stemr_return back;
            if (push(s, row.a, row.f, row.row, false, &back, emit) && slot >= 0)
                stemr_returns_of(a.t, slot)[row.row] = back;
        }
        kept = __shfl_sync(0xffffffffu, kept, 0);
        __syncwarp(); /* the tile is free */
    }
    if (lane == 0 && s.any) emit(s.last);
    *below = s.below;
    return kept;
}

/* Puts the pencil of a node with the others. */
static __device__ void keep(const pencil_args &a, const block_room &room, stemr_cluster &c, wide_d center, int kept,
                            int below)
{
    __shared__ unsigned long long at, entries;
    if (threadIdx.x == 0) at = atomicAdd(&a.f.level->kept, (unsigned long long)kept), entries = 0;
    __syncthreads(); /* at and entries are there */
    double largest = 0;
    for (int i = threadIdx.x; i < kept; i += THREADS) {
        stemr_kept const row = room.record[i];
        a.t.kept[at + i] = row;
        largest = fmax(largest, fmax(fabs(row.a.c0.hi), fabs(row.f.c0.hi)));
    }
    /* Sizes of doubles above 0 are those of their bits. */
    atomicMax(&entries, (unsigned long long)__double_as_longlong(largest));
    __syncthreads(); /* all rows have been looked at */
    if (threadIdx.x != 0) return;
    c.kept_at = (int64_t)at, c.kept = kept, c.kept_below = below;
    c.center = center;
    c.entries = __longlong_as_double((long long)entries);
}

static __global__ void __launch_bounds__(THREADS) make_pencils(pencil_args a, size_t bytes)
{
    __shared__ stemr_kept tile[32 * ROOM];
    __shared__ int below, kept;
    __shared__ bool full;
    block_room const room = room_of(a.t, blockIdx.x, bytes);
    int const nodes = min(a.f.level->nodes, a.last), chunks = (int)stemr_chunks(a.t.n);
    for (int node = a.first + blockIdx.x; node < nodes; node += gridDim.x) {
        stemr_cluster &c = a.t.node[node];
        int const members = c.last - c.first + 1, most = (int)min((int64_t)STEMR_KEPT_ROWS * members, a.t.n / 2);
        wide_d const center = stemr_middle(c.lo, c.hi);
        double const width = stemr_difference(c.hi, c.lo).hi;
        double const least = fmax(LEAST_PIVOT, LEAST_BY_WIDTH * width);
        bool const fits = a.t.n >= STEMR_PENCIL_ROWS && members >= STEMR_PENCIL_MEMBERS && width <= MOST_WIDTH;
        bool const fit = a.make ? fits : c.kept > 0;
        int const slot = a.returns && node - a.first < a.t.slots ? node - a.first : -1;
        if (threadIdx.x == 0) below = kept = 0, full = !fit;
        __syncthreads(); /* these are there */
        int mine = 0;
        for (int chunk = threadIdx.x; fit && chunk < chunks; chunk += THREADS)
            mine += squeeze_chunk(a, room, center, least, chunk, slot, &full);
        atomicAdd(&below, mine);
        __syncthreads(); /* all records are there */
        if (threadIdx.x < 32 && !full) {
            int more;
            int const left = squeeze_records(a, room, least, most, slot, tile, &more);
            if (threadIdx.x == 0) kept = left, below += more;
        }
        __syncthreads(); /* and squeezed */
        bool const good = !full && members <= kept && kept <= most;
        if (good && a.make) keep(a, room, c, center, kept, below);
        if (a.make && threadIdx.x == 0) atomicAdd(good ? &a.f.level->in_pencils : &a.f.level->in_others, members);
        __syncthreads(); /* the block's room is free */
    }
}

/* Members whose pencils do not part them go on against T~, from their cluster's first bracket.  A block a cluster. */
static __global__ void __launch_bounds__(THREADS) leave_pencils(stemr_task t, stemr_forest f)
{
    stemr_cluster &c = t.node[blockIdx.x];
    bool const leaves = c.kept > 0 && c.kept_failed;
    __syncthreads(); /* all have read the node */
    if (!leaves) return;
    for (int k = c.first + threadIdx.x; k <= c.last; k += THREADS) {
        stemr_eigenpair &pair = t.pair[k];
        stemr_member &m = f.member[k];
        frexp(stemr_difference(c.hi, c.lo).hi, &m.exponent);
        m.sure = 0, m.with_next = k < c.last;
        pair.lo = c.lo, pair.hi = wide_add_d(c.lo, stemr_wide(scalbn(1.0, m.exponent)));
        pair.x = stemr_middle(pair.lo, pair.hi);
        pair.state = STEMR_ACTIVE, pair.kind = STEMR_MEMBERS, pair.aimed = false;
        pair.twist = -1;
    }
    if (threadIdx.x == 0) c.kept = 0;
}

/* ----------------------------------------------------------------------- host */

extern "C" void eig_cuda_stemr_pencil_layout(arena *a, stemr_task *t)
{
    t->kept = (stemr_kept *)arena_take(a, STEMR_KEPT_ROWS * t->n, sizeof(stemr_kept));
    t->records = arena_take(a, blocks_for(t->n), block_bytes(t->n));
    t->above = (int *)arena_take(a, t->slots * t->n, sizeof(int));
    t->stays = (unsigned *)arena_take(a, t->slots * stemr_chunks(t->n), sizeof(unsigned));
}

static eig_status launch(eig_context *ctx, const pencil_args &a, cudaStream_t stream)
{
    int64_t const most = blocks_for(a.t.n), nodes = (int64_t)a.last - a.first;
    return cuda_launch(ctx, "stemr: pencils", stream, {most < nodes ? most : nodes, THREADS}, make_pencils, a,
                       block_bytes(a.t.n));
}

extern "C" eig_status eig_cuda_stemr_make_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, bool returns,
                                                  cudaStream_t stream)
{
    return launch(ctx, pencil_args{*t, f, 0, INT_MAX, true, returns}, stream);
}

extern "C" eig_status eig_cuda_stemr_pencil_returns(eig_context *ctx, const stemr_task *t, int first, int last,
                                                    cudaStream_t stream)
{
    return launch(ctx, pencil_args{*t, stemr_forest_of(t), first, last, false, true}, stream);
}

extern "C" eig_status eig_cuda_stemr_leave_pencils(eig_context *ctx, const stemr_task *t, stemr_forest f, int nodes,
                                                   cudaStream_t stream)
{
    return cuda_launch(ctx, "stemr: leave", stream, {nodes, THREADS}, leave_pencils, *t, f);
}
