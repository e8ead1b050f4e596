/* Files whose name tells no format, and what is no file: pipes and standard input, in every format. */
#define _GNU_SOURCE
#include "io_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const names[] = {"x.npy", "x.mtx", "x.dat", "x.mat"};
static double entries[9] = {1, 4, 0, 4, 2, 5, 0, 5, 3};
static const io_array matrix = {IO_F64, 2, {3, 3}, entries};

static bool present(size_t f)
{
    return f != 3 || io_has_mat();
}

/* Writes the matrix in format f, and moves it to another name. */
static void put_matrix(size_t f, const char *name)
{
    io_error error;
    if (!io_write_array(names[f], "x", &matrix, &error)) fail_msg("%s", error.text);
    assert_int_equal(rename(names[f], name), 0);
}

static void check_matrix(const char *path)
{
    io_array a;
    io_error error;
    if (!io_read_array(path, &a, &error)) fail_msg("%s", error.text);
    assert_true(a.type == IO_F64 && a.rank == 2 && a.shape[0] == 3 && a.shape[1] == 3);
    assert_memory_equal(a.data, entries, sizeof entries);
    io_array_free(&a);
}

static void check_tridiagonal(const char *path)
{
    io_tridiagonal t;
    io_error error;
    if (!io_read_tridiagonal(path, NULL, &t, &error)) fail_msg("%s", error.text);
    assert_true(t.n == 3 && t.d[2] == 3 && t.e[1] == 5);
    io_tridiagonal_free(&t);
}

static void test_content(void **state)
{
    static const char *const unknown[] = {"x", "x.txt", "x.y/x"};
    (void)state;
    assert_int_equal(mkdir("x.y", 0700), 0);
    for (size_t f = 0; f < COUNT(names); ++f) {
        for (size_t k = 0; k < COUNT(unknown) && present(f); ++k) {
            put_matrix(f, unknown[k]);
            check_matrix(unknown[k]);
            if (f != 2) check_tridiagonal(unknown[k]);
            remove(unknown[k]);
        }
    }
    remove("x.y");
    put_text("x", "\xef\xbb\xbf%%matrixmarket matrix coordinate real symmetric\n3 3 3\n2 1 4\n3 2 5\n3 3 3\n");
    check_tridiagonal("x");
    remove("x");
}

/* Starts a process that writes the file to the pipe; returns its id. */
static pid_t feed(const char *pipe, const char *file)
{
    pid_t const child = fork();
    if (child == 0) {
        size_t count;
        char *const bytes = get_bytes(file, &count);
        FILE *const out = fopen(pipe, "wb");
        _exit(out && fwrite(bytes, 1, count, out) == count && fclose(out) == 0 ? 0 : 1);
    }
    return child;
}

static void test_pipe(void **state)
{
    static const char *const pipes[] = {"pipe", "pipe.npy", "pipe.mtx", "pipe.dat", "pipe.mat"};
    (void)state;
    for (size_t f = 0; f < COUNT(names); ++f) {
        if (!present(f)) continue;
        put_matrix(f, "source");
        size_t const k[2] = {0, f + 1}; /* the name of the pipe tells nothing, or the format */
        for (int i = 0; i < 2; ++i) {
            int status = -1;
            assert_int_equal(mkfifo(pipes[k[i]], 0600), 0);
            pid_t const child = feed(pipes[k[i]], "source");
            check_matrix(pipes[k[i]]);
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
            remove(pipes[k[i]]);
        }
        remove("source");
    }
    assert_int_equal(folder_files(), 0);
}

static void test_standard_input(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(names); ++f) {
        if (!present(f)) continue;
        put_matrix(f, "source");
        assert_non_null(freopen("source", "rb", stdin));
        check_matrix("-");
        remove("source");
    }
    io_array a;
    io_error error = {""};
    assert_non_null(freopen("/dev/null", "rb", stdin));
    assert_refused(io_read_array("-", &a, &error), "standard input", &error, "is empty");
}

/* ------------------------------------------------------------------ the watcher */

static struct {
    char what[20];
    double fraction; /* of the last word */
    int words, changes, faults;
} seen;

static void watch(const char *what, const char *name, double fraction)
{
    bool const other = strcmp(what, seen.what) != 0 || seen.fraction >= 1;
    seen.faults += !(fraction >= (other ? 0 : seen.fraction) && fraction <= 1) || name[0] != 'w';
    seen.faults += strcmp(what, seen.what) != 0 && seen.words > 0 && seen.fraction < 1;
    seen.changes += other;
    snprintf(seen.what, sizeof seen.what, "%s", what);
    seen.fraction = fraction;
    ++seen.words;
}

/* Of each thing that goes on the watcher hears more than once, never less than before, and at last that it is done. */
static void test_watcher(void **state)
{
    static const struct {
        const char *name;
        int changes; /* writing; reading, and what the parsers do */
    } files[] = {{"w.npy", 2}, {"w.dat", 4}, {"w.mtx", 3}};
    enum { N = 300000 };
    double *const x = (double *)calloc(N, sizeof *x);
    (void)state;
    assert_non_null(x);
    io_array const a = {IO_F64, 1, {N}, x};
    for (size_t f = 0; f < COUNT(files); ++f) {
        io_array b;
        memset(&seen, 0, sizeof seen);
        io_watch(watch);
        assert_true(io_write_array(files[f].name, "x", &a, NULL));
        assert_true(io_read_vector(files[f].name, &b, NULL));
        io_watch(NULL);
        assert_int_equal(seen.faults, 0);
        if (seen.changes != files[f].changes) fail_msg("%s: %d", files[f].name, seen.changes);
        assert_true(seen.fraction == 1 && seen.words >= 2 * seen.changes);
        io_array_free(&b);
        remove(files[f].name);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_watcher),
    };
    return cmocka_run_group_tests_name("io_pipe", tests, folder_setup, folder_teardown);
}
