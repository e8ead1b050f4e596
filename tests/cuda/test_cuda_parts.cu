/* The parts that CUDA families share: reductions of teams, meetings of a grid, complex numbers.
 *
 *     test_cuda_parts     exit status 0 where all hold, 1 where one fails, 77 without a GPU */
#include "primitives/number.cuh"
#include "primitives/team.cuh"

#include <cmath>
#include <cstdio>

static int failures;

static void expect(bool holds, const char *what)
{
    printf("%s - %s\n", holds ? "ok" : "FAILED", what);
    failures += !holds;
}

static void must(cudaError_t code)
{
    if (code == cudaSuccess) return;
    printf("FAILED - %s\n", cudaGetErrorString(code));
    exit(1);
}

/* All blocks run at once: they wait for each other. */
template <typename... parameters, typename... arguments>
static void launch(int blocks, int threads, void (*kernel)(parameters...), arguments... values)
{
    cudaLaunchAttribute together;
    together.id = cudaLaunchAttributeCooperative, together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks), config.blockDim = dim3((unsigned)threads);
    config.attrs = &together, config.numAttrs = 1;
    must(cudaLaunchKernelEx(&config, kernel, (parameters)values...));
}

/* out[t] tells of thread t whether its team's results are right; P lanes a team. */
template <int P> static __global__ void lanes_kernel(int *out)
{
    lane_team<P> const team(threadIdx.x % 32);
    int const first = (int)threadIdx.x - team.rank;
    bool const sum = team.sum((int)threadIdx.x) == P * first + P * (P - 1) / 2;
    bool const most = team.max((int)threadIdx.x) == first + P - 1;
    bool const any = team.any((int)threadIdx.x == first) && !team.any(false);
    bool const warp = warp_min((int)threadIdx.x) == (int)threadIdx.x / 32 * 32 &&
                      warp_max((int)threadIdx.x) == (int)threadIdx.x / 32 * 32 + 31;
    out[threadIdx.x] = sum && most && any && warp;
}

static __global__ void block_kernel(int *out)
{
    __shared__ double space[8];
    block_team<256> const team = {(int)threadIdx.x, space};
    bool good = team.sum((int)threadIdx.x) == 255 * 256 / 2 && team.max((int)threadIdx.x) == 255;
    for (int size = 32; size <= 256; size += 224) {
        int const rank = (int)threadIdx.x % size;
        __syncthreads(); /* space is free */
        sized_team const sized = {size, rank, space};
        good = good && sized.max((double)rank) == size - 1;
    }
    out[threadIdx.x] = good;
}

/* Every block adds to the numbers of all blocks, round by round: a round sees the whole of the one before. */
static __global__ void grid_kernel(int *numbers, unsigned *counters, int rounds, int *out)
{
    bool good = true;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) numbers[round * gridDim.x + blockIdx.x] = round + 1;
        grid_barrier(&counters[0], (unsigned)round + 1);
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            good = good && __ldcg(&numbers[round * gridDim.x + b]) == round + 1;
    }
    bool const all = __syncthreads_and(good);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
    if (last_block(&counters[1]) && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += __ldcg(&out[b]);
        out[gridDim.x] = sum;
    }
}

static __global__ void complex_kernel(double *to)
{
    using number = number_of<double, true>;
    number const a = {1, 2}, b = {3, -4};
    store_number((number *)to, sum(product_add(a, b, conj(a)), negative(b))); /* (11 + 2i) + (1 - 2i) - (3 - 4i) */
    store_number((number *)(to + 3), number{5, 6});                           /* not aligned to a pair */
}

/* Whether the first n results are `value`, after the kernel has run. */
static bool all_are(const int *device, int n, int value)
{
    int host[1024];
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(host, device, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        if (host[i] != value) return false;
    return true;
}

int main()
{
    enum { MOST_BLOCKS = 64, ROUNDS = 50 };
    int devices = 0, *out, *numbers;
    unsigned *counters;
    double *numbers2, host[5] = {0};
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    cudaDeviceProp properties;
    must(cudaGetDeviceProperties(&properties, 0));
    int const there = properties.multiProcessorCount, blocks = there < MOST_BLOCKS ? there : MOST_BLOCKS;
    must(cudaMalloc(&out, 1024 * sizeof(int)));
    must(cudaMalloc(&numbers, MOST_BLOCKS * ROUNDS * sizeof(int)));
    must(cudaMalloc(&counters, 2 * sizeof(unsigned)));
    must(cudaMalloc(&numbers2, sizeof host));
    launch(1, 256, lanes_kernel<1>, out);
    expect(all_are(out, 256, 1), "a thread alone");
    launch(1, 256, lanes_kernel<8>, out);
    expect(all_are(out, 256, 1), "teams of 8 lanes");
    launch(1, 256, lanes_kernel<32>, out);
    expect(all_are(out, 256, 1), "teams of a warp");
    launch(1, 256, block_kernel, out);
    expect(all_are(out, 256, 1), "teams of a block, and of a size known at run time");
    must(cudaMemset(counters, 0, 2 * sizeof(unsigned)));
    must(cudaMemset(numbers, 0, MOST_BLOCKS * ROUNDS * sizeof(int)));
    launch(blocks, 128, grid_kernel, numbers, counters, ROUNDS, out);
    expect(all_are(out, blocks, 1), "a barrier of the grid, 50 times");
    expect(all_are(out + blocks, 1, blocks), "the last block sees all others' results");
    launch(1, 1, complex_kernel, numbers2);
    must(cudaMemcpy(host, numbers2, sizeof host, cudaMemcpyDeviceToHost));
    expect(host[0] == 9 && host[1] == 4, "sums and products of complex numbers");
    expect(host[3] == 5 && host[4] == 6, "a complex number at an address that is aligned to its real type");
    return failures > 0;
}
