/* What the pictures share: an SVG that is built in memory, axes with round numbers, shades with a key. */
#ifndef EIG_CLI_CHART_H
#define EIG_CLI_CHART_H

#include "io/io.h"

#include <stdio.h>

/* A picture that is being drawn: write elements to out. */
typedef struct chart {
    FILE *out;
    char *text;
    size_t size;
} chart;

/* Begins a picture of this size in pixels, with a title above `left`; false, with a sentence, where there is no memory. */
bool chart_begin(chart *c, const char *path, int width, int height, int left, const char *title, io_error *error);

/* Ends it, and writes it to the file. */
bool chart_end(chart *c, const char *path, io_error *error);

/* Maps [low, high] to the pixels from..to. */
typedef struct axis {
    double low, high, from, to;
    const char *name;
} axis;

/* The nearest finite number; pictures hold no infinities. */
double chart_finite(double x);

/* The range [low, high] with a margin on both sides, a fraction of its length.  It is finite, and not shorter than 1e-300. */
axis axis_make(double low, double high, double margin, double from, double to, const char *name);
double axis_pixel(const axis *a, double x);

/* A round step (1, 2 or 5 times a power of ten, at most 1e308) that cuts [low, high] into at most `most` intervals. */
double axis_step(double low, double high, double most);

/* Every number in words of a picture: printed by %.*g, but "-1e-06" becomes "−1e−6", with true minus signs. */
enum { LABEL_SIZE = 48 };
const char *chart_number(char text[LABEL_SIZE], int digits, double x);

/* The label of a tick: as many digits as tell neighbours apart, and no exponent below a million. */
void axis_label(char text[LABEL_SIZE], double x, double step);

/* Ticks, labels and the axis's name below y, above y, or to the left of x; with grid != 0 also thin lines to that pixel. */
void chart_axis_x(FILE *out, const axis *a, int y);
void chart_axis_above(FILE *out, const axis *a, int y);
void chart_axis_y(FILE *out, const axis *a, int x, int grid);

/* Text in which &, < and control characters do no harm. */
void chart_text(FILE *out, const char *text);

/* The name of a file without its folder. */
const char *chart_file_name(const char *path);

/* ------------------------------------------------------------------ shades */

enum { SHADES_MOST = 12 };

/* Shade k is for numbers from level[k-1] to level[k]; the first and the last have no end. */
typedef struct shades {
    int count;
    double level[SHADES_MOST - 1]; /* ascending; count - 1 of them */
    const char *colour[SHADES_MOST];
} shades;

int shades_of(const shades *s, double x);

/* The key: a column of the shades from the pixel (x, bottom) up to `top`, a number at each level, the name beside it.
 * Words above and below say what high and low numbers mean; "" for none. */
void chart_key(FILE *out, const shades *s, int x, int top, int bottom, const char *name, const char *above,
               const char *below);

/* Fills the box with columns x rows cells; cell[c + r*columns] is the number of its colour, rows counted from below, -1
 * for an empty cell. */
typedef struct box {
    int left, top, right, bottom;
} box;
void chart_cells(FILE *out, const box *b, int columns, int rows, const signed char *cell, const char *const *colour,
                 int colours);

/* A frame around the box. */
void chart_frame(FILE *out, const box *b);

#endif
