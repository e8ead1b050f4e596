/* cub::BlockScan's one function that eigpack calls. */
#ifndef EIG_EMULATE_BLOCK_SCAN_CUH
#define EIG_EMULATE_BLOCK_SCAN_CUH

namespace cub
{
template <typename T, int threads> struct BlockScan {
    struct TempStorage {
        T of[threads];
    };
    TempStorage &space;
    explicit BlockScan(TempStorage &storage) : space(storage) {}
    void ExclusiveSum(T value, T &before, T &total)
    {
        space.of[threadIdx.x] = value;
        __syncthreads(); /* all values are there */
        T sum = 0;
        for (int t = 0; t < threads; ++t) {
            if (t == (int)threadIdx.x) before = sum;
            sum += space.of[t];
        }
        total = sum;
    }
};
} // namespace cub

#endif
