/* Files that are wrong: each is refused with one sentence that names it and what is wrong, whatever bytes it holds. */
#define _POSIX_C_SOURCE 200809L
#include "io_files.h"
#include "support/sanitizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* What a file is read as. */
typedef enum target { ARRAY, VECTOR, WHOLE_T } target;

static bool read_as(target what, const char *name, io_error *error)
{
    io_array a;
    io_tridiagonal t;
    if (what == WHOLE_T) {
        bool const done = io_read_tridiagonal(name, NULL, &t, error);
        assert_true(done || (!t.d && !t.e && t.n == 0));
        if (done) io_tridiagonal_free(&t);
        return done;
    }
    bool const done = what == ARRAY ? io_read_array(name, &a, error) : io_read_vector(name, &a, error);
    assert_true(done || (!a.data && a.rank == 0));
    if (done) io_array_free(&a);
    return done;
}

#define REAL "%%MatrixMarket matrix coordinate real "
#define DENSE "%%MatrixMarket matrix array real "

/* clang-format off */
static const struct { const char *name; target what; const char *text, *words; } text_cases[] = {
    {"x.dat", VECTOR, "", "is empty"},
    {"x.dat", ARRAY, " \n\t\n", "is empty"},
    {"x.dat", VECTOR, "1 2\n3 four 5\n", "line 2: 'four' is not a number"},
    {"x.dat", VECTOR, "1\n2\n3x\n", "line 3: '3x' is not a number"},
    {"x.dat", VECTOR, "1,2,,3", "line 1: a number is missing before a comma"},
    {"x.dat", VECTOR, "1,\n, 2", "line 2: a number is missing before a comma"},
    {"x.dat", VECTOR, "# d\n,1", "line 2: a number is missing before a comma"},
    {"x.dat", VECTOR, "1,5;2,5", "line 1: '5;2' is not a number"},
    {"x.dat", VECTOR, "# nothing but a comment", "is empty"},
    {"x.dat", VECTOR, "\xff\xfe" "1", "is UTF-16 text; save it as UTF-8"},
    {"x.dat", WHOLE_T, "\xfe\xff", "is UTF-16 text; save it as UTF-8"},
    {"x.mtx", WHOLE_T, "\xff\xfe%", "is UTF-16 text; save it as UTF-8"},
    {"x.mtx", ARRAY, "\xfe\xff", "is UTF-16 text; save it as UTF-8"},
    {"x.dat", VECTOR, "1 2\n\xef\xbb\xbf" "3 4\n", "line 2: a byte order mark (EF BB BF) stands inside the text"},
    {"x.mtx", ARRAY, DENSE "general\n1 1\n1, 2\n", "'1,' is not a number"},
    {"x", WHOLE_T, REAL "symmetric\n3 3 1\n1 2 5\n", "above the diagonal of a symmetric file"},
    {"x", ARRAY, "\x93NUMPY", "is truncated within its header"},
    {"x.dat", VECTOR, "1 2 \033[31m\377", "'?[31m?' is not a number"},
    {"x.dat", VECTOR, "1 1e400", "'1e400' is too large"},
    {"x.dat", VECTOR, "1 -1e400", "'-1e400' is too large"},
    {"x.dat", VECTOR, "1 1D400", "'1D400' is too large"},
    {"x.dat", VECTOR, "1 -1.5d+309", "'-1.5d+309' is too large"},
    {"x.dat", VECTOR, "1 1d", "'1d' is not a number"},
    {"x.dat", VECTOR, "0123456789012345678901234567890123456789z", "'01234567890123456789012345678901...' is not a number"},
    {"x.dat", WHOLE_T, "", "is empty"},
    {"x.dat", WHOLE_T, "2.5 1 2", "line 1: not an order"},
    {"x.dat", WHOLE_T, "-1", "STCollection"},
    {"x.dat", WHOLE_T, "1 2\n3 4\n5 6\n", "'d e'? the diagonal d and the off-diagonal e are two files"},
    {"x.dat", WHOLE_T, "# T\n1.5, 2\n3, 4\n5\n", "line 2: not an order (rows of two numbers"},
    {"x.dat", WHOLE_T, "3 1 2 3", "4 words do not make a matrix of order 3"},
    {"x.dat", WHOLE_T, "9223372036854775807 1 2 3", "words do not make"},
    {"x.dat", WHOLE_T, "6148914691236517205 1 2 3", "words do not make"},
    {"x.dat", WHOLE_T, "99999999999999999999 1 2 3", "not an order"},
    {"x.dat", WHOLE_T, "2\n1 1 1\n3 1 1\n", "line 3: row 2 is expected, not 3"},
    {"x.dat", WHOLE_T, "2\n1 1 1\n2 one 1\n", "line 3: 'one' is not a number"},
    {"x.npy", ARRAY, "", "is empty"},
    {"x.npy", ARRAY, "1 2 3 4 5 6 7", "is not a .npy file"},
    {"x.mtx", WHOLE_T, "", "is empty"},
    {"x.mtx", ARRAY, "3 3 3\n", "is not a Matrix Market file"},
    {"x.mtx", WHOLE_T, "%%MatrixMarket matrix coordinate boolean general\n1 1 1\n1 1\n", "real, integer, complex or pattern"},
    {"x.mtx", ARRAY, "%%MatrixMarket matrix array pattern general\n1 1\n1\n", "a pattern must be in coordinate format"},
    {"x.mtx", ARRAY, "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", "a pattern must be general or symmetric"},
    {"x.mtx", ARRAY, REAL "hermitian\n2 2 1\n2 1 1\n", "a hermitian matrix must be complex"},
    {"x.mtx", WHOLE_T, "%%MatrixMarket matrix sparse real general\n1 1 1\n1 1\n", "coordinate or array"},
    {"x.mtx", WHOLE_T, REAL "skew-symmetric\n2 2 1\n2 1 1\n", "is skew-symmetric; a symmetric matrix is needed"},
    {"x.mtx", WHOLE_T, REAL "antisymmetric\n2 2 1\n2 1 1\n", "symmetric, skew-symmetric or hermitian"},
    {"x.mtx", WHOLE_T, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "is complex"},
    {"x.mtx", WHOLE_T, "%%MatrixMarket matrix array\nreal general\n1 1\n1\n", "real, integer, complex or pattern"},
    {"x.mtx", WHOLE_T, REAL "general\n2 3 1\n1 1 1\n", "not square: 2 x 3"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n2 3 1\n1 1 1\n", "not square: 2 x 3"},
    {"x.mtx", WHOLE_T, DENSE "general\n2 3\n1 1 1 1 1 1\n", "not square: 2 x 3"},
    {"x.mtx", WHOLE_T, REAL "general\n3 3 2\n2 1 5\n1 2 6\n", "not symmetric: entry (2, 1) is 5, entry (1, 2) is 6"},
    {"x.mtx", WHOLE_T, REAL "general\n3 3 1\n2 3 5\n", "not symmetric: entry (3, 2) is 0, entry (2, 3) is 5"},
    {"x.mtx", WHOLE_T, REAL "general\n3 3 1\n3 2 5\n", "not symmetric: entry (3, 2) is 5, entry (2, 3) is 0"},
    {"x.mtx", WHOLE_T, DENSE "general\n2 2\n1 2 3 4\n", "not symmetric: entry (2, 1) is 2, entry (1, 2) is 3"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n3 1 5\n", "line 3: entry (3, 1) is not zero: the matrix is not tridiagonal"},
    {"x.mtx", WHOLE_T, DENSE "symmetric\n3 3\n1 2 3 4 5 6\n", "not tridiagonal: entry (3, 1) is 3"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n3 1 nan\n", "not tridiagonal"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n1 2 5\n", "above the diagonal of a symmetric file"},
    {"x.mtx", WHOLE_T, REAL "general\n3 3 2\n1 1 5\n1 1 6\n", "line 4: entry (1, 1) is given twice"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n0 1 5\n", "entry (0, 1) lies outside the matrix"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n4 4 5\n", "entry (4, 4) lies outside the matrix"},
    {"x.mtx", WHOLE_T, REAL "general\n3 3 1\n9223372036854775807 -9223372036854775807 5\n", "lies outside the matrix"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 2\n1 1 5\n", "is truncated"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n1 1 5\n2 2 5\n", "line 4: more numbers than the header says"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 -1\n", "negative"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n3 3 1\n1 1 x\n", "line 3: 'x' is not a number"},
    {"x.mtx", WHOLE_T, REAL "symmetric\n1000000000000 1000000000000 1\n1 1 5\n", "claims order 1000000000000"},
    {"x.mtx", ARRAY, DENSE "general\n1000000000 1000000000\n1\n", "is truncated"},
    {"x.mtx", ARRAY, DENSE "symmetric\n4611686018427387904 4611686018427387904\n1\n", "is truncated"},
    {"x.mtx", WHOLE_T, DENSE "general\n1000 1000\n1\n", "is truncated"},
    {"x.mtx", ARRAY, DENSE "general\n2 2\n1 2 3\n", "is truncated"},
    {"x.mtx", ARRAY, REAL "general\n2 3 1\n1 4 1\n", "line 3: entry (1, 4) lies outside the matrix"},
    {"x.mtx", ARRAY, REAL "general\n2 3 1\n3 1 1\n", "entry (3, 1) lies outside the matrix"},
    {"x.mtx", ARRAY, REAL "general\n2 3 2\n2 3 1\n2 3 1\n", "line 4: entry (2, 3) is given twice"},
    {"x.mtx", ARRAY, REAL "symmetric\n2 2 1\n1 2 1\n", "above the diagonal of a symmetric file"},
    {"x.mtx", ARRAY, REAL "skew-symmetric\n2 2 1\n2 2 1\n", "entry (2, 2) is not zero: the matrix is not skew-symmetric"},
    {"x.mtx", ARRAY, REAL "skew-symmetric\n2 3 1\n2 1 1\n", "not square: 2 x 3"},
    {"x.mtx", ARRAY, "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 1 1 2\n", "entry (1, 1) has an imaginary part"},
    {"x.mtx", ARRAY, "%%MatrixMarket matrix array complex hermitian\n1 1\n1 2\n", "entry (1, 1) has an imaginary part"},
    {"x.mtx", ARRAY, REAL "general\n2 2 2\n1 1 1\n", "is truncated"},
    {"x.mtx", ARRAY, REAL "general\n2 2 1\n1 1 1\n2 2 1\n", "more numbers than the header says"},
    {"x.mtx", ARRAY, REAL "general\n4611686018427387904 4611686018427387904 1\n1 1 1\n", "claims a 4611686018427387904 x"},
    {"x.mtx", ARRAY, REAL "general\n1025 1024 1\n1 1 1\n", "claims a 1025 x 1024 matrix with"},
    {"x.mtx", VECTOR, DENSE "general\n2 2\n1 2 3 4\n", "2 x 2 matrix; a vector is needed"},
    {"x.mtx", VECTOR, "%%MatrixMarket matrix array complex general\n1 1\n1 2\n", "is complex"},
    {"x.mat", ARRAY, "", "is empty"},
    {"x.mat", ARRAY, "1 2 3", "is not a .mat file"},
    {"x.mat", ARRAY, "MATLAB 5.0 MAT-file", "is truncated"},
};

#define SHAPE(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape "}"

static const struct { target what; const char *version, *dictionary; size_t bytes; const char *words; } npy_cases[] = {
    {ARRAY, "\1", SHAPE("<f8", "False", "(2,)"), 15, "is truncated: 15 bytes of numbers where its header needs 16"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(2,)"), 17, "has 1 bytes after its array"},
    {ARRAY, "\4", SHAPE("<f8", "False", "(2,)"), 16, "version 4.0"},
    {ARRAY, "\1", SHAPE("<f8", "False", "()"), 8, "has rank 0"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(1, 1, 1, 2)"), 16, "has rank 4"},
    {VECTOR, "\1", SHAPE("<f8", "False", "(2, 2)"), 32, "2 x 2 matrix; a vector is needed"},
    {VECTOR, "\1", SHAPE("<f8", "False", "(2, 1, 2)"), 32, "rank 3; a vector is needed"},
    {VECTOR, "\1", SHAPE("<c8", "False", "(2,)"), 16, "is complex"},
    {WHOLE_T, "\1", SHAPE("<f8", "False", "(2,)"), 16, "rank 1"},
    {WHOLE_T, "\1", SHAPE("<f8", "False", "(2, 1)"), 16, "not square: 2 x 1"},
    {ARRAY, "\1", SHAPE("<f2", "False", "(2,)"), 4, "type f2, which is not read: b1, i1 to i8, u1 to u8, f4, f8, c8 and c16 are"},
    {ARRAY, "\1", SHAPE("<f16", "False", "(2,)"), 32, "type f16"},
    {ARRAY, "\1", SHAPE("|S5", "False", "(2,)"), 10, "type S5"},
    {ARRAY, "\1", SHAPE("<U5", "False", "(1,)"), 20, "type U5"},
    {ARRAY, "\1", SHAPE("|O", "False", "(2,)"), 16, "holds Python objects"},
    {ARRAY, "\1", SHAPE("<f99999999999", "False", "(2,)"), 16, "type f"},
    {ARRAY, "\1", "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", 16, "structured type"},
    {ARRAY, "\1", "{'descr': '<f8', 'fortran_order': False}", 16, "without the key 'shape'"},
    {ARRAY, "\1", SHAPE("<f8", "None", "(2,)"), 16, "not understood"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(-2,)"), 16, "has a negative extent in its shape"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(2, - 1)"), 16, "has a negative extent in its shape"},
    {ARRAY, "\1", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'unit': 'm'}", 16, "has the key 'unit' in its .npy header"},
    {ARRAY, "\1", "{'long and \033 strange key': 1}", 16, "has the key 'long and ? strange key'"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(2"), 16, "not understood"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(2,)") " x", 16, "not understood"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(99999999999999999999,)"), 16, "not understood"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(2305843009213693952,)"), 16, "is truncated"},
    {ARRAY, "\1", SHAPE("<f8", "False", "(4294967296, 4294967296)"), 16, "is truncated"},
    {ARRAY, "\1", SHAPE("|u1", "True", "(1000000000000, 1)"), 16, "is truncated"},
};

static const struct { const char *d, *e, *words; } length_cases[] = {
    {"1 2 3", "1", "has 1 entries, but the 3 of the diagonal in d.dat need 2 (or 3, the first being padding)"},
    {"1 2 3", "1 2 3 4", "has 4 entries"},
    {"1 2 3", "", "is empty"},
    {"1", "1 2", "has 2 entries"},
    {"1 2", "x", "'x' is not a number"},
};
/* clang-format on */

static void test_text(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(text_cases); ++c) {
        io_error error = {""};
        if (strcmp(text_cases[c].name, "x.mat") == 0 && !io_has_mat()) continue;
        put_text(text_cases[c].name, text_cases[c].text);
        assert_refused(read_as(text_cases[c].what, text_cases[c].name, &error), text_cases[c].name, &error,
                       text_cases[c].words);
        remove(text_cases[c].name);
    }
}

/* Indices at both sides of their limits, rows and columns each by itself: zeros may stand anywhere inside. */
static void test_index_limits(void **state)
{
    static const char *const at[] = {"0", "1", "2", "4", "5", "-1", "9223372036854775807", "-9223372036854775808"};
    enum { ORDER = 4 };
    (void)state;
    for (size_t i = 0; i < COUNT(at); ++i)
        for (size_t j = 0; j < COUNT(at); ++j)
            for (int symmetric = 0; symmetric < 2; ++symmetric) {
                long long const row = strtoll(at[i], NULL, 10), column = strtoll(at[j], NULL, 10);
                bool const inside = row >= 1 && row <= ORDER && column >= 1 && column <= ORDER;
                bool const above = symmetric && row < column;
                char text[200];
                io_error error = {""};
                snprintf(text, sizeof text, "%s%s\n4 4 1\n%s %s 0\n", REAL, symmetric ? "symmetric" : "general", at[i],
                         at[j]);
                put_text("x.mtx", text);
                bool const done = read_as(WHOLE_T, "x.mtx", &error);
                if (done != (inside && !above)) fail_msg("entry (%s, %s): %s", at[i], at[j], error.text);
                if (!inside) assert_refused(done, "x.mtx", &error, "lies outside the matrix");
                if (inside && above) assert_refused(done, "x.mtx", &error, "above the diagonal");
            }
    for (size_t i = 0; i < COUNT(at); ++i) { /* rows of text count from 1, one by one */
        char text[200];
        io_error error = {""};
        snprintf(text, sizeof text, "3\n1 1 1\n%s 1 1\n3 1 1\n", at[i]);
        put_text("x.dat", text);
        bool const done = read_as(WHOLE_T, "x.dat", &error);
        if (done != (strcmp(at[i], "2") == 0)) fail_msg("row %s after row 1: %s", at[i], error.text);
    }
    remove("x.mtx"), remove("x.dat");
}

/* Sizes that a header claims, and what the file holds: one less, as many, one more. */
static void test_counts(void **state)
{
    static const struct {
        const char *name, *header, *entry;
        target what;
        int entries;
    } files[] = {
        {"x.mtx", REAL "general\n3 3 3\n", "%d %d 1\n", WHOLE_T, 3},
        {"x.mtx", REAL "symmetric\n0 0 0\n", "%d %d 1\n", WHOLE_T, 0},
        {"x.mtx", DENSE "general\n1 4\n", "%d\n", ARRAY, 4},
        {"x.mtx", DENSE "general\n3 0\n", "%d\n", ARRAY, 0},
        {"x.mtx", DENSE "symmetric\n2 2\n", "%d\n", ARRAY, 3},
        {"x.mtx", "%%MatrixMarket matrix array complex general\n1 2\n", "%d 0\n", ARRAY, 2},
        {"x.dat", "3\n", "%d %d 1\n", WHOLE_T, 3},
        {"x.dat", "1\n", "%d %d 1\n", WHOLE_T, 1},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(files); ++k)
        for (int more = -1; more <= 1; ++more) {
            char text[200];
            io_error error = {""};
            size_t used = (size_t)snprintf(text, sizeof text, "%s", files[k].header);
            for (int i = 1; i <= files[k].entries + more; ++i)
                used += (size_t)snprintf(text + used, sizeof text - used, files[k].entry, i, i);
            if (files[k].entries + more < 0) continue;
            put_text(files[k].name, text);
            bool const done = read_as(files[k].what, files[k].name, &error);
            if (done != (more == 0))
                fail_msg("%s and %d entries: %s", files[k].header, files[k].entries + more, error.text);
            remove(files[k].name);
        }
}

/* Sizes that no file can have, or that it has not. */
static void test_sizes(void **state)
{
    static const char *const sizes[] = {
        "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "1.5", "x", ""};
    (void)state;
    for (size_t k = 0; k < COUNT(sizes); ++k)
        for (int place = 0; place < 5; ++place) {
            char text[200];
            io_error error = {""};
            const char *const s[] = {place == 0 || place == 3 ? sizes[k] : "1",
                                     place == 1 || place == 3 ? sizes[k] : "1", place == 2 ? sizes[k] : "1"};
            if (place < 4) snprintf(text, sizeof text, "%sgeneral\n%s %s %s\n1 1 1\n", REAL, s[0], s[1], s[2]);
            if (place == 4) snprintf(text, sizeof text, "%s\n1 1 1\n", sizes[k]);
            const char *const name = place == 4 ? "x.dat" : "x.mtx";
            put_text(name, text);
            if (!(place == 4 && !*sizes[k])) assert_refused(read_as(WHOLE_T, name, &error), name, &error, name);
            if (place < 2) {
                snprintf(text, sizeof text, "%sgeneral\n%s %s\n1\n", DENSE, s[0], s[1]);
                put_text(name, text);
                assert_refused(read_as(ARRAY, name, &error), name, &error, name);
            }
            remove(name);
        }
}

static void test_npy(void **state)
{
    static const char zeros[64];
    (void)state;
    for (size_t c = 0; c < COUNT(npy_cases); ++c) {
        io_error error = {""};
        put_npy("x.npy", npy_cases[c].version, npy_cases[c].dictionary, zeros, npy_cases[c].bytes);
        assert_refused(read_as(npy_cases[c].what, "x.npy", &error), "x.npy", &error, npy_cases[c].words);
    }
    remove("x.npy");
}

static void test_lengths(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(length_cases); ++c) {
        io_error error = {""};
        io_tridiagonal t;
        put_text("d.dat", length_cases[c].d);
        put_text("e.dat", length_cases[c].e);
        assert_refused(io_read_tridiagonal("d.dat", "e.dat", &t, &error), "e.dat", &error, length_cases[c].words);
    }
    remove("d.dat");
    remove("e.dat");
}

static void test_missing(void **state)
{
    static const char *const names[] = {"no.dat", "no.npy", "no.mtx", "no.mat"};
    (void)state;
    for (size_t f = 0; f < COUNT(names); ++f) {
        io_error error = {""};
        bool const without = strcmp(names[f], "no.mat") == 0 && !io_has_mat();
        assert_refused(read_as(ARRAY, names[f], &error), names[f], &error,
                       without ? "matio" : "No such file or directory");
    }
    io_error error = {""};
    assert_refused(read_as(VECTOR, "/", &error), "/", &error, "Is a directory");
    /* Of a path too long to show, the end is shown. */
    char path[1024];
    memset(path, 'x', sizeof path);
    snprintf(path + 1000, 24, "/end.dat");
    assert_false(read_as(VECTOR, path, &error));
    assert_true(strncmp(error.text, "...x", 4) == 0 && strstr(error.text, "/end.dat: cannot be opened: "));
    /* No character of UTF-8 is cut: each has two bytes, and the cut falls between them once. */
    for (int k = 0; k < 1000; k += 2) memcpy(path + k, "\xc3\xa4", 2);
    snprintf(path + 1000, 24, "/the_end.d");
    assert_false(read_as(VECTOR, path, &error));
    assert_true(strncmp(error.text, "...\xc3\xa4", 5) == 0);
    snprintf(path + 1000, 24, "/the_end.da");
    assert_false(read_as(VECTOR, path, &error));
    assert_true(strncmp(error.text, "...\xc3\xa4", 5) == 0);
    /* A name without a character is seen. */
    assert_false(read_as(VECTOR, "", &error));
    assert_non_null(strstr(error.text, "'': cannot be opened: "));
}

/* ------------------------------------------------------------------ more than memory holds */

/* A level 4 file with one column of 2^27 doubles, 1 GiB of zeros that take no room on a disk. */
static void put_large_mat(const char *name)
{
    static const unsigned char header[22] = {[7] = 8, [8] = 1, [16] = 2, [20] = 'x'};
    put_bytes(name, header, sizeof header);
    assert_int_equal(truncate(name, (off_t)sizeof header + (1 << 30)), 0);
}

static int64_t little(void)
{
    return 20 << 20;
}

/* What does not fit into the memory that is free is refused before it is taken, by the size that a header tells; what
 * fits is read. */
static void test_little_memory(void **state)
{
    static const char shape[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (5000000,)}";
    io_error error;
    (void)state;
    io_ask_memory(little);
    put_npy("x.npy", "\1", shape, "", 0);
    assert_int_equal(truncate("x.npy", 10 + (off_t)strlen(shape) + 40000000), 0);
    assert_refused(read_as(ARRAY, "x.npy", &error), "x.npy", &error, "needs 40 MB of memory, 21 MB are free");
    put_text("x.mtx", REAL "general\n1000 1000 1\n1 1 1\n");
    assert_true(read_as(ARRAY, "x.mtx", &error));
    put_text("x.mtx", REAL "general\n1024 1024 1\n1 1 1\n");
    assert_true(read_as(ARRAY, "x.mtx", &error)); /* below 16 MiB nobody asks */
    put_text("x.mtx", "%%MatrixMarket matrix coordinate complex general\n1024 1024 1\n1 1 1 1\n");
    assert_true(read_as(ARRAY, "x.mtx", &error));
    io_ask_memory(NULL);
    assert_true(read_as(ARRAY, "x.npy", &error));
    remove("x.npy");
    remove("x.mtx");
}

/* What a terminal would obey is shown as its bytes; what it shows is left. */
static void test_escape(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain ~", "plain ~"},
        {"\033[31m\n", "\\x1b[31m\\x0a"},
        {"\x7f", "\\x7f"},
        {"\xc3\xa4", "\xc3\xa4"},
        {"\xc2\x9b", "\\xc2\\x9b"},
        {"\x9b", "\\x9b"},
        {"\xe2\x82\xac", "\xe2\x82\xac"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xff", "\\xff"},
        {"", ""},
    };
    char shown[64];
    (void)state;
    for (size_t k = 0; k < COUNT(cases); ++k) {
        io_escape(shown, sizeof shown, cases[k].text);
        assert_string_equal(shown, cases[k].shown);
    }
    io_escape(shown, 6, "a\033\033");
    assert_string_equal(shown, "a\\x1b");
    io_escape(shown, 5, "a\033\033");
    assert_string_equal(shown, "a");
}

/* In a child, whose memory ends at 512 MiB. */
static void test_no_memory(void **state)
{
    (void)state;
    if (ADDRESS_SANITIZED) skip_because("a sanitizer ends a process that gets no memory");
    if (!io_has_mat()) skip_because("the build reads no .mat files");
    put_large_mat("x.mat");
    pid_t const child = fork();
    if (child == 0) {
        static const char expected[] = "x.mat: needs 2 x 1073741824 bytes of memory, which are not available";
        struct rlimit const limit = {512 << 20, 512 << 20};
        io_error error = {""};
        bool const refused = setrlimit(RLIMIT_AS, &limit) == 0 && !read_as(ARRAY, "x.mat", &error);
        if (strcmp(error.text, expected) != 0) fprintf(stderr, "x.mat: the sentence is '%s'\n", error.text);
        _exit(refused && strcmp(error.text, expected) == 0 ? 0 : 1);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    remove("x.mat");
}

/* ------------------------------------------------------------------ damage of any sort */

/* Cuts the file after every byte.  A cut before the given size must be refused; after it, only a closing newline or
 * digits of the last number are missing, which nobody can know.  Then sets every byte to each of a few values, which
 * may read as another matrix, but must end well. */
static void damage(const char *name, target what, size_t must_fail_below)
{
    static const char values[] = {'\0', '\377', '\177', '9', '-', ' ', '\n', 'e'};
    size_t size;
    io_error error;
    char *const bytes = get_bytes(name, &size);
    assert_true(read_as(what, name, &error));
    for (size_t k = 0; k < size; ++k) {
        put_bytes(name, bytes, k);
        if (read_as(what, name, &error) && k < must_fail_below) fail_msg("%s of %d bytes was accepted", name, (int)k);
    }
    for (size_t k = 0; k < size; ++k) {
        char const old = bytes[k];
        for (size_t v = 0; v < COUNT(values); ++v) {
            bytes[k] = values[v];
            put_bytes(name, bytes, size);
            error.text[0] = '\0';
            if (!read_as(what, name, &error)) assert_int_equal(strncmp(error.text, name, strlen(name)), 0);
        }
        bytes[k] = old;
    }
    free(bytes);
    remove(name);
}

static void test_damage(void **state)
{
    double x[9] = {1, 4, 0, 4, 2, 5, 0, 5, 3};
    io_array const vector = {IO_F64, 1, {9}, x}, matrix = {IO_F64, 2, {3, 3}, x};
    io_tridiagonal const t = {3, x, x + 3};
    size_t size;
    (void)state;
    assert_true(io_write_array("x.npy", "x", &vector, NULL));
    free(get_bytes("x.npy", &size));
    damage("x.npy", VECTOR, size);
    assert_true(io_write_array("x.npy", "x", &matrix, NULL));
    damage("x.npy", WHOLE_T, size);
    put_npy("x.npy", "\2", SHAPE(">u2", "True", "(2, 3)"), x, 12);
    free(get_bytes("x.npy", &size));
    damage("x.npy", ARRAY, size);
    assert_true(io_write_tridiagonal_mtx("x.mtx", &t, NULL));
    free(get_bytes("x.mtx", &size));
    damage("x.mtx", WHOLE_T, size - 1);
    assert_true(io_write_array("x.mtx", "x", &matrix, NULL));
    free(get_bytes("x.mtx", &size));
    damage("x.mtx", ARRAY, size - 1);
    put_text("x.dat", "3\n1 1 4\n2 2 5\n3 3 1");
    damage("x.dat", WHOLE_T, 17);
    put_text("x.dat", "3 1e5");
    damage("x.dat", VECTOR, 1);
    if (!io_has_mat()) return;
    assert_true(io_write_array("x.mat", "x", &matrix, NULL));
    free(get_bytes("x.mat", &size));
    damage("x.mat", WHOLE_T, size);
    /* Four columns claimed, at byte 164, where three are stored. */
    io_error error = {""};
    assert_true(io_write_array("x.mat", "x", &matrix, NULL));
    char *const bytes = get_bytes("x.mat", &size);
    assert_int_equal(bytes[164], 3);
    bytes[164] = 4;
    put_bytes("x.mat", bytes, size);
    free(bytes);
    assert_refused(read_as(ARRAY, "x.mat", &error), "x.mat", &error, "damaged within variable 'x'");
    remove("x.mat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_index_limits), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_npy),          cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_little_memory), cmocka_unit_test(test_escape),
    };
    return cmocka_run_group_tests_name("io_bad", tests, folder_setup, folder_teardown);
}
