/* stemr on CUDA, method reference: the plain version, a thread a pair.  Every eigenvalue of T~ is bisected in twice the
 * digits, from the interval that holds the spectrum down to STEMR_PLAIN_WIDTH; every vector comes from inverse
 * iteration (stemr_inverse.cu), where those whose eigenvalues are close are orthogonalised.  No engine, no
 * representations, no twists; subsets take the time of the full run.
 *
 * Cost     some 100 counts an eigenvalue, a division a row; ten solves a vector: for tests. */
#include "stemr_clusters.cuh"

enum { THREADS = 64 };

#define STEMR_PLAIN_WIDTH 0x1p-98
#define STEMR_PLAIN_CLOSE 0x1p-40 /* closer eigenvalues are orthogonalised */

/* Eigenvalues of T~ below x. */
static __device__ int64_t plain_count(const stemr_task &t, wide_d x)
{
    wide_d s = {0, 0};
    int64_t count = 0;
    for (int64_t i = 0; i < t.n; ++i) {
        wide_d const pivot = mrrr_pivot_d(wide_add_d(stemr_difference(t.entry[i].a, x), s));
        count += pivot.hi < 0;
        s = wide_minus_d(mrrr_coupling_d(t.entry[i].b, pivot, 1 / pivot.hi));
    }
    return count;
}

static __global__ void __launch_bounds__(THREADS) plain_values(stemr_task t)
{
    stebz_facts const f = *t.job.facts;
    int64_t const k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= t.n || !f.finite || f.zero) return;
    stemr_eigenpair pair = {};
    pair.index = k + 1;
    wide_d lo = stemr_wide(-2), hi = stemr_wide(2);
    while (stemr_difference(hi, lo).hi > STEMR_PLAIN_WIDTH) {
        wide_d const x = stemr_middle(lo, hi);
        if (plain_count(t, x) >= pair.index)
            hi = x;
        else
            lo = x;
    }
    pair.lo = lo, pair.hi = hi, pair.x = stemr_middle(lo, hi);
    bool const asked = t.p.il <= k + 1 && k + 1 <= t.p.iu;
    pair.column = asked ? k + 1 - t.p.il : -1;
    pair.node = -1;
    pair.state = STEMR_INVERSE;
    t.pair[k] = pair;
}

/* Runs of close ones. */
static __global__ void plain_runs(stemr_task t)
{
    if (!t.counts->finite || t.counts->zero) return;
    for (int64_t k = 0; k < t.n; ++k) {
        bool const close = k > 0 && stemr_difference(t.pair[k].x, t.pair[k - 1].x).hi <= STEMR_PLAIN_CLOSE;
        t.pair[k].run = close ? t.pair[k - 1].run : k;
    }
    t.counts->inverse = (int)t.n;
}

extern "C" eig_status eig_cuda_stemr_plain(eig_context *ctx, const stemr_task *t, cudaStream_t stream)
{
    cuda_shape const shape = {(t->n + THREADS - 1) / THREADS, THREADS};
    eig_status const status = cuda_launch(ctx, "stemr: plain values", stream, shape, plain_values, *t);
    return status == EIG_OK ? cuda_launch(ctx, "stemr: plain runs", stream, {1, 1}, plain_runs, *t) : status;
}
