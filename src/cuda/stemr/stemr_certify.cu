/* stemr on CUDA: what the answer is worth, measured on the outputs themselves: residuals against the caller's T, and
 * orthogonality by random vectors: the entries of (Z'Z - I) x, x of 1 and -1, are as large as rows of Z'Z - I are long.
 *
 * Mapping   y = Z x: a thread ROWS rows, chunks of columns in blocks of their own, then added up in order.  Z'y and the
 *           residuals: a block COLUMNS columns, so that what the rows share is read once for all of them.
 * Cost      z is read twice. */
#include "stemr_cuda.cuh"

#include "team.cuh"

#include <cuda_pipeline.h>

enum { PROBES = 4, THREADS = 256, ROWS = 2, AHEAD = 8, COLUMNS = 8, MOST_CHUNKS = 64 };

/* Bit p: the sign of element k of probe p. */
static __device__ unsigned signs_of(int64_t k)
{
    unsigned bits = 0;
    for (int probe = 0; probe < PROBES; ++probe)
        bits |= (stemr_noise((uint64_t)k * PROBES + (uint64_t)probe) < 0 ? 1u : 0u) << probe;
    return bits;
}

static __device__ __forceinline__ double with_sign(double x, unsigned bits, int probe)
{
    return __hiloint2double(__double2hiint(x) ^ (int)((bits >> probe & 1) << 31), __double2loint(x));
}

/* part[chunk][probe][row]: sums over a chunk of columns. */
template <typename real>
static __global__ void __launch_bounds__(THREADS) probe_chunks(stemr_task t, int chunks, double *part)
{
    __shared__ alignas(16) double signs[THREADS][PROBES];
    int64_t const tiles = (t.n + ROWS * THREADS - 1) / (ROWS * THREADS), columns = t.counts->columns;
    int64_t const chunk = blockIdx.x / tiles, row = blockIdx.x % tiles * ROWS * THREADS + threadIdx.x;
    int64_t const length = (columns + chunks - 1) / chunks, end = min((chunk + 1) * length, columns);
    const real *z[ROWS];
    for (int r = 0; r < ROWS; ++r) z[r] = (const real *)t.p.z + min(row + r * THREADS, t.n - 1);
    double sum[ROWS][PROBES] = {{0}};
    for (int64_t k0 = chunk * length; k0 < end; k0 += THREADS) {
        __syncthreads(); /* signs are free */
        unsigned const bits = signs_of(k0 + threadIdx.x);
        for (int probe = 0; probe < PROBES; ++probe) signs[threadIdx.x][probe] = with_sign(1.0, bits, probe);
        __syncthreads(); /* signs are there */
        int const here = (int)min((int64_t)THREADS, end - k0);
#pragma unroll AHEAD
        for (int k = 0; k < here; ++k)
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                double const x = (double)z[r][(k0 + k) * t.p.ldz];
#pragma unroll
                for (int probe = 0; probe < PROBES; ++probe) sum[r][probe] = fma(signs[k][probe], x, sum[r][probe]);
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

/* Rows row0-1 to row0+THREADS of a block's columns, on their way into shared memory; zeros beyond the ends. */
template <typename real>
static __device__ void copy_tile(real (*tile)[THREADS + 2], const real *const *z, int64_t n, int64_t row0)
{
    for (int j = threadIdx.x; j < THREADS + 2; j += THREADS) {
        int64_t const row = row0 - 1 + j;
        bool const there = 0 <= row && row < n;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            if (there)
                __pipeline_memcpy_async(&tile[c][j], z[c] + row, sizeof(real));
            else
                tile[c][j] = 0;
        }
    }
    __pipeline_commit();
}

/* Residuals, and entries of Z'y - x.  Numbers of most are not negative: as integers they are in the same order, and a NaN
 * is the largest. */
template <typename real>
static __global__ void __launch_bounds__(THREADS, 2) measure_columns(stemr_task t, const double *y)
{
    __shared__ double space[THREADS / 32];
    __shared__ alignas(16) real tile[2][COLUMNS][THREADS + 2];
    block_team<THREADS> const team = {(int)threadIdx.x, space};
    int64_t const columns = t.counts->columns, first = (int64_t)blockIdx.x * COLUMNS;
    if (first >= columns) return;
    stebz_scaling const down = stebz_scaling_of(t.counts->scale);
    double w[COLUMNS], squares[COLUMNS] = {0}, dots[COLUMNS][PROBES] = {{0}};
    const real *z[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        int64_t const column = min(first + c, columns - 1);
        z[c] = (const real *)t.p.z + column * t.p.ldz;
        w[c] = (double)((const real *)t.p.w)[column] * down.first * down.second;
    }
    copy_tile<real>(tile[0], z, t.n, 0);
    for (int64_t row0 = 0; row0 < t.n; row0 += THREADS) {
        int64_t const i = min(row0 + threadIdx.x, t.n - 1);
        double const a = t.a[i], above = i > 0 ? t.e[i - 1] : 0, below = i + 1 < t.n ? t.e[i] : 0;
        double probe[PROBES];
#pragma unroll
        for (int p = 0; p < PROBES; ++p) probe[p] = y ? y[p * t.n + i] : 0;
        int const turn = row0 / THREADS & 1, j = threadIdx.x + 1;
        __pipeline_wait_prior(0);
        __syncthreads(); /* this tile is there, the other one has been read */
        if (row0 + THREADS < t.n) copy_tile<real>(tile[1 - turn], z, t.n, row0 + THREADS);
        if (row0 + threadIdx.x >= t.n) continue;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            double const here = (double)tile[turn][c][j];
            double const before = (double)tile[turn][c][j - 1], after = (double)tile[turn][c][j + 1];
            double const r = (a - w[c]) * here + (above * before + below * after);
            squares[c] = fma(r, r, squares[c]);
#pragma unroll
            for (int p = 0; p < PROBES; ++p) dots[c][p] = fma(here, probe[p], dots[c][p]);
        }
    }
    double most = 0;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        double const square = team.sum(squares[c]);
        int64_t const column = min(first + c, columns - 1);
        if (t.p.residual && threadIdx.x == 0)
            ((real *)t.p.residual)[column] = (real)scalbn(sqrt(square), t.counts->scale);
        unsigned const bits = signs_of(column);
        for (int p = 0; y && p < PROBES; ++p) {
            double const off = fabs(team.sum(dots[c][p]) - with_sign(1.0, bits, p));
            if (!(off <= most)) most = off; /* a NaN, too */
        }
    }
    if (y && threadIdx.x == 0)
        atomicMax((unsigned long long *)&t.counts->most, (unsigned long long)__double_as_longlong(most));
}

static __global__ void tell_orthogonality(stemr_task t)
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
    if (status == EIG_OK && y)
        status = cuda_launch(ctx, "stemr: orthogonality", stream, {1, 1}, tell_orthogonality, *t);
    return status;
}

extern "C" eig_status eig_cuda_stemr_certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    if (!t->p.residual && !t->p.orthogonality) return EIG_OK;
    return t->p.type == EIG_S ? certify<float>(ctx, t, stream) : certify<double>(ctx, t, stream);
}
