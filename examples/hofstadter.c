/* hofstadter: the energies of an electron on a square lattice in a magnetic field, for every flux p/q with q up to 34.
 *
 * At flux p/q the magnetic cell has q sites.  At each point (x, y) of the Brillouin zone the energies are the
 * eigenvalues of a Hermitian q x q matrix:
 *     H[j][j] = 2 cos(2 pi j p/q + y),  H[j][j-1] = 1,  H[0][q-1] = exp(-i q x)
 * A batch has all fluxes of one q at 5 x 5 points; by Chambers' relation the edges of the q bands are among them, and
 * everything that repeats itself in the zone is left out.  Over the flux the bands make Hofstadter's butterfly
 * (D. Hofstadter, Phys. Rev. B 14, 1976).
 *     cc examples/hofstadter.c $(pkg-config --cflags --libs eigpack) -lm && ./a.out butterfly.svg */
#include <eigpack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_Q = 34, GRID = 5, POINTS = GRID * GRID };

/* The bands of one flux. */
typedef struct bands {
    int p, q;
    double low[MOST_Q], high[MOST_Q];
} bands;

static bands butterfly[MOST_Q * MOST_Q];
static int fluxes;
static int64_t matrices;

static int divisor(int a, int b)
{
    return b == 0 ? a : divisor(b, a % b);
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The lower triangle of H, column-major: turn_x = q x. */
static void fill(eig_z *h, int p, int q, double turn_x, double y)
{
    double const pi = acos(-1.0);
    for (int j = 0; j < q; ++j) {
        h[j + j * q].re += 2 * cos(2 * pi * (j * p % q) / q + y);
        if (j > 0) h[j + (j - 1) * q].re += 1;
    }
    eig_z *const corner = &h[q - 1];
    corner->re += (q == 1 ? 2 : 1) * cos(turn_x), corner->im += q == 1 ? 0 : sin(turn_x);
}

/* Widens the bands of a flux by the energies at one point, which ascend. */
static void add(bands *b, const double *w)
{
    for (int k = 0; k < b->q; ++k) {
        b->low[k] = fmin(b->low[k], w[k]);
        b->high[k] = fmax(b->high[k], w[k]);
    }
}

/* All fluxes p/q of one q in one call. */
static eig_status solve(eig_context *ctx, int q, double *ms)
{
    double const pi = acos(-1.0);
    bands *const first = &butterfly[fluxes];
    int count = 0;
    for (int p = 0; p <= q; ++p) {
        if (divisor(p, q) != 1) continue;
        bands *const b = &first[count++];
        b->p = p, b->q = q;
        for (int k = 0; k < q; ++k) b->low[k] = 9, b->high[k] = -9;
    }
    int64_t const batch = (int64_t)count * POINTS;
    eig_z *const h = calloc((size_t)(batch * q * q), sizeof *h);
    double *const w = malloc((size_t)(batch * q) * sizeof *w);
    if (!h || !w) return EIG_NO_MEMORY;
    for (int64_t k = 0; k < batch; ++k) {
        int const point = (int)(k % POINTS);
        double const step = pi / (GRID - 1);
        fill(h + k * q * q, first[k / POINTS].p, q, step * (point % GRID), step * (double)(point / GRID) / q);
    }
    double const start = seconds();
    eig_status const status =
        eig_zheev_batched(ctx, NULL, q, h, q, (int64_t)q * q, NULL, w, q, NULL, 0, 0, NULL, NULL, batch);
    *ms += 1e3 * (seconds() - start);
    for (int64_t k = 0; k < batch && status == EIG_OK; ++k) add(&first[k / POINTS], w + k * q);
    fluxes += count, matrices += batch;
    free(h), free(w);
    return status;
}

/* ------------------------------------------------------------------ output */

enum { LEFT = 60, TOP = 20, WIDTH = 720, HEIGHT = 560 };

static double x_of(double flux)
{
    return LEFT + WIDTH * flux;
}

static double y_of(double energy)
{
    return TOP + HEIGHT * (4 - energy) / 8;
}

static void draw_axes(FILE *file)
{
    static const char *const names[] = {"0", "1/4", "1/2", "3/4", "1"};
    fprintf(file, "<path d=\"M%d %dh%dv%dh-%dz\" fill=\"none\" stroke=\"#757b84\"/>\n", LEFT, TOP, WIDTH, HEIGHT,
            WIDTH);
    for (int k = 0; k <= 4; ++k) {
        double const x = x_of(k / 4.0), y = y_of(2 * k - 4);
        fprintf(file, "<path d=\"M%.1f %dv5M%d %.1fh-5\" stroke=\"#757b84\"/>\n", x, TOP + HEIGHT, LEFT, y);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, TOP + HEIGHT + 20, names[k]);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%d</text>\n", LEFT - 9, y + 4.5,
                k < 2 ? "\xe2\x88\x92" : "" /* a minus sign */, abs(2 * k - 4));
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" font-size=\"15\" text-anchor=\"middle\">magnetic flux a cell</text>\n",
            LEFT + WIDTH / 2, TOP + HEIGHT + 42);
    fprintf(file,
            "<text transform=\"translate(20,%d) rotate(-90)\" font-size=\"15\" text-anchor=\"middle\">energy</text>\n",
            TOP + HEIGHT / 2);
}

/* A line for each band, at least as high as it is wide: many bands are narrower than a picture can show. */
static int draw(const char *path)
{
    double const least = 1.2;
    FILE *const file = fopen(path, "w");
    if (!file) return 0;
    int const width = LEFT + WIDTH + 20, height = TOP + HEIGHT + 56;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#757b84\">\n"
            "<title>Energies of an electron on a lattice over the magnetic flux</title>\n<g stroke=\"#2f78c4\" "
            "stroke-width=\"%.1f\">\n",
            width, height, width, height, least);
    for (int k = 0; k < fluxes; ++k) {
        const bands *const b = &butterfly[k];
        fprintf(file, "<path d=\"");
        for (int j = 0; j < b->q; ++j) {
            double const top = y_of(b->high[j]), high = fmax(y_of(b->low[j]) - top, least);
            fprintf(file, "M%.1f %.1fv%.1f", x_of((double)b->p / b->q), top, high);
        }
        fprintf(file, "\"/>\n");
    }
    fprintf(file, "</g>\n");
    draw_axes(file);
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    eig_context *ctx;
    double ms = 0;
    eig_status status = eig_create(&ctx, "auto");
    for (int q = 1; q <= MOST_Q && status == EIG_OK; ++q) status = solve(ctx, q, &ms);
    if (status != EIG_OK) {
        fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    } else {
        for (int k = 0; k < fluxes; ++k)
            for (int j = 0; j < 3 && butterfly[k].q == 3 && butterfly[k].p == 1; ++j)
                printf("flux 1/3, band %d: %.10f to %.10f\n", j + 1, butterfly[k].low[j], butterfly[k].high[j]);
        printf("%lld Hermitian matrices of order 1 to %d, %d fluxes at %d points: %.1f ms on %s\n", (long long)matrices,
               MOST_Q, fluxes, POINTS, ms, eig_describe(ctx));
        if (argc > 1 && !draw(argv[1])) {
            fprintf(stderr, "cannot write %s\n", argv[1]);
            status = EIG_BAD_ARGUMENT;
        }
    }
    eig_destroy(ctx);
    return status == EIG_OK ? 0 : 1;
}
