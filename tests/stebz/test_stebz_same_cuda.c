/* stebz on CUDA: an eigenvalue's bits depend on its matrix and its number alone, not on the batch, its place there, the
 * range that is asked for, nor the kernels that these choose. */
#include "bench/support/cuda_side.h"
#include "cuda/stebz/stebz_pace.h"
#include "io/matrices.h"
#include "support/device.h"

static int small; /* sizes for compute-sanitizer, which takes a thousand times as long */

/* As many matrices of one order on the device, with results w, lower, upper; and what one full run of each gave. */
typedef struct matrices {
    eig_type type;
    int64_t n, batch;
    size_t bytes; /* of one array */
    void *d, *e, *out[3];
    char *want[3], *got[3];
} matrices;

static const char *const kinds[] = {"uniform", "121", "wilkinson", "normal", "clement"};

static matrices make(eig_type type, int64_t n, int64_t batch, int kind)
{
    matrices m = {.type = type, .n = n, .batch = batch, .bytes = (size_t)(n * batch) * type_size(type)};
    numbers d = {0}, e = {0};
    assert_true(numbers_make(&d, type, n * batch) && numbers_make(&e, type, n * batch));
    for (int64_t b = 0; b < batch; ++b) {
        io_tridiagonal t;
        io_error error;
        const char *const name = kinds[(kind + b) % 5];
        if (!matrices_tridiagonal(name, n, (uint64_t)b + 1, &t, &error)) fail_msg("%s: %s", name, error.text);
        numbers_from(&d, b * n, t.d, n), numbers_from(&e, b * n, t.e, n - 1);
        io_tridiagonal_free(&t);
    }
    m.d = device_memory(m.bytes), m.e = device_memory(m.bytes);
    CUDA(cudaMemcpy(m.d, d.data, m.bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(m.e, e.data, m.bytes, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; ++k) {
        m.out[k] = device_memory(m.bytes);
        m.want[k] = malloc(m.bytes), m.got[k] = malloc(m.bytes);
    }
    numbers_free(&d), numbers_free(&e);
    return m;
}

static void drop(matrices *m)
{
    CUDA(cudaFree(m->d));
    CUDA(cudaFree(m->e));
    for (int k = 0; k < 3; ++k) {
        CUDA(cudaFree(m->out[k]));
        free(m->want[k]), free(m->got[k]);
    }
}

static void fetch(const matrices *m, char *const to[3])
{
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 3; ++k) CUDA(cudaMemcpy(to[k], m->out[k], m->bytes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 3; ++k) CUDA(cudaMemset(m->out[k], 0xff, m->bytes));
}

/* Matrix b by itself, with a range: its results begin at number `at` of its place. */
static void solve_one(eig_context *ctx, const eig_stebz_options *o, const matrices *m, int64_t b, int64_t at)
{
    size_t const size = type_size(m->type), from = (size_t)(b * m->n) * size, to = from + (size_t)at * size;
    assert_int_equal(eig_stebz(ctx, m->type, o, m->n, (char *)m->d + from, (char *)m->e + from, NULL,
                               (char *)m->out[0] + to, (char *)m->out[1] + to, (char *)m->out[2] + to, NULL),
                     EIG_OK);
}

/* Numbers [first, last] from 1 of matrix b are those of its full run. */
static void expect_same(const matrices *m, int64_t b, int64_t first, int64_t last, const char *what)
{
    static const char *const names[] = {"w", "lower", "upper"};
    size_t const size = type_size(m->type);
    for (int k = 0; k < 3; ++k)
        for (int64_t i = first - 1; i < last; ++i) {
            size_t const at = (size_t)(b * m->n + i) * size;
            if (memcmp(m->want[k] + at, m->got[k] + at, size) == 0) continue;
            double const want = size == 4 ? (double)*(float *)(m->want[k] + at) : *(double *)(m->want[k] + at);
            double const got = size == 4 ? (double)*(float *)(m->got[k] + at) : *(double *)(m->got[k] + at);
            fail_msg("%s: type %c, n = %lld, matrix %lld: %s[%lld] = %.17g, alone %.17g", what, m->type,
                     (long long)m->n, (long long)b, names[k], (long long)i, got, want);
        }
}

/* Ranges of matrix b: its ends, its middle, one eigenvalue, all but one. */
static void try_ranges(eig_context *ctx, eig_stebz_options o, const matrices *m, int64_t b)
{
    int64_t const n = m->n;
    int64_t const ranges[][2] = {
        {1, 1},           {n, n}, {(n + 1) / 2, (n + 1) / 2}, {1 + n / 3, n - n / 4}, {1, (n + 9) / 10},
        {1 + (n > 1), n}, {1, n}};
    o.range = EIG_RANGE_INDEX;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; ++r) {
        o.il = ranges[r][0], o.iu = ranges[r][1];
        solve_one(ctx, &o, m, b, o.il - 1);
        fetch(m, m->got);
        expect_same(m, b, o.il, o.iu, "range");
    }
}

/* Batches of m's matrices, all and with a range, against each by itself. */
static void try_batches(eig_context *ctx, eig_stebz_options o, const matrices *m)
{
    int64_t const n = m->n;
    for (int64_t b = 0; b < m->batch; ++b) solve_one(ctx, &o, m, b, 0);
    fetch(m, m->want);
    for (int part = 0; part < 2; ++part) {
        int64_t const first = part ? 1 + n / 5 : 1, last = part ? n - n / 3 : n;
        if (first > last) continue;
        size_t const size = type_size(m->type), from = (size_t)(first - 1) * size;
        o.range = part ? EIG_RANGE_INDEX : EIG_RANGE_ALL, o.il = first, o.iu = last;
        assert_int_equal(eig_stebz_batched(ctx, m->type, &o, n, m->d, n, m->e, n, (char *)m->out[0] + from,
                                           (char *)m->out[1] + from, (char *)m->out[2] + from, n, NULL, m->batch),
                         EIG_OK);
        fetch(m, m->got);
        for (int64_t b = 0; b < m->batch; ++b) expect_same(m, b, first, last, "batch");
    }
}

/* What chooses a batch's kernels is n; what it must not depend on is everything else. */
static void test_batches(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 16, 31, 32, 33, 64, 100, 256, 300, 777, 2048, 2049, 3000};
    static const int64_t batches[] = {1, 2, 7, 1000};
    eig_context *ctx = test_context(0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (int k = 0; k < 4; ++k)
            for (int t = 0; t < 2; ++t) {
                int64_t const most = small ? 2 : sizes[i] > 33 ? 7 : 1000;
                if (batches[k] > most || (small && sizes[i] > 100)) continue;
                matrices m = make(real_types[t], sizes[i], batches[k], k);
                try_batches(ctx, (eig_stebz_options)EIG_STEBZ_OPTIONS, &m);
                drop(&m);
            }
    eig_destroy(ctx);
}

/* Tolerances: a loose one, a relative one, and one that counts by pivots. */
static void test_tolerances(void **state)
{
    (void)state;
    static const double tolerances[][2] = {{1e-5, 0}, {0, 1e-4}, {1e-35, 0}};
    eig_context *ctx = test_context(0);
    for (int tol = 0; tol < 3; ++tol)
        for (int t = 0; t < 2; ++t)
            for (int64_t n = 20; n <= (small ? 20 : 500); n *= 5) {
                eig_stebz_options o = EIG_STEBZ_OPTIONS;
                o.abstol = tolerances[tol][0], o.reltol = tolerances[tol][1];
                matrices m = make(real_types[t], n, 5, tol);
                try_batches(ctx, o, &m);
                drop(&m);
            }
    eig_destroy(ctx);
}

static void test_ranges(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 33, 500, 2048, 4099, 20000};
    eig_context *ctx = test_context(0);
    for (size_t i = 0; i < (small ? 4 : sizeof sizes / sizeof *sizes); ++i)
        for (int t = 0; t < 2; ++t)
            for (int kind = 0; kind < (sizes[i] > 4000 ? 2 : 5); ++kind) {
                eig_stebz_options const o = EIG_STEBZ_OPTIONS;
                matrices m = make(real_types[t], sizes[i], 1, kind);
                solve_one(ctx, &o, &m, 0, 0);
                fetch(&m, m.want);
                try_ranges(ctx, o, &m, 0);
                drop(&m);
            }
    eig_destroy(ctx);
}

/* The same where T splits, into blocks short and long. */
static void test_ranges_of_blocks(void **state)
{
    (void)state;
    static const int64_t rows[][3] = {{1, 1, 1}, {2, 100, 17}, {1500, 3, 1100}, {4000, 900, 1}};
    eig_context *ctx = test_context(0);
    for (int t = 0; t < 2; ++t)
        for (int k = 0; k < 4; ++k) {
            eig_stebz_options const o = EIG_STEBZ_OPTIONS;
            matrices m = make(real_types[t], small ? 2100 : 9000, 1, 3);
            size_t const size = type_size(m.type);
            for (int64_t i = 0, block = 0; (i += rows[k][block % 3]) < m.n; ++block)
                CUDA(cudaMemset((char *)m.e + (size_t)(i - 1) * size, 0, size));
            solve_one(ctx, &o, &m, 0, 0);
            fetch(&m, m.want);
            try_ranges(ctx, o, &m, 0);
            drop(&m);
        }
    eig_destroy(ctx);
}

/* What progress has told. */
typedef struct reports {
    int count, stop_at;
    double last;
    bool fell;
} reports;

static int listen(void *user, double fraction)
{
    reports *const r = user;
    r->fell = r->fell || fraction < r->last || fraction > 1;
    r->last = fraction;
    return ++r->count == r->stop_at;
}

/* Matrix 0 from host arrays d and e into out, with launches of launch_ms. */
static eig_status solve_paced(eig_context *ctx, const matrices *m, double abstol, const void *d, const void *e,
                              char *const out[3], double launch_ms)
{
    stebz_problem const p = {.type = m->type,
                             .n = m->n,
                             .batch = 1,
                             .range = EIG_RANGE_ALL,
                             .il = 1,
                             .iu = m->n,
                             .abstol = abstol,
                             .method = EIG_STEBZ_MULTISECTION,
                             .d = d,
                             .e = e,
                             .stride_d = m->n,
                             .stride_e = m->n,
                             .stride_w = m->n,
                             .w = out[0],
                             .lower = out[1],
                             .upper = out[2]};
    return eig_cuda_stebz_paced(ctx, &p, launch_ms);
}

/* A long call's launches are cut by the time that they take.  With times that no launch keeps, as if the GPU were slow:
 * the same bits, of a T that splits, too, and with pivots; progress that rises; and a call that can be cancelled. */
static void test_paced(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    int64_t const n = small ? 2100 : 10000, cuts[2] = {n / 2, n - 20};
    for (int t = 0; t < 2; ++t)
        for (int turn = 0; turn < 3; ++turn) {
            matrices m = make(real_types[t], n, 1, 0);
            size_t const size = type_size(m.type);
            char *const d = malloc(m.bytes), *const e = malloc(m.bytes);
            double const abstol = turn == 2 ? 1e-35 : 0;
            CUDA(cudaMemcpy(d, m.d, m.bytes, cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(e, m.e, m.bytes, cudaMemcpyDeviceToHost));
            for (int k = 0; k < 2 && turn == 1; ++k) memset(e + (size_t)cuts[k] * size, 0, size);
            reports usual = {0}, often = {0}, stopped = {.stop_at = 3};
            assert_int_equal(eig_set_progress(ctx, listen, &usual), EIG_OK);
            assert_int_equal(solve_paced(ctx, &m, abstol, d, e, m.want, STEBZ_LAUNCH_MS), EIG_OK);
            assert_int_equal(eig_set_progress(ctx, listen, &often), EIG_OK);
            assert_int_equal(solve_paced(ctx, &m, abstol, d, e, m.got, 1e-3), EIG_OK);
            expect_same(&m, 0, 1, n, "paced");
            if (often.count < usual.count + (small ? 1 : 10) || often.fell)
                fail_msg("turn %d: %d reports, usually %d, up to %g", turn, often.count, usual.count, often.last);
            assert_int_equal(eig_set_progress(ctx, listen, &stopped), EIG_OK);
            assert_int_equal(solve_paced(ctx, &m, abstol, d, e, m.got, 1e-3), EIG_CANCELLED);
            assert_int_equal(stopped.count, 3);
            free(d), free(e);
            drop(&m);
        }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches), cmocka_unit_test(test_tolerances),
                                       cmocka_unit_test(test_paced), cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_ranges_of_blocks)};
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
