/* Which mapping (geev_mapping) `auto` takes for order n; a row holds from the order `from` on, up to the next row.
 * Measured on an H200 by `eigpack bench geev --tune --device cuda`, which prints such a table for the GPU that it runs
 * on; double from 19 on by bench_geev_cuda, whose matrices are random. */
#ifndef EIG_GEEV_TABLE_CUH
#define EIG_GEEV_TABLE_CUH

#include "geev_cuda.cuh"

struct geev_choice {
    int from;
    geev_mapping mapping;
};

static const geev_choice geev_table_d[] = {
    {1, {EIG_GEEV_AUTO, 1}}, {14, {EIG_GEEV_MWB, 2}}, {19, {EIG_GEEV_SWB, 2}},
    {29, {EIG_GEEV_SWB, 4}}, {48, {EIG_GEEV_SWB, 8}},
};
static const geev_choice geev_table_s[] = {
    {1, {EIG_GEEV_AUTO, 1}},
    {17, {EIG_GEEV_MWB, 2}},
    {33, {EIG_GEEV_SWB, 4}},
};

#endif
