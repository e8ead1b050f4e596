/* heev on CUDA, few matrices of 8 < n <= 64: the kernel.
 *
 * Cost  one wave of blocks takes as long as one block: n steps of the reduction, log2(n) levels of merges, n reflectors, each a chain
 *       of dependent operations; docs/maintainers/cuda/heev.md has their times. */
#include "heev/few/heev_few_back.cuh"
#include "heev/few/heev_few_divide.cuh"
#include "heev/few/heev_few_reduce.cuh"
#include "per_type.cuh"

/* Shared memory: T and the reflectors, then what the reduction, or what the division, needs. */
template <typename number, int R> struct few_memory {
    using real = typename number::real;
    static constexpr size_t larger(size_t x, size_t y)
    {
        return x > y ? x : y;
    }
    static constexpr size_t kept(int64_t n, bool vectors)
    {
        return (2 * sizeof(real) + sizeof(number)) * R + (vectors ? (size_t)(n - 1) * R * sizeof(number) : 0);
    }
    static constexpr size_t bytes(int64_t n, bool vectors)
    {
        return kept(n, vectors) + larger(few_reduction<number, R>::bytes, few_division<real, R>::bytes);
    }
};

/* Blocks of a multiprocessor, for their registers. */
template <typename number, int R> static constexpr int few_blocks()
{
    return R * sizeof(number) > 512 ? 1 : 512 / few_shape<R>::threads;
}

/* Whether the values, of T scaled as A is, have A's sums: every warp asks for itself. */
template <int R, typename real>
static __device__ __forceinline__ bool few_certify(int n, const spectrum_sums<real> *parts, const real *values)
{
    spectrum_sums<real> of = parts[0], found = {0, 0, 0};
    for (int k = 1; k < few_shape<R>::warps; ++k) of.trace += parts[k].trace, of.squares += parts[k].squares;
    for (int k = threadIdx.x % 32; k < n; k += 32) found.add(values[k]);
    found.trace = lanes_sum<32>(0xffffffffu, found.trace), found.squares = lanes_sum<32>(0xffffffffu, found.squares);
    return found.certify(n, of, (real)0);
}

/* The same of pairs. */
template <int R, typename real>
static __device__ __forceinline__ bool few_certify_pairs(int n, const spectrum_sums<real> *parts, const real *pairs)
{
    real form = 0, span = 0, squares = 0, of = 0;
    for (int k = 0; k < few_shape<R>::warps; ++k)
        form += pairs[2 * k], span += pairs[2 * k + 1], squares += parts[k].squares, of += parts[k].form;
    real const whole = lanes_sum<32>(0xffffffffu, certify_span<number>(R - n, n, threadIdx.x % 32, 32));
    pair_sums<real> const sums = {form, span, of, whole};
    return sums.certify((real)n, n * real_limits<real>::eps, squares, (real)0, (real)0);
}

template <typename number, int R>
static __global__ void __launch_bounds__(few_shape<R>::threads, few_blocks<number, R>()) heev_few_kernel(heev_job job)
{
    using real = typename number::real;
    extern __shared__ double2 few_space[];
    __shared__ real largest[few_shape<R>::warps];
    __shared__ spectrum_sums<real> sums[few_shape<R>::warps];
    __shared__ real pairs[2 * few_shape<R>::warps];
    int const n = (int)job.p.n;
    int64_t const b = job.first + blockIdx.x;
    bool const with_vectors = job.p.v != NULL;
    number *const tau = (number *)few_space, *const vectors = tau + R;
    real *const d = (real *)(vectors + (with_vectors ? (n - 1) * R : 0)), *const e = d + R;
    void *const memory = e + R;
    real unit;
    {
        few_reduction<number, R> reduction(memory, n);
        reduction.d = d, reduction.e = e, reduction.tau = tau, reduction.vectors = with_vectors ? vectors : NULL;
        reduction.sums = sums;
        unit = reduction.load(job, b, largest);
        reduction.begin();
        reduction.template run<0>();
    }
    __syncthreads(); /* T is there, and the reduction's memory is free */
    few_division<real, R> const division(memory, d, e, n);
    division.run();
    bool const finite = unit == unit;
    bool good = finite && division.values()[0] == division.values()[0];
    if (job.p.certify && good) good = few_certify<R>(n, sums, division.values());
    real const w = good && threadIdx.x < n ? unscaled((real)n, division.values()[threadIdx.x], unit) : (real)0;
    good = !__syncthreads_or(!(fabs(w) <= real_limits<real>::largest)) && good;
    if (threadIdx.x < n) ((real *)job.p.w)[b * job.p.stride_w + threadIdx.x] = good ? w + (real)0 : (real)NAN;
    if (threadIdx.x == 0) {
        if (job.p.info) job.p.info[b] = !finite ? EIG_INFO_NOT_FINITE : good ? 0 : n;
        if (job.p.sweeps) job.p.sweeps[b] = 0;
    }
    if (!with_vectors) return;
    few_back<number, R> back(division.z, n);
    back.vectors = vectors, back.tau = tau;
    back.template run<0>();
    if (job.p.certify && good) {
        good = !__syncthreads_or(!back.certify(division.values(), pairs + 2 * (threadIdx.x / 32)));
        good = good && few_certify_pairs<R>(n, sums, pairs);
    }
    if (!good && finite) {
        if (threadIdx.x == 0 && job.p.info) job.p.info[b] = n;
        if (threadIdx.x < n) ((real *)job.p.w)[b * job.p.stride_w + threadIdx.x] = (real)NAN;
    }
    back.store(job, b, good);
}

template <typename number, int R>
static eig_status launch_few(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    size_t const bytes = few_memory<number, R>::bytes(job.p.n, job.p.v != NULL);
    return cuda_launch(ctx, "heev: few_kernel", stream, {job.count, few_shape<R>::threads, bytes},
                       heev_few_kernel<number, R>, job);
}

eig_status TYPED(eig_cuda_heev_few)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    return job.p.n <= 32 ? launch_few<number, 32>(ctx, job, stream) : launch_few<number, 64>(ctx, job, stream);
}

size_t TYPED(eig_cuda_heev_few_bytes)(int64_t n)
{
    return n <= 32 ? few_memory<number, 32>::bytes(n, true) : few_memory<number, 64>::bytes(n, true);
}
