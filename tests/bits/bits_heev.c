/* Checksums of heev: the roads, layouts and options, in all types. */
#include "bits.h"

#include "io/matrices_hermitian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where element (i, j) of matrix b lies. */
static int64_t heev_at(const eig_heev_options *c, int64_t lda, int64_t stride, int64_t b, int64_t i, int64_t j)
{
    int64_t const row = c->row_major ? j : i, column = c->row_major ? i : j;
    return c->layout == 'E'   ? (row * lda + column) * stride + b
           : c->layout == 'R' ? row * stride + b * lda + column
                              : row + column * lda + b * stride;
}

/* Matrix b of a batch is of one of eight kinds by its number; the last of eleven holds an infinity. */
static void heev_fill(numbers *a, const eig_heev_options *c, int64_t n, int64_t batch, int64_t lda, int64_t stride)
{
    static const char *const kinds[] = {"hermitian", "ensemble",        "clustered", "repeated",
                                        "geometric", "graded-definite", "ring",      "hofstadter"};
    numbers one;
    io_error error;
    if (!numbers_make(&one, a->type, n * n)) exit(1);
    for (int64_t b = 0; b < batch; ++b) {
        if (!matrices_hermitian(kinds[b % 8], n, 1, (uint64_t)(1000 * n + b), &one, &error)) exit(1);
        if (b % 11 == 10) numbers_put_part(&one, 0, INFINITY);
        for (int64_t k = 0; k < n * n; ++k)
            memcpy(numbers_at(a, heev_at(c, lda, stride, b, k / n, k % n)), numbers_at(&one, k), type_size(a->type));
    }
    numbers_free(&one);
}

static void heev_batch(eig_type type, int64_t n, int64_t batch, const eig_heev_options *c, bool vectors)
{
    int64_t const lda = n + 1, sw = n + 1, sv = n * lda + 3;
    int64_t const stride = c->layout == 'E' ? batch + 3 : c->layout == 'R' ? batch * lda + 2 : lda * n + 5;
    int64_t const entries = c->layout == 'E' ? n * lda * stride : c->layout == 'R' ? n * stride : batch * stride;
    numbers a, w, v;
    int *const info = bits_room(2 * batch), *const sweeps = info + batch;
    if (!numbers_make(&a, type, entries) || !numbers_make(&w, type_real(type), batch * sw) ||
        !numbers_make(&v, type, batch * sv))
        exit(1);
    heev_fill(&a, c, n, batch, lda, stride);
    bits_demand(eig_heev_batched(bits_ctx, type, c, n, a.data, lda, stride, NULL, w.data, sw, vectors ? v.data : NULL,
                                 lda, sv, info, sweeps, batch));
    bits_digest(info, 2 * (size_t)batch * sizeof *info);
    bits_reals(type_real(type), w.data, w.count);
    bits_reals(type_real(type), v.data, numbers_parts(&v));
    numbers_free(&a), numbers_free(&w), numbers_free(&v);
    free(info);
}

void bits_heev(eig_type type)
{
    static const size_t size = sizeof(eig_heev_options);
    struct {
        const char *name;
        eig_heev_options c;
        bool vectors;
    } const calls[] = {{"auto", {.size = size}, true},
                       {"values", {.size = size}, false},
                       {"element-wise", {.size = size, .layout = EIG_LAYOUT_ELEMENT_WISE}, true},
                       {"row-wise", {.size = size, .uplo = EIG_UPLO_UPPER, .layout = EIG_LAYOUT_ROW_WISE}, true},
                       {"row-major", {.size = size, .uplo = EIG_UPLO_UPPER, .row_major = 1}, true},
                       {"tridiagonal", {.size = size, .method = EIG_HEEV_TRIDIAGONAL}, true},
                       {"jacobi", {.size = size, .method = EIG_HEEV_JACOBI}, true},
                       {"jacobi-values", {.size = size, .method = EIG_HEEV_JACOBI}, false},
                       {"relative", {.size = size, .method = EIG_HEEV_JACOBI, .relative = 1}, true},
                       {"loose", {.size = size, .method = EIG_HEEV_JACOBI, .tolerance = 1e-4}, true},
                       {"reference", {.size = size, .method = EIG_HEEV_REFERENCE}, true},
                       {"gives-up", {.size = size, .max_sweeps = 1}, true}};
    static const int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8}, middle[] = {9, 12, 15, 16, 17, 23, 24, 25, 31, 32},
                         large[] = {33, 40, 63, 64, 65, 72};
    static const struct {
        const char *name;
        const int64_t *orders;
        size_t count;
        int64_t batch;
    } parts[] = {{"small", small, 8, 100}, {"middle", middle, 10, 23}, {"large", large, 6, 11}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
        for (int part = 0; part < 3; ++part) {
            char name[100];
            for (size_t i = 0; i < parts[part].count; ++i)
                heev_batch(type, parts[part].orders[i], parts[part].batch, &calls[k].c, calls[k].vectors);
            snprintf(name, sizeof name, "heev-%c-%s-%s", type, calls[k].name, parts[part].name);
            bits_end_case(name);
        }
    static const eig_heev_options usual = EIG_HEEV_OPTIONS;
    heev_batch(type, 130, 2, &usual, true);
    char name[100];
    snprintf(name, sizeof name, "heev-%c-auto-130", type);
    bits_end_case(name);
    if (strncmp(eig_describe(bits_ctx), "cpu", 3) != 0) return;
    heev_batch(type, 801, 1, &usual, false); /* two stages */
    snprintf(name, sizeof name, "heev-%c-values-801", type);
    bits_end_case(name);
}
