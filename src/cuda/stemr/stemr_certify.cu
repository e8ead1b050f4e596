/* stemr on CUDA: what the answer is worth, measured on the outputs themselves: residuals against the caller's T, and
 * orthogonality by random vectors: the entries of (Z'Z - I) x, x of 1 and -1, are as large as rows of Z'Z - I are long.
 *
 * Mapping   y = Z x: a thread ROWS rows, chunks of columns in blocks of their own, then added up in order.  Z'y and the
 *           residuals: a block COLUMNS columns, TILE rows at a time, so that what the rows share is read once for all
 *           of them; TILE of its threads for EACH columns.
 * Cost      z is read twice, but for what lies beside the vectors' supports: the kernels that tell these have put zeros
 *           there. */
#include "stemr_cuda.cuh"

#include "primitives/copy.cuh"
#include "primitives/team.cuh"

enum { PROBES = STEMR_PROBES, THREADS = 256, ROWS = 2, AHEAD = 8, MOST_CHUNKS = 64 };

/* Of measure_columns; STAGES tiles are there or on their way. */
enum { TILE = 128, COLUMNS = 16, EACH = COLUMNS * TILE / THREADS, WARPS = THREADS / 32, STAGES = 2 };

/* The pair of a column. */
static __device__ __forceinline__ const stemr_eigenpair &pair_of_column(const stemr_task &t, int64_t column)
{
    return t.pair[t.counts->first_column + column];
}

/* Columns of a batch whose supports reach into a block's rows, in order, and the signs of the probes there; the last
 * ones, up to a multiple of AHEAD, count as 0. */
struct probe_batch {
    double sign[THREADS][PROBES];
    int column[THREADS]; /* of the batch */
    int of_warp[WARPS];
};

/* Fills it for columns k0 to end-1, THREADS at most, and rows row0 to row1; how many there are.  All threads. */
static __device__ int choose_columns(const stemr_task &t, int64_t k0, int64_t end, int64_t row0, int64_t row1,
                                     probe_batch &batch)
{
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t const k = k0 + threadIdx.x;
    bool reaches = false;
    if (k < end) {
        const stemr_eigenpair &pair = pair_of_column(t, k);
        reaches = pair.support_first <= row1 && row0 <= pair.support_last;
    }
    unsigned const mask = __ballot_sync(0xffffffffu, reaches);
    __syncthreads(); /* the batch before has been read */
    if (lane == 0) batch.of_warp[warp] = __popc(mask);
    __syncthreads(); /* of_warp is there */
    int at = __popc(mask & ((1u << lane) - 1)), count = 0;
    for (int w = 0; w < WARPS; ++w) {
        if (w == warp) at += count;
        count += batch.of_warp[w];
    }
    unsigned const bits = stemr_signs_of(k);
    if (reaches) {
        batch.column[at] = threadIdx.x;
        for (int probe = 0; probe < PROBES; ++probe) batch.sign[at][probe] = stemr_with_sign(1.0, bits, probe);
    }
    int const whole = (count + AHEAD - 1) / AHEAD * AHEAD, beyond = count + threadIdx.x;
    if (beyond < whole) {
        batch.column[beyond] = 0;
        for (int probe = 0; probe < PROBES; ++probe) batch.sign[beyond][probe] = 0;
    }
    __syncthreads(); /* the batch is there */
    return whole;
}

/* part[chunk][probe][row]: sums over a chunk of columns. */
template <typename real>
static __global__ void __launch_bounds__(THREADS) probe_chunks(stemr_task t, int chunks, double *part)
{
    __shared__ __align__(16) probe_batch batch;
    int64_t const tiles = (t.n + ROWS * THREADS - 1) / (ROWS * THREADS), columns = t.counts->columns;
    int64_t const chunk = blockIdx.x / tiles, row0 = blockIdx.x % tiles * ROWS * THREADS, row = row0 + threadIdx.x;
    int64_t const length = (columns + chunks - 1) / chunks, end = min((chunk + 1) * length, columns);
    int64_t rows[ROWS];
    for (int r = 0; r < ROWS; ++r) rows[r] = min(row + r * THREADS, t.n - 1);
    double sum[ROWS][PROBES] = {{0}};
    for (int64_t k0 = chunk * length; k0 < end; k0 += THREADS) {
        int const here = choose_columns(t, k0, end, row0, row0 + ROWS * THREADS - 1, batch);
        const real *const z = (const real *)t.p.z + k0 * t.p.ldz;
        for (int k = 0; k < here; k += AHEAD) {
            real x[AHEAD][ROWS];
#pragma unroll
            for (int j = 0; j < AHEAD; ++j)
#pragma unroll
                for (int r = 0; r < ROWS; ++r) x[j][r] = z[batch.column[k + j] * t.p.ldz + rows[r]];
#pragma unroll
            for (int j = 0; j < AHEAD; ++j)
#pragma unroll
                for (int r = 0; r < ROWS; ++r)
#pragma unroll
                    for (int probe = 0; probe < PROBES; ++probe)
                        sum[r][probe] = fma(batch.sign[k + j][probe], (double)x[j][r], sum[r][probe]);
        }
    }
    for (int r = 0; r < ROWS; ++r)
        for (int probe = 0; probe < PROBES && row + r * THREADS < t.n; ++probe)
            part[(chunk * PROBES + probe) * t.n + row + r * THREADS] = sum[r][probe];
}

/* y[probe][row] into the first chunk's place. */
static __global__ void __launch_bounds__(THREADS) add_chunks(stemr_task t, int chunks, double *part)
{
    int64_t const at = (int64_t)blockIdx.x * THREADS + threadIdx.x, size = PROBES * t.n;
    if (at == 0) t.counts->most = 0;
    if (at >= size) return;
    double sum = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) sum += part[chunk * size + at];
    part[at] = sum;
}

/* Rows row0-1 to row0+TILE of a block's columns, and what they share: rows row0 to row0+TILE-1 of y and of T, of which
 * e[j] couples row row0-1+j and the next one. */
template <typename real> struct measure_tile {
    real z[COLUMNS][TILE + 2];
    double y[PROBES][TILE], a[TILE], e[TILE + 1];
};

/* A number on its way into shared memory, or 0 where there is none. */
template <typename number>
static __device__ __forceinline__ void copy_or_zero(number *to, const number *from, bool there)
{
    if (there)
        copy_number(to, from);
    else
        *to = 0;
}

/* A tile on its way, of the columns in the mask, a warp a column; inside: no row of it is beyond the ends. */
template <bool inside, typename real>
static __device__ __forceinline__ void copy_tile(measure_tile<real> &tile, const stemr_task &t, const real *z,
                                                 const double *y, int row0, unsigned mask)
{
    int const n = (int)t.n, lane = threadIdx.x % 32, i = threadIdx.x % TILE;
#pragma unroll
    for (int k = 0; k < COLUMNS / WARPS; ++k) {
        int const c = threadIdx.x / 32 + k * WARPS;
        if (!(mask >> c & 1)) continue;
        const real *const from = z + c * t.p.ldz + row0 - 1;
#pragma unroll
        for (int j0 = 0; j0 < TILE + 2; j0 += 32) {
            int const j = j0 + lane, row = row0 - 1 + j;
            if (j < TILE + 2) copy_or_zero(&tile.z[c][j], from + j, inside || (0 <= row && row < n));
        }
    }
    int const first = threadIdx.x / TILE, row = row0 + i;
#pragma unroll
    for (int p = 0; p < PROBES; p += THREADS / TILE)
        if (y) copy_or_zero(&tile.y[first + p][i], y + (first + p) * t.n + row, inside || row < n);
    if (first == 0) {
        copy_or_zero(&tile.a[i], t.a + row, inside || row < n);
    } else {
        copy_or_zero(&tile.e[i], t.e + row - 1, inside || (0 < row && row < n));
        if (i == 0) copy_or_zero(&tile.e[TILE], t.e + row0 + TILE - 1, inside || row0 + TILE < n);
    }
}

/* The block's sums: squares of residuals, and products with the probes. */
struct measured {
    double sum[WARPS][EACH][1 + PROBES];
};

/* Puts the residual and entries of Z'y - x of a column, which warps `warp` to warp + WARPS * EACH / COLUMNS - 1 have
 * measured as their column c.  Numbers of counts->most are not negative: as integers they have the same order, and a
 * NaN is the largest. */
template <typename real>
static __device__ void put_column(const stemr_task &t, const measured &m, int warp, int c, int64_t column, bool probes)
{
    double sum[1 + PROBES] = {0}, most = 0;
    for (int w = warp; w < warp + WARPS * EACH / COLUMNS; ++w)
        for (int p = 0; p <= PROBES; ++p) sum[p] += m.sum[w][c][p];
    if (t.p.residual) ((real *)t.p.residual)[column] = (real)scalbn(sqrt(sum[0]), t.counts->scale);
    unsigned const bits = stemr_signs_of(column);
    for (int p = 0; probes && p < PROBES; ++p) {
        double const off = fabs(sum[1 + p] - stemr_with_sign(1.0, bits, p));
        if (!(off <= most)) most = off; /* a NaN, too */
    }
    if (probes) atomicMax((unsigned long long *)&t.counts->most, (unsigned long long)__double_as_longlong(most));
}

/* A thread's row of a tile: what it adds to the sums of its columns, EACH from `mine` on. */
template <typename real>
static __device__ __forceinline__ void measure_row(const measure_tile<real> &tile, int mine, unsigned mask,
                                                   const double *w, double (*sum)[1 + PROBES])
{
    int const i = threadIdx.x % TILE;
    double const a = tile.a[i], above = tile.e[i], below = tile.e[i + 1];
    double probe[PROBES];
#pragma unroll
    for (int p = 0; p < PROBES; ++p) probe[p] = tile.y[p][i];
#pragma unroll
    for (int c = 0; c < EACH; ++c) {
        if (!(mask >> (mine + c) & 1)) continue;
        const real *const at = &tile.z[mine + c][i + 1];
        double const here = (double)at[0], before = (double)at[-1], after = (double)at[1];
        double const r = (a - w[c]) * here + (above * before + below * after);
        sum[c][0] = fma(r, r, sum[c][0]);
#pragma unroll
        for (int p = 0; p < PROBES; ++p) sum[c][1 + p] = fma(here, probe[p], sum[c][1 + p]);
    }
}

template <typename real>
static __global__ void __launch_bounds__(THREADS, 2) measure_columns(stemr_task t, const double *y)
{
    __shared__ __align__(16) measure_tile<real> tile[STAGES];
    __shared__ measured m;
    int const lane = threadIdx.x % 32, mine = threadIdx.x / TILE * EACH, n = (int)t.n;
    int64_t const columns = t.counts->columns, first = (int64_t)blockIdx.x * COLUMNS;
    if (first >= columns) return;
    stebz_scaling const down = stebz_scaling_of(t.counts->scale);
    /* Of column `lane`: the rows where residuals may be. */
    int from = n, upto = -1;
    if (lane < COLUMNS && first + lane < columns) {
        const stemr_eigenpair &pair = pair_of_column(t, first + lane);
        from = max((int)pair.support_first - 1, 0), upto = min((int)pair.support_last + 1, n - 1);
    }
    int const begin = warp_min(from) / TILE * TILE, end = warp_max(upto);
    auto const mask_of = [&](int row0) { return __ballot_sync(0xffffffffu, from < row0 + TILE && row0 <= upto); };
    auto const next_of = [&](int row0) { /* of the tiles that hold something */
                                         do row0 += TILE;
                                         while (row0 <= end && mask_of(row0) == 0);
                                         return row0;
    };
    const real *const z = (const real *)t.p.z + first * t.p.ldz;
    double w[EACH], sum[EACH][1 + PROBES] = {{0}};
#pragma unroll
    for (int c = 0; c < EACH; ++c)
        w[c] = (double)((const real *)t.p.w)[min(first + mine + c, columns - 1)] * down.first * down.second;
    int ahead = begin, stage = 0;
    auto const send = [&](int to) {
        if (ahead <= end) {
            unsigned const mask = mask_of(ahead);
            if (ahead > 0 && ahead + TILE < n)
                copy_tile<true>(tile[to], t, z, y, ahead, mask);
            else
                copy_tile<false>(tile[to], t, z, y, ahead, mask);
        }
        copy_end();
        ahead = next_of(ahead);
    };
    for (int to = 0; to < STAGES - 1; ++to) send(to);
    for (int row0 = begin; row0 <= end; row0 = next_of(row0), stage = (stage + 1) % STAGES) {
        copy_wait<STAGES - 2>();
        __syncthreads(); /* this tile is there, the one before has been read */
        send((stage + STAGES - 1) % STAGES);
        measure_row<real>(tile[stage], mine, mask_of(row0), w, sum);
    }
#pragma unroll
    for (int c = 0; c < EACH; ++c)
#pragma unroll
        for (int p = 0; p <= PROBES; ++p) {
            double const x = lane_team<32>(lane).sum(sum[c][p]);
            if (lane == 0) m.sum[threadIdx.x / 32][c][p] = x;
        }
    __syncthreads(); /* m is there */
    int const c = threadIdx.x;
    if (c < COLUMNS && first + c < columns)
        put_column<real>(t, m, c / EACH * (WARPS * EACH / COLUMNS), c % EACH, first + c, y != NULL);
}

static __global__ void put_orthogonality(stemr_task t)
{
    stemr_put(t.p.type, t.p.orthogonality, 0, t.counts->most);
}

template <typename real> static eig_status certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    int64_t const tiles = (t->n + ROWS * THREADS - 1) / (ROWS * THREADS);
    int const chunks = t->slots < MOST_CHUNKS ? (int)t->slots : MOST_CHUNKS;
    double *const y = t->p.orthogonality ? (double *)t->pool : NULL; /* a slot a chunk */
    eig_status status = EIG_OK;
    if (y) {
        status =
            cuda_launch(ctx, "stemr: probes", stream, {tiles * chunks, THREADS}, probe_chunks<real>, *t, chunks, y);
        int64_t const adds = (PROBES * t->n + THREADS - 1) / THREADS;
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: sums", stream, {adds, THREADS}, add_chunks, *t, chunks, y);
    }
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: residuals", stream, {(t->pairs + COLUMNS - 1) / COLUMNS, THREADS},
                             measure_columns<real>, *t, (const double *)y);
    if (status == EIG_OK && y) status = cuda_launch(ctx, "stemr: orthogonality", stream, {1, 1}, put_orthogonality, *t);
    return status;
}

extern "C" eig_status eig_cuda_stemr_certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    if (!t->p.residual && !t->p.orthogonality) return EIG_OK;
    return t->p.type == EIG_S ? certify<float>(ctx, t, stream) : certify<double>(ctx, t, stream);
}
