/* Checksums of stemr: ranges, methods and fallbacks, on matrices with clusters and without. */
#include "bits.h"

#include "io/matrices.h"
#include "io/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stemr_one(eig_type type, const char *kind, int64_t n, const eig_stemr_options *c, bool vectors)
{
    io_tridiagonal t;
    io_error error;
    numbers d, e, w, z, residual;
    int64_t m = -1, *const isuppz = bits_room(2 * n);
    int *const info = bits_room(n);
    eig_stemr_stats stats = EIG_STEMR_STATS;
    int64_t told[16] = {0}; /* with room for numbers to come */
    bool const is_nan = strcmp(kind, "nan") == 0;
    if (!matrices_tridiagonal(is_nan ? "uniform" : kind, n, (uint64_t)n, &t, &error)) exit(1);
    if (!numbers_make(&d, type, n) || !numbers_make(&e, type, n - 1) || !numbers_make(&w, type, n) ||
        !numbers_make(&z, type, n * n) || !numbers_make(&residual, type, n))
        exit(1);
    numbers_from(&d, 0, t.d, n), numbers_from(&e, 0, t.e, n - 1);
    if (is_nan) numbers_put_part(&d, n / 2, NAN);
    bits_demand(eig_stemr(bits_ctx, type, c, n, d.data, e.data, &m, w.data, vectors ? z.data : NULL, n, isuppz, info,
                          residual.data, NULL, &stats));
    memcpy(told, &stats.blocks, sizeof stats - sizeof stats.size);
    bits_digest(&m, sizeof m), bits_digest(told, sizeof told);
    bits_digest(info, (size_t)n * sizeof *info), bits_digest(isuppz, 2 * (size_t)n * sizeof *isuppz);
    bits_reals(type, w.data, n), bits_reals(type, z.data, n * n), bits_reals(type, residual.data, n);
    numbers_free(&d), numbers_free(&e), numbers_free(&w), numbers_free(&z), numbers_free(&residual);
    io_tridiagonal_free(&t);
    free(isuppz), free(info);
}

void bits_stemr(eig_type type)
{
    static const int64_t orders[] = {1, 2, 3, 17, 40, 101, 230};
    static const char *const kinds[] = {"uniform", "121", "wilkinson", "glued", "glued14", "graded", "blocks2", "nan"};
    static const struct {
        const char *name;
        eig_stemr_options c;
        bool vectors;
    } calls[] = {{"all", EIG_STEMR_OPTIONS, true},
                 {"values", EIG_STEMR_OPTIONS, false},
                 {"index", {.size = sizeof(eig_stemr_options), .range = EIG_RANGE_INDEX}, true},
                 {"value", {.size = sizeof(eig_stemr_options), .range = EIG_RANGE_VALUE, .vl = -0.3, .vu = 2.1}, true},
                 {"last-resort", {.size = sizeof(eig_stemr_options), .most_depth = -1}, true},
                 {"reference", {.size = sizeof(eig_stemr_options), .method = EIG_STEMR_REFERENCE}, true}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
            char name[100];
            for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
                eig_stemr_options c = calls[k].c;
                if (c.method == EIG_STEMR_REFERENCE && orders[i] > 101) continue;
                c.il = orders[i] / 3 + 1, c.iu = orders[i] / 2 + 1;
                if (c.iu < c.il || c.iu > orders[i]) c.iu = c.il;
                stemr_one(type, kinds[kind], orders[i], &c, calls[k].vectors);
            }
            snprintf(name, sizeof name, "stemr-%c-%s-%s", type, calls[k].name, kinds[kind]);
            bits_end_case(name);
        }
}
