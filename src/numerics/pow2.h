/* Powers of two from the bits of a number. */
#ifndef EIG_POW2_H
#define EIG_POW2_H

#include "numerics.h"

#include <string.h>

#define TEMPLATE "pow2.inc"
#include "for_sd.h"

#endif
