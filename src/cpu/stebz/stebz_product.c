/* stebz on the CPU: Sturm counts of many shifts at once, by the product form, which does not divide.  Compiled once for
 * each instruction set and type.
 *
 * Mapping   a SIMD lane is a shift; several vectors of shifts are in flight, to cover the latency of the FMA chain
 *           (one a row).  The matrix is read once for all of them: a row is broadcast.
 * Memory    16 bytes a row in double, 8 in float, streamed; the state of the recurrence stays in registers.
 * Cost      2 FMA and a sign capture a row and vector (one shift instruction with AVX-512 VBMI2, else three
 *           operations), plus about 14 operations every 16 rows.
 * Promises  a lane's result depends on its shift alone, so results do not depend on how shifts are grouped.  Variants
 *           with FMA give equal bits; the baseline of x86-64 has no FMA and may differ in the last place.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "stebz_kernels.h"

#include "simd.h"

enum {
    VECTORS = 4, /* of shifts in flight: they cover an FMA's latency of four cycles at one row and vector a cycle */
    FIELD_SHIFT = FLOAT_OR_DOUBLE(23, 52), /* of the exponent field in a number's bits */
    FIELD_BIAS = FLOAT_OR_DOUBLE(127, 1023)
};

/* The loops are written once for a constant number of vectors, which always_inline folds into straight code. */
SIMD_FN void count_vectors(const stebz_matrix *t, int const vectors, int first, stebz_counts *c)
{
    const real *rows = t->rows, *scales = t->scales;
    vreal x[VECTORS], r0[VECTORS], r1[VECTORS];
    vint bits[VECTORS], count[VECTORS], exponent[VECTORS];
    for (int v = 0; v < vectors; ++v) {
        for (int l = 0; l < SIMD_LANES; ++l) x[v][l] = (real)-c->x[first + v * SIMD_LANES + l];
        r0[v] = (vreal){0}, r1[v] = simd_splat(1);
        bits[v] = count[v] = exponent[v] = (vint){0};
    }
    for (int64_t i = 0; i < t->padded; i += STURM_BLOCK, scales += 2) {
        for (int j = 0; j < STURM_BLOCK; ++j, rows += 2) {
            vreal const alpha = simd_splat(rows[0]), gamma = simd_splat(rows[1]);
            for (int v = 0; v < vectors; ++v) {
                vreal const next = simd_fma(simd_fma(x[v], gamma, alpha), r1[v], -r0[v]);
                bits[v] = simd_push_sign(bits[v], next);
                r0[v] = r1[v], r1[v] = next;
            }
        }
        /* Back from r to p, then by the power of two that brings the larger of the pair into [1, 2). */
        for (int v = 0; v < vectors; ++v) {
            vreal const p0 = r0[v] * scales[0], p1 = r1[v] * scales[1];
            vint const sign = (vint)simd_splat((real)-0.0);
            vint const f0 = (vint)p0 & ~sign, f1 = (vint)p1 & ~sign;
            vint const field = simd_select_bits(f0 > f1, f0, f1) >> FIELD_SHIFT;
            vreal const power = (vreal)((2 * FIELD_BIAS - field) << FIELD_SHIFT);
            r0[v] = p0 * power, r1[v] = p1 * power;
            exponent[v] += field - FIELD_BIAS;
            count[v] += simd_popcount16((bits[v] ^ (bits[v] >> 1)) & 0xffff);
        }
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            c->count[lane] = count[v][l];
            c->mantissa[lane] = r1[v][l];
            c->exponent[lane] = (double)exponent[v][l];
        }
}

/* Groups of up to VECTORS vectors, each with the loop made for its number. */
static void count_shifts(const stebz_matrix *t, int shifts, stebz_counts *c)
{
    for (int first = 0; first < shifts; first += VECTORS * SIMD_LANES) {
        int const vectors = (shifts - first + SIMD_LANES - 1) / SIMD_LANES;
        switch (vectors < VECTORS ? vectors : VECTORS) {
        case 1:
            count_vectors(t, 1, first, c);
            break;
        case 2:
            count_vectors(t, 2, first, c);
            break;
        case 3:
            count_vectors(t, 3, first, c);
            break;
        default:
            count_vectors(t, VECTORS, first, c);
        }
    }
}

const stebz_product ISA_TYPED(eig_cpu_stebz_product) = {.shifts = VECTORS * SIMD_LANES, .count = count_shifts};
