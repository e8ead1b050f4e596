/* .mat files of the levels and classes that our own writer does not make: made by matio, as MATLAB would. */
#include "io_files.h"

#include <matio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Adds a variable to the file. */
static void add(mat_t *mat, const char *name, enum matio_classes class, enum matio_types type, int rank, size_t *dims,
                void *data, int flags, enum matio_compression compression)
{
    matvar_t *const v = Mat_VarCreate(name, class, type, rank, dims, data, flags);
    assert_non_null(v);
    assert_int_equal(Mat_VarWrite(mat, v, compression), 0);
    Mat_VarFree(v);
}

static mat_t *create(enum mat_ft level)
{
    mat_t *const mat = Mat_CreateVer("x.mat", NULL, level);
    assert_non_null(mat);
    return mat;
}

/* A 2 x 3 matrix of any level, compressed or not, behind a string that holds no numbers. */
static void test_levels(void **state)
{
    static const struct {
        enum mat_ft level;
        enum matio_compression compression;
    } cases[] = {{MAT_FT_MAT4, MAT_COMPRESSION_NONE},
                 {MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                 {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                 {MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                 {MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};
    static const double in_c_order[6] = {1, 3, 5, 2, 4, 6};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); ++c) {
        double by_columns[6] = {1, 2, 3, 4, 5, 6};
        char text[] = "a text";
        size_t dims[2] = {2, 3}, length[2] = {1, 6};
        mat_t *const mat = create(cases[c].level);
        if (cases[c].level != MAT_FT_MAT4) { /* there a string is a matrix of numbers */
            add(mat, "s", MAT_C_CHAR, MAT_T_UTF8, 2, length, text, 0, cases[c].compression);
        }
        add(mat, "A", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, by_columns, 0, cases[c].compression);
        Mat_Close(mat);
        io_error error;
        io_array a;
        if (!io_read_array("x.mat", &a, &error)) fail_msg("case %d: %s", (int)c, error.text);
        assert_true(a.type == IO_F64 && a.rank == 2 && a.shape[0] == 2 && a.shape[1] == 3);
        assert_memory_equal(a.data, in_c_order, sizeof in_c_order);
        io_array_free(&a);
        /* Cut anywhere, it is refused. */
        size_t size;
        char *const bytes = get_bytes("x.mat", &size);
        size_t const step = cases[c].level == MAT_FT_MAT73 ? 97 : 1;
        for (size_t k = 0; k < size; k += step) {
            put_bytes("x.mat", bytes, k);
            if (io_read_array("x.mat", &a, &error)) fail_msg("case %d, %d bytes of %d", (int)c, (int)k, (int)size);
        }
        free(bytes);
    }
    remove("x.mat");
}

/* n x n x batch becomes (batch, n, n). */
static void test_batch(void **state)
{
    double numbers[12];
    size_t dims[3] = {2, 2, 3};
    io_array a;
    (void)state;
    for (int k = 0; k < 12; ++k) numbers[k] = k;
    mat_t *const mat = create(MAT_FT_MAT5);
    add(mat, "A", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, numbers, 0, MAT_COMPRESSION_NONE);
    Mat_Close(mat);
    assert_true(io_read_array("x.mat", &a, NULL));
    assert_true(a.rank == 3 && a.shape[0] == 3 && a.shape[1] == 2 && a.shape[2] == 2);
    for (int b = 0; b < 3; ++b) {
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) assert_true(((double *)a.data)[(b * 2 + i) * 2 + j] == i + 2 * j + 4 * b);
        }
    }
    io_array_free(&a);
    remove("x.mat");
}

/* Integers other than of 4 and 8 bytes become double, logical arrays too. */
static void test_integers(void **state)
{
    static const struct {
        enum matio_classes class;
        enum matio_types type;
        int flags;
        unsigned char bytes[8];
        double want;
    } cases[] = {
        {MAT_C_INT8, MAT_T_INT8, 0, {0xff}, -1},
        {MAT_C_UINT8, MAT_T_UINT8, 0, {0xff}, 255},
        {MAT_C_UINT8, MAT_T_UINT8, MAT_F_LOGICAL, {1}, 1},
        {MAT_C_INT16, MAT_T_INT16, 0, {0xff, 0xff}, -1},
        {MAT_C_UINT16, MAT_T_UINT16, 0, {0xff, 0xff}, 65535},
        {MAT_C_UINT32, MAT_T_UINT32, 0, {0xff, 0xff, 0xff, 0xff}, 4294967295.0},
        {MAT_C_UINT64, MAT_T_UINT64, 0, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0x1p64},
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); ++c) {
        unsigned char bytes[8];
        size_t dims[2] = {1, 1};
        io_array a;
        memcpy(bytes, cases[c].bytes, sizeof bytes);
        mat_t *const mat = create(MAT_FT_MAT5);
        add(mat, "k", cases[c].class, cases[c].type, 2, dims, bytes, cases[c].flags, MAT_COMPRESSION_NONE);
        Mat_Close(mat);
        assert_true(io_read_array("x.mat", &a, NULL));
        assert_int_equal(a.type, IO_F64);
        if (*(double *)a.data != cases[c].want) fail_msg("case %d: %g", (int)c, *(double *)a.data);
        io_array_free(&a);
    }
    remove("x.mat");
}

static char heard[512];

static void hear(const char *sentence)
{
    snprintf(heard, sizeof heard, "%s", sentence);
}

/* Of two variables the first is read, and that is told; of one nothing. */
static void test_choice(void **state)
{
    double first[1] = {1}, second[1] = {2};
    size_t dims[2] = {1, 1};
    static const enum mat_ft levels[] = {MAT_FT_MAT4, MAT_FT_MAT5, MAT_FT_MAT73};
    (void)state;
    io_listen(hear);
    for (size_t c = 0; c < COUNT(levels); ++c) {
        for (int many = 1; many <= 2; ++many) {
            io_array a;
            heard[0] = '\0';
            mat_t *const mat = create(levels[c]);
            add(mat, "B", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, first, 0, MAT_COMPRESSION_NONE);
            if (many == 2) add(mat, "C", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, second, 0, MAT_COMPRESSION_NONE);
            Mat_Close(mat);
            assert_true(io_read_array("x.mat", &a, NULL));
            assert_true(*(double *)a.data == 1);
            assert_string_equal(heard, many == 2 ? "x.mat: variable 'B' is read, the first one; 'C' is not" : "");
            io_array_free(&a);
        }
    }
    io_listen(NULL);
    remove("x.mat");
}

static void test_refused(void **state)
{
    double numbers[16] = {0};
    size_t four[4] = {2, 2, 2, 2}, two[2] = {2, 2};
    mat_uint32_t rows[2] = {0, 1}, columns[3] = {0, 1, 2};
    mat_sparse_t sparse = {2, rows, 2, columns, 3, 2, numbers};
    io_error error;
    io_array a;
    (void)state;
    mat_t *mat = create(MAT_FT_MAT5);
    add(mat, "S", MAT_C_SPARSE, MAT_T_DOUBLE, 2, two, &sparse, MAT_F_DONT_COPY_DATA, MAT_COMPRESSION_NONE);
    Mat_Close(mat);
    assert_refused(io_read_array("x.mat", &a, &error), "x.mat", &error, "sparse");
    mat = create(MAT_FT_MAT5);
    add(mat, "A", MAT_C_DOUBLE, MAT_T_DOUBLE, 4, four, numbers, 0, MAT_COMPRESSION_NONE);
    Mat_Close(mat);
    assert_refused(io_read_array("x.mat", &a, &error), "x.mat", &error, "'A' of rank 4");
    mat = create(MAT_FT_MAT5);
    Mat_Close(mat);
    assert_refused(io_read_array("x.mat", &a, &error), "x.mat", &error, "no numeric variable");
    remove("x.mat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels), cmocka_unit_test(test_batch),   cmocka_unit_test(test_integers),
        cmocka_unit_test(test_choice), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("io_mat", tests, folder_setup, folder_teardown);
}
