/* The pictures of the program, each an SVG file.  All return true, or false with one sentence. */
#ifndef EIG_CLI_SVG_H
#define EIG_CLI_SVG_H

#include "io/io.h"

/* m ascending real eigenvalues as ticks along the axis, and above them their density as a histogram (eigenvalues a
 * unit of length; where all lie in one place, one bar that tells how many).  m = 0 draws an empty axis. */
bool svg_spectrum(const char *path, const char *title, const double *w, int64_t m, io_error *error);

#endif
