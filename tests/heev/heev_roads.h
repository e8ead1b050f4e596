/* The table of roads of heev on CUDA, for test_heev_roads.c. */
#ifndef EIG_TEST_HEEV_ROADS_H
#define EIG_TEST_HEEV_ROADS_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of row i; NULL behind the last one. */
const char *cuda_road_name(int i);

/* The name of the row that the problem takes on an H100 or H200. */
const char *cuda_road_taken(const heev_problem *p);

#ifdef __cplusplus
}
#endif

#endif
