/* The sign or phase of an eigenvector; see gauge.inc. */
#ifndef EIG_GAUGE_H
#define EIG_GAUGE_H

#include "numerics.h"

#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define TEMPLATE "gauge.inc"
#include "for_sd.h"
#undef SELECT

#endif
