/* A spectrum as an SVG: the density of the eigenvalues as a histogram, below it each eigenvalue as a tick (a rug), a
 * scale with round numbers.  Ticks closer than a quarter pixel are drawn once, so the file stays small for any m. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 760, HEIGHT = 380, LEFT = 92, RIGHT = 740, TOP = 46, BASE = 290, RUG = 18 };

/* Maps [low, high] to pixels from..to. */
typedef struct axis {
    double low, high, from, to;
} axis;

static double pixel(const axis *a, double x)
{
    /* halves, so that high - low cannot overflow */
    return a->from + (x / 2 - a->low / 2) / (a->high / 2 - a->low / 2) * (a->to - a->from);
}

/* A round step (1, 2 or 5 times a power of ten) that gives at most `most` intervals. */
static double round_step(double span, int most)
{
    double const raw = span / most, power = pow(10, floor(log10(raw)));
    double const lead = raw / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/* The label of a tick: as many digits as tell neighbours apart, and no exponent below a million. */
static void label(char *text, size_t size, double x, double step)
{
    if (fabs(x) < step / 2) x = 0; /* no "-1e-17" for zero */
    int const apart = x == 0 ? 1 : (int)fmin(17, fmax(3, ceil(log10(fabs(x) / step)) + 1));
    int const digits = fabs(x) < 1e6 && apart < 6 ? 6 : apart;
    snprintf(text, size, "%.*g", digits, x);
}

static void escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
}

static void draw_head(FILE *out, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"26\" font-size=\"16\">",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    escape(out, title);
    fputs("</text>\n", out);
}

static void draw_scales(FILE *out, const axis *x, const axis *y)
{
    char text[32];
    double step = round_step(y->high - y->low, 5);
    for (int64_t i = 0; (double)i * step <= y->high; i++) {
        double const at = pixel(y, (double)i * step);
        label(text, sizeof text, (double)i * step, step);
        fprintf(out,
                "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT, at, RIGHT, LEFT - 8, at + 4, text);
    }
    step = round_step(x->high - x->low, 8);
    double const first = ceil(x->low / step);
    for (int i = 0; (first + i) * step <= x->high && i < 20; i++) {
        double const at = pixel(x, (first + i) * step);
        label(text, sizeof text, (first + i) * step, step);
        fprintf(out,
                "<path d=\"M%.1f %dv5\" stroke=\"#333\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                at, BASE + RUG, at, BASE + RUG + 20, text);
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">eigenvalue</text>\n"
            "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">eigenvalues per unit</text>\n",
            (LEFT + RIGHT) / 2, HEIGHT - 18, (TOP + BASE) / 2);
}

static void draw_density(FILE *out, const axis *x, const axis *y, const double *density, int bins, double low,
                         double width)
{
    fprintf(out, "<path fill=\"#9ec5e8\" stroke=\"#2b6ca3\" d=\"M%.1f %d", pixel(x, low), BASE);
    for (int b = 0; b < bins; b++) fprintf(out, "V%.1fH%.1f", pixel(y, density[b]), pixel(x, low + (b + 1) * width));
    fprintf(out, "V%dZ\"/>\n", BASE);
}

static void draw_rug(FILE *out, const axis *x, const double *w, int64_t m)
{
    fprintf(out, "<path stroke=\"#b03a2e\" stroke-width=\"%s\" d=\"", m < 200 ? "1.2" : "0.6");
    double last = -1;
    for (int64_t k = 0; k < m; k++) {
        double const at = pixel(x, w[k]);
        if (at < last + 0.25) continue;
        fprintf(out, "M%.2f %dv%d", at, BASE + 3, RUG - 3);
        last = at;
    }
    fprintf(out, "\"/>\n<path stroke=\"#333\" fill=\"none\" d=\"M%d %dH%dM%d %dH%d\"/>\n", LEFT, BASE, RIGHT, LEFT,
            BASE + RUG, RIGHT);
}

static void draw(FILE *out, const char *title, const double *w, int64_t m)
{
    enum { MOST_BINS = 134 }; /* five pixels each */
    double low = m > 0 ? w[0] : 0, high = m > 0 ? w[m - 1] : 0;
    double const least = fmax(1e-12 * fmax(fabs(low), fabs(high)), 1e-300);
    if (high - low < least) {
        double const pad = fmax(0.05 * fabs(low), low == 0 ? 1 : 0);
        low -= pad, high += pad;
    }
    int const bins = (int)fmin(MOST_BINS, fmax(11, 2 * sqrt((double)m)));
    double const width = high / bins - low / bins, margin = 0.02 * (high / 2 - low / 2);
    double density[MOST_BINS] = {0}, most = 0;
    for (int64_t k = 0; k < m; k++) {
        int const b = (int)fmin(bins - 1, fmax(0, (w[k] - low) / width));
        density[b] += 1 / width;
        most = fmax(most, density[b]);
    }
    axis const x = {low - margin, high + margin, LEFT, RIGHT};
    axis const y = {0, most > 0 ? 1.05 * most : 1, BASE, TOP};
    draw_head(out, title);
    draw_scales(out, &x, &y);
    if (m > 0) draw_density(out, &x, &y, density, bins, low, width);
    draw_rug(out, &x, w, m);
    fputs("</svg>\n", out);
}

bool svg_spectrum(const char *path, const char *title, const double *w, int64_t m, io_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    if (out) draw(out, title, w, m);
    bool const good = out && !ferror(out);
    bool const closed = out && fclose(out) == 0;
    if (!good || !closed) snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
    bool const written = good && closed && io_write_bytes(path, text, size, error);
    free(text);
    return written;
}
