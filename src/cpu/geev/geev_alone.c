/* geev on the CPU: the reduction and the iteration of one matrix, the plain solver's own, compiled once for each
 * instruction set and type: loops over columns become vectors, whose bits are those of the plain solver, since nothing
 * is fused and no sum is divided. */
#include "geev_descent.h"
#include "geev_plain_reduce.h"

const geev_form ISA_TYPED(eig_cpu_geev_alone) = {hessenberg, iterate, NULL};
