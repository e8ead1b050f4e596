/* stebz: eigenvalues of a large symmetric tridiagonal matrix: some by index, and how many lie in an interval.
 *
 * The matrix is Harper's model of an electron on a lattice in a magnetic field: off-diagonal 1 and diagonal
 * 2 cos(2 pi alpha k), with alpha the golden mean.  Its spectrum is a Cantor set: bands, and gaps between them.
 *     cc examples/stebz.c $(pkg-config --cflags --libs eigpack) -lm && ./a.out */
#include <eigpack.h>

#include <math.h>
#include <stdio.h>

enum { N = 100000, TEN = 10 };

int main(void)
{
    static double d[N], e[N];
    double const alpha = (sqrt(5.0) - 1) / 2;
    for (int k = 0; k < N; ++k) {
        d[k] = 2 * cos(2 * acos(-1.0) * alpha * k);
        e[k] = 1; /* only the first N-1 are read */
    }

    /* A context is a device and its threads.  "auto" takes a GPU where one answers. */
    eig_context *ctx;
    eig_status status = eig_create(&ctx, "auto");
    if (status == EIG_OK) printf("computed by %s\n", eig_describe(ctx));

    /* The ten smallest eigenvalues, each with an enclosure that Sturm counts prove. */
    double w[TEN], lower[TEN], upper[TEN];
    eig_stebz_options smallest = EIG_STEBZ_OPTIONS;
    smallest.range = EIG_RANGE_INDEX, smallest.il = 1, smallest.iu = TEN;
    if (status == EIG_OK) status = eig_dstebz(ctx, &smallest, N, d, e, NULL, w, lower, upper, NULL);
    for (int k = 0; status == EIG_OK && k < TEN; ++k)
        printf("%2d  %.16f  in [%.17g, %.17g]\n", k + 1, w[k], lower[k], upper[k]);

    /* How many lie in the middle of the spectrum?  A count needs no eigenvalue: two shifts, two Sturm counts. */
    double const interval[2] = {-0.1, 0.1};
    int64_t below[2];
    if (status == EIG_OK) status = eig_dstebz_count(ctx, N, d, e, 2, interval, below, NULL);
    if (status == EIG_OK) printf("%lld eigenvalues in [-0.1, 0.1)\n", (long long)(below[1] - below[0]));

    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    eig_destroy(ctx);
    return status == EIG_OK ? 0 : 1;
}
