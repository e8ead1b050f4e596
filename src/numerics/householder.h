/* Householder's reflector; see householder.inc. */
#ifndef EIG_HOUSEHOLDER_H
#define EIG_HOUSEHOLDER_H

#include "numerics.h"

#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define TEMPLATE "householder.inc"
#include "for_sd.h"
#undef SELECT

#endif
