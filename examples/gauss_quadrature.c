/* gauss_quadrature: the nodes and weights of Gauss-Legendre quadrature with 10,000 points, by G. Golub and J. Welsch
 * (Math. Comp. 23, 1969).
 *
 * The nodes x[k] are the eigenvalues of the tridiagonal matrix of the Legendre polynomials, the weights w[k] = 2 z[k]^2,
 * where z[k] is the first element of the eigenvector.  They are compared with the polynomials themselves: P_n by its
 * recurrence in long double, a Newton step to its root, and w = 2 / ((1 - x^2) P_n'(x)^2); and, away from the ends, with
 * asymptotics: with N = n + 1/2 and t = (k - 1/4) pi / N the node is cos(t + cot(t) / (8 N^2)), up to N^-4, and the weight
 * pi sin(t) / N, up to N^-3 (G. Szego, Orthogonal Polynomials, 1939).
 *     cc examples/gauss_quadrature.c $(pkg-config --cflags --libs eigpack) -lm && ./a.out */
#include <eigpack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { POINTS = 10000, PART = 500 }; /* vectors of a call: the whole Z would take 800 MB */

static double d[POINTS], e[POINTS], node[POINTS], weight[POINTS];

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Pairs first to first+PART-1; z has room for them. */
static eig_status solve(eig_context *ctx, int64_t first, double *z)
{
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = first, o.iu = first + PART - 1;
    eig_status const status =
        eig_dstemr(ctx, &o, POINTS, d, e, NULL, node + first - 1, z, POINTS, NULL, NULL, NULL, NULL, NULL);
    for (int64_t k = 0; status == EIG_OK && k < PART; ++k) weight[first - 1 + k] = 2 * z[k * POINTS] * z[k * POINTS];
    return status;
}

/* The root of P_n next to x, and its weight. */
static void by_recurrence(double x, long double *root, long double *w)
{
    long double y = x, slope = 0;
    for (int step = 0; step < 2; ++step) {
        long double before = 1, here = y;
        for (int j = 2; j <= POINTS; ++j) {
            long double const next = ((2 * j - 1) * y * here - (j - 1) * before) / j;
            before = here, here = next;
        }
        slope = POINTS * (before - y * here) / (1 - y * y);
        if (step == 0) y -= here / slope;
    }
    *root = y, *w = 2 / ((1 - y * y) * slope * slope);
}

static double larger(double x, long double y)
{
    return x > fabs((double)y) ? x : fabs((double)y);
}

int main(void)
{
    double *const z = malloc((size_t)POINTS * PART * sizeof *z);
    eig_context *ctx;
    eig_status status = eig_create(&ctx, "cpu");
    if (!z) status = EIG_NO_MEMORY;
    for (int k = 1; k < POINTS; ++k) e[k - 1] = k / sqrt(4.0 * k * k - 1);
    double const start = seconds();
    for (int64_t first = 1; status == EIG_OK && first <= POINTS; first += PART) status = solve(ctx, first, z);
    double const time = seconds() - start;
    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));

    double const pi = acos(-1.0), n = POINTS + 0.5;
    double nodes = 0, weights = 0, far_nodes = 0, far_weights = 0, sum = 0, second = 0;
    for (int k = 0; status == EIG_OK && k < POINTS; ++k) {
        double const angle = (POINTS - k - 0.25) * pi / n, correction = 1 / (8 * n * n * tan(angle));
        sum += weight[k], second += weight[k] * node[k] * node[k];
        if (fabs(node[k]) <= 0.9) {
            far_nodes = larger(far_nodes, node[k] - cos(angle + correction));
            far_weights = larger(far_weights, weight[k] - pi * sin(angle) / n);
        }
        if (k % 10 > 0) continue;
        long double root, w;
        by_recurrence(node[k], &root, &w);
        nodes = larger(nodes, node[k] - root), weights = larger(weights, weight[k] / w - 1);
    }
    if (status == EIG_OK) {
        printf("integrals of 1 and x^2: %.14f, %.14f\n", sum, second);
        printf("asymptotics for |x| <= 0.9: nodes %.1e, weights %.1e away\n", far_nodes, far_weights);
        printf("%d points in %.3f s on %s; worst errors: nodes %.1e, weights %.1e of themselves\n", POINTS, time,
               eig_describe(ctx), nodes, weights);
    }
    free(z);
    eig_destroy(ctx);
    return status == EIG_OK && nodes <= 2e-16 && weights <= 1e-9 ? 0 : 1;
}
