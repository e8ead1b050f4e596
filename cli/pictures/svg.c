/* A real spectrum: the density of the eigenvalues as a histogram, below it each eigenvalue as a tick (a rug).  Ticks
 * closer than a quarter pixel are drawn once, so the file stays small for any m. */
#include "pictures/svg.h"
#include "pictures/chart.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 380, LEFT = 92, RIGHT = 740, TOP = 46, BASE = 290, RUG = 18, MOST_BARS = 134 };

/* Bars of one width, side by side over the whole spectrum and half a mean spacing more on either side; heights are
 * eigenvalues per unit. */
typedef struct histogram {
    int bars;
    double height[MOST_BARS], most;
} histogram;

/* Each eigenvalue takes up the mean spacing, half of it on either side, and is shared between the bars that lie there.
 * Counted as a point, a regular spectrum would beat against the bars, and an eigenvalue on the border between two would
 * leave a gap; counted so, it is flat.  There are no more bars than eigenvalues, so that it touches two at most.
 * Halves of the spacing are used, because the spacing may exceed the largest number. */
static void fill_bars(histogram *h, const double *w, int64_t m, double half_spacing)
{
    double const share = h->bars / (double)m; /* of a bar's width, <= 1: a spacing */
    for (int64_t k = 0; k < m; k++) {
        double const left = (w[k] / 2 - w[0] / 2) / half_spacing * share;
        int const b = (int)fmin(h->bars - 1, floor(left));
        double const inside = b == h->bars - 1 ? 1 : fmin(1, (b + 1 - left) / share);
        h->height[b] += inside;
        if (b + 1 < h->bars) h->height[b + 1] += 1 - inside;
    }
    for (int b = 0; b < h->bars; b++) {
        h->height[b] *= share / half_spacing / 2;
        h->most = fmax(h->most, h->height[b]);
    }
}

static void draw_bars(FILE *out, double from, double to, const axis *y, const histogram *h)
{
    double const width = (to - from) / h->bars;
    fprintf(out, "<path fill=\"#9ec5e8\" stroke=\"#2b6ca3\" d=\"M%.1f %d", from, BASE);
    for (int b = 0; b < h->bars; b++) fprintf(out, "V%.1fH%.1f", axis_pixel(y, h->height[b]), from + (b + 1) * width);
    fprintf(out, "V%dZ\"/>\n", BASE);
}

static void draw_rug(FILE *out, const axis *x, const double *w, int64_t m)
{
    fprintf(out, "<path stroke=\"#b03a2e\" stroke-width=\"%s\" d=\"", m < 200 ? "1.2" : "0.6");
    double last = -1;
    for (int64_t k = 0; k < m; k++) {
        double const at = axis_pixel(x, w[k]);
        if (at < last + 0.25) continue;
        fprintf(out, "M%.2f %dv%d", at, BASE + 3, RUG - 3);
        last = at;
    }
    fprintf(out, "\"/>\n<path stroke=\"#757b84\" fill=\"none\" d=\"M%d %dH%dM%d %dH%d\"/>\n", LEFT, BASE, RIGHT, LEFT,
            BASE + RUG, RIGHT);
}

static void draw_scales(FILE *out, const axis *x, const axis *y)
{
    chart_axis_y(out, y, LEFT, RIGHT);
    chart_axis_x(out, x, BASE + RUG);
}

/* All eigenvalues are in one place: a single bar, with their number. */
static void draw_place(FILE *out, const double *w, int64_t m)
{
    double const at = m > 0 ? w[m / 2] : 0, pad = fabs(at) < 1e-290 ? 1 : 0.05 * fabs(at);
    axis const x = axis_make(at - pad, at + pad, 0.02, LEFT, RIGHT, "eigenvalue");
    axis const y = {0, m > 0 ? 1.05 * (double)m : 1, BASE, TOP, "number of eigenvalues"};
    draw_scales(out, &x, &y);
    if (m > 0)
        fprintf(out, "<path fill=\"#9ec5e8\" stroke=\"#2b6ca3\" d=\"M%.1f %dV%.1fh6V%dZ\"/>\n", axis_pixel(&x, at) - 3,
                BASE, axis_pixel(&y, (double)m), BASE);
    draw_rug(out, &x, w, m > 0);
}

static void draw_spectrum(FILE *out, const double *w, int64_t m)
{
    double const half_spacing = (w[m - 1] / 2 - w[0] / 2) / (double)(m - 1);
    double const low = chart_finite(w[0] - half_spacing), high = chart_finite(w[m - 1] + half_spacing);
    histogram h = {.bars = (int)fmin(MOST_BARS, fmax(fmin((double)m, 11), 2 * sqrt((double)m)))};
    h.bars = (int)fmin(h.bars, (double)m);
    fill_bars(&h, w, m, half_spacing);
    axis const x = axis_make(low, high, 0.02, LEFT, RIGHT, "eigenvalue");
    axis const y = {0, 1.05 * h.most, BASE, TOP, "eigenvalues per unit"};
    draw_scales(out, &x, &y);
    draw_bars(out, axis_pixel(&x, low), axis_pixel(&x, high), &y, &h);
    draw_rug(out, &x, w, m);
}

bool svg_spectrum(const char *path, const char *title, const double *w, int64_t m, io_error *error)
{
    chart c;
    if (!chart_begin(&c, path, WIDTH, HEIGHT, LEFT, title, error)) return false;
    double const least = m > 0 ? fmax(1e-12 * fmax(fabs(w[0]), fabs(w[m - 1])), 1e-297) : 1;
    if (m == 0 || w[m - 1] / 2 - w[0] / 2 < least / 2)
        draw_place(c.out, w, m);
    else
        draw_spectrum(c.out, w, m);
    return chart_end(&c, path, error);
}
