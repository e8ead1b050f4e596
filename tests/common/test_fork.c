/* A process that forks: its child computes, with old and new contexts, with the parent's bits, and never hangs.  Threads
 * that cannot be created: the call computes with fewer.  The quota of a cgroup.
 *
 * main has used no thread, so that each test runs in a child of its own that begins as a fresh process does.
 *     test_fork [libeigpack.so]     the shared library: opened by a child whose parent has used OpenMP */
#define _DEFAULT_SOURCE
#include "support/operations.h"
#include "threads.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 40, WRONG = 9 };

static const char *shared_library;

/* Runs task in a child: true where it ends with 0 in time; one that hangs is ended by its alarm. */
static bool in_child(int (*task)(eig_context *ctx), eig_context *ctx)
{
    int status = -1;
    pid_t const child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        _exit(task(ctx));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        print_error("the child ended with status 0x%x%s\n", (unsigned)status, status == SIGALRM ? ": it hung" : "");
    return status == 0;
}

/* Every operation in both types, by any number of threads: the sum of all their bits; 0 where a call fails. */
static uint64_t bits_of_all(eig_context *ctx)
{
    static outputs o;
    uint64_t sum = 1;
    for (int i = 0; i < 2 * operations_here(); ++i) {
        outputs_clear(&o);
        if (operate_once(ctx, &operations[i / 2], real_types[i % 2], &o, NULL) != EIG_OK) {
            print_error("%s: %s\n", operations[i / 2].name, eig_error_detail(ctx));
            return 0;
        }
        for (size_t k = 0; k < BLOCK; ++k) sum = 31 * sum + o.block[k];
    }
    return sum;
}

static eig_context *threaded(void)
{
    eig_context *ctx = NULL;
    if (eig_create(&ctx, "cpu") != EIG_OK || eig_set_threads(ctx, 4) != EIG_OK) _exit(WRONG);
    return ctx;
}

static uint64_t expected; /* the bits, by one thread */

/* An inherited context, if there is one, and a new one. */
static int computes(eig_context *ctx)
{
    if (ctx && bits_of_all(ctx) != expected) return WRONG;
    eig_destroy(ctx);
    eig_context *const own = threaded();
    bool const same = bits_of_all(own) == expected;
    eig_destroy(own);
    return same ? 0 : WRONG;
}

static bool says(eig_context *ctx, const char *text)
{
    if (strstr(eig_describe(ctx), text)) return true;
    print_error("\"%s\" lacks \"%s\"\n", eig_describe(ctx), text);
    return false;
}

#ifdef _OPENMP
#define FOUR_THREADS ", 4 threads"
#else
#define FOUR_THREADS ", 1 thread"
#endif

/* ----------------------------------------------------------- after a call */

static int computes_and_forks(eig_context *ctx)
{
    if (computes(ctx) != 0) return WRONG;
    return in_child(computes, NULL) ? 0 : WRONG;
}

static void *compute_in_thread(void *none)
{
    eig_context *const own = threaded();
    bool const well = bits_of_all(own) == expected && says(own, FOUR_THREADS);
    eig_destroy(own);
    return well ? none : NULL;
}

/* A thread that the child creates has all threads. */
static int computes_in_thread(eig_context *ctx)
{
    pthread_t thread;
    void *well = NULL;
    if (!says(ctx, ", 1 thread")) return WRONG;
    if (pthread_create(&thread, NULL, compute_in_thread, &expected) != 0 || pthread_join(thread, &well) != 0)
        return WRONG;
    return well ? 0 : WRONG;
}

/* A team of two has one thread to lose. */
static int forks_after_a_call_of_two(eig_context *ctx)
{
    ctx = threaded();
    if (eig_set_threads(ctx, 2) != EIG_OK || bits_of_all(ctx) != expected) return WRONG;
    return in_child(computes, ctx) ? 0 : WRONG;
}

static int forks_after_a_call(eig_context *ctx)
{
    ctx = threaded();
    if (bits_of_all(ctx) != expected || !says(ctx, FOUR_THREADS)) return WRONG;
    if (!in_child(computes, ctx) || !in_child(computes_and_forks, ctx) || !in_child(computes_in_thread, ctx))
        return WRONG;
    /* The parent is as before. */
    if (bits_of_all(ctx) != expected || !says(ctx, FOUR_THREADS)) return WRONG;
    eig_destroy(ctx);
    return 0;
}

static void test_after_a_call(void **state)
{
    (void)state;
    assert_true(in_child(forks_after_a_call, NULL));
    assert_true(in_child(forks_after_a_call_of_two, NULL));
}

/* ------------------------------------------- an application with OpenMP */

static int use_openmp(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    return sum;
}

static int forks_after_openmp(eig_context *ctx)
{
    (void)ctx;
    if (use_openmp() < 1) return WRONG;
    return in_child(computes, NULL) ? 0 : WRONG;
}

static void test_after_openmp(void **state)
{
    (void)state;
    assert_true(in_child(forks_after_openmp, NULL));
}

/* The library is opened after the fork: it has not seen it. */
static int opens_library(eig_context *none)
{
    enum { N = 3000 };
    static double d[N], e[N], w[N];
    (void)none;
    void *const library = dlopen(shared_library, RTLD_NOW | RTLD_LOCAL);
    eig_status (*create)(eig_context * *ctx, const char *device) = NULL;
    eig_status (*solve)(eig_context * ctx, const eig_stebz_options *options, int64_t n, const double *d,
                        const double *e, int64_t *m, double *w, double *lower, double *upper, int *info) = NULL;
    if (!library) return WRONG;
    *(void **)(void *)&create = dlsym(library, "eig_create");
    *(void **)(void *)&solve = dlsym(library, "eig_dstebz");
    eig_context *ctx = NULL;
    for (int i = 0; i < N; ++i) d[i] = 2, e[i] = -1;
    if (!create || !solve || create(&ctx, "cpu") != EIG_OK) return WRONG;
    return solve(ctx, NULL, N, d, e, NULL, w, NULL, NULL, NULL) == EIG_OK && w[N - 1] > 3.9 ? 0 : WRONG;
}

static int forks_before_load(eig_context *ctx)
{
    (void)ctx;
    if (use_openmp() < 1) return WRONG;
    return in_child(opens_library, NULL) ? 0 : WRONG;
}

static void test_before_load(void **state)
{
    (void)state;
    if (!shared_library) skip_because("the build has no shared library");
    assert_true(in_child(forks_before_load, NULL));
}

/* A process that forks with one thread, as daemons do, loses nothing. */
static int has_all_threads(eig_context *ctx)
{
    ctx = threaded();
    bool const well = says(ctx, FOUR_THREADS) && bits_of_all(ctx) == expected;
    eig_destroy(ctx);
    return well ? 0 : WRONG;
}

static void test_daemon(void **state)
{
    (void)state;
    assert_true(in_child(has_all_threads, NULL));
}

/* ------------------------------------------------------------------ limits */

/* Nobody, who may have no more processes than there are: no thread can be created. */
static int has_no_thread_to_spare(eig_context *ctx)
{
    struct rlimit const one = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &one) != 0) return WRONG;
    if (getuid() == 0 && setuid(65534) != 0) return WRONG;
    return computes(ctx);
}

static void test_no_threads(void **state)
{
    (void)state;
    assert_true(in_child(has_no_thread_to_spare, NULL));
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The smallest quota of the group and those around it, rounded up; version 2 and version 1. */
static void test_quota(void **state)
{
    static const char *const files[] = {"a/b/cpu.max", "a/cpu.max", "cpu/x/cpu.cfs_quota_us", "cpu/x/cpu.cfs_period_us",
                                        "groups"};
    static const char *const folders[] = {"a/b", "a", "cpu/x", "cpu"};
    (void)state;
    char folder[] = "/tmp/eigpack_quota_XXXXXX", groups[64], path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(groups, sizeof groups, "%s/groups", folder);
    for (int i = 3; i >= 0; --i) {
        int const order[] = {1, 0, 3, 2};
        snprintf(path, sizeof path, "%s/%s", folder, folders[order[3 - i]]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_int_equal(eig_threads_quota_at(groups, folder), 0);
    write_text(folder, "groups", "3:memory:/x\n0::/a/b\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 0);
    write_text(folder, files[0], "max 100000\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 0);
    write_text(folder, files[1], "350000 100000\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 4);
    write_text(folder, files[0], "150000 100000\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 2);
    write_text(folder, "groups", "0::/\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 0);
    write_text(folder, "groups", "7:cpuset:/x\n1:cpu:/x\n");
    write_text(folder, files[2], "-1\n");
    write_text(folder, files[3], "100000\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 0);
    write_text(folder, files[2], "300000\n");
    assert_int_equal(eig_threads_quota_at(groups, folder), 3);
    /* In version 1 the CPU's controller may share its folder, in either order; that of processor sets is another. */
    static const char *const named[] = {"cpu", "cpu,cpuacct", "cpuacct,cpu", "cpuset", "cpu"};
    for (int k = 1; k < 5; ++k) {
        char before[200], text[80];
        snprintf(before, sizeof before, "%s/%s", folder, named[k - 1]);
        snprintf(path, sizeof path, "%s/%s", folder, named[k]);
        assert_int_equal(rename(before, path), 0);
        snprintf(text, sizeof text, "7:memory:/x\n4:%s:/x\n", named[k]);
        write_text(folder, "groups", text);
        assert_int_equal(eig_threads_quota_at(groups, folder), strcmp(named[k], "cpuset") == 0 ? 0 : 3);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(remove(path), 0);
    }
    for (int i = 0; i < 4; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0]) shared_library = argv[1];
    eig_context *const one = threaded();
    eig_set_threads(one, 1);
    expected = bits_of_all(one);
    eig_destroy(one);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_a_call), cmocka_unit_test(test_after_openmp), cmocka_unit_test(test_before_load),
        cmocka_unit_test(test_daemon),       cmocka_unit_test(test_no_threads),   cmocka_unit_test(test_quota),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
