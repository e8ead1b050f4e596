/* primitives/grid.cuh for the emulation: one launch at a time meets here. */
#ifndef EIG_GRID_CUH
#define EIG_GRID_CUH

inline volatile unsigned emulate_come, emulate_meetings;

static inline void meet_grid()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned const meeting = emulate_meetings;
        if (atomicAdd((unsigned *)&emulate_come, 1u) == gridDim.x - 1) {
            emulate_come = 0;
            __threadfence();
            emulate_meetings = meeting + 1;
        } else {
            while (emulate_meetings == meeting) emulate_yield();
        }
        __threadfence();
    }
    __syncthreads();
}

#endif
