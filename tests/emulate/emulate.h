/* What kernels see of the emulation: their own thread, and the points at which threads wait for each other. */
#ifndef EIG_EMULATE_H
#define EIG_EMULATE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned of_x = 1, unsigned of_y = 1, unsigned of_z = 1) : x(of_x), y(of_y), z(of_z) {}
};

/* The thread that runs, of this OS thread's block.  eigpack's blocks and grids have one dimension. */
struct emulate_index {
    unsigned x;
};
extern "C" __thread emulate_index threadIdx, blockIdx, gridDim, blockDim;

/* Lanes of a warp that come together: the last one of `mask` calls combine(each lane's `own`, mask, user), and all go on.  Lanes
 * that ended are not waited for; their place in the array is NULL. */
using emulate_combine = void (*)(void *const (&own)[32], unsigned mask);
void emulate_meet(unsigned mask, void *own, emulate_combine combine);

/* All threads of the block: how many of them say `x`, and of how many. */
struct emulate_votes {
    int yes, all;
};
emulate_votes emulate_block_barrier(bool x);
void emulate_cluster_barrier();

/* In a loop that waits for other threads' writes: lets them run. */
void emulate_yield();

/* Copies that this thread has sent, and that are done when it waits; from NULL: zeros. */
void emulate_send_copy(void *to, const void *from, size_t bytes);
void emulate_end_copies();
void emulate_wait_copies(int left);

/* A shared address in 32 bits: the block's rank in its cluster, and the distance from its dynamic memory. */
unsigned emulate_shared_address(const void *at);
void *emulate_shared_pointer(unsigned address);
unsigned emulate_address_of_peer(unsigned address, int rank);

/* Runs `thread` for every thread of the launch; returns when all have ended. */
struct emulate_launch {
    unsigned blocks, threads, cluster;
    size_t shared_bytes;
    bool cooperative;
};
void emulate_run(const emulate_launch &launch, const std::function<void()> &thread);

#endif
