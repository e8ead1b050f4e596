/* geev on the CPU: a tile of matrices, one in each lane of a vector.  Compiled once per instruction set (EIG_ISA).
 *
 * Mapping   element (i, j) of all matrices of the tile is one vector, at h[i*row + j].  The lanes run the same road as
 *           geev_reference.inc in lockstep: scale, balance, Hessenberg form, double-shift sweeps.  A sweep runs over
 *           the union of the lanes' windows; in rows outside its own window a lane's reflector is the identity.  Only
 *           a lane's control (where its window lies) is scalar.
 * Memory    geev_tile_vectors: 71 KB a tile at n = 30, 291 KB at n = 64, with vectors of 64 bytes.
 * Cost      the scalar work divided by the lanes, over the fraction of lanes at work: lanes stay in step, since they
 *           deflate at nearly the same rate.  A reflector's square root and divisions are hidden behind the updates of
 *           the one before it.
 * Promises  a lane's results depend on its matrix alone, not on its neighbours: what the lanes share is only how many
 *           times a loop runs, and an idle lane is updated by zeros.  Nothing depends on the sign of a zero.
 *           A matrix that takes more than GEEV_STEPS steps for one eigenvalue is left to the reference.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "geev.h"
#include "geev_cpu.h"
#include "simd_lanes.h"

enum { GEEV_STEPS = 30 };

/* The scalar templates: balancing of a lane that must be permuted, and storing. */
#define TEMPLATE "cpu/geev/geev_balance.inc"
#include "for_sd.h"
#define TEMPLATE "cpu/geev/geev_store.inc"
#include "for_sd.h"

/* The formulas for lanes. */
#undef EIG_FN
#define EIG_FN SIMD_FN

#define real vf
#define LOGICAL vi
#define NAME(f) f##_vf
#define REAL(c) simd_splat_vf(c##f)
#define SPLAT(c) simd_splat_vf(c)
#define REAL_IS_FLOAT 1
#define FABS simd_abs_vf
#define SQRT simd_sqrt_vf
#define SELECT simd_choose_vf
#define ANY simd_mask_bits_vf
#define MAX2 simd_max_vf
#define EPS FLT_EPSILON
#define SAFMIN FLT_MIN
#include "balance.inc"
#include "francis.inc"
#undef real
#define real float
#define lanes vf
#define LANES_NAME(f) f##_vf
#undef NAME
#define NAME(f) f##_s
#define simd_fma simd_fma_s
#include "geev_form.inc"
#include "geev_iterate.inc"
#undef real
#undef LOGICAL
#undef NAME
#undef REAL
#undef SPLAT
#undef REAL_IS_FLOAT
#undef FABS
#undef SQRT
#undef SELECT
#undef ANY
#undef MAX2
#undef EPS
#undef SAFMIN
#undef lanes
#undef LANES_NAME
#undef simd_fma

#define real vd
#define LOGICAL vl
#define NAME(f) f##_vd
#define REAL(c) simd_splat_vd(c)
#define SPLAT(c) simd_splat_vd(c)
#define REAL_IS_FLOAT 0
#define FABS simd_abs_vd
#define SQRT simd_sqrt_vd
#define SELECT simd_choose_vd
#define ANY simd_mask_bits_vd
#define MAX2 simd_max_vd
#define EPS DBL_EPSILON
#define SAFMIN DBL_MIN
#include "balance.inc"
#include "francis.inc"
#undef real
#define real double
#define lanes vd
#define LANES_NAME(f) f##_vd
#undef NAME
#define NAME(f) f##_d
#define simd_fma simd_fma_d
#include "geev_form.inc"
#include "geev_iterate.inc"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

const geev_kernels PASTE(geev_kernels_, EIG_ISA) = {
    .lanes_s = SIMD_BYTES / sizeof(float),
    .lanes_d = SIMD_BYTES / sizeof(double),
    .tile_s = tile_s,
    .tile_d = tile_d,
};
