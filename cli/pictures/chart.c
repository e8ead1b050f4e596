/* What the pictures share.  They have no background, and colours that read on white and on black; numbers that are drawn are never
 * rescaled by the viewer. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "pictures/chart.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool chart_begin(chart *c, const char *path, int width, int height, int left, const char *title, io_error *error)
{
    *c = (chart){0};
    c->out = open_memstream(&c->text, &c->size);
    if (!c->out) {
        snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
        return false;
    }
    fprintf(c->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#757b84\">\n<title>",
            width, height, width, height);
    chart_text(c->out, title);
    fprintf(c->out, "</title>\n<text x=\"%d\" y=\"26\" font-size=\"16\">", left);
    chart_text(c->out, title);
    fputs("</text>\n", c->out);
    return true;
}

bool chart_end(chart *c, const char *path, io_error *error)
{
    fputs("</svg>\n", c->out);
    bool const good = !ferror(c->out), closed = fclose(c->out) == 0;
    if (!good || !closed) snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
    bool const written = good && closed && io_write_bytes(path, c->text, c->size, error);
    free(c->text);
    return written;
}

/* The bytes of the character at text; 0 where UTF-8 has none: in a name of another encoding, or one that was cut short. */
static int character(const unsigned char *text)
{
    unsigned const first = text[0];
    int const length = first < 0x80                     ? 1
                       : first >= 0xc2 && first <= 0xdf ? 2
                       : first >= 0xe0 && first <= 0xef ? 3
                       : first >= 0xf0 && first <= 0xf4 ? 4
                                                        : 0;
    for (int k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80) return 0;
    unsigned const second = length > 2 ? text[1] : 0;
    bool const none = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                      (first == 0xef && second == 0xbf && text[2] >= 0xbe) || (first == 0xf0 && second < 0x90) ||
                      (first == 0xf4 && second >= 0x90);
    return none ? 0 : length;
}

void chart_text(FILE *out, const char *text)
{
    for (int length; *text; text += length > 0 ? length : 1) {
        length = character((const unsigned char *)text);
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (length == 0)
            fputc('?', out);
        else if ((unsigned char)*text >= ' ')
            fwrite(text, 1, (size_t)length, out);
    }
}

const char *chart_file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* -------------------------------------------------------------------- axes */

double chart_finite(double x)
{
    return fmin(DBL_MAX, fmax(-DBL_MAX, x));
}

/* Halves, so that high - low cannot overflow. */
axis axis_make(double low, double high, double margin, double from, double to, const char *name)
{
    double const shortest = 1e-300;
    low = chart_finite(low), high = chart_finite(high);
    if (high / 2 - low / 2 < shortest / 2) low -= shortest, high += shortest;
    double const more = 2 * margin * (high / 2 - low / 2);
    return (axis){chart_finite(low - more), chart_finite(high + more), from, to, name};
}

double axis_pixel(const axis *a, double x)
{
    return a->from + (x / 2 - a->low / 2) / (a->high / 2 - a->low / 2) * (a->to - a->from);
}

double axis_step(double low, double high, double most)
{
    double const half = (high / 2 - low / 2) / most, power = pow(10, floor(log10(2 * fmin(half, 4e307))));
    double const lead = half / power * 2;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

const char *chart_number(char text[LABEL_SIZE], int digits, double x)
{
    static const char minus[] = "\xe2\x88\x92";
    char plain[32];
    snprintf(plain, sizeof plain, "%.*g", digits, fabs(x));
    char *const e = strchr(plain, 'e');
    int const power = e ? atoi(e + 1) : 0;
    if (e) *e = '\0';
    size_t const used = (size_t)snprintf(text, LABEL_SIZE, "%s%s", x < 0 ? minus : "", plain);
    if (e) snprintf(text + used, LABEL_SIZE - used, "e%s%d", power < 0 ? minus : "", abs(power));
    return text;
}

void axis_label(char text[LABEL_SIZE], double x, double step)
{
    if (fabs(x) < step / 2) x = 0; /* no "-1e-17" for zero */
    int const apart = x == 0 ? 1 : (int)fmin(17, fmax(3, ceil(log10(fabs(x) / step)) + 1));
    chart_number(text, fabs(x) < 1e6 && apart < 6 ? 6 : apart, x);
}

/* Tick number i, counted from the first in range; false past the last. */
static bool tick(const axis *a, double step, int i, double *x)
{
    *x = (ceil(a->low / step - 1e-9) + i) * step;
    return i < 30 && isfinite(*x) && *x <= a->high + 1e-9 * step;
}

/* A letter has up to 8.5 pixels; a minus has three bytes. */
static double label_width(const char *text)
{
    int letters = 0;
    for (; *text; text++) letters += ((unsigned char)*text & 0xc0) != 0x80;
    return 8.5 * letters;
}

/* The width of the widest label in pixels. */
static double labels_width(const axis *a, double step)
{
    char text[LABEL_SIZE];
    double x, most = 0;
    for (int i = 0; tick(a, step, i, &x); i++) {
        axis_label(text, x, step);
        most = fmax(most, label_width(text));
    }
    return most;
}

static void axis_x(FILE *out, const axis *a, int y, int tick_end, int label_y, int name_y)
{
    char text[LABEL_SIZE];
    double const room = fabs(a->to - a->from);
    double most = 8, x, step = axis_step(a->low, a->high, most);
    while (most > 1 && labels_width(a, step) + 14 > room * (step / 2) / (a->high / 2 - a->low / 2))
        step = axis_step(a->low, a->high, --most);
    for (int i = 0; tick(a, step, i, &x); i++) {
        double const at = axis_pixel(a, x);
        axis_label(text, x, step);
        fprintf(out, "<path d=\"M%.1f %dV%d\" stroke=\"#757b84\"/>", at, y, tick_end);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at, label_y, text);
    }
    fprintf(out, "<text x=\"%.0f\" y=\"%d\" font-size=\"14\" text-anchor=\"middle\">", (a->from + a->to) / 2, name_y);
    chart_text(out, a->name);
    fputs("</text>\n", out);
}

void chart_axis_x(FILE *out, const axis *a, int y)
{
    axis_x(out, a, y, y + 5, y + 19, y + 42);
}

void chart_axis_above(FILE *out, const axis *a, int y)
{
    axis_x(out, a, y, y - 5, y - 9, y - 30);
}

void chart_axis_y(FILE *out, const axis *a, int x, int grid)
{
    char text[LABEL_SIZE];
    double const step = axis_step(a->low, a->high, fabs(a->to - a->from) < 300 ? 5 : 8);
    double y, widest = labels_width(a, step);
    for (int i = 0; tick(a, step, i, &y); i++) {
        double const at = axis_pixel(a, y);
        axis_label(text, y, step);
        if (grid) fprintf(out, "<path d=\"M%d %.1fH%d\" stroke=\"#808080\" stroke-opacity=\"0.3\"/>", x, at, grid);
        fprintf(out, "<path d=\"M%d %.1fh-5\" stroke=\"#757b84\"/>", x, at);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", x - 9, at + 4.5, text);
    }
    fprintf(out, "<text transform=\"translate(%.0f %.0f) rotate(-90)\" font-size=\"14\" text-anchor=\"middle\">",
            fmax(18, x - 22 - fmax(30, widest)), (a->from + a->to) / 2);
    chart_text(out, a->name);
    fputs("</text>\n", out);
}

void chart_frame(FILE *out, const box *b)
{
    fprintf(out, "<path d=\"M%d %dH%dV%dH%dZ\" stroke=\"#757b84\" fill=\"none\"/>\n", b->left, b->top, b->right,
            b->bottom, b->left);
}

/* ------------------------------------------------------------------ shades */

int shades_of(const shades *s, double x)
{
    int k = 0;
    while (k < s->count - 1 && x >= s->level[k]) k++;
    return k;
}

void chart_key(FILE *out, const shades *s, int x, int top, int bottom, const char *name, const char *above,
               const char *below)
{
    enum { WIDE = 20 };
    double const high = (double)(bottom - top) / s->count;
    double widest = 0;
    for (int k = 0; k < s->count; k++) {
        fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                bottom - (k + 1) * high, WIDE, high, s->colour[k]);
        if (k == 0) continue;
        char text[LABEL_SIZE];
        double const level = s->level[k - 1];
        axis_label(text, level, level == 0 ? 1 : fabs(level));
        fprintf(out, "<path d=\"M%d %.1fh5\" stroke=\"#757b84\"/><text x=\"%d\" y=\"%.1f\">%s</text>\n", x + WIDE,
                bottom - k * high, x + WIDE + 8, bottom - k * high + 4.5, text);
        widest = fmax(widest, label_width(text));
    }
    chart_frame(out, &(box){x, top, x + WIDE, bottom});
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\">%s</text>\n", x, top - 8, above, x,
            bottom + 17, below);
    fprintf(out,
            "<text transform=\"translate(%.0f %d) rotate(-90)\" font-size=\"14\" text-anchor=\"middle\">%s</text>\n",
            x + WIDE + 30 + widest, (top + bottom) / 2, name);
}

/* Cells of one colour that lie side by side become one rectangle, and a colour becomes one path. */
void chart_cells(FILE *out, const box *b, int columns, int rows, const signed char *cell, const char *const *colour,
                 int colours)
{
    double const wide = (double)(b->right - b->left) / columns, high = (double)(b->bottom - b->top) / rows;
    for (int k = 0; k < colours; k++) {
        fprintf(out, "<path fill=\"%s\" shape-rendering=\"crispEdges\" d=\"", colour[k]);
        for (int r = 0; r < rows; r++) {
            const signed char *const row = cell + (ptrdiff_t)r * columns;
            for (int c = 0, end; c < columns; c = end) {
                for (end = c + 1; end < columns && row[end] == row[c];) end++;
                if (row[c] != k) continue;
                fprintf(out, "M%.5g %.5gH%.5gv%.4gH%.5gz", b->left + c * wide, b->bottom - (r + 1) * high,
                        b->left + end * wide, high, b->left + c * wide);
            }
        }
        fputs("\"/>\n", out);
    }
}
