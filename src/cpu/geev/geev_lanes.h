/* The formulas of geev for the lanes of a vector: f_lanes does in each lane what src/numerics/geev.h's f does. */
#ifndef EIG_GEEV_LANES_H
#define EIG_GEEV_LANES_H

#include "gauge.h"
#include "geev.h"
#include "vnumber.h"

#define TEMPLATE "balance.inc"
#include "for_lanes.h"
#define TEMPLATE "householder.inc"
#include "for_lanes.h"
#define TEMPLATE "francis.inc"
#include "for_lanes.h"
#define TEMPLATE "schur.inc"
#include "for_lanes.h"
#define TEMPLATE "certificate.inc"
#include "for_lanes.h"
#define TEMPLATE "gauge.inc"
#include "for_lanes.h"

/* From here on SQRT_TINY is that of real. */
#define REAL_IS_FLOAT EIG_SINGLE

#endif
