/* What writing leaves: replaced files keep their permissions and links, pipes stay pipes; outputs are tried; and where a result cannot be
 * written (no such folder, a full disk), the old file is untouched and nothing half-written lies beside it. */
#define _GNU_SOURCE
#include "io_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void test_replace(void **state)
{
    struct stat status;
    size_t count;
    (void)state;
    put_text("old.txt", "old");
    assert_int_equal(chmod("old.txt", 0640), 0);
    assert_int_equal(symlink("old.txt", "link.txt"), 0);
    assert_true(io_write_bytes("link.txt", "new", 3, NULL));
    assert_int_equal(lstat("link.txt", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("old.txt", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    char *const bytes = get_bytes("old.txt", &count);
    assert_int_equal(count, 3);
    assert_memory_equal(bytes, "new", 3);
    free(bytes);
    /* A name of the greatest length has room for no suffix. */
    char longest[256];
    memset(longest, 'x', 255);
    longest[255] = '\0';
    assert_true(io_write_bytes(longest, "new", 3, NULL));
    assert_int_equal(folder_files(), 3);
    remove("old.txt");
    remove("link.txt");
    remove(longest);
}

/* A pipe stays a pipe, and gets the bytes. */
static void test_pipe(void **state)
{
    struct stat status;
    char bytes[8];
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int const end = open("pipe", O_RDWR | O_NONBLOCK);
    assert_true(end >= 0);
    assert_true(io_write_bytes("pipe", "through", 7, NULL));
    assert_int_equal(read(end, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "through", 7);
    close(end);
    assert_int_equal(stat("pipe", &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    remove("pipe");
    assert_int_equal(folder_files(), 0);
}

/* An absolute link says where its file is by itself, in whatever folder the link lies, and however that is named. */
static void test_absolute_link(void **state)
{
    static const char *const names[] = {"link", "folder/link", "./folder/../folder/link"};
    char here[400], target[420];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(target, sizeof target, "%s/new", here);
    assert_int_equal(mkdir("folder", 0700), 0);
    for (size_t k = 0; k < COUNT(names); ++k) {
        struct stat status;
        io_error error;
        assert_int_equal(symlink(target, names[k]), 0);
        assert_true(io_same_file(names[k], "new"));
        if (!io_try_output(names[k], 0, &error)) fail_msg("%s: %s", names[k], error.text);
        if (!io_write_bytes(names[k], "new", 3, &error)) fail_msg("%s: %s", names[k], error.text);
        assert_int_equal(lstat(names[k], &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        assert_int_equal(lstat("new", &status), 0);
        assert_true(S_ISREG(status.st_mode) && status.st_size == 3);
        assert_int_equal(remove(names[k]), 0);
        assert_int_equal(remove("new"), 0);
    }
    remove("folder");
    assert_int_equal(folder_files(), 0);
}

/* A link to nothing is followed: the file is made where it points, through further links and from the link's folder. */
static void test_dangling_link(void **state)
{
    struct stat status;
    io_error error;
    (void)state;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("folder/second", "first"), 0);
    assert_int_equal(symlink("../new", "folder/second"), 0);
    assert_true(io_same_file("first", "new"));
    if (!io_try_output("first", 0, &error)) fail_msg("%s", error.text);
    assert_int_equal(access("new", F_OK), -1);
    assert_true(io_write_bytes("first", "new", 3, NULL));
    assert_int_equal(lstat("first", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat("new", &status), 0);
    assert_true(S_ISREG(status.st_mode) && status.st_size == 3);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_refused(io_write_bytes("loop", "x", 1, &error), "loop", &error, "Too many levels of symbolic links");
    assert_int_equal(symlink("nowhere/x", "lost"), 0);
    assert_refused(io_try_output("lost", 0, &error), "lost", &error, "No such file or directory");
    remove("folder/second");
    static const char *const rest[] = {"folder", "first", "new", "loop", "lost"};
    for (size_t k = 0; k < COUNT(rest); ++k) remove(rest[k]);
    assert_int_equal(folder_files(), 0);
}

static void test_same_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("folder", "link"), 0);
    for (int exists = 0; exists < 2; ++exists) {
        if (exists) put_text("folder/x", "x"), put_text("y", "y");
        assert_true(io_same_file("folder/x", "folder/x"));
        assert_true(io_same_file("folder/x", "./link/../folder//x"));
        assert_true(io_same_file("link/x", "folder/x"));
        assert_true(io_same_file("y", "folder/../y"));
        assert_false(io_same_file("x", "folder/x"));
        assert_false(io_same_file("y", "folder/x"));
    }
    assert_false(io_same_file("/dev/null", "/dev/null"));
    assert_true(io_same_file("-", "/dev/stdout"));
    assert_false(io_same_file("-", "y"));
    remove("folder/x");
    remove("folder");
    remove("link");
    remove("y");
}

/* What is tried is refused for the same reasons as what is written, and nothing lies about. */
static void test_try(void **state)
{
    io_error error;
    (void)state;
    assert_true(io_try_output("x.npy", 3, &error));
    assert_true(io_try_output("-", 1, &error));
    assert_true(io_try_output("/dev/null", 1, &error));
    assert_refused(io_try_output("nowhere/x", 1, &error), "nowhere/x", &error, "No such file or directory");
    assert_refused(io_try_output(".", 1, &error), ".", &error, "directory");
    assert_refused(io_try_output("new/", 1, &error), "new/", &error, "No such file or directory");
    assert_refused(io_try_output("x.mtx", 3, &error), "x.mtx", &error, "rank 3");
    assert_false(io_try_output("", 1, &error));
    assert_int_equal(mkfifo("x.mat", 0600), 0);
    assert_refused(io_try_output("x.mat", 2, &error), "x.mat", &error, io_has_mat() ? "pipe" : "matio");
    remove("x.mat");
    put_text("x", "x");
    assert_refused(io_try_output("x/y", 1, &error), "x/y", &error, "Not a directory");
    remove("x");
    assert_int_equal(folder_files(), 0);
}

/* Standard output is written, whatever it is; a pipe behind /dev/stdout has no name of its own. */
static void test_standard_output(void **state)
{
    char bytes[16];
    int end[2];
    (void)state;
    int const before = dup(STDOUT_FILENO);
    assert_int_equal(pipe(end), 0);
    fflush(stdout);
    assert_true(dup2(end[1], STDOUT_FILENO) >= 0);
    bool const written = io_write_bytes("-", "minus", 5, NULL) && io_write_bytes("/dev/stdout", " device", 7, NULL);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    close(before);
    close(end[1]);
    assert_true(written);
    assert_int_equal(read(end[0], bytes, sizeof bytes), 12);
    assert_memory_equal(bytes, "minus device", 12);
    close(end[0]);
    struct stat status;
    assert_int_equal(lstat("/dev/stdout", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

/* What NumPy asks of a .npy file: the numbers begin at a multiple of 64, and a tuple of one ends in a comma. */
static void test_npy_header(void **state)
{
    static const struct {
        int rank;
        int64_t shape[3];
        const char *text;
    } cases[] = {{1, {3}, "'shape': (3,), }"},
                 {2, {1, 3}, "'shape': (1, 3), }"},
                 {3, {3, 1, 1}, "'shape': (3, 1, 1), }"},
                 {1, {0}, "'shape': (0,), }"}};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); ++c) {
        double data[3] = {1, 2, 3};
        io_array a = {.type = IO_F64, .rank = cases[c].rank, .data = data};
        memcpy(a.shape, cases[c].shape, sizeof a.shape);
        size_t size;
        assert_true(io_write_array("x.npy", "x", &a, NULL));
        char *const bytes = get_bytes("x.npy", &size);
        size_t const start = 10 + ((unsigned char)bytes[8] | (size_t)(unsigned char)bytes[9] << 8);
        assert_int_equal(start % 64, 0);
        assert_int_equal(size, start + (size_t)io_array_count(&a) * sizeof(double));
        assert_memory_equal(bytes, "\x93NUMPY\1", 8);
        assert_true(bytes[start - 1] == '\n');
        bytes[start - 1] = '\0';
        if (!strstr(bytes + 10, cases[c].text)) fail_msg("%s lacks %s", bytes + 10, cases[c].text);
        free(bytes);
        remove("x.npy");
    }
}

/* ------------------------------------------------------------------ what cannot be written */

static void assert_holds(const char *name, const char *text)
{
    size_t count;
    char *const bytes = get_bytes(name, &count);
    assert_int_equal(count, strlen(text));
    assert_memory_equal(bytes, text, count);
    free(bytes);
}

/* Outputs of one run: none has its name before all have; where one cannot, what was there before is there. */
static void test_all_or_none(void **state)
{
    io_error error = {""};
    (void)state;
    int const before = folder_files();
    put_text("old", "old");
    io_outputs_wait(true);
    for (int failing = 0; failing < 2; ++failing) {
        assert_true(io_write_bytes("old", "new", 3, &error));
        assert_true(io_write_bytes("fresh", "fresh", 5, &error));
        assert_true(io_write_bytes("last", "last", 4, &error));
        assert_holds("old", "old");
        assert_int_equal(access("fresh", F_OK), -1);
        if (failing == 0) assert_int_equal(mkdir("last", 0700), 0);
        assert_true(io_outputs_keep(&error) == (failing == 1));
        if (failing == 1) break;
        assert_refused(false, "last", &error, "cannot be written: Is a directory");
        assert_holds("old", "old");
        assert_int_equal(access("fresh", F_OK), -1);
        assert_int_equal(rmdir("last"), 0);
        assert_int_equal(folder_files(), before + 1);
    }
    assert_holds("old", "new");
    assert_holds("fresh", "fresh");
    assert_holds("last", "last");
    assert_int_equal(folder_files(), before + 3);
    assert_true(io_write_bytes("old", "newer", 5, &error));
    io_outputs_drop();
    assert_holds("old", "new");
    assert_int_equal(folder_files(), before + 3);
    assert_true(io_outputs_keep(&error)); /* nothing waits */
    io_outputs_wait(false);
    remove("old"), remove("fresh"), remove("last");
}

static void test_unwritable(void **state)
{
    io_error error;
    (void)state;
    assert_refused(io_write_bytes("nowhere/x.txt", "x", 1, &error), "nowhere/x.txt", &error,
                   "No such file or directory");
    assert_int_equal(mkdir("folder.npy", 0700), 0);
    double x = 1.0;
    io_array const a = {IO_F64, 1, {1}, &x};
    assert_refused(io_write_array("folder.npy", "x", &a, &error), "folder.npy", &error, "directory");
    assert_int_equal(rmdir("folder.npy"), 0);
    io_array const cube = {IO_F64, 3, {1, 1, 1}, &x};
    assert_refused(io_write_array("x.mtx", "x", &cube, &error), "x.mtx", &error, "rank 3");
    if (io_has_mat()) {
        io_array const vast = {IO_F64, 1, {INT64_C(1) << 40}, &x};
        assert_refused(io_write_array("x.mat", "x", &vast, &error), "x.mat", &error, "2 GiB");
    }
    assert_int_equal(folder_files(), 0);
}

/* A file that may not be written is not replaced, though its folder would allow it.  Root may write anything. */
static void test_read_only(void **state)
{
    io_error error;
    (void)state;
    if (geteuid() == 0) skip_because("root may write everywhere");
    put_text("old.txt", "old");
    assert_int_equal(chmod("old.txt", 0400), 0);
    assert_refused(io_write_bytes("old.txt", "new", 3, &error), "old.txt", &error, "Permission denied");
    remove("old.txt");
}

/* A device on which every write fails. */
static void test_full_device(void **state)
{
    io_error error;
    const char *device = "/dev/full";
    (void)state;
    if (geteuid() == 0) { /* not the real one: root could replace it */
        device = "full";
        if (mknod(device, S_IFCHR | 0600, makedev(1, 7)) != 0) skip_because("no /dev/full, and none can be made");
    }
    if (access(device, W_OK) != 0) skip_because("no /dev/full to write to");
    assert_refused(io_write_bytes(device, "x", 1, &error), device, &error, "No space left");
    if (geteuid() == 0) remove(device);
    assert_int_equal(folder_files(), 0);
}

/* Whether the file still says "old", and nothing lies beside it. */
static bool only_old(const char *name)
{
    char bytes[8];
    FILE *const file = fopen(name, "rb");
    if (!file) return false;
    size_t const count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return count == 3 && memcmp(bytes, "old", 3) == 0 && folder_files() == 1;
}

/* Writes 128 KiB of zeros over existing files, in every format, and returns how many of the writes did not fail with
 * the given words or did not leave the old file.  It asserts nothing: its caller has a limit to lift first. */
static int count_survivors(const char *words)
{
    static const char *const names[] = {"x.npy", "x.dat", "x.mtx", "x.mat", "t.mtx"};
    enum { N = 16384 };
    double *const zeros = (double *)calloc(N, sizeof *zeros);
    io_array const a = {IO_F64, 1, {N}, zeros};
    io_tridiagonal const t = {N, zeros, zeros};
    int wrong = zeros == NULL;
    for (size_t f = 0; f < COUNT(names) && zeros; ++f) {
        io_error error = {""};
        if (strcmp(names[f], "x.mat") == 0 && !io_has_mat()) continue;
        put_text(names[f], "old");
        bool const written = names[f][0] == 't' ? io_write_tridiagonal_mtx(names[f], &t, &error)
                                                : io_write_array(names[f], "x", &a, &error);
        bool const right = !written && strstr(error.text, words) && only_old(names[f]);
        if (!right) print_message("%s: written %d, '%s'\n", names[f], written, error.text);
        wrong += !right;
        remove(names[f]);
    }
    free(zeros);
    return wrong;
}

/* A limit on the size of files stands for a full disk where no disk can be mounted. */
static void test_file_limit(void **state)
{
    struct rlimit before;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit const limit = {20000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int const wrong = count_survivors("File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(wrong, 0);
}

/* A full disk: a file system of 24 KiB in memory, where the machine lets us mount one. */
static void test_full_disk(void **state)
{
    (void)state;
    assert_int_equal(mkdir("disk", 0700), 0);
    if (mount("eigpack-test", "disk", "tmpfs", 0, "size=24k") != 0) {
        assert_int_equal(rmdir("disk"), 0);
        skip_because("no file system can be mounted here");
    }
    assert_int_equal(chdir("disk"), 0);
    int const wrong = count_survivors("No space left");
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(umount("disk"), 0);
    assert_int_equal(rmdir("disk"), 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),         cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_npy_header),      cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_read_only),       cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_file_limit),      cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_absolute_link),   cmocka_unit_test(test_dangling_link),
        cmocka_unit_test(test_same_file),       cmocka_unit_test(test_try),
        cmocka_unit_test(test_standard_output), cmocka_unit_test(test_all_or_none),
    };
    return cmocka_run_group_tests_name("io_write", tests, folder_setup, folder_teardown);
}
