#include "copy_nest.h"

#include "cpu/openmp.h"

#include <string.h>

enum { MOST_THREADS = 8, PIECE = 1 << 20 };

/* Merges level `inner` with the level around it where the two are one run of memory; level `inner` then has count 1. */
static void merge_levels(copy_nest *nest, int outer, int inner)
{
    bool const one = nest->count[outer] == 1 || nest->count[inner] == 1;
    if (!one && nest->stride[outer] != nest->count[inner] * nest->stride[inner]) return;
    if (nest->count[inner] > 1) nest->stride[outer] = nest->stride[inner];
    nest->count[outer] *= nest->count[inner];
    nest->count[inner] = 1;
}

copy_nest eig_cuda_simplify_nest(copy_nest nest)
{
    for (int level = NEST_LEVELS - 1; level >= 0; --level) {
        if (nest.count[level] > 1 && nest.stride[level] != (int64_t)nest.width) break;
        nest.width *= (size_t)nest.count[level];
        nest.count[level] = 1;
    }
    /* Outer levels are merged from the inside; what is left moves to the last places. */
    merge_levels(&nest, 1, 2);
    merge_levels(&nest, 0, 1);
    copy_nest packed = {{1, 1, 1}, {0, 0, 0}, nest.width};
    int to = NEST_LEVELS;
    for (int level = NEST_LEVELS - 1; level >= 0; --level) {
        if (nest.count[level] == 1) continue;
        packed.count[--to] = nest.count[level];
        packed.stride[to] = nest.stride[level];
    }
    return packed;
}

/* Copies bytes from..to of one row. */
static void copy_part(const copy_nest *nest, int64_t row, size_t from, size_t to, char *strided, char *dense,
                      bool to_strided)
{
    int64_t const k = row % nest->count[2], rest = row / nest->count[2];
    int64_t const j = rest % nest->count[1], i = rest / nest->count[1];
    char *const s = strided + i * nest->stride[0] + j * nest->stride[1] + k * nest->stride[2] + from;
    char *const d = dense + (size_t)row * nest->width + from;
    memcpy(to_strided ? s : d, to_strided ? d : s, to - from);
}

void eig_cuda_copy_nest(const eig_context *ctx, const copy_nest *nest, void *strided, void *dense, bool to_strided)
{
    size_t const width = nest->width;
    int64_t const rows = nest->count[0] * nest->count[1] * nest->count[2];
    if (width == 0 || rows == 0) return;
    /* Pieces of about PIECE bytes: some whole rows, or parts of one. */
    int64_t const rows_each = width < PIECE ? (int64_t)(PIECE / width) : 1;
    size_t const bytes_each = width < PIECE ? width : PIECE;
    int64_t const across = (int64_t)((width + bytes_each - 1) / bytes_each);
    int64_t const pieces = (rows + rows_each - 1) / rows_each * across;
    int const threads = cpu_threads(ctx, pieces < MOST_THREADS ? pieces : MOST_THREADS);
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (int64_t piece = 0; piece < pieces; ++piece) {
        int64_t const first = piece / across * rows_each, end = first + rows_each < rows ? first + rows_each : rows;
        size_t const from = (size_t)(piece % across) * bytes_each;
        size_t const to = from + bytes_each < width ? from + bytes_each : width;
        for (int64_t row = first; row < end; ++row) copy_part(nest, row, from, to, strided, dense, to_strided);
    }
}
