/* Eigenvalues of a scaled matrix brought back: unscaled.inc. */
#ifndef EIG_UNSCALED_H
#define EIG_UNSCALED_H

#include "numerics.h"

#define TEMPLATE "unscaled.inc"
#include "for_sd.h"

#endif
