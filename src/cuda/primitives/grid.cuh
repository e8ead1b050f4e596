/* Blocks of a cooperative launch wait for each other, by memory that the driver keeps for it: none has to be zero
 * before. */
#ifndef EIG_GRID_CUH
#define EIG_GRID_CUH

#include <cooperative_groups.h>

/* All threads of the launch: what they wrote before is seen by all after it. */
static __device__ __forceinline__ void meet_grid()
{
    cooperative_groups::this_grid().sync();
}

#endif
