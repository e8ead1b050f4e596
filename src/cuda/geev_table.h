/* Which form of kernel 2 `auto` takes for order n: the method, and the threads a matrix.
 * A row holds from the order `from` on; n at least 1. */
#ifndef EIG_GEEV_TABLE_H
#define EIG_GEEV_TABLE_H

#include "eigpack.h"

typedef struct geev_choice {
    int from;
    eig_geev_method method;
    int threads;
} geev_choice;

static const geev_choice geev_table_d[] = {
    {1, EIG_GEEV_SWB, 1}, {16, EIG_GEEV_SWB, 2}, {24, EIG_GEEV_SWB, 4}, {33, EIG_GEEV_SWB, 8}, {49, EIG_GEEV_SWB, 16},
};
static const geev_choice geev_table_s[] = {
    {1, EIG_GEEV_SWB, 1}, {17, EIG_GEEV_SWB, 2}, {24, EIG_GEEV_SWB, 4}, {33, EIG_GEEV_SWB, 8}, {49, EIG_GEEV_SWB, 16},
};

#endif
