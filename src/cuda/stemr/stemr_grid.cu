/* stemr on CUDA: members of clusters whose brackets against T~ touch share their first shifts.
 *
 * A run of m such members gets a lattice of at most POINTS m shifts over all of its brackets, and every member finds its
 * place among the counts there: log2(m) + 2 bits for POINTS counts each, where sections take a bit for a count.
 *
 * Mapping   two neighbouring lanes a shift.
 * Bits      a run depends on its members alone. */
#include "stemr_pencil.cuh"
#include "stemr_section.cuh"

enum { POINTS = STEMR_POINTS, THREADS = 128 };

/* The lattice of a run: shifts lo + j 2^exponent, j = 0 to last. */
struct run_lattice {
    int64_t first; /* member */
    wide_d lo;
    int exponent, last;
};

static __device__ __forceinline__ bool takes_part(const stemr_task &t, int64_t k, bool pencils)
{
    return k < t.pairs && t.pair[k].state == STEMR_ACTIVE && (t.pair[k].close == STEMR_IN_PENCIL) == pencils;
}

static __device__ run_lattice lattice_of(const stemr_task &t, const stemr_forest &f, int64_t k)
{
    int64_t from = k, upto = k;
    while (from > 0 && f.member[from - 1].joined) --from;
    while (f.member[upto].joined) ++upto;
    run_lattice r = {from, t.pair[from].lo, 0, 0};
    double const range = stemr_difference(t.pair[upto].hi, r.lo).hi;
    double const most = (double)(POINTS * (upto - from + 1) - 1);
    frexp(range / most, &r.exponent);
    r.last = (int)ceil(range / scalbn(1.0, r.exponent));
    return r;
}

static __device__ __forceinline__ wide_d shift_of(const run_lattice &r, int j)
{
    return wide_add_d(r.lo, stemr_wide(j * scalbn(1.0, r.exponent)));
}

template <bool pencils> static __global__ void __launch_bounds__(THREADS, 4) count_kernel(stemr_task t, stemr_forest f)
{
    __shared__ stemr_root_tile tiles[pencils ? 1 : THREADS / 32];
    stemr_of_root const root = {t.entry, (int)t.n, tiles + (pencils ? 0 : threadIdx.x / 32)};
    stemr_of_pencil rows = {t.kept, 1, 0}; /* of lanes without a shift */
    int64_t const step = (int64_t)gridDim.x * THREADS / 2, from = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 2;
    for (int64_t at = from; at - threadIdx.x % 32 / 2 < POINTS * t.pairs; at += step) {
        int64_t const k = at / POINTS;
        wide_d x = {0, 0};
        bool mine = takes_part(t, k, pencils);
        if (mine) {
            run_lattice const r = lattice_of(t, f, k);
            int const j = (int)(at - POINTS * r.first);
            mine = j <= r.last;
            x = shift_of(r, j);
            if (pencils) rows = stemr_pencil_of(t, t.pair[k].node);
        }
        if (!__any_sync(0xffffffffu, mine)) continue;
        int const count =
            pencils ? stemr_pencil_count(rows, x, threadIdx.x % 2) : root_count_below(root, x, threadIdx.x % 2);
        if (mine) f.count[at] = count;
    }
}

/* Every member's bracket is that between two neighbouring shifts, if that is no wider than what it has. */
static __global__ void take_kernel(stemr_task t, stemr_forest f, bool pencils)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (!takes_part(t, k, pencils)) return;
    stemr_pair &pair = t.pair[k];
    stemr_member &m = f.member[k];
    run_lattice const r = lattice_of(t, f, k);
    const int *const count = f.count + POINTS * r.first;
    int below = -1, reached = r.last + 1;
    while (reached - below > 1) {
        int const j = (below + reached) / 2;
        if (count[j] >= pair.index)
            reached = j;
        else
            below = j;
    }
    f.lattice[k] =
        run_bracket{below >= 0 && reached <= r.last && r.exponent <= m.exponent, r.exponent, shift_of(r, below)};
}

/* When all have read the brackets of their runs. */
static __global__ void put_kernel(stemr_task t, stemr_forest f, bool pencils)
{
    int64_t const k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (!takes_part(t, k, pencils) || !f.lattice[k].found) return;
    stemr_pair &pair = t.pair[k];
    stemr_member &m = f.member[k];
    m.exponent = f.lattice[k].exponent, m.sure = 3;
    pair.lo = f.lattice[k].lo;
    pair.hi = wide_add_d(pair.lo, stemr_wide(scalbn(1.0, m.exponent)));
    pair.x = stemr_middle(pair.lo, pair.hi);
}

extern "C" eig_status eig_cuda_stemr_grid(eig_context *ctx, const stemr_task *t, stemr_forest f, bool pencils,
                                          cudaStream_t stream)
{
    enum { BLOCKS = 4 };
    int64_t const most = (int64_t)cuda_state_of(ctx)->multiprocessors * BLOCKS;
    int64_t const want = (2 * POINTS * t->pairs + THREADS - 1) / THREADS;
    cuda_shape const pairs = {(t->pairs + THREADS - 1) / THREADS, THREADS};
    eig_status status = cuda_launch(ctx, "stemr: lattices", stream, {want < most ? want : most, THREADS},
                                    pencils ? count_kernel<true> : count_kernel<false>, *t, f);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: places", stream, pairs, take_kernel, *t, f, pencils);
    if (status == EIG_OK) status = cuda_launch(ctx, "stemr: brackets", stream, pairs, put_kernel, *t, f, pencils);
    return status;
}
