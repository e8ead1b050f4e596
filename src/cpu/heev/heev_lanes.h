/* The formulas of heev for the lanes of a vector: f_lanes does in each lane what f of src/numerics/heev.h does. */
#ifndef EIG_HEEV_LANES_H
#define EIG_HEEV_LANES_H

#include "gauge.h"
#include "heev.h"
#include "vnumber.h"

#define TEMPLATE "gauge.inc"
#include "for_lanes.h"
#define TEMPLATE "householder.inc"
#include "for_lanes.h"
#define TEMPLATE "jacobi.inc"
#include "for_lanes.h"
#define TEMPLATE "spectrum.inc"
#include "for_lanes.h"
#define TEMPLATE "ql.inc"
#include "for_lanes.h"

#endif
