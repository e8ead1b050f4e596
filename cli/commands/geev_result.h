/* What eigpack geev computes from eigenvalues: one number a matrix, or another order. */
#ifndef EIG_CLI_GEEV_RESULT_H
#define EIG_CLI_GEEV_RESULT_H

#include "commands/commands.h"
#include "pictures/svg.h"

/* The measures, in the order of the choices of --measure. */
#define GEEV_MEASURES "abscissa|radius|damping"
eig_geev_measure geev_measure_kind(int choice);
svg_measure geev_measure_picture(int choice);

/* The measure of the n eigenvalues first, ..., first + n-1; n >= 1. */
double geev_measure_of(eig_geev_measure kind, const numbers *w, int64_t first, int64_t n);

/* Sorts the n eigenvalues of each of the first count matrices, ascending.  Where the first key is equal the next one
 * decides; the last key puts the positive imaginary part of a pair first.  NaN come last.  Arrays in `with`, which have one or
 * n elements for each eigenvalue or are empty, go with them. */
#define GEEV_ORDERS "real|imaginary|magnitude"
typedef enum geev_order {
    GEEV_BY_REAL,      /* re, |im| */
    GEEV_BY_IMAGINARY, /* im, re */
    GEEV_BY_MAGNITUDE  /* |w|, re */
} geev_order;
bool geev_sort(numbers *w, int64_t n, int64_t count, geev_order order, numbers *const *with,
               int arrays); /* false: no memory */

#endif
