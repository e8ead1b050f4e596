/* A user of the options, compiled against an older, this, or a newer eigpack.h (tests/package/install.sh makes them) and run
 * with this library: 0 when all calls understand each other.  Prints the sizes of the structures.  C11 and C++17. */
#include <eigpack.h>

#include <math.h>
#include <stdio.h>

static int close_to(double x, double y)
{
    return fabs(x - y) < 1e-14;
}

int main(void)
{
    double const d[3] = {2, 2, 2}, e[2] = {-1, -1}, a[4] = {0, 1, 0, 0};
    double w[3] = {0, 0, 0};
    int64_t m = 0;
    eig_z z[2];
    int info = -99;
    eig_stebz_options stebz = EIG_STEBZ_OPTIONS;
    eig_geev_options geev;
    eig_geev_options_init(&geev, sizeof geev);
    stebz.range = EIG_RANGE_INDEX, stebz.il = 3, stebz.iu = 3;
    geev.method = EIG_GEEV_REFERENCE;
    eig_context *ctx;
    eig_status status = eig_create(&ctx, "cpu");
    if (status == EIG_OK) status = eig_dstebz(ctx, &stebz, 3, d, e, &m, w, NULL, NULL, &info);
    int right = status == EIG_OK && info == 0 && m == 1 && close_to(w[0], 2 + sqrt(2.0));
    info = -99;
    if (status == EIG_OK) status = eig_dgeev(ctx, &geev, 2, a, 2, z, NULL, 0, NULL, 0, NULL, &info);
    right = right && status == EIG_OK && info == 0 && z[0].re == 0 && z[1].re == 0;
    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
#ifdef NEWER
    stebz.much_later = 1; /* what this library does not know is refused */
    right = right && eig_dstebz(ctx, &stebz, 3, d, e, &m, w, NULL, NULL, &info) == EIG_BAD_ARGUMENT;
    geev.later = 1;
    right = right && eig_dgeev(ctx, &geev, 2, a, 2, z, NULL, 0, NULL, 0, NULL, &info) == EIG_BAD_ARGUMENT;
#endif
    eig_destroy(ctx);
    printf("%d %d\n", (int)sizeof stebz, (int)sizeof geev);
    return right ? 0 : 1;
}
