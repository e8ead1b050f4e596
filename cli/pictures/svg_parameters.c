/* A measure over a grid of parameters: a curve over one, shades over two. */
#include "pictures/chart.h"
#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 560, MOST_CELLS = 480 };
static const box frame = {90, 50, 570, 490};

static const char *const stable[] = {"#cfe1f2", "#a3cce3", "#6aaed6", "#3787c0", "#105ba4", "#08306b"};
static const char *const unstable[] = {"#fde3c3", "#fdc48a", "#fb9b50", "#ea6c1e", "#bd4305", "#7f2704"};
static const char failed[] = "#777";
enum { SIDE = sizeof stable / sizeof *stable };

/* NaN is a matrix that failed. */
static double value_at(const numbers *value, int64_t i)
{
    double const x = numbers_re(value, i);
    return isnan(x) ? x : chart_finite(x);
}

static double distance(const svg_measure *m, double x, bool above)
{
    return above ? x - m->limit : m->limit - x;
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first and the ninth decile of the distances from the limit, of the values on this side of it; *far = -1 where
 * there are none. */
static void distances(const svg_measure *m, const double *x, int count, bool above, double *room, double *near,
                      double *far)
{
    int found = 0;
    *near = *far = -1;
    for (int i = 0; i < count; i++) {
        double const d = distance(m, x[i], above);
        if (above ? d >= 0 : d > 0) room[found++] = d;
    }
    if (found == 0) return;
    qsort(room, (size_t)found, sizeof *room, ascending);
    *near = room[(int)(0.1 * (found - 1))], *far = room[(int)(0.9 * (found - 1))];
}

/* The levels on one side of the limit, outwards: round numbers between two distances.  Returns how many shades. */
static int side_levels(const svg_measure *m, bool above, double near, double far, double level[SIDE - 1])
{
    if (far < 0) return 0;
    int count = 0;
    double const step = far > near ? axis_step(near, far, SIDE - 1) : 0, sign = above ? 1 : -1;
    double const first = floor((sign * m->limit + near) / step + 0.2);
    for (int k = 1; step > 0 && count < SIDE - 1; k++) {
        double const at = (first + k) * step; /* sign * level */
        if (at >= sign * m->limit + far) break;
        level[count++] = sign * at;
    }
    return count + 1;
}

/* Shades on both sides, each with steps of its own: a measure often falls far on one side and little on the other. */
static shades measure_shades(const svg_measure *m, const double *x, int count, double *room)
{
    double down[SIDE - 1], up[SIDE - 1], near_down, far_down, near_up, far_up;
    distances(m, x, count, false, room, &near_down, &far_down);
    distances(m, x, count, true, room, &near_up, &far_up);
    bool const both = far_down >= 0 && far_up >= 0;
    int const below = side_levels(m, false, both ? 0 : near_down, far_down, down);
    int const above = side_levels(m, true, both ? 0 : near_up, far_up, up);
    const char *const *const low = m->stable_above ? unstable : stable;
    const char *const *const high = m->stable_above ? stable : unstable;
    shades s = {0};
    for (int k = below - 1; k >= 0; k--) {
        if (k > 0) s.level[s.count] = down[k - 1];
        if (k == 0 && above > 0) s.level[s.count] = m->limit;
        s.colour[s.count++] = low[k];
    }
    for (int k = 0; k < above; k++) {
        if (k < above - 1) s.level[s.count] = up[k];
        s.colour[s.count++] = high[k];
    }
    return s;
}

/* ---------------------------------------------------------------- the grid */

/* The values in columns x rows cells; for a grid finer than MOST_CELLS those of the nearest points. */
typedef struct picture {
    int columns, rows, failures;
    double *value, *room;
    signed char *cell;
} picture;

static bool make_picture(picture *p, const svg_parameter *parameter, const numbers *value)
{
    int64_t const across = parameter[0].count, up = parameter[1].count;
    *p = (picture){.columns = (int)(across < MOST_CELLS ? across : MOST_CELLS),
                   .rows = (int)(up < MOST_CELLS ? up : MOST_CELLS)};
    size_t const cells = (size_t)p->columns * (size_t)p->rows;
    p->value = (double *)malloc(cells * sizeof *p->value);
    p->room = (double *)malloc(cells * sizeof *p->room);
    p->cell = (signed char *)malloc(cells);
    if (!p->value || !p->room || !p->cell) return false;
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->columns; c++) {
            int64_t const i = (2 * c + 1) * across / (2 * p->columns), j = (2 * r + 1) * up / (2 * p->rows);
            double const x = value_at(value, i * up + j);
            p->value[r * p->columns + c] = x;
            p->failures += isnan(x);
        }
    return true;
}

static void free_picture(picture *p)
{
    free(p->value), free(p->room), free(p->cell);
}

static bool is_above(const picture *p, const svg_measure *m, int c, int r)
{
    return p->value[r * p->columns + c] >= m->limit;
}

/* The line between stable and unstable, along the cells' edges; a failed matrix is on neither side. */
static void draw_border(FILE *out, const picture *p, const svg_measure *m)
{
    double const wide = (double)(frame.right - frame.left) / p->columns,
                 high = (double)(frame.bottom - frame.top) / p->rows;
    fprintf(out,
            "<path class=\"border\" fill=\"none\" stroke=\"#111\" stroke-width=\"1.4\" stroke-linecap=\"square\" d=\"");
    for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < p->columns; c++) {
            double const right = frame.left + (c + 1) * wide, top = frame.bottom - (r + 1) * high;
            bool const here = is_above(p, m, c, r);
            if (isnan(p->value[r * p->columns + c])) continue;
            if (c + 1 < p->columns && !isnan(p->value[r * p->columns + c + 1]) && is_above(p, m, c + 1, r) != here)
                fprintf(out, "M%.5g %.5gv%.4g", right, top, high);
            if (r + 1 < p->rows && !isnan(p->value[(r + 1) * p->columns + c]) && is_above(p, m, c, r + 1) != here)
                fprintf(out, "M%.5g %.5gh%.4g", right - wide, top, wide);
        }
    fputs("\"/>\n", out);
}

static void draw_shades(FILE *out, picture *p, const svg_measure *m)
{
    int const cells = p->columns * p->rows;
    shades const s = measure_shades(m, p->value, cells, p->room);
    const char *colours[SHADES_MOST + 1];
    for (int k = 0; k < s.count; k++) colours[k] = s.colour[k];
    colours[s.count] = failed;
    for (int i = 0; i < cells; i++)
        p->cell[i] = (signed char)(isnan(p->value[i]) ? s.count : shades_of(&s, p->value[i]));
    chart_cells(out, &frame, p->columns, p->rows, p->cell, colours, p->failures > 0 ? s.count + 1 : s.count);
    draw_border(out, p, m);
    int const x = frame.right + 22, low = p->failures > 0 ? frame.bottom - 70 : frame.bottom - 22;
    bool has_above = false, has_below = false;
    for (int i = 0; i < cells; i++) has_above |= p->value[i] >= m->limit, has_below |= p->value[i] < m->limit;
    if (s.count > 0)
        chart_key(out, &s, x, frame.top + 22, low, m->name, has_above ? m->stable_above ? "stable" : "unstable" : "",
                  has_below ? m->stable_above ? "unstable" : "stable" : "");
    if (p->failures > 0)
        fprintf(
            out,
            "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"18\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">failed</text>\n",
            x, frame.bottom - 18, failed, x + 28, frame.bottom - 4);
}

/* The axis of a parameter, with a margin in steps of its grid; one value alone gets some room. */
static axis parameter_axis(const svg_parameter *p, double margin, double from, double to)
{
    if (p->count == 1) {
        double const half = p->low == 0 ? 1 : 0.05 * fabs(p->low);
        return axis_make(p->low - half, p->low + half, 0, from, to, p->name);
    }
    return axis_make(p->low, p->high, margin / (double)(p->count - 1), from, to, p->name);
}

static bool plane(const char *path, const char *title, const svg_measure *m, const svg_parameter *parameter,
                  const numbers *value, io_error *error)
{
    chart c;
    picture p;
    bool good = make_picture(&p, parameter, value);
    if (!good) snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
    if (good && (good = chart_begin(&c, path, WIDTH, HEIGHT, frame.left, title, error))) {
        axis const x = parameter_axis(&parameter[0], 0.5, frame.left, frame.right);
        axis const y = parameter_axis(&parameter[1], 0.5, frame.bottom, frame.top);
        draw_shades(c.out, &p, m);
        chart_frame(c.out, &frame);
        chart_axis_x(c.out, &x, frame.bottom);
        chart_axis_y(c.out, &y, frame.left, 0);
        good = chart_end(&c, path, error);
    }
    free_picture(&p);
    return good;
}

/* --------------------------------------------------------------- the curve */

/* Points closer than a quarter pixel are left out unless they leave the line; a failed matrix interrupts it. */
static void draw_curve(FILE *out, const axis *x, const axis *y, const svg_parameter *p, const numbers *value)
{
    double last_x = -1e9, last_y = 0;
    bool drawing = false;
    fputs("<path class=\"curve\" fill=\"none\" stroke=\"#3b7fc4\" stroke-width=\"1.8\" stroke-linejoin=\"round\" "
          "stroke-linecap=\"round\" d=\"",
          out);
    for (int64_t i = 0; i < p->count; i++) {
        double const v = value_at(value, i);
        double const part = p->count > 1 ? (double)i / (double)(p->count - 1) : 0;
        double const at_x = axis_pixel(x, p->low + part * (p->high - p->low)), at_y = axis_pixel(y, v);
        if (isnan(v)) {
            drawing = false;
            continue;
        }
        if (drawing && i + 1 < p->count && fabs(at_x - last_x) < 0.25 && fabs(at_y - last_y) < 0.25) continue;
        fprintf(out, drawing ? "L%.2f %.2f" : "M%.2f %.2fh0", at_x, at_y);
        last_x = at_x, last_y = at_y, drawing = true;
    }
    fputs("\"/>\n", out);
}

static const box wide_frame = {90, 50, 690, 490}; /* no key */

static bool curve(const char *path, const char *title, const svg_measure *m, const svg_parameter *parameter,
                  const numbers *value, io_error *error)
{
    chart c;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < value->count; i++)
        low = fmin(low, value_at(value, i)), high = fmax(high, value_at(value, i));
    if (!(low <= high)) low = high = m->limit;
    if (!(high / 2 - low / 2 > 1e-12 * fmax(fabs(low), fabs(high)))) {
        double const half = fmax(0.05 * fabs(low), fabs(low) < 1e-290 ? 1 : 0);
        low -= half, high += half;
    }
    axis const x = parameter_axis(parameter, 0, wide_frame.left, wide_frame.right);
    axis const y = axis_make(low, high, 0.06, wide_frame.bottom, wide_frame.top, m->name);
    if (!chart_begin(&c, path, WIDTH, HEIGHT, wide_frame.left, title, error)) return false;
    if (y.low <= m->limit && m->limit <= y.high)
        fprintf(c.out,
                "<path class=\"border\" d=\"M%d %.1fH%d\" stroke=\"#757b84\" stroke-dasharray=\"6 4\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#757b84\">%s</text>\n",
                wide_frame.left, axis_pixel(&y, m->limit), wide_frame.right, wide_frame.right - 6,
                axis_pixel(&y, m->limit) + (m->stable_above ? -6 : 16), "stable");
    draw_curve(c.out, &x, &y, parameter, value);
    chart_frame(c.out, &wide_frame);
    chart_axis_x(c.out, &x, wide_frame.bottom);
    chart_axis_y(c.out, &y, wide_frame.left, 0);
    return chart_end(&c, path, error);
}

bool svg_parameters(const char *path, const char *title, const svg_measure *measure, int parameters,
                    const svg_parameter *parameter, const numbers *value, io_error *error)
{
    return parameters == 1 ? curve(path, title, measure, parameter, value, error)
                           : plane(path, title, measure, parameter, value, error);
}
