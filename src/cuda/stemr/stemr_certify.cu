/* stemr on CUDA: what the answer is worth, measured on the outputs themselves: residuals against the caller's T, and
 * orthogonality by random vectors: the entries of (Z'Z - I) x, x of 1 and -1, are as large as rows of Z'Z - I are long.
 *
 * Mapping   y = Z x: a thread a row, chunks of columns in blocks of their own, then added up in order.  Z'y and the
 *           residuals: a block four columns, so that what the rows share is read once for four.
 * Cost      z is read twice. */
#include "stemr_cuda.cuh"

#include "team.cuh"

enum { PROBES = 4, THREADS = 256, COLUMNS = 4, MOST_CHUNKS = 64 };

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
static __global__ void __launch_bounds__(THREADS) probe_chunks(stemr_task t, int chunks, double *part)
{
    __shared__ unsigned char signs[THREADS];
    int64_t const tiles = (t.n + THREADS - 1) / THREADS, columns = t.counts->columns;
    int64_t const chunk = blockIdx.x / tiles, row = blockIdx.x % tiles * THREADS + threadIdx.x;
    int64_t const length = (columns + chunks - 1) / chunks, end = min((chunk + 1) * length, columns);
    double sum[PROBES] = {0};
    for (int64_t k0 = chunk * length; k0 < end; k0 += THREADS) {
        __syncthreads(); /* signs are free */
        signs[threadIdx.x] = (unsigned char)signs_of(k0 + threadIdx.x);
        __syncthreads(); /* signs are there */
        if (row >= t.n) continue;
        for (int64_t k = k0; k < min(k0 + THREADS, end); ++k) {
            double const z = stemr_z(t.p, k, row);
            unsigned const bits = signs[k - k0];
#pragma unroll
            for (int probe = 0; probe < PROBES; ++probe) sum[probe] += with_sign(z, bits, probe);
        }
    }
    if (row >= t.n) return;
    for (int probe = 0; probe < PROBES; ++probe) part[(chunk * PROBES + probe) * t.n + row] = sum[probe];
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

/* Residuals, and entries of Z'y - x.  Numbers of most are not negative: as integers they are in the same order, and a NaN
 * is the largest. */
static __global__ void __launch_bounds__(THREADS) measure_columns(stemr_task t, const double *y)
{
    __shared__ double space[THREADS / 32];
    block_team<THREADS> const team = {(int)threadIdx.x, space};
    int64_t const columns = t.counts->columns, first = (int64_t)blockIdx.x * COLUMNS;
    if (first >= columns) return;
    stebz_scaling const down = stebz_scaling_of(t.counts->scale);
    double w[COLUMNS], squares[COLUMNS] = {0}, dots[COLUMNS][PROBES] = {{0}};
    int64_t column[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
        column[c] = min(first + c, columns - 1);
        w[c] = stemr_get(t.p.type, t.p.w, column[c]) * down.first * down.second;
    }
    for (int64_t i = threadIdx.x; i < t.n; i += THREADS) {
        double const a = t.a[i], above = i > 0 ? t.e[i - 1] : 0, below = i + 1 < t.n ? t.e[i] : 0;
        double probe[PROBES];
        for (int p = 0; p < PROBES; ++p) probe[p] = y ? y[p * t.n + i] : 0;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            double const z = stemr_z(t.p, column[c], i);
            double const before = i > 0 ? stemr_z(t.p, column[c], i - 1) : 0;
            double const after = i + 1 < t.n ? stemr_z(t.p, column[c], i + 1) : 0;
            double const r = (a - w[c]) * z + (above * before + below * after);
            squares[c] = fma(r, r, squares[c]);
#pragma unroll
            for (int p = 0; p < PROBES; ++p) dots[c][p] = fma(z, probe[p], dots[c][p]);
        }
    }
    double most = 0;
    for (int c = 0; c < COLUMNS; ++c) {
        double const square = team.sum(squares[c]);
        if (t.p.residual && threadIdx.x == 0)
            stemr_put(t.p.type, t.p.residual, column[c], scalbn(sqrt(square), t.counts->scale));
        unsigned const bits = signs_of(column[c]);
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

extern "C" eig_status eig_cuda_stemr_certify(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    if (!t->p.residual && !t->p.orthogonality) return EIG_OK;
    int64_t const tiles = (t->n + THREADS - 1) / THREADS;
    int const chunks = t->slots < MOST_CHUNKS ? (int)t->slots : MOST_CHUNKS;
    double *const y = t->p.orthogonality ? (double *)t->pool : NULL; /* a slot a chunk */
    eig_status status = EIG_OK;
    if (y) {
        status = cuda_launch(ctx, "stemr: probes", stream, {tiles * chunks, THREADS}, probe_chunks, *t, chunks, y);
        int64_t const adds = (PROBES * t->n + THREADS - 1) / THREADS;
        if (status == EIG_OK)
            status = cuda_launch(ctx, "stemr: sums", stream, {adds, THREADS}, add_chunks, *t, chunks, y);
    }
    if (status == EIG_OK)
        status = cuda_launch(ctx, "stemr: residuals", stream, {(t->pairs + COLUMNS - 1) / COLUMNS, THREADS},
                             measure_columns, *t, (const double *)y);
    if (status == EIG_OK && y)
        status = cuda_launch(ctx, "stemr: orthogonality", stream, {1, 1}, tell_orthogonality, *t);
    return status;
}
