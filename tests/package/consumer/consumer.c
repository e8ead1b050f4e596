/* The smallest user of an installed eigpack: 0 when the package is whole.  Compiled as C11 and as C++17. */
#include <eigpack.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    int const header = 10000 * EIG_VERSION_MAJOR + 100 * EIG_VERSION_MINOR + EIG_VERSION_PATCH;
    if (header != PACKAGE_VERSION || eig_version() != header) {
        fprintf(stderr, "versions differ: package %d, header %d, library %d\n", PACKAGE_VERSION, header, eig_version());
        return 1;
    }

    /* The 3 x 3 second difference has the eigenvalues 2 - sqrt(2), 2, 2 + sqrt(2). */
    double const d[3] = {2, 2, 2}, e[2] = {-1, -1}, exact[3] = {2 - sqrt(2.0), 2, 2 + sqrt(2.0)};
    double w[3] = {0, 0, 0};
    int64_t m = 0;
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    eig_context *ctx;
    eig_status status = eig_create(&ctx, "cpu");
    if (status == EIG_OK) status = eig_dstebz(ctx, &options, 3, d, e, &m, w, NULL, NULL, NULL);
    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    int right = status == EIG_OK && m == 3;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(w[k] - exact[k]) < 1e-14)) right = 0;
    }
    eig_destroy(ctx);
    return right ? 0 : 1;
}
