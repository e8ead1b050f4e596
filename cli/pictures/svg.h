/* The pictures of the program, each an SVG file.  All return true, or false with one sentence. */
#ifndef EIG_CLI_SVG_H
#define EIG_CLI_SVG_H

#include "eigpack.h"
#include "io/numbers.h"

/* m ascending real eigenvalues as ticks along the axis, and above them their density as a histogram (eigenvalues a
 * unit of length; where all lie in one place, one bar that tells how many).  m = 0 draws an empty axis. */
bool svg_spectrum(const char *path, const char *title, const double *w, int64_t m, io_error *error);

/* Complex eigenvalues in the plane: points where there are few, else their density in shades with a key.  Both axes
 * have one scale, unless the spectrum is more than ten times as long as it is high or the other way round.  The unit
 * circle is drawn where it is in view.  NaN are left out. */
bool svg_plane(const char *path, const char *title, const numbers *w, io_error *error);

/* The tree of a call of stemr: m ascending eigenvalues, its clusters, two lines of words about it. */
typedef struct svg_stemr {
    const double *w;
    int64_t m;
    const eig_stemr_node *node;
    int64_t nodes;
    const char *words[2];
} svg_stemr;

/* A row for each level: the whole spectrum above, below it clusters as boxes, each with a scale of its own; ticks for
 * eigenvalues that are single there. */
bool svg_tree(const char *path, const char *title, const svg_stemr *t, io_error *error);

/* A measure over a grid of one or two parameters. */
typedef struct svg_parameter {
    const char *name;
    double low, high; /* the first and the last of `count` values, equally far apart */
    int64_t count;
} svg_parameter;
typedef struct svg_measure {
    const char *name;
    double limit;      /* the border of stability, */
    bool stable_above; /* and the side where it is */
} svg_measure;

/* One parameter: a curve.  Two: a rectangle a point, in shades with a key, the border of stability drawn as a line.
 * value[i] or value[i*parameter[1].count + j]; NaN is a matrix that failed. */
bool svg_parameters(const char *path, const char *title, const svg_measure *measure, int parameters,
                    const svg_parameter *parameter, const numbers *value, io_error *error);

#endif
