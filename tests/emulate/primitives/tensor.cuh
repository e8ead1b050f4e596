/* primitives/tensor.cuh for the emulation: the lanes meet, and the last one computes for all. */
#ifndef EIG_TENSOR_CUH
#define EIG_TENSOR_CUH

/* Of a lane: two numbers of c and two of the piece below it (or NULL), a and a_below of `depth` / 4 pieces in turn, b of each. */
struct emulate_product {
    double *c, *below;
    const double *a, *b;
    int depth;
};

static inline void emulate_multiply(void *const (&all)[32], unsigned)
{
    for (int lane = 0; lane < 32; ++lane) {
        emulate_product const own = *(const emulate_product *)all[lane];
        int const pieces = own.below ? 2 : 1;
        for (int k = 0; k < own.depth; ++k)
            for (int side = 0; side < 2; ++side) {
                int const column = lane % 4 * 2 + side, row = lane / 4;
                const double *const a = ((const emulate_product *)all[4 * row + k % 4])->a + k / 4 * pieces;
                double const b = ((const emulate_product *)all[4 * column + k % 4])->b[k / 4];
                own.c[side] = fma(a[0], b, own.c[side]);
                if (own.below) own.below[side] = fma(a[1], b, own.below[side]);
            }
    }
}

static inline void tensor_8x8x4(double *c, double a, double b)
{
    emulate_product own = {c, NULL, &a, &b, 4};
    emulate_meet(0xffffffffu, &own, emulate_multiply);
}

static inline void tensor_16x8x4(double *c, double *below, double a, double a_below, double b)
{
    double const x[2] = {a, a_below};
    emulate_product own = {c, below, x, &b, 4};
    emulate_meet(0xffffffffu, &own, emulate_multiply);
}

static inline void tensor_16x8x8(double *c, double *below, double a, double a_below, double a4, double a4_below,
                                 double b, double b4)
{
    double const x[4] = {a, a_below, a4, a4_below}, y[2] = {b, b4};
    emulate_product own = {c, below, x, y, 8};
    emulate_meet(0xffffffffu, &own, emulate_multiply);
}

static inline void tensor_16x8x16(double *c, double *below, const double (&x)[8], const double (&y)[4])
{
    emulate_product own = {c, below, x, y, 16};
    emulate_meet(0xffffffffu, &own, emulate_multiply);
}

#endif
