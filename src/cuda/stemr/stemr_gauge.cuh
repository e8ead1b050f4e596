/* stemr on CUDA: the sign of vectors (src/numerics/gauge.inc).  It is known when all entries are; half of the vectors
 * are then read and written once more, in the rows that are not 0. */
#ifndef EIG_STEMR_GAUGE_CUH
#define EIG_STEMR_GAUGE_CUH

#include "gauge.h"

enum { STEMR_SIGN_ROWS = 4 /* of a lane, in flight */ };

/* Gives the vector z its sign; it is 0 but in rows first to last, and most is its largest modulus.  By all lanes of a
 * warp, which see all entries. */
template <typename real> static __device__ __forceinline__ void stemr_give_sign(real *z, int first, int last, real most)
{
    constexpr unsigned all = 0xffffffffu;
    int const lane = threadIdx.x % 32;
    real const least = gauge_least(most);
    bool found = false, turns = false;
    for (int row0 = first; row0 <= last && !found; row0 += 32 * STEMR_SIGN_ROWS) {
        real x[STEMR_SIGN_ROWS];
#pragma unroll
        for (int k = 0; k < STEMR_SIGN_ROWS; ++k) {
            int const row = row0 + 32 * k + lane;
            x[k] = row <= last ? z[row] : (real)0;
        }
#pragma unroll
        for (int k = 0; k < STEMR_SIGN_ROWS; ++k) {
            unsigned const near = __ballot_sync(all, row0 + 32 * k + lane <= last && fabs(x[k]) >= least);
            if (found || !near) continue;
            found = true, turns = gauge_sign(__shfl_sync(all, x[k], __ffs(near) - 1)) < 0;
        }
    }
    if (!turns) return;
    __syncwarp(); /* all lanes have read what decides */
#pragma unroll 4
    for (int row = first + lane; row <= last; row += 32) z[row] = 0 - z[row]; /* no -0 */
}

#endif
