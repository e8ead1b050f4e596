/* Products on the FP64 tensor cores, by all lanes of a warp: c += a b for pieces of 8 rows and 8 columns.
 *
 * A lane holds of a piece of c row lane / 4 and columns 2 (lane % 4) and the next; of a row lane / 4 and column lane %
 * 4; of b row lane % 4 and column lane / 4.  Hopper has four times the rate for pieces that have another one below
 * them.  Devices before sm_80 have no such units: the functions then do nothing and must not be called. */
#ifndef EIG_TENSOR_CUH
#define EIG_TENSOR_CUH

/* a: 8 x 4, b: 4 x 8. */
static __device__ __forceinline__ void tensor_8x8x4(double *c, double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
#endif
}

/* The same for a piece and the one below it: a is 16 x 4. */
static __device__ __forceinline__ void tensor_16x8x4(double *c, double *below, double a, double a_below, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(below[0]), "+d"(below[1])
        : "d"(a), "d"(a_below), "d"(b));
#else
    tensor_8x8x4(c, a, b), tensor_8x8x4(below, a_below, b);
#endif
}

/* The same with a 16 x 8 and b 8 x 8: a and b have the first four columns or rows, a4 and b4 the others. */
static __device__ __forceinline__ void tensor_16x8x8(double *c, double *below, double a, double a_below, double a4,
                                                     double a4_below, double b, double b4)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(below[0]), "+d"(below[1])
        : "d"(a), "d"(a_below), "d"(a4), "d"(a4_below), "d"(b), "d"(b4));
#else
    tensor_8x8x4(c, a, b), tensor_8x8x4(c, a4, b4);
    tensor_8x8x4(below, a_below, b), tensor_8x8x4(below, a4_below, b4);
#endif
}

#if __CUDA_ARCH__ >= 900
/* The same with a 16 x 16 and b 16 x 8: x[2 k] and x[2 k + 1] are a and a_below of columns 4 k to 4 k + 3, y[k] is b of
 * those rows. */
[[maybe_unused]] static __device__ __forceinline__ void tensor_16x8x16(double *c, double *below, const double (&x)[8],
                                                                       const double (&y)[4])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(below[0]), "+d"(below[1])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]),
          "d"(y[2]), "d"(y[3]));
}
#endif

#endif
