/* test_memory: the library with an allocator that fails.
 *
 * The linker's --wrap hands every allocation of the (static) library to the functions below, which let the k-th one
 * fail, for k = 0, 1, ... until a scenario runs without reaching the k-th.  Each failure must be reported as
 * EIG_NO_MEMORY, must leave a context that can still compute, and must leave no memory behind; nor may a call that the
 * progress callback stops.
 * The allocator stands for the host only, so the program tests the CPU backend. */
#include "support/operations.h"

#include <math.h>
#include <stdatomic.h>

static atomic_long allocations; /* since the scenario began */
static atomic_long failing = -1;
static atomic_long outstanding; /* blocks allocated and not yet freed */

/* True when this allocation is the one to fail. */
static bool fails(void)
{
    return atomic_fetch_add(&allocations, 1) == failing;
}

static void *counted(void *block)
{
    if (block) ++outstanding;
    return block;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails()) return NULL;
    return block ? __real_realloc(block, size) : counted(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fails()) return 12; /* ENOMEM */
    int const status = __real_posix_memalign(block, alignment, size);
    if (status == 0) counted(*block);
    return status;
}

void __wrap_free(void *block)
{
    if (block) --outstanding;
    __real_free(block);
}

/* The scenarios: a call of each family on the second difference of order N, whose eigenvalues are known. */
enum { N = 200 };
static double d[N], e[N], w[N], exact[N];

static int set_up(void **state)
{
    (void)state;
    double const pi = acos(-1.0);
    for (int k = 0; k < N; ++k) {
        d[k] = 2, e[k] = -1;
        exact[k] = 2 - 2 * cos((k + 1) * pi / (N + 1));
    }
    return 0;
}

static eig_status stebz(eig_context *ctx)
{
    return eig_dstebz(ctx, NULL, N, d, e, NULL, w, NULL, NULL, NULL);
}

static eig_status stebz_interval_tree(eig_context *ctx)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.method = EIG_STEBZ_INTERVAL_TREE;
    return eig_dstebz(ctx, &options, N, d, e, NULL, w, NULL, NULL, NULL);
}

static eig_status stemr(eig_context *ctx)
{
    static double z[N * N];
    return eig_dstemr(ctx, NULL, N, d, e, NULL, w, z, N, NULL, NULL, NULL, NULL, NULL);
}

/* The counts at the midpoints between eigenvalues rebuild the list of indices. */
static eig_status stebz_count(eig_context *ctx)
{
    double x[N];
    int64_t count[N];
    for (int k = 0; k < N; ++k) x[k] = k + 1 < N ? (exact[k] + exact[k + 1]) / 2 : 5;
    eig_status const status = eig_dstebz_count(ctx, N, d, e, N, x, count, NULL);
    for (int k = 0; status == EIG_OK && k < N; ++k) w[k] = count[k] == k + 1 ? exact[k] : NAN;
    return status;
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The same matrix as a full one, after a part of it whose order the kernels take. */
static eig_status geev(eig_context *ctx)
{
    static double a[N * N];
    static eig_z z[N];
    int const part = 16;
    for (int i = 0; i < N; ++i) a[i + i * N] = d[i], a[(i + 1) % N + i * N] = i + 1 < N ? e[i] : 0;
    for (int i = 0; i + 1 < N; ++i) a[i + (i + 1) * N] = e[i];
    eig_status status = eig_dgeev_batched(ctx, NULL, part, a, N, 0, z, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 1);
    if (status == EIG_OK)
        status = eig_dgeev_batched(ctx, NULL, N, a, N, 0, z, 0, NULL, 0, 0, NULL, 0, 0, NULL, NULL, 1);
    for (int k = 0; k < N; ++k) w[k] = z[k].re;
    qsort(w, N, sizeof *w, ascending);
    return status;
}

/* The same by its lower triangle, after a part of it whose order the lanes take. */
static eig_status heev(eig_context *ctx)
{
    static double a[N * N], v[N * N];
    int const part = 16;
    for (int i = 0; i < N; ++i) a[i + i * N] = d[i], a[(i + 1) % N + i * N] = i + 1 < N ? e[i] : 0;
    eig_status status = eig_dsyev_batched(ctx, NULL, part, a, N, 0, NULL, w, 0, v, N, 0, NULL, NULL, 1);
    if (status == EIG_OK) status = eig_dsyev_batched(ctx, NULL, N, a, N, 0, NULL, w, 0, v, N, 0, NULL, NULL, 1);
    return status;
}

/* A caller's nodes of another size than the library's are worked out beside. */
static eig_status stemr_tree(eig_context *ctx)
{
    enum { ROOM = 9, SIZE = offsetof(eig_stemr_node, shift) };
    static _Alignas(8) char nodes[ROOM * SIZE];
    size_t const size = SIZE;
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    memcpy(nodes, &size, sizeof size);
    options.tree = (eig_stemr_node *)(void *)nodes, options.tree_room = ROOM;
    return eig_dstemr(ctx, &options, N, d, e, NULL, w, NULL, 1, NULL, NULL, NULL, NULL, NULL);
}

static eig_status stemr_batched(eig_context *ctx)
{
    static double all[2 * N], diagonals[2 * N];
    for (int k = 0; k < N; ++k) diagonals[k] = diagonals[N + k] = d[k];
    eig_status const status =
        eig_dstemr_batched(ctx, NULL, N, diagonals, N, e, 0, NULL, all, N, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 1);
    memcpy(w, all, sizeof w);
    return status;
}

/* All pairs as a range, which are found beside and handed out. */
static eig_status heev_range(eig_context *ctx)
{
    static double a[N * N], v[N * N];
    eig_heev_options options = EIG_HEEV_OPTIONS;
    options.range = EIG_RANGE_INDEX, options.il = 1, options.iu = N;
    for (int i = 0; i < N; ++i) a[i + i * N] = d[i], a[(i + 1) % N + i * N] = i + 1 < N ? e[i] : 0;
    return eig_dsyev(ctx, &options, N, a, N, NULL, w, v, N, NULL, NULL);
}

static void assert_spectrum(void)
{
    for (int k = 0; k < N; ++k) assert_true(fabs(w[k] - exact[k]) < 1e-13);
}

/* Lets the k-th allocation of eig_create and the call fail, for every k there is. */
static void fail_each(eig_status (*call)(eig_context *))
{
    bool failed = true;
    for (long k = 0; failed; ++k) {
        long const before = outstanding;
        eig_context *ctx;
        allocations = 0;
        failing = k;
        eig_status const created = eig_create(&ctx, "cpu");
        memset(w, 0, sizeof w);
        eig_status const status = created == EIG_OK ? call(ctx) : created;
        failing = -1;
        failed = allocations > k;
        if (k == 0) assert_true(failed); /* else nothing was tested */

        assert_int_equal(status, failed ? EIG_NO_MEMORY : EIG_OK);
        if (ctx && failed) assert_true(strlen(eig_error_detail(ctx)) > 0);
        if (created == EIG_OK) {
            /* The context that lacked memory then computes now. */
            if (failed) assert_int_equal(call(ctx), EIG_OK);
            assert_spectrum();
        }
        eig_destroy(ctx);
        assert_int_equal(outstanding, before);
    }
}

typedef struct stopper {
    int reports, at;
} stopper;

static int stop(void *user, double fraction)
{
    stopper *const s = user;
    (void)fraction;
    return s->reports++ == s->at;
}

/* Stops the call at its first reports, one after the other.  The context keeps what it had, and computes again. */
static void stop_each(const char *device, eig_status (*call)(eig_context *))
{
    enum { STOPS = 3 };
    long const before = outstanding;
    eig_context *ctx = NULL;
    assert_int_equal(strchr(device, ',') ? eig_multi_create(&ctx, device, 1) : eig_create(&ctx, device), EIG_OK);
    assert_int_equal(call(ctx), EIG_OK);
    long const warm = outstanding;
    for (int k = 0; k < STOPS; ++k) {
        stopper s = {0, k};
        assert_int_equal(eig_set_progress(ctx, stop, &s), EIG_OK);
        eig_status const status = call(ctx);
        assert_int_equal(status, s.reports > k ? EIG_CANCELLED : EIG_OK);
        assert_true(k > 0 || status == EIG_CANCELLED);
        assert_int_equal(outstanding, warm);
        assert_int_equal(eig_set_progress(ctx, NULL, NULL), EIG_OK);
        assert_int_equal(call(ctx), EIG_OK);
        assert_spectrum();
        assert_int_equal(outstanding, warm);
    }
    eig_destroy(ctx);
    assert_int_equal(outstanding, before);
}

static void test_stopped(void **state)
{
    static eig_status (*const calls[])(eig_context *) = {
        stebz, stebz_interval_tree, stebz_count, stemr, stemr_tree, geev, heev, heev_range, stemr_batched};
    (void)state;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        stop_each("cpu", calls[k]);
        stop_each("cpu,cpu", calls[k]);
    }
}

/* With eig_create, and of orders that threads share. */
static void test_no_memory(void **state)
{
    static eig_status (*const calls[])(eig_context *) = {stebz, stemr, stemr_tree, geev, heev, heev_range};
    (void)state;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) fail_each(calls[k]);
}

/* Call `op` in a new context, whose k-th allocation fails: it is refused, or done without that memory, as with fewer threads; then
 * it is done.  False where it does not reach the k-th. */
static bool fails_in(const operation *op, long k, const outputs *want)
{
    static outputs got;
    const public_function *const f = function_of(op->name);
    call_sizes const s = operation_sizes(op);
    call_value v[MOST_ARGUMENTS];
    long const before = outstanding;
    eig_context *const ctx = test_context(2);
    outputs_clear(&got);
    call_prepare(f, &s, op->absent, op->is_complex ? EIG_Z : EIG_D, &got, v);
    allocations = 0;
    failing = k;
    eig_status const status = f->call(ctx, op->is_complex ? EIG_Z : EIG_D, false, op->options, v);
    failing = -1;
    bool const failed = allocations > k;
    inputs_free(&got);
    if (status == EIG_OK) same_outputs(op, want, &got, "where memory is short");
    if (status != EIG_OK && (!failed || status != EIG_NO_MEMORY || strlen(eig_error_detail(ctx)) == 0))
        fail_msg("%s: status %d where allocation %ld fails", op->name, (int)status, k);
    operate_well(ctx, op, EIG_D, &got);
    same_outputs(op, want, &got, "where memory was short");
    eig_destroy(ctx);
    assert_int_equal(outstanding, before);
    return failed;
}

static void test_operations(void **state)
{
    static outputs want;
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int i = 0; i < operations_here(); ++i) {
        long k = 0;
        operate_well(ctx, &operations[i], EIG_D, &want);
        while (fails_in(&operations[i], k, &want)) ++k;
        assert_true(k > 0); /* else nothing was tested */
    }
    eig_destroy(ctx);
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
