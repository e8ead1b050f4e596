/* What the fuzz targets share: bytes as a file in memory, and what must hold of every answer. */
#ifndef EIG_TESTS_FUZZ_H
#define EIG_TESTS_FUZZ_H

#include "io/internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of the bytes as io_load makes it: followed by a zero, and the parser's to take. */
static inline io_bytes fuzz_file(const uint8_t *data, size_t size)
{
    io_bytes file = {(char *)malloc(size + 1), size};
    if (!file.data) abort();
    if (size > 0) memcpy(file.data, data, size);
    file.data[size] = '\0';
    return file;
}

/* A refusal says why, and leaves nothing behind. */
static inline void fuzz_check_refusal(const char *path, const io_error *error, bool empty)
{
    size_t const length = strlen(path);
    if (!empty || strncmp(error->text, path, length) != 0 || error->text[length] != ':') abort();
}

static inline double fuzz_sum(const void *data, size_t bytes)
{
    double sum = 0.0;
    for (size_t i = 0; i < bytes; ++i) sum += ((const unsigned char *)data)[i];
    return sum;
}

/* An array that was read has a shape, and all of its numbers are there (the sanitizer watches the reads). */
static inline void fuzz_check_array(const char *path, bool done, io_array *a, const io_error *error)
{
    if (!done) {
        fuzz_check_refusal(path, error, !a->data);
        return;
    }
    if (a->rank < 1 || a->rank > 3 || io_array_count(a) < 0) abort();
    if (fuzz_sum(a->data, (size_t)io_array_count(a) * io_type_size(a->type)) < 0.0) abort();
    io_array_free(a);
}

static inline void fuzz_check_tridiagonal(const char *path, bool done, io_tridiagonal *t, const io_error *error)
{
    if (!done) {
        fuzz_check_refusal(path, error, !t->d && !t->e);
        return;
    }
    if (t->n < 0 || fuzz_sum(t->d, (size_t)t->n * sizeof(double)) < 0.0) abort();
    if (t->n > 1 && fuzz_sum(t->e, ((size_t)t->n - 1) * sizeof(double)) < 0.0) abort();
    io_tridiagonal_free(t);
}

#endif
