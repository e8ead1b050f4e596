/* Pictures: a spectrum as a small SVG file. */
#ifndef EIG_CLI_SVG_H
#define EIG_CLI_SVG_H

#include "io/io.h"

/* Draws m ascending eigenvalues as ticks along the axis, and above them their density as a histogram (eigenvalues a
 * unit of length).  m = 0 draws an empty axis. */
bool svg_spectrum(const char *path, const char *title, const double *w, int64_t m, io_error *error);

#endif
