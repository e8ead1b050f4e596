/* geev on CUDA, n > GEEV_MOST: eigenvectors and condition numbers of matrices whose eigenvalues are there, by inverse
 * iteration.
 *
 *   large_reduce    a group of blocks a matrix: load, balance, reduce (geev_group.cuh); H and its reflectors stay in
 *                   global memory; or block_form_kernel (geev_block_prepare.cu), where a matrix fits the shared memory
 *                   of a block
 *   large_judge     a block a matrix: what vectors need besides
 *   large_vectors   a block for every 16 vectors (geev_slab.cuh)
 *   large_list      lists the matrices that are given up: those with close eigenvalues, or with a vector or a condition
 *                   number that is not certain; they are for the Schur form */
#include "geev/reduce/geev_group.cuh"
#include "geev/vectors/geev_slab.cuh"
#include "per_type.cuh"

#include <type_traits>

using entry = std::conditional<number::complex, number, real>::type;
using complex = complex_of<real>;

enum {
    FIRM = 16, /* a condition number, a cosine in rounded numbers, is certain where it is so many sqrt(n) eps or more */
    APART = 8, /* eigenvalues closer than so many eps ||H|| are for the Schur form: their errors come near to that */
    FEWEST_ROWS = 8 /* of a matrix for each block of a group */
};

extern __shared__ __align__(16) char large_memory[];

static int64_t matrix_slabs(int64_t n)
{
    return (n + SLAB - 1) / SLAB;
}

/* ---------------------------------------------------------------------- memory */

/* A block's slab: left and right vectors, a running column. */
struct slab_room {
    complex *c, *vectors[2];
    unsigned *swaps;
};

static __host__ __device__ size_t carve_slab(slab_room *room, char *base, int64_t n)
{
    size_t const each = (size_t)n * SLAB * sizeof(complex);
    room->c = (complex *)base;
    for (int k = 0; k < 2; ++k) room->vectors[k] = (complex *)(base + (k + 1) * each);
    room->swaps = (unsigned *)(base + 3 * each);
    return 3 * each + (size_t)((n + SLAB_STEP - 1) / SLAB_STEP) * SLAB * sizeof(unsigned);
}

void TYPED(eig_cuda_geev_large_sizes)(int64_t n, size_t *form, size_t *slab)
{
    large_form<entry> f;
    slab_room r;
    *form = carve_form(&f, (char *)NULL, n);
    *slab = arena_rounded(carve_slab(&r, (char *)NULL, n));
}

/* ------------------------------------------------------------------- the reduction */

/* Scales, permutes, balances and turns the matrix; by the leader. */
static __device__ geev_record treat_large(block_team<GROUP_THREADS> team, const geev_problem &p,
                                          const large_form<entry> &form)
{
    int const n = (int)p.n;
    geev_view<entry> const h = {form.h, n, n, 1};
    geev_record record = {1, 0, n - 1, EIG_INFO_OK, 0, 0};
    begin_form(team, form, n);
    normalise(team, h, &record); /* the whole matrix: vectors need its isolated parts to the same scale */
    if (record.info != EIG_INFO_OK) return record;
    if (p.balance) isolate(team, h, &record.lo, &record.hi, form.origin);
    if (p.balance && wants_balance(team, h, record.lo, record.hi, form.norms, form.norms + n))
        balance(team, h, record.lo, record.hi, form.scale);
    turn(team, h, &record, form.origin, form.scale);
    return record;
}

static __global__ void __launch_bounds__(GROUP_THREADS)
    large_reduce(geev_slice slice, int members, int width, int numbers)
{
    __shared__ double space[GROUP_WARPS];
    int const n = (int)slice.p.n;
    geev_member member = {slice.vector_groups + blockIdx.x / members, (int)blockIdx.x % members, members, 0};
    geev_group &g = *member.group;
    block_team<GROUP_THREADS> const team = {(int)threadIdx.x, space};
    for (;;) {
        if (member.leads() && threadIdx.x == 0) g.at = (int64_t)atomicAdd(&slice.queue->iterate[0], 1ull);
        member.sync();
        int64_t const at = g.at;
        if (at >= slice.count) return;
        large_form<entry> const form = place_form<entry>(slice, at);
        load_matrix(member, slice.p, slice.first + at, form.h, (entry *)large_memory,
                    numbers / LOAD_TILE < GROUP_WARPS ? numbers / LOAD_TILE : (int)GROUP_WARPS);
        member.sync(); /* the matrix is there */
        if (member.leads()) {
            geev_record const record = treat_large(team, slice.p, form);
            if (threadIdx.x == 0) g.record = record;
        }
        member.sync();
        geev_record const record = g.record;
        bool const finite = record.info == EIG_INFO_OK;
        if (finite)
            group_reduce(member, place_panel((entry *)large_memory, n, width, numbers, members == 1), form.h, record.lo,
                         record.hi, form.exchange, form.factors);
        member.sync(); /* H is there */
        if (member.leads() && threadIdx.x == 0) slice.reduced[at].record = record;
        member.sync(); /* no thread reads the group's state after this */
    }
}

/* What follows the reduction: T of the panels, scaled eigenvalues, and whether the matrix is for inverse iteration. */
static __global__ void __launch_bounds__(GROUP_THREADS) large_judge(geev_slice slice)
{
    __shared__ double space[GROUP_WARPS];
    const geev_problem &p = slice.p;
    int const n = (int)p.n;
    block_team<GROUP_THREADS> const team = {(int)threadIdx.x, space};
    int64_t const at = blockIdx.x;
    large_form<entry> const form = place_form<entry>(slice, at);
    geev_record const record = slice.reduced[at].record;
    bool const finite = record.info == EIG_INFO_OK;
    for (int k = team.rank / 32; finite && k < slab_panels(n - 2); k += GROUP_WARPS)
        panel_factor(lane_team<32>(team.rank % 32), form, n, k);
    for (int k = team.rank; k < n; k += GROUP_THREADS)
        form.w[k] =
            scaled(1 / (real)record.unscale, load_number((const complex *)p.w + (slice.first + at) * p.stride_w + k));
    team.sync(); /* all are there */
    schur_area<entry> area;
    area.n = n, area.ld = n, area.t = form.h, area.w = form.w;
    real const norm = hessenberg_norm(team, area, finite);
    bool const close = has_cluster(team, area, APART * real_limits<real>::eps * norm, finite);
    bool const spread = is_spread(team, form.scale, n, finite);
    if (team.rank == 0) slice.reduced[at] = {record, (double)norm, !finite || close, 0, spread};
}

/* --------------------------------------------------------------------- the vectors */

/* Finds the eigenvalues of slab `slab` of the matrix, one of each pair.  Returns how many they are. */
static __device__ int list_slab(slab_memory<entry> &memory, const complex *w, int n, int slab)
{
    if (threadIdx.x < 32) {
        int before = 0;
        for (int base = 0; base < n; base += 32) {
            int const k = base + (int)threadIdx.x;
            bool const counts = k < n && (number::complex || !(w[k].im < 0));
            unsigned const all = __ballot_sync(0xffffffffu, counts);
            int const slot = before + __popc(all & ((1u << threadIdx.x) - 1)) - slab * SLAB;
            if (counts && slot >= 0 && slot < SLAB) memory.index[slot] = k;
            before += __popc(all);
        }
        if (threadIdx.x == 0) memory.count = before - slab * SLAB;
    }
    __syncthreads(); /* the list is there */
    int const count = memory.count;
    return count < SLAB ? count : (int)SLAB;
}

/* One side of a slab, in room.vectors.  Returns whether it is good. */
static __device__ bool slab_side_vectors(slab_memory<entry> &memory, const large_form<entry> &form,
                                         const slab_room &room, int n, bool left, real norm, bool is_real)
{
    if (threadIdx.x < SLAB) {
        complex const w = form.w[memory.index[threadIdx.x]];
        memory.w[threadIdx.x] = left ? conj(w) : w;
    }
    __syncthreads(); /* the eigenvalues are there */
    complex *const b = room.vectors[left ? 0 : 1];
    slab_side<entry> const side = {form.h, n, left};
    if (!slab_solve(side, memory, slab_arrays<complex>{room.c, b, room.swaps}, norm)) return false;
    slab_reflect(memory, form, n, b);
    slab_normalise(memory, form, n, left, b, is_real);
    return true;
}

/* Slab `slab` of matrix `at`.  Returns whether it is good. */
static __device__ bool slab_matrix(slab_memory<entry> &memory, const geev_slice &slice, const slab_room &room,
                                   int64_t at, int slab)
{
    const geev_problem &p = slice.p;
    int const n = (int)p.n, slot = threadIdx.x % SLAB;
    int64_t const b = slice.first + at;
    large_form<entry> const form = place_form<entry>(slice, at);
    int const count = list_slab(memory, form.w, n, slab);
    if (count <= 0) return true;
    bool const lives = slot < count;
    if (threadIdx.x < SLAB && !lives) memory.index[slot] = memory.index[0];
    __syncthreads(); /* the list is full */
    int const k = memory.index[slot];
    bool const is_real = !number::complex && form.w[k].im == 0, pair = !number::complex && !is_real;
    bool const turned = slice.reduced[at].record.turned;
    for (int side = 0; side < 2; ++side) {
        bool const left = (side == 0) != turned;
        geev_target<complex> const place(p, b, side == 0, turned);
        if (!place.to && !p.condition) continue;
        if (!slab_side_vectors(memory, form, room, n, left, (real)slice.reduced[at].norm, is_real)) return false;
        if (place.to && lives) slab_store(room.vectors[left ? 0 : 1], n, form.origin, place, k, pair);
    }
    if (!p.condition) return true;
    real const s = slab_condition(memory, n, room.vectors[0], room.vectors[1]);
    if (lives && threadIdx.x < SLAB) {
        real *const to = (real *)p.condition + b * p.stride_w + k;
        to[0] = s;
        if (pair) to[1] = s;
    }
    return __syncthreads_and(s >= FIRM * sqrt((real)n) * real_limits<real>::eps);
}

static __global__ void __launch_bounds__(SLAB_THREADS, 2) large_vectors(geev_slice slice, int slabs)
{
    __shared__ slab_memory<entry> memory;
    slab_room room;
    carve_slab(&room, (char *)slice.slabs + blockIdx.x * slice.slab_bytes, slice.p.n);
    for (int64_t task = blockIdx.x; task < slice.count * slabs; task += gridDim.x) {
        int64_t const at = task % slice.count;
        geev_reduced &reduced = slice.reduced[at];
        if (reduced.bad) continue;
        bool const good = slab_matrix(memory, slice, room, at, (int)(task / slice.count));
        if (!good && threadIdx.x == 0) atomicOr(&reduced.lost, 1);
        __syncthreads(); /* the memory is free */
    }
}

static __global__ void large_list(geev_slice slice)
{
    int64_t const at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= slice.count) return;
    if (slice.reduced[at].bad || slice.reduced[at].lost)
        slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = slice.first + at;
    else if (slice.reduced[at].spread || !slice.p.balance)
        note_spread(slice, slice.first + at);
}

/* ---------------------------------------------------------------------- launchers */

static int64_t reduce_numbers(const cuda_state *state)
{
    enum { STATIC = 1 << 10 };
    return (state->shared_bytes - STATIC) / (int64_t)sizeof(entry);
}

bool TYPED(eig_cuda_geev_large_fit)(const eig_context *ctx, int64_t n)
{
    int64_t const numbers = reduce_numbers(cuda_state_of(ctx));
    return numbers >= LOAD_TILE && geev_panel_width<entry>(n, numbers) >= 2;
}

static eig_status launch_reduce(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const n = slice.p.n, multiprocessors = state->multiprocessors;
    int64_t const numbers = reduce_numbers(state),
                  groups = slice.count < multiprocessors ? slice.count : multiprocessors;
    int const width = geev_panel_width<entry>(n, numbers);
    int64_t const share = multiprocessors / groups, useful = n / FEWEST_ROWS;
    int const members = (int)(share < useful ? share : useful);
    CUDA_TRY(cudaMemsetAsync(slice.vector_groups, 0, (size_t)groups * sizeof *slice.vector_groups, stream));
    cuda_shape shape = {groups * members, GROUP_THREADS, (size_t)numbers * sizeof(entry)};
    shape.cooperative = members > 1;
    return cuda_launch(ctx, "geev: large_reduce", stream, shape, large_reduce, slice, members, width, (int)numbers);
}

eig_status TYPED(eig_cuda_geev_large_vectors)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    enum { LIST_THREADS = 128 };
    eig_status status;
    if constexpr (number::complex)
        status = launch_reduce(ctx, slice, stream);
    else if (geev_block_fits(ctx, &slice.p))
        status = TYPED(eig_cuda_geev_block_form)(ctx, slice, stream);
    else
        status = launch_reduce(ctx, slice, stream);
    if (status != EIG_OK) return status;
    status = cuda_launch(ctx, "geev: large_judge", stream, {slice.count, GROUP_THREADS}, large_judge, slice);
    if (status != EIG_OK) return status;
    int64_t const slabs = matrix_slabs(slice.p.n), tasks = slice.count * slabs;
    status = cuda_launch(ctx, "geev: large_vectors", stream,
                         {tasks < slice.slab_blocks ? tasks : slice.slab_blocks, SLAB_THREADS}, large_vectors, slice,
                         (int)slabs);
    if (status != EIG_OK) return status;
    return cuda_launch(ctx, "geev: large_list", stream, {(slice.count + LIST_THREADS - 1) / LIST_THREADS, LIST_THREADS},
                       large_list, slice);
}
