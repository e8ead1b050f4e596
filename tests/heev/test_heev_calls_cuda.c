/* heev on CUDA, what only a GPU's calls have: streams, graphs, lent workspaces and their bound, slices, times of passes, both sides
 * at once. */
#include "bench/support/passes.h"
#include "support/heev_cuda.h"

/* A batch of several slices and of matrices that end at different times, some not finite: each has the bits that it has
 * alone, from run to run. */
static void test_slices(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    static const struct {
        eig_heev_method method;
        int64_t n, count;
    } cases[] = {{EIG_HEEV_AUTO, 32, 400},         {EIG_HEEV_AUTO, 64, 200},          {EIG_HEEV_AUTO, 32, 20011},
                 {EIG_HEEV_JACOBI, 32, 20011},     {EIG_HEEV_TRIDIAGONAL, 32, 20011}, {EIG_HEEV_REFERENCE, 5, 700000},
                 {EIG_HEEV_TRIDIAGONAL, 64, 8009}, {EIG_HEEV_TRIDIAGONAL, 200, 1009}};
    for (size_t k = 0; k < COUNT(cases); ++k) {
        if (small && cases[k].n > 64) continue;
        int64_t const n = cases[k].n, count = small ? 9 : cases[k].count;
        resident r = make("hermitian", n, count, EIG_D, (placement){0});
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = cases[k].method;
        for (int64_t m = 3; m < count; m += 7) numbers_put_part(&r.a, m * n * n, m % 2 ? NAN : INFINITY);
        for (int64_t m = 4; m < count; m += 7)
            for (int64_t i = 0; i < n * n; ++i) numbers_put_part(&r.a, m * n * n + i, i % (n + 1) == 0 ? (double)i : 0);
        memcpy(r.host.a.data, r.a.data, r.a_bytes);
        poison(&r);
        assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
        batch first = fetch(&r);
        for (int64_t m = 0; m < count; ++m) {
            assert_int_equal(first.info[m], m % 7 == 3 ? EIG_INFO_NOT_FINITE : 0);
            if (m % 7 == 3) assert_true(isnan(numbers_re(&first.w, m * n)) && isnan(numbers_re(&first.v, m * n * n)));
        }
        memcpy(r.host.w.data, first.w.data, r.w_bytes), memcpy(r.host.v.data, first.v.data, r.v_bytes);
        memcpy(r.host.info, first.info, r.info_bytes), memcpy(r.host.sweeps, first.sweeps, r.info_bytes);
        run(ctx, &o, &r, "again");
        bool const other_road = n > 64 || (o.method == EIG_HEEV_AUTO && count > (n <= 32 ? 400 : 200));
        for (int64_t m = count - 5; m < count && !other_road; ++m) { /* alone */
            batch one = batch_new(n, 1, EIG_D);
            memcpy(one.a.data, numbers_at(&r.a, m * n * n), (size_t)(n * n) * sizeof(double));
            for (int64_t i = 0; i < n; ++i) /* a solver reads the lower triangle of what is C order here */
                for (int64_t j = 0; j < i; ++j) copy_element(&one.a, i * n + j, &r.a, (m * n + j) * n + i);
            solve(ctx, &o, &one);
            assert_memory_equal(one.w.data, numbers_at(&first.w, m * n), (size_t)n * sizeof(double));
            batch_free(&one);
        }
        batch_free(&first);
        drop(&r);
    }
    eig_destroy(ctx);
}

/* The matrices of the whole call decide on the road few, not those of a chunk. */
static void test_chunks_of_few(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (int c = 0; c < (small ? 4 : 8); ++c) {
        int64_t const n = small   ? 10
                          : c % 2 ? 40
                                  : 20,
                      most = n <= 32                     ? 400
                             : all_types[c % 4] == EIG_Z ? 130
                                                         : 200,
                      count = most + c / 2 % 2;
        batch whole = batch_make("hermitian", n, count, all_types[c % 4], 5);
        batch cut = batch_make("hermitian", n, count, all_types[c % 4], 5);
        eig_heev_options o = EIG_HEEV_OPTIONS;
        solve(ctx, &o, &whole);
        assert_true((strcmp(eig_get_road(ctx), "few") == 0) == (count == most));
        o.chunk = 23;
        solve(ctx, &o, &cut);
        assert_memory_equal(whole.w.data, cut.w.data, numbers_bytes(&whole.w));
        assert_memory_equal(whole.v.data, cut.v.data, numbers_bytes(&whole.v));
        batch_free(&whole), batch_free(&cut);
    }
    eig_destroy(ctx);
}

/* Whether there are no sweeps to be limited: divide and conquer has none. */
static bool divides(int64_t n, eig_heev_method method)
{
    return method == EIG_HEEV_AUTO ? n > 8 : n > 32 && method == EIG_HEEV_TRIDIAGONAL; /* auto: of few */
}

/* Given up after a sweep: the same count and the same NaN on both sides. */
static void test_gives_up(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c)
        for (size_t k = 0; k < COUNT(methods); ++k) {
            int64_t const n = order_of(c / 4);
            resident r = make("hermitian", n, small ? 3 : 33, all_types[c % 4], (placement){0});
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[k], o.max_sweeps = 1;
            solve(ctx, &o, &r.host);
            for (int64_t m = 0; m < r.host.count; ++m) {
                int const bad = r.host.info[m];
                assert_in_range(bad, 0, n);
                if (n > 4 && !divides(n, methods[k])) assert_true(bad > 0);
                for (int64_t i = 0; i < n; ++i) {
                    assert_int_equal(isnan(numbers_re(&r.host.w, m * n + i)), i >= n - bad);
                    assert_int_equal(isnan(numbers_re(&r.host.v, m * n * n + i)), i >= n - bad);
                }
            }
            run(ctx, &o, &r, "given up");
            drop(&r);
        }
    eig_destroy(ctx);
}

/* A stream of the caller's, a lent workspace of exactly the size, a graph: all the same bits. */
static void test_stream_and_graph(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
    for (size_t c = 0; c < COUNT(methods) * order_count(); ++c) {
        resident r = make("hermitian", order_of(c / COUNT(methods)), small ? 3 : 300, EIG_Z, (placement){0});
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = methods[c % COUNT(methods)];
        solve(ctx, &o, &r.host);
        size_t need = 0;
        assert_int_equal(eig_heev_work_size(ctx, EIG_Z, &o, r.host.n, 1, r.host.count, &need), EIG_OK);
        char *const work = device_memory(need);
        if (need > 0) {
            assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
            expect_refused(ctx, enqueue(ctx, &o, &r), EIG_BAD_WORKSPACE, "need");
        }
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        run(ctx, &o, &r, "with a lent workspace");
        assert_true(device_guard_holds(work, need));

        poison(&r);
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
        device_replay(stream);
        same(&r, "replayed");
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        CUDA(cudaFree(work));
        drop(&r);
    }
    CUDA(cudaStreamDestroy(stream));
    eig_destroy(ctx);
}

static void test_pass_times(void **state)
{
    static const char *const three[] = {"reduction", "tridiagonal", "vectors"}, *const one[] = {"sweeps"};
    (void)state;
    eig_context *const ctx = test_context(0);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (int c = 0; c < 5; ++c) { /* the last in several parts */
        static int64_t const n[] = {3, 16, 16, 7, 64};
        int64_t const matrices = small ? 3 : n[c] == 64 ? 8009 : 333;
        resident r = make("hermitian", n[c], matrices, EIG_D, (placement){0});
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = c == 0 || c == 2 ? EIG_HEEV_JACOBI : EIG_HEEV_TRIDIAGONAL;
        eig_pass pass[PASSES_MOST];
        int count;
        solve(ctx, &o, &r.host);
        run(ctx, &o, &r, "timed");
        count = passes_read(ctx, pass);
        assert_int_equal(count, c == 1 || c == 4 ? 3 : 1);
        for (int k = 0; k < count; ++k) {
            assert_string_equal(pass[k].name, count == 3 ? three[k] : c == 3 ? three[1] : one[k]);
            assert_true(pass[k].ms > 0 && pass[k].ms < 1e5);
        }
        drop(&r);
    }
    eig_destroy(ctx);
}

/* No batch needs more than 256 MB; above n = 32, than its input's size where that is more. */
static void test_workspace_bound(void **state)
{
    static int64_t const large[] = {33, 64, 65, 128, 200, 512};
    (void)state;
    eig_context *ctx = test_context(0);
    for (int64_t k = 1; k <= 32 + (int64_t)COUNT(large); ++k)
        for (int64_t count = 1; count <= 100000000; count *= 7)
            for (size_t c = 0; c < 8 * COUNT(methods); ++c) {
                int64_t const n = k <= 32 ? k : large[k - 33];
                eig_heev_options o = EIG_HEEV_OPTIONS;
                o.method = methods[c / 8];
                size_t bytes = 0, most = (size_t)256 << 20;
                size_t const input = (size_t)(n * n * count) * type_size(all_types[c % 4]);
                if (n > 32 && input > most) most = input;
                assert_int_equal(eig_heev_work_size(ctx, all_types[c % 4], &o, n, (int)(c / 4 % 2), count, &bytes),
                                 EIG_OK);
                if (bytes > most) fail_msg("n = %lld, %lld matrices: %zu bytes", (long long)n, (long long)count, bytes);
            }
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    resident r = make("hermitian", 4, 10, EIG_D, (placement){0});
    double w[40], v[160];
    int info[10];
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, NULL, w, 4, r.at_v, 4, 16, r.at_info, NULL, 10),
                   EIG_BAD_ARGUMENT, "w in host memory");
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, NULL, r.at_w, 4, v, 4, 16, r.at_info, NULL, 10),
                   EIG_BAD_ARGUMENT, "v in host memory");
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, NULL, r.at_w, 4, r.at_v, 4, 16, info, NULL, 10),
                   EIG_BAD_ARGUMENT, "info in host memory");
    drop(&r);
    eig_destroy(ctx);
}

/* Ranges of device arrays: the bits that the call gives of host arrays, by a lent workspace of exactly the size that is
 * told, in a graph; nothing is written beside them. */
static void test_ranges(void **state)
{
    enum { MATRICES = 6, PAD = 2 };
    (void)state;
    eig_context *const ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (size_t c = 0; c < 4 * order_count(); ++c)
        for (int way = 0; way < 8; ++way) {
            int64_t const n = order_of(c / 4), il = (n + 1) / 2, iu = (3 * n + 3) / 4;
            eig_type const type = all_types[c % 4], real = type_real(type);
            bool const row_major = way & 1, by_value = way & 2, vectors = way & 4;
            batch b = batch_make("ensemble", n, MATRICES, type, 3);
            numbers_put_part(&b.a, (type_is_complex(type) ? 2 : 1) * n * n, NAN); /* matrix 1 */
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.row_major = row_major, o.range = by_value ? EIG_RANGE_VALUE : EIG_RANGE_INDEX;
            o.il = il, o.iu = iu, o.vl = -0.5, o.vu = 0.75;
            int64_t const columns = by_value ? n : iu - il + 1, stride_w = columns + PAD;
            int64_t const ldv = (row_major ? columns : n) + PAD, stride_v = ldv * (row_major ? n : columns) + PAD;
            numbers w = numbers_room(real, MATRICES * stride_w), v = numbers_room(type, MATRICES * stride_v);
            int64_t m[MATRICES] = {0}, told[MATRICES];
            int info[MATRICES];
            memset(w.data, 0xff, numbers_bytes(&w)), memset(v.data, 0xff, numbers_bytes(&v));
            CUDA(cudaDeviceSynchronize());
            assert_int_equal(eig_set_stream(ctx, NULL), EIG_OK);
            assert_int_equal(eig_heev_batched(ctx, type, &o, n, b.a.data, n, n * n, m, w.data, stride_w,
                                              vectors ? v.data : NULL, ldv, stride_v, b.info, NULL, MATRICES),
                             EIG_OK);
            void *const at_a = device_memory(numbers_bytes(&b.a)), *const at_w = device_memory(numbers_bytes(&w));
            void *const at_v = device_memory(numbers_bytes(&v));
            int64_t *const at_m = device_memory(sizeof m);
            int *const at_info = device_memory(sizeof info);
            size_t need = 0;
            assert_int_equal(eig_heev_work_size(ctx, type, &o, n, vectors, MATRICES, &need), EIG_OK);
            void *const work = device_memory(need);
            CUDA(cudaMemcpy(at_a, b.a.data, numbers_bytes(&b.a), cudaMemcpyHostToDevice));
            CUDA(cudaDeviceSynchronize());
#define CALL_THERE()                                                                                              \
    eig_heev_batched(ctx, type, &o, n, at_a, n, n *n, at_m, at_w, stride_w, vectors ? at_v : NULL, ldv, stride_v, \
                     at_info, NULL, MATRICES)
            assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
            assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
            expect_refused(ctx, CALL_THERE(), EIG_BAD_WORKSPACE, "the workspace lent has");
            assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
            assert_int_equal(CALL_THERE(), EIG_OK);
            device_replay(stream);
            CUDA(cudaStreamSynchronize(stream));
            /* m of the host beside arrays of the device */
            expect_refused(ctx,
                           eig_heev_batched(ctx, type, &o, n, at_a, n, n * n, m, at_w, stride_w, NULL, ldv, stride_v,
                                            at_info, NULL, MATRICES),
                           EIG_BAD_ARGUMENT, "w and m");
            numbers w_there = numbers_room(real, w.count), v_there = numbers_room(type, v.count);
            CUDA(cudaMemcpy(w_there.data, at_w, numbers_bytes(&w), cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(v_there.data, at_v, numbers_bytes(&v), cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(told, at_m, sizeof m, cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(info, at_info, sizeof info, cudaMemcpyDeviceToHost));
            assert_memory_equal(told, m, sizeof m);
            assert_memory_equal(info, b.info, sizeof info);
            if (memcmp(w_there.data, w.data, numbers_bytes(&w)) || memcmp(v_there.data, v.data, numbers_bytes(&v)))
                fail_msg("n=%lld %s way %d: other bits", (long long)n, type_name(type), way);
            assert_true(device_guard_holds(at_w, numbers_bytes(&w)) && device_guard_holds(at_v, numbers_bytes(&v)) &&
                        device_guard_holds(at_m, sizeof m) && device_guard_holds(work, need));
            assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
            void *const there[] = {at_a, at_w, at_v, at_m, at_info, work};
            for (size_t i = 0; i < COUNT(there); ++i) CUDA(cudaFree(there[i]));
            numbers_free(&w), numbers_free(&v), numbers_free(&w_there), numbers_free(&v_there), batch_free(&b);
        }
    eig_destroy(ctx);
    CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_gives_up),        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_chunks_of_few),   cmocka_unit_test(test_stream_and_graph),
        cmocka_unit_test(test_workspace_bound), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pass_times),      cmocka_unit_test(test_ranges),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
