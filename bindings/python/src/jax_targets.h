/* JAX: what XLA calls, built where XLA's headers are (EIG_XLA_INCLUDE). */
#ifndef EIGPACK_PYTHON_JAX_TARGETS_H
#define EIGPACK_PYTHON_JAX_TARGETS_H

#include <nanobind/nanobind.h>

/* {(name, platform): capsule of a handler}; empty in a build without XLA's headers. */
nanobind::dict jax_targets();

/* The version of XLA's interface in those headers, (major, minor); (0, 0) without. */
nanobind::tuple jax_interface();

#endif
