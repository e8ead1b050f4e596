/* A reduced matrix with its reflectors, as the computation of its vectors reads it: n > 64. */
#ifndef EIG_GEEV_FORM_CUH
#define EIG_GEEV_FORM_CUH

#include "geev/geev_entry.cuh"

enum { SLAB_BACK = 16 }; /* reflectors that are applied at a time */

/* A matrix that is reduced, in global memory.  Its reflectors lie below the subdiagonal, without their first entries
 * 1. */
template <typename entry> struct large_form {
    using real = real_of<entry>;
    using complex = complex_of<real>;
    entry *h; /* [n][n], row by row */
    entry *t; /* [(n + 15) / 16][16][16]: reflectors 16p, ..., 16p + 15 in turn are I - V T V^H, T upper triangular */
    entry *exchange; /* [2][n] of the reduction */
    complex *w;      /* [n], scaled as H is */
    real *factors;   /* [n] tau */
    real *scale;     /* [n] of balancing */
    real *norms;     /* [2][n] work */
    int *origin;     /* [n] where rows and columns were */
};

static __host__ __device__ inline int slab_panels(int64_t n)
{
    return (int)((n + SLAB_BACK - 1) / SLAB_BACK);
}

/* Carves the form of a matrix of order n; returns its bytes. */
template <typename entry> static __host__ __device__ size_t carve_form(large_form<entry> *form, char *base, int64_t n)
{
    size_t at = 0;
    auto const take = [&](int64_t count, size_t size) {
        size_t const from = at;
        at += ((size_t)count * size + 255) / 256 * 256;
        return base + from;
    };
    form->h = (entry *)take(n * n, sizeof(entry));
    form->t = (entry *)take((int64_t)slab_panels(n) * SLAB_BACK * SLAB_BACK, sizeof(entry));
    form->exchange = (entry *)take(2 * n, sizeof(entry));
    form->w = (complex_of<real_of<entry>> *)take(n, 2 * sizeof(real_of<entry>));
    form->factors = (real_of<entry> *)take(n, sizeof(real_of<entry>));
    form->scale = (real_of<entry> *)take(n, sizeof(real_of<entry>));
    form->norms = (real_of<entry> *)take(2 * n, sizeof(real_of<entry>));
    form->origin = (int *)take(n, sizeof(int));
    return at;
}

/* That of matrix `at` of the slice. */
template <typename entry> static __device__ large_form<entry> place_form(const geev_slice &slice, int64_t at)
{
    large_form<entry> form;
    carve_form(&form, (char *)slice.forms + at * slice.form_bytes, slice.p.n);
    return form;
}

/* As for a matrix that has not been balanced or reduced. */
template <typename team_type, typename entry>
static __device__ void begin_form(team_type team, const large_form<entry> &form, int n)
{
    for (int i = team.rank; i < n; i += team_type::size) form.origin[i] = i, form.scale[i] = 1, form.factors[i] = 0;
    team.sync();
}

#endif
