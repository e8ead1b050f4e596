/* How fast the counting kernels of this CPU go, out of the first cache, on one thread.
 *
 *     build/bench/stebz_rates
 *
 * Prints nanoseconds a row for a full call and for a single vector of shifts, medians of 21, and the same a row and
 * shift: the rates that docs/families/stebz.md quotes. */
#include "bench/support/times.h"
#include "cpu/backend_cpu.h"
#include "eigpack.h"

#include <stdio.h>

enum { ROWS = 1024, CALLS = 2000, REPEATS = 21 };

/* Nanoseconds a row of one call. */
static double rate(stebz_counter *count, const stebz_matrix *m, int lanes)
{
    stebz_counts c;
    times t = {0};
    int64_t sum = 0;
    for (int r = 0; r < REPEATS; ++r) {
        for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = 0.0625 * (l - r);
        double const start = clock_ms();
        for (int k = 0; k < CALLS; ++k) count(m, lanes, &c);
        times_add(&t, 1e6 * (clock_ms() - start) / ((double)CALLS * (double)m->n));
        for (int l = 0; l < lanes; ++l) sum += c.count[l];
    }
    if (sum <= 0) fprintf(stderr, "stebz_rates: no eigenvalue was counted\n");
    return times_median(&t);
}

static void print(const char *type, const stebz_product *kernel, const stebz_matrix *t, int vectors)
{
    int const lanes = kernel->shifts, single = lanes / vectors;
    double const full = rate(kernel->count, t, lanes), one = rate(kernel->count, t, single);
    printf("%s  %2d shifts %.3f ns a row, %.4f a row and shift; %2d shifts %.3f ns a row\n", type, lanes, full,
           full / lanes, single, one);
}

int main(void)
{
    enum { VECTORS = 4 }; /* of a full call */
    static double rows_d[2 * ROWS], scales_d[2 * ROWS / STURM_BLOCK];
    static float rows_s[2 * ROWS], scales_s[2 * ROWS / STURM_BLOCK];
    for (int i = 0; i < ROWS; ++i) { /* tridiag(1, i mod 5 - 2, 1) */
        rows_d[2 * i] = i % 5 - 2, rows_d[2 * i + 1] = 1;
        rows_s[2 * i] = (float)rows_d[2 * i], rows_s[2 * i + 1] = 1;
    }
    for (int i = 0; i < 2 * ROWS / STURM_BLOCK; ++i) scales_d[i] = 1, scales_s[i] = 1;
    eig_context *ctx;
    if (eig_create(&ctx, "cpu") != EIG_OK) {
        fprintf(stderr, "stebz_rates: %s\n", eig_error_detail(ctx));
        return 1;
    }
    printf("%s\n", eig_describe(ctx));
    stebz_matrix t = {.n = ROWS, .padded = ROWS, .rows = rows_d, .scales = scales_d};
    print("f64", eig_cpu_kernels(ctx, EIG_D)->stebz.product, &t, VECTORS);
    t.rows = rows_s, t.scales = scales_s;
    print("f32", eig_cpu_kernels(ctx, EIG_S)->stebz.product, &t, VECTORS);
    eig_destroy(ctx);
    return 0;
}
