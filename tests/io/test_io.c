/* Files that are right: round trips in every format and type, .npy files of every sort made by hand, NumPy's own
 * where it is installed, and tridiagonal matrices in every form. */
#include "io_files.h"

#include "io/slices.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static int64_t parts(const io_array *a)
{
    return io_array_count(a) * (a->type == IO_C64 || a->type == IO_C128 ? 2 : 1);
}

/* ------------------------------------------------------------------ round trips */

/* 24 numbers of a type (12 complex ones): extreme ones, and neighbours from 1000 on, which only 9 or 17 digits tell apart. */
static void fill_values(io_type type, void *data)
{
    static const double f64[8] = {DBL_MAX, -DBL_MIN, 4.9e-324, -0.0, 1.0 / 3.0, INFINITY, -1e-300, 12345.678};
    static const float f32[8] = {FLT_MAX, -FLT_MIN, 1.4e-45f, -0.0f, 1.0f / 3.0f, INFINITY, -1e-30f, 12345.678f};
    static const int64_t i64[8] = {INT64_MAX, INT64_MIN, 0, -1, 1, (INT64_C(1) << 53) + 1, 1000000007, -42};
    for (int k = 0; k < 24; ++k) {
        if (type == IO_F32 || type == IO_C64) ((float *)data)[k] = k < 8 ? f32[k] : 1000 + 0x1p-14f * (float)k;
        if (type == IO_F64 || type == IO_C128) ((double *)data)[k] = k < 8 ? f64[k] : 1000 + 0x1p-43 * k;
        if (type == IO_I32) ((int32_t *)data)[k] = k < 8 ? (int32_t)(i64[k] >> 32) : k;
        if (type == IO_I64) ((int64_t *)data)[k] = k < 8 ? i64[k] : k;
    }
}

static void check_round_trip(const char *name, const io_array *a)
{
    io_error error;
    io_array b;
    if (!io_write_array(name, "x", a, &error)) fail_msg("%s", error.text);
    if (!io_read_array(name, &b, &error)) fail_msg("%s", error.text);
    bool const text = strcmp(name, "x.dat") == 0, mtx = strcmp(name, "x.mtx") == 0;
    assert_int_equal(text ? io_array_count(&b) : parts(&b), parts(a));
    if (!text || a->rank == 3) {
        int const rank = a->rank == 1 && strcmp(name, "x.npy") != 0 ? 2 : a->rank; /* a column */
        assert_int_equal(b.rank, rank);
        int64_t const each = text ? parts(a) / io_array_count(a) : 1; /* a complex number is two in text */
        for (int k = 0; k < rank; ++k)
            assert_int_equal(b.shape[k], (k < a->rank ? a->shape[k] : 1) * (k == 2 ? each : 1));
    }
    if (text || mtx) {
        /* Text carries the values; the type becomes double, and -0 becomes 0 in plain text. */
        for (int64_t k = 0; k < parts(a); ++k) {
            double const want = io_array_part(a, k), got = io_array_part(&b, k);
            if (a->type == IO_F32 || a->type == IO_C64)
                assert_true((float)got == (float)want);
            else
                assert_true(got == want && (text ? !signbit(got) || got != 0.0 : signbit(got) == signbit(want)));
        }
    } else {
        assert_int_equal(b.type, a->type);
        assert_memory_equal(b.data, a->data, (size_t)io_array_count(a) * io_type_size(a->type));
    }
    io_array_free(&b);
}

static void test_round_trips(void **state)
{
    static const char *const names[] = {"x.npy", "x.dat", "x.mtx", "x.mat"};
    static const io_type types[] = {IO_F32, IO_F64, IO_C64, IO_C128, IO_I32, IO_I64};
    static const io_array shapes[] = {
        {.rank = 1, .shape = {12}}, {.rank = 2, .shape = {3, 4}}, {.rank = 3, .shape = {2, 3, 2}}};
    (void)state;
    for (size_t f = 0; f < COUNT(names); ++f) {
        if (strcmp(names[f], "x.mat") == 0 && !io_has_mat()) continue;
        for (size_t t = 0; t < COUNT(types); ++t) {
            for (size_t s = 0; s < COUNT(shapes); ++s) {
                double data[24];
                if (shapes[s].rank == 3 && strcmp(names[f], "x.mtx") == 0) continue;
                io_array a = shapes[s];
                a.type = types[t];
                a.data = data;
                fill_values(a.type, data);
                check_round_trip(names[f], &a);
            }
        }
        remove(names[f]);
    }
    assert_int_equal(folder_files(), 0);
}

static void test_empty_arrays(void **state)
{
    static const char *const names[] = {"x.npy", "x.mtx", "x.mat"};
    (void)state;
    for (size_t f = 0; f < COUNT(names); ++f) {
        io_error error;
        double nothing = 0.0;
        io_array const a = {IO_F64, 1, {0}, &nothing};
        io_array b;
        if (strcmp(names[f], "x.mat") == 0 && !io_has_mat()) continue;
        if (!io_write_array(names[f], "x", &a, &error)) fail_msg("%s", error.text);
        if (!io_read_vector(names[f], &b, &error)) fail_msg("%s", error.text);
        assert_int_equal(b.shape[0], 0);
        io_array_free(&b);
        remove(names[f]);
    }
}

/* ------------------------------------------------------------------ text */

/* Six numbers, in a file of any layout, are a vector to who wants one; lines of equally many are a matrix. */
static const struct {
    const char *text;
    int rank;
    int64_t rows;
} text_cases[] = {
    {"1 2 3 4 5 6", 1, 6},
    {"1\n2\n3\n4\n5\n6\n", 1, 6},
    {"1 2 3\n4 5 6", 2, 2},
    {"1 2\n3 4\n5 6\n\n", 2, 3},
    {"1 2 3\n4 5\n6\n", 1, 6},
    {"1 2\n3 4 5\n6\n", 1, 6},
    {"1 2\n3 4\n5\n6\n", 1, 6},
    {"# first, 7\n1,2, 3 # 8\n#9\n4 ,5,\t6,\r\n# no newline", 2, 2},
    {"1,\n2,\n3,\n4,\n5,\n6", 1, 6},
    {"1,2\n3,4#\n\n5,6,", 2, 3},
    {"\xef\xbb\xbf"
     "1 2 3\n4 5 6",
     2, 2},
    {"\xef\xbb\xbf# x\n1D0,2d0 3\n4,5,0x6", 2, 2},
};

static void test_text(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(text_cases); ++c) {
        io_array a, x;
        io_error error;
        put_text("x.dat", text_cases[c].text);
        if (!io_read_array("x.dat", &a, &error) || !io_read_vector("x.dat", &x, &error)) fail_msg("%s", error.text);
        if (a.rank != text_cases[c].rank || a.shape[0] != text_cases[c].rows) fail_msg("text %d: shape", (int)c);
        assert_true(a.rank == 1 || a.shape[1] == 6 / a.shape[0]);
        assert_true(x.rank == 1 && x.shape[0] == 6);
        for (int k = 0; k < 6; ++k) assert_true(io_array_part(&a, k) == k + 1 && io_array_part(&x, k) == k + 1);
        io_array_free(&a);
        io_array_free(&x);
    }
    remove("x.dat");
}

/* ------------------------------------------------------------------ .npy made by hand */

/* clang-format off */
static const struct {
    const char *version, *dictionary;
    const char *data;
    size_t count;
    io_type type;
    int rank;
    int64_t shape[3];
    double want[6];
} npy_cases[] = {
    {"\1", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n",
     "\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\0\xc0", 16, IO_F64, 1, {2}, {1, -2}},
    {"\1", "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }",
     "?\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16, IO_F64, 1, {2}, {1, -2}},
    {"\2", "{'shape': (2L,), 'fortran_order': True, 'descr': \"<f4\"}",
     "\0\0\x80?\0\0\0\xc0", 8, IO_F32, 1, {2}, {1, -2}},
    {"\3", "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2)}",
     "?\x80\0\0\xc0\0\0\0", 8, IO_F32, 2, {1, 2}, {1, -2}},
    {"\1", "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}",
     "?\x80\0\0\xc0\0\0\0", 8, IO_C64, 1, {1}, {1, -2}},
    {"\1", "{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}",
     "\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\0\xc0", 16, IO_C128, 1, {1}, {1, -2}},
    {"\1", "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
     "\1\0\1", 3, IO_F64, 1, {3}, {1, 0, 1}},
    {"\1", "{'descr': '|i1', 'fortran_order': False, 'shape': (3,)}",
     "\xff\x7f\x80", 3, IO_F64, 1, {3}, {-1, 127, -128}},
    {"\1", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}",
     "\xff\x7f\0", 3, IO_F64, 1, {3}, {255, 127, 0}},
    {"\1", "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}",
     "\xfe\xff\2\1", 4, IO_F64, 1, {2}, {-2, 258}},
    {"\1", "{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}",
     "\xff\xfe\1\2", 4, IO_F64, 1, {2}, {65534, 258}},
    {"\1", "{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}",
     "\xff\xff\xff\xfe\0\0\1\2", 8, IO_I32, 1, {2}, {-2, 258}},
    {"\1", "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}",
     "\xfe\xff\xff\xff\2\1\0\0", 8, IO_F64, 1, {2}, {4294967294.0, 258}},
    {"\1", "{'descr': '>i8', 'fortran_order': False, 'shape': (1,)}",
     "\xff\xff\xff\xff\xff\xff\xff\xfe", 8, IO_I64, 1, {1}, {-2}},
    {"\1", "{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}",
     "\0\0\0\0\0\0\0\x80", 8, IO_F64, 1, {1}, {0x1p63}},
    /* Fortran's order: the first index runs fastest. */
    {"\1", "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}",
     "\1\2\3\4\5\6", 6, IO_F64, 2, {2, 3}, {1, 3, 5, 2, 4, 6}},
    {"\1", "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 3, 2)}",
     "\1\2\3\4\5\6", 6, IO_F64, 3, {1, 3, 2}, {1, 4, 2, 5, 3, 6}},
    {"\1", "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1, 3)}",
     "\1\2\3\4\5\6", 6, IO_F64, 3, {2, 1, 3}, {1, 3, 5, 2, 4, 6}},
    /* Nothing in it, whatever else its shape says. */
    {"\1", "{'descr': '<f8', 'fortran_order': True, 'shape': (1099511627776, 0)}",
     "", 0, IO_F64, 2, {INT64_C(1) << 40, 0}, {0}},
};
/* clang-format on */

static void test_npy_by_hand(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(npy_cases); ++c) {
        io_error error;
        io_array a;
        put_npy("x.npy", npy_cases[c].version, npy_cases[c].dictionary, npy_cases[c].data, npy_cases[c].count);
        if (!io_read_array("x.npy", &a, &error)) fail_msg("%s: %s", npy_cases[c].dictionary, error.text);
        assert_int_equal(a.type, npy_cases[c].type);
        assert_int_equal(a.rank, npy_cases[c].rank);
        for (int k = 0; k < a.rank; ++k) assert_int_equal(a.shape[k], npy_cases[c].shape[k]);
        for (int64_t k = 0; k < parts(&a); ++k) {
            if (io_array_part(&a, k) != npy_cases[c].want[k])
                fail_msg("%s: number %d", npy_cases[c].dictionary, (int)k);
        }
        io_array_free(&a);
    }
    remove("x.npy");
}

/* Version 2.0 has a length of four bytes: a header longer than version 1.0 allows. */
static void test_npy_long_header(void **state)
{
    enum { LENGTH = 0x12345 };
    static char bytes[12 + LENGTH + 2] = "\x93NUMPY\2\0\x45\x23\1\0{'descr': '|u1', 'shape': (2,),";
    static const char end[] = "'fortran_order': False}\n";
    io_error error;
    io_array a;
    (void)state;
    memset(bytes + 12 + strlen(bytes + 12), ' ', LENGTH - strlen(bytes + 12));
    memcpy(bytes + 12 + LENGTH - (sizeof end - 1), end, sizeof end - 1);
    bytes[12 + LENGTH] = 7, bytes[12 + LENGTH + 1] = 9;
    put_bytes("x.npy", bytes, sizeof bytes);
    if (!io_read_array("x.npy", &a, &error)) fail_msg("%s", error.text);
    assert_true(a.rank == 1 && a.shape[0] == 2 && io_array_part(&a, 0) == 7 && io_array_part(&a, 1) == 9);
    io_array_free(&a);
    remove("x.npy");
}

/* A slice of more numbers than are converted at a time, of a type that the file holds in fewer bytes. */
static void test_npy_slice(void **state)
{
    enum { NUMBERS = 150001, FIRST = 3, START = 71 };
    static unsigned char bytes[START + 2 * NUMBERS] =
        "\x93NUMPY\1\0\x3d\0{'descr': '>u2', 'fortran_order': False, 'shape': (150001,)}\n";
    static double x[NUMBERS - FIRST];
    io_source s;
    io_error error;
    (void)state;
    for (int k = 0; k < 2 * NUMBERS; ++k) bytes[START + k] = (unsigned char)(k / 2 >> (k % 2 ? 0 : 8));
    put_bytes("x.npy", bytes, sizeof bytes);
    if (!io_source_open("x.npy", &s, &error)) fail_msg("%s", error.text);
    assert_true(s.form && s.a.type == IO_F64);
    io_slab const slab = {1, NUMBERS, 1, FIRST, NUMBERS - FIRST};
    if (!io_source_read(&s, &slab, x, &error)) fail_msg("%s", error.text);
    for (int k = FIRST; k < NUMBERS; ++k) assert_true(x[k - FIRST] == k % 65536);
    io_source_close(&s);
    remove("x.npy");
}

/* NumPy writes 2 x 3 x 4 arrays whose numbers count from 0 in C order, in every type, byte order and layout; then it
 * reads the array that we write, and writes it again. */
static void test_numpy(void **state)
{
    static const char *const types[] = {"f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
    (void)state;
    if (system("python3 -c 'import numpy' 2>/dev/null") != 0) skip_because("no NumPy here");
    for (size_t t = 0; t < COUNT(types); ++t) {
        for (int c = 0; c < 4; ++c) {
            char command[256];
            snprintf(command, sizeof command,
                     "python3 -c \"import numpy as np; np.save('x.npy', np.arange(24).reshape(2, 3, 4)"
                     ".astype('%s%s', order='%s'))\"",
                     c & 1 ? ">" : "<", types[t], c & 2 ? "F" : "C");
            assert_int_equal(system(command), 0);
            io_error error;
            io_array a;
            if (!io_read_array("x.npy", &a, &error)) fail_msg("%s: %s", types[t], error.text);
            assert_int_equal(a.rank, 3);
            int const step = types[t][0] == 'c' ? 2 : 1;
            for (int k = 0; k < 24; ++k) assert_true(io_array_part(&a, (int64_t)k * step) == k);
            assert_true(io_write_array("y.npy", "x", &a, &error));
            assert_int_equal(
                system("python3 -c \"import numpy as np; assert (np.load('x.npy') == np.load('y.npy')).all()\""), 0);
            io_array_free(&a);
        }
    }
    remove("x.npy");
    remove("y.npy");
}

/* ------------------------------------------------------------------ tridiagonal matrices */

/* T of order 3: d = 1 2 3, e = 4 5. */
static void check_order_3(const char *path_d, const char *path_e)
{
    io_error error;
    io_tridiagonal t;
    if (!io_read_tridiagonal(path_d, path_e, &t, &error)) fail_msg("%s", error.text);
    assert_int_equal(t.n, 3);
    for (int i = 0; i < 3; ++i) assert_true(t.d[i] == i + 1);
    for (int i = 0; i < 2; ++i) assert_true(t.e[i] == i + 4);
    io_tridiagonal_free(&t);
    remove(path_d);
    if (path_e) remove(path_e);
}

static void test_two_files(void **state)
{
    (void)state;
    put_text("d.dat", "1 2\n3\n");
    put_text("e.dat", "4\n5");
    check_order_3("d.dat", "e.dat");
    put_text("d.dat", "1.0D0 2e0 0x3");
    put_text("e.dat", "-77 4 \t\r\n\v\f 5\n"); /* the data layout of Lessig's report: the first of n is padding */
    check_order_3("d.dat", "e.dat");
    put_npy("d.npy", "\1", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 1)}", "\1\2\3", 3);
    put_text("e.mtx", "%%MatrixMarket matrix array real general\n% a comment\n%\n2 1\n4\n5\n");
    check_order_3("d.npy", "e.mtx");
}

/* All forms of the definition, each as the array in C order that it stands for; complex ones as parts. */
static void test_mtx_forms(void **state)
{
#define MTX "%%MatrixMarket matrix "
    static const struct {
        const char *text;
        int64_t rows, columns;
        int parts;
        double x[18];
    } forms[] = {
        {MTX "coordinate real general\n2 3 3\n2 1 -1.5\n1 3 7\n2 2 0\n", 2, 3, 1, {0, 0, 7, -1.5, 0, 0}},
        {MTX "coordinate integer general\n% x\n2 2 1\n1 2 7\n", 2, 2, 1, {0, 7, 0, 0}},
        {MTX "coordinate pattern general\n2 3 2\n2 3\n1 1\n", 2, 3, 1, {1, 0, 0, 0, 0, 1}},
        {MTX "coordinate real general\n2 2 0\n", 2, 2, 1, {0}},
        {MTX "coordinate pattern symmetric\n3 3 3\n3 1\n2 2\n3 2\n", 3, 3, 1, {0, 0, 1, 0, 1, 1, 1, 1, 0}},
        {MTX "coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n", 2, 2, 1, {5, 3, 3, 0}},
        {MTX "coordinate real skew-symmetric\n3 3 3\n2 1 3\n3 2 4\n1 1 0\n", 3, 3, 1, {0, -3, 0, 3, 0, -4, 0, 4, 0}},
        {MTX "coordinate complex general\n2 2 1\n1 2 3 4\n", 2, 2, 2, {0, 0, 3, 4, 0, 0, 0, 0}},
        {MTX "coordinate complex symmetric\n2 2 1\n2 1 3 4\n", 2, 2, 2, {0, 0, 3, 4, 3, 4, 0, 0}},
        {MTX "coordinate complex skew-symmetric\n2 2 1\n2 1 3 4\n", 2, 2, 2, {0, 0, -3, -4, 3, 4, 0, 0}},
        {MTX "coordinate complex Hermitian\n2 2 2\n2 1 3 4\n2 2 9 0\n", 2, 2, 2, {0, 0, 3, -4, 3, 4, 9, 0}},
        {MTX "array complex hermitian\n2 2\n1 0\n3 4\n9 0\n", 2, 2, 2, {1, 0, 3, -4, 3, 4, 9, 0}},
        {MTX "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, 1, {0, -1, -2, 1, 0, -3, 2, 3, 0}},
        {MTX "array complex skew-symmetric\n2 2\n1 2\n", 2, 2, 2, {0, 0, -1, -2, 1, 2, 0, 0}},
        {MTX "array real skew-symmetric\n1 1\n", 1, 1, 1, {0}},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(forms); ++k) {
        io_array a;
        io_error error;
        put_text("x.mtx", forms[k].text);
        if (!io_read_array("x.mtx", &a, &error)) fail_msg("%s: %s", forms[k].text, error.text);
        assert_int_equal(a.type, forms[k].parts == 2 ? IO_C128 : IO_F64);
        assert_true(a.rank == 2 && a.shape[0] == forms[k].rows && a.shape[1] == forms[k].columns);
        for (int64_t i = 0; i < parts(&a); ++i)
            if (io_array_part(&a, i) != forms[k].x[i]) fail_msg("%s: part %d", forms[k].text, (int)i);
        io_array_free(&a);
    }
    remove("x.mtx");
}

/* Empty lines make matrices of lines; comments do not, nor do blocks of one line, of one column, or of unequal height. */
static void test_text_blocks(void **state)
{
    static const struct {
        const char *text;
        int rank;
        int64_t shape[3];
    } cases[] = {
        {"1 2\n3 4\n\n5 6\n7 8\n\n", 3, {2, 2, 2}},
        {"# a\n1 2\n# b\n3 4\n \t\n\n# c\n\n5,6 # d\n7 8", 3, {2, 2, 2}},
        {"1 2\n3 4\n# b\n5 6\n7 8\n", 2, {4, 2}},
        {"\n\n1 2\n3 4\n\n\n", 2, {2, 2}},
        {"1 2\n\n3 4\n", 2, {2, 2}},
        {"1 2\n3 4\n\n5 6\n", 2, {3, 2}},
        {"1\n2\n\n3\n4\n", 1, {4}},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(cases); ++k) {
        io_array a;
        put_text("x.dat", cases[k].text);
        assert_true(io_read_array("x.dat", &a, NULL));
        if (a.rank != cases[k].rank) fail_msg("'%s' has rank %d", cases[k].text, a.rank);
        for (int i = 0; i < a.rank; ++i) assert_int_equal(a.shape[i], cases[k].shape[i]);
        for (int64_t i = 0; i < io_array_count(&a); ++i) assert_true(io_array_part(&a, i) == (double)(i + 1));
        io_array_free(&a);
    }
    remove("x.dat");
}

static void test_one_file(void **state)
{
    static const char *const mtx[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 1\n2 1 4\n2 2 2\n3 2 5\n3 3 3\n",
        ("%%matrixmarket MATRIX Coordinate Integer General\n%%x\n\n"
         "3 3 8\n1 1 1\n1 2 4\n2 1 4\n2 2 2\n2 3 5\n3 2 5\n3 3 3\n3 1 0"),
        "%%MatrixMarket matrix array real symmetric\n3 3\n1\n4\n0\n2\n5\n3\n",
        "%%MatrixMarket matrix array real general\r\n3 3\r\n1\r\n4\r\n0\r\n4\r\n2\r\n5\r\n0\r\n5\r\n3\r\n",
    };
    (void)state;
    for (size_t k = 0; k < COUNT(mtx); ++k) {
        put_text("t.mtx", mtx[k]);
        check_order_3("t.mtx", NULL);
    }
    put_text("t.dat", "3\n1 1.0 4\n2 2 5e0\n3 3 0\n");
    check_order_3("t.dat", NULL);
    put_text("t.dat", "3  1 1.0 4  2 2 5e0  3 3");
    check_order_3("t.dat", NULL);
    put_npy("t.npy", "\1", "{'descr': '|i1', 'fortran_order': True, 'shape': (3, 3)}", "\1\4\0\4\2\5\0\5\3", 9);
    check_order_3("t.npy", NULL);
    double dense[9] = {1, 4, 0, 4, 2, 5, 0, 5, 3};
    io_array const a = {IO_F64, 2, {3, 3}, dense};
    if (!io_has_mat()) return;
    assert_true(io_write_array("t.mat", "T", &a, NULL));
    check_order_3("t.mat", NULL);
}

static void test_orders_0_1_2(void **state)
{
    static double d[2] = {7, 8}, e[1] = {9};
    (void)state;
    for (int64_t n = 0; n <= 2; ++n) {
        io_error error;
        io_tridiagonal const t = {n, d, n > 1 ? e : NULL};
        io_tridiagonal u;
        assert_true(io_write_tridiagonal_mtx("t.mtx", &t, &error));
        if (!io_read_tridiagonal("t.mtx", NULL, &u, &error)) fail_msg("%s", error.text);
        assert_int_equal(u.n, n);
        assert_memory_equal(u.d, d, (size_t)n * sizeof *d);
        if (n > 1) assert_memory_equal(u.e, e, sizeof e);
        io_tridiagonal_free(&u);
    }
    /* The off-diagonal of order 1: nothing, or its padding. */
    put_text("d.dat", "7\n");
    for (int k = 0; k < 2; ++k) {
        io_tridiagonal u;
        put_text("e.dat", k ? "3" : "");
        assert_true(io_read_tridiagonal("d.dat", "e.dat", &u, NULL));
        assert_true(u.n == 1 && u.d[0] == 7.0);
        io_tridiagonal_free(&u);
    }
    remove("t.mtx");
    remove("d.dat");
    remove("e.dat");
}

/* The library refuses what is not finite, and names the index; the readers let it through. */
static void test_not_finite(void **state)
{
    io_array a;
    (void)state;
    put_text("x.dat", "nan -inf Infinity 1");
    assert_true(io_read_vector("x.dat", &a, NULL));
    const double *const x = (const double *)a.data;
    assert_true(isnan(x[0]) && x[1] == -INFINITY && x[2] == INFINITY && x[3] == 1.0);
    io_array_free(&a);
    remove("x.dat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_empty_arrays),
        cmocka_unit_test(test_npy_by_hand), cmocka_unit_test(test_npy_long_header),
        cmocka_unit_test(test_numpy),       cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_one_file),    cmocka_unit_test(test_orders_0_1_2),
        cmocka_unit_test(test_not_finite),  cmocka_unit_test(test_text),
        cmocka_unit_test(test_mtx_forms),   cmocka_unit_test(test_text_blocks),
        cmocka_unit_test(test_npy_slice),
    };
    return cmocka_run_group_tests_name("io", tests, folder_setup, folder_teardown);
}
