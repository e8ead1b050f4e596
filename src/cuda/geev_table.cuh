/* Which form of kernel 2 `auto` takes for order n.  A row holds from the order `from` on, up to the next row. */
#ifndef EIG_GEEV_TABLE_CUH
#define EIG_GEEV_TABLE_CUH

#include "geev_cuda.cuh"

struct geev_choice {
    int from;
    geev_form form;
};

static const geev_choice geev_table_d[] = {
    {1, {EIG_GEEV_SWB, 1, 4}},  {5, {EIG_GEEV_SWB, 1, 5}},  {6, {EIG_GEEV_SWB, 1, 6}},
    {7, {EIG_GEEV_SWB, 1, 8}},  {9, {EIG_GEEV_SWB, 1, 10}}, {11, {EIG_GEEV_SWB, 2, 0}},
    {17, {EIG_GEEV_SWB, 4, 0}}, {25, {EIG_GEEV_SWB, 8, 0}}, {49, {EIG_GEEV_SWB, 16, 0}},
};
static const geev_choice geev_table_s[] = {
    {1, {EIG_GEEV_SWB, 1, 4}},  {5, {EIG_GEEV_SWB, 1, 5}},  {6, {EIG_GEEV_SWB, 1, 6}},
    {7, {EIG_GEEV_SWB, 1, 8}},  {9, {EIG_GEEV_SWB, 1, 10}}, {11, {EIG_GEEV_SWB, 2, 0}},
    {17, {EIG_GEEV_SWB, 4, 0}}, {25, {EIG_GEEV_SWB, 8, 0}}, {49, {EIG_GEEV_SWB, 16, 0}},
};

#endif
