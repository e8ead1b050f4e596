#include "copy_rows.h"

#include "cpu/openmp.h"

#include <string.h>

enum { MOST_THREADS = 8, PIECE = 1 << 20 };

void eig_copy_rows(const eig_context *ctx, char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
                   size_t rows)
{
    if (width == 0) return;
    /* Pieces of about PIECE bytes: some whole rows, or parts of one. */
    size_t const rows_each = width < PIECE ? PIECE / width : 1, columns_each = width < PIECE ? width : PIECE;
    int64_t const across = (int64_t)((width + columns_each - 1) / columns_each);
    int64_t const pieces = (int64_t)((rows + rows_each - 1) / rows_each) * across;
    int const most = cpu_threads(ctx), few = most < MOST_THREADS ? most : MOST_THREADS;
    int const threads = pieces < few ? (int)pieces : few;
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (int64_t piece = 0; piece < pieces; ++piece) {
        size_t const row = (size_t)(piece / across) * rows_each, column = (size_t)(piece % across) * columns_each;
        size_t const end = row + rows_each < rows ? row + rows_each : rows;
        size_t const length = width - column < columns_each ? width - column : columns_each;
        for (size_t r = row; r < end; ++r) memcpy(to + r * to_pitch + column, from + r * from_pitch + column, length);
    }
}
