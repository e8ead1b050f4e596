/* Certificates of eigenvalues of a tridiagonal matrix. */
#include "certify.h"

#include <math.h>
#include <stdlib.h>

void tridiagonal_gerschgorin(const io_tridiagonal *t, double *low, double *high)
{
    *low = *high = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double const left = i > 0 ? fabs(t->e[i - 1]) : 0, right = i + 1 < t->n ? fabs(t->e[i]) : 0;
        double const down = t->d[i] - (left + right), up = t->d[i] + (left + right);
        if (i == 0 || down < *low) *low = down;
        if (i == 0 || up > *high) *high = up;
    }
}

double tridiagonal_norm(const io_tridiagonal *t)
{
    double low, high;
    tridiagonal_gerschgorin(t, &low, &high);
    return fmax(fabs(low), fabs(high));
}

eig_status certify_stebz(eig_context *ctx, const io_tridiagonal *t, int64_t first, const double *w, double tolerance,
                         int64_t *bad, int64_t *count)
{
    int64_t const tried = *count;
    size_t const points = 2 * (size_t)(tried > 0 ? tried : 1);
    double *const x = (double *)calloc(points, sizeof *x);
    int64_t *const below = (int64_t *)malloc(points * sizeof *below);
    eig_status status = x && below ? EIG_OK : EIG_NO_MEMORY;
    for (int64_t i = 0; i < tried && status == EIG_OK; i++) {
        double const at = isnan(w[bad[i]]) ? 0 : w[bad[i]];
        x[2 * i] = at - tolerance;
        x[2 * i + 1] = nextafter(at + tolerance, INFINITY); /* counts are of "below" */
    }
    if (status == EIG_OK) status = eig_dstebz_count(ctx, t->n, t->d, t->e, 2 * tried, x, below, NULL);
    if (status == EIG_OK) {
        *count = 0;
        for (int64_t i = 0; i < tried; i++) {
            int64_t const k = first + bad[i];
            bool const good = !isnan(w[bad[i]]) && below[2 * i] < k && below[2 * i + 1] >= k;
            if (!good) bad[(*count)++] = bad[i];
        }
    }
    free(x);
    free(below);
    return status;
}
