/* Complex eigenvalues in the plane: points, or their density in shades. */
#include "pictures/chart.h"
#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 700, HEIGHT = 560, MOST_POINTS = 10000 };
static const box frame = {90, 50, 570, 490};

typedef struct view {
    axis re, im;
    int64_t count; /* finite eigenvalues */
    bool same_scale;
} view;

static bool is_finite(const numbers *w, int64_t k)
{
    return isfinite(numbers_re(w, k)) && isfinite(numbers_im(w, k));
}

/* All eigenvalues, with a margin; the shorter direction is widened until both have one scale, or a tenth of it. */
static view make_view(const numbers *w)
{
    double low = INFINITY, high = -INFINITY, side = 0;
    view v = {.same_scale = true};
    for (int64_t k = 0; k < w->count; k++) {
        if (!is_finite(w, k)) continue;
        low = fmin(low, numbers_re(w, k)), high = fmax(high, numbers_re(w, k));
        side = fmax(side, fabs(numbers_im(w, k)));
        v.count++;
    }
    if (v.count == 0) low = high = 0;
    double const across = frame.right - frame.left, up = frame.bottom - frame.top, centre = low / 2 + high / 2;
    double half = high / 2 - low / 2;
    double const least = 1e-9 * fmax(fabs(centre), side);
    if (half <= least && side <= least) half = side = fabs(centre) < 1e-290 ? 1 : 0.1 * fabs(centre);
    if (half > 10 * side && side > least) {
        v.same_scale = false;
    } else if (side > 10 * half && half > least) {
        v.same_scale = false;
    } else {
        half = fmax(half, side * across / up);
        side = fmax(side, half * up / across);
    }
    v.re = axis_make(centre - half, centre + half, 0.06, frame.left, frame.right, "real part");
    v.im = axis_make(-side, side, 0.06, frame.bottom, frame.top, "imaginary part");
    return v;
}

/* ------------------------------------------------------------------ points */

/* A dot is a line of no length with round ends. */
static void draw_points(FILE *out, const view *v, const numbers *w)
{
    double const dot = v->count <= 100 ? 6 : v->count <= 600 ? 4.5 : v->count <= 3000 ? 3 : 2;
    fprintf(out, "<path class=\"eigenvalues\" stroke=\"#3b7fc4\" stroke-width=\"%g\" stroke-linecap=\"round\" d=\"",
            dot);
    for (int64_t k = 0; k < w->count; k++)
        if (is_finite(w, k))
            fprintf(out, "M%.1f %.1fh0", axis_pixel(&v->re, numbers_re(w, k)), axis_pixel(&v->im, numbers_im(w, k)));
    fputs("\"/>\n", out);
}

/* ----------------------------------------------------------------- density */

/* Counts of eigenvalues in square cells.  An odd number of rows: the real axis, where real matrices have many
 * eigenvalues, is the middle of a row. */
typedef struct density {
    int columns, rows;
    bool by_area; /* else by cell: the area of a cell is beyond what a double holds */
    double area;  /* of a cell, in units of the plane; 1 */
    int64_t *count;
    signed char *cell;
} density;

static bool make_density(density *d, const view *v, const numbers *w)
{
    double const across = frame.right - frame.left, up = frame.bottom - frame.top;
    double const side = fmin(8, fmax(4, sqrt(3 * across * up / (double)v->count)));
    *d = (density){.columns = (int)(across / side), .rows = (int)(up / side / 2) * 2 + 1};
    size_t const cells = (size_t)d->columns * (size_t)d->rows;
    d->area = (v->re.high - v->re.low) / d->columns * ((v->im.high - v->im.low) / d->rows);
    d->by_area = d->area > 1e-280 && d->area < 1e280;
    if (!d->by_area) d->area = 1;
    d->count = (int64_t *)calloc(cells, sizeof *d->count);
    d->cell = (signed char *)calloc(cells, sizeof *d->cell);
    if (!d->count || !d->cell) return false;
    for (int64_t k = 0; k < w->count; k++) {
        if (!is_finite(w, k)) continue;
        double const x = (axis_pixel(&v->re, numbers_re(w, k)) - frame.left) / across * d->columns;
        double const y = (frame.bottom - axis_pixel(&v->im, numbers_im(w, k))) / up * d->rows;
        int const c = (int)fmin(d->columns - 1, fmax(0, x)), r = (int)fmin(d->rows - 1, fmax(0, y));
        d->count[(ptrdiff_t)r * d->columns + c]++;
    }
    return true;
}

/* Levels between the least and the most: 1, 2, 5 times powers of ten, 1 and 3 or 1 alone where that were too many; round
 * steps where the most is not ten times the least. */
static shades density_shades(double least, double most)
{
    static const char *const blues[] = {"#dbe9f6", "#c0d8ed", "#a3c7e4", "#86b5da",
                                        "#69a2cf", "#4f8fc4", "#387bb8", "#2467a9"};
    enum { BLUES = sizeof blues / sizeof *blues };
    static const double leads[][3] = {{1}, {1, 3}, {1, 2, 5}};
    shades s = {.count = 1};
    bool const even = most < 10 * least;
    double const step = axis_step(0, most, BLUES - 1), decades = log10(most / least);
    int const lead = decades * 3 <= BLUES - 1   ? 3
                     : decades * 2 <= BLUES - 1 ? 2
                                                : 1,
              skip = (int)fmax(1, ceil(decades / (BLUES - 1)));
    for (int i = 0; s.count < BLUES; i++) {
        int const first = (int)floor(log10(least));
        double const level = even ? (i + 1) * step : leads[lead - 1][i % lead] * pow(10, first + i / lead * skip);
        if (level >= most) break;
        if (level > least) s.level[s.count++ - 1] = level;
    }
    for (int k = 0; k < s.count; k++) s.colour[k] = blues[s.count > 1 ? k * (BLUES - 1) / (s.count - 1) : BLUES / 2];
    return s;
}

static void draw_density(FILE *out, const density *d)
{
    int const cells = d->columns * d->rows;
    int64_t least = INT64_MAX, most = 1;
    for (int i = 0; i < cells; i++) {
        if (d->count[i] > most) most = d->count[i];
        if (d->count[i] > 0 && d->count[i] < least) least = d->count[i];
    }
    shades const s = density_shades((double)least / d->area, (double)most / d->area);
    for (int i = 0; i < cells; i++)
        d->cell[i] = (signed char)(d->count[i] > 0 ? shades_of(&s, (double)d->count[i] / d->area) : -1);
    chart_cells(out, &frame, d->columns, d->rows, d->cell, s.colour, s.count);
    chart_key(out, &s, frame.right + 22, frame.top, frame.bottom,
              d->by_area ? "eigenvalues per unit area" : "eigenvalues per cell", "", "");
}

/* ----------------------------------------------------------------- picture */

static void draw_axes(FILE *out, const view *v)
{
    fprintf(out, "<g clip-path=\"url(#frame)\" fill=\"none\">\n");
    if (v->re.low < 0 && v->re.high > 0)
        fprintf(out, "<path class=\"imaginary-axis\" d=\"M%.1f %dV%d\" stroke=\"#777\" stroke-width=\"0.8\"/>\n",
                axis_pixel(&v->re, 0), frame.top, frame.bottom);
    fprintf(out, "<path class=\"real-axis\" d=\"M%d %.1fH%d\" stroke=\"#777\" stroke-width=\"0.8\"/>\n", frame.left,
            axis_pixel(&v->im, 0), frame.right);
    double const across = fabs(axis_pixel(&v->re, 1) - axis_pixel(&v->re, 0));
    double const up = fabs(axis_pixel(&v->im, 1) - axis_pixel(&v->im, 0));
    if (v->re.low < 1 && v->re.high > -1 && v->im.high < 30 && across > 12 && up > 12 && across < 5000 && up < 1e9) {
        fprintf(out,
                "<ellipse class=\"unit-circle\" cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\" stroke=\"#d95f02\" "
                "stroke-width=\"1.3\" stroke-dasharray=\"6 4\"><title>unit circle</title></ellipse>\n",
                axis_pixel(&v->re, 0), axis_pixel(&v->im, 0), across, up);
        if (across > 50 && v->re.high > 1.1)
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#c04f00\">|\xce\xbb| = 1</text>\n",
                    axis_pixel(&v->re, 0.72) + 3, axis_pixel(&v->im, 0.72) - 3);
    }
    fputs("</g>\n", out);
}

bool svg_plane(const char *path, const char *title, const numbers *w, io_error *error)
{
    chart c;
    view const v = make_view(w);
    density d = {0};
    bool const dense = v.count > MOST_POINTS;
    if (dense && !make_density(&d, &v, w)) {
        snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
        free(d.count), free(d.cell);
        return false;
    }
    bool good = chart_begin(&c, path, WIDTH, HEIGHT, frame.left, title, error);
    if (good) {
        fprintf(c.out, "<clipPath id=\"frame\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
                frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
        if (dense) draw_density(c.out, &d);
        draw_axes(c.out, &v);
        if (!dense) draw_points(c.out, &v, w);
        chart_frame(c.out, &frame);
        chart_axis_x(c.out, &v.re, frame.bottom);
        chart_axis_y(c.out, &v.im, frame.left, 0);
        good = chart_end(&c, path, error);
    }
    free(d.count), free(d.cell);
    return good;
}
