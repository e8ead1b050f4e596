/* heev on CUDA, what only a GPU context has: device arrays in every form and layout, streams, graphs, lent workspaces,
 * slices, both sides at once; each kernel against the plain one.  Device arrays and host arrays give the same bits. */
#include "bench/support/cuda_side.h"
#include "support/heev_fixture.h"

static int small; /* sizes for compute-sanitizer */

/* A batch on the device, laid out in some way, and its results there. */
typedef struct resident {
    batch host;
    placement p;
    lying la, lv;
    numbers a;
    size_t a_bytes, w_bytes, v_bytes, info_bytes;
    void *at_a, *at_w, *at_v;
    int *at_info, *at_sweeps;
} resident;

static resident make(const char *kind, int64_t n, int64_t count, eig_type type, placement p)
{
    resident r = {.host = batch_make(kind, n, count, type, 11), .p = p};
    r.la = lying_of(p.layout ? p.layout : EIG_LAYOUT_MATRIX_WISE, p.row_major, n, count, p.pad);
    r.lv = lying_of(EIG_LAYOUT_MATRIX_WISE, p.row_major, n, count, p.pad);
    r.a = laid_out(&r.host, &r.la, p.upper, 0, count);
    r.a_bytes = numbers_bytes(&r.a), r.w_bytes = numbers_bytes(&r.host.w);
    r.v_bytes = (size_t)r.lv.entries * type_size(type), r.info_bytes = (size_t)count * sizeof(int);
    r.at_a = device_memory(r.a_bytes), r.at_w = device_memory(r.w_bytes);
    r.at_v = p.values_only ? NULL : p.in_place ? r.at_a : device_memory(r.v_bytes);
    r.at_info = device_memory(r.info_bytes), r.at_sweeps = device_memory(r.info_bytes);
    return r;
}

static void drop(resident *r)
{
    CUDA(cudaFree(r->at_a));
    CUDA(cudaFree(r->at_w));
    if (!r->p.in_place) CUDA(cudaFree(r->at_v));
    CUDA(cudaFree(r->at_info));
    CUDA(cudaFree(r->at_sweeps));
    numbers_free(&r->a);
    batch_free(&r->host);
}

/* The input as it was, and no results, before a call. */
static void poison(const resident *r)
{
    CUDA(cudaMemset(r->at_w, 0xff, r->w_bytes));
    if (r->at_v) CUDA(cudaMemset(r->at_v, 0xff, r->v_bytes));
    CUDA(cudaMemcpy(r->at_a, r->a.data, r->a_bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(r->at_info, 0xff, r->info_bytes));
    CUDA(cudaMemset(r->at_sweeps, 0xff, r->info_bytes));
    CUDA(cudaDeviceSynchronize());
}

static eig_status enqueue(eig_context *ctx, const eig_heev_options *options, const resident *r)
{
    eig_heev_options o = *options;
    o.layout = r->la.layout, o.row_major = r->p.row_major, o.uplo = r->p.upper ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    return eig_heev_batched(ctx, r->host.type, &o, r->host.n, r->at_a, r->la.ld, r->la.stride, r->at_w, r->host.n,
                            r->at_v, r->lv.ld, r->lv.stride, r->at_info, r->at_sweeps, r->host.count);
}

/* The results, brought to a batch like r->host. */
static batch fetch(const resident *r)
{
    int64_t const n = r->host.n, count = r->host.count;
    batch b = batch_new(n, count, r->host.type);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(b.w.data, r->at_w, r->w_bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(b.info, r->at_info, r->info_bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(b.sweeps, r->at_sweeps, r->info_bytes, cudaMemcpyDeviceToHost));
    if (!r->at_v) return b;
    numbers v = numbers_room(r->host.type, r->lv.entries);
    CUDA(cudaMemcpy(v.data, r->at_v, r->v_bytes, cudaMemcpyDeviceToHost));
    for (int64_t m = 0; m < count; ++m)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t k = 0; k < n; ++k) copy_element(&b.v, (m * n + i) * n + k, &v, lying_at(&r->lv, i, k, m));
    numbers_free(&v);
    return b;
}

/* The device's results are those in r->host, to the bit. */
static void same(const resident *r, const char *what)
{
    batch b = fetch(r);
    bool const vectors = r->at_v && !r->p.values_only;
    if (memcmp(b.w.data, r->host.w.data, r->w_bytes) != 0 ||
        (vectors && memcmp(b.v.data, r->host.v.data, numbers_bytes(&b.v)) != 0))
        fail_msg("%s: n = %lld %s '%c': other bits", what, (long long)r->host.n, type_name(r->host.type),
                 (int)r->la.layout);
    for (int64_t m = 0; m < r->host.count; ++m) {
        assert_int_equal(b.info[m], r->host.info[m]);
        assert_int_equal(b.sweeps[m], r->host.sweeps[m]);
    }
    batch_free(&b);
}

static void run(eig_context *ctx, const eig_heev_options *o, const resident *r, const char *what)
{
    poison(r);
    eig_status const status = enqueue(ctx, o, r);
    if (status != EIG_OK) fail_msg("%s: %s", what, eig_error_detail(ctx));
    same(r, what);
}

static const eig_heev_method methods[] = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_REFERENCE};

static int64_t const orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 35, 40, 48, 57};
static int64_t const few[] = {3, 4, 5, 7, 13, 18, 29, 35};

static size_t order_count(void)
{
    return small ? COUNT(few) : COUNT(orders);
}

static int64_t order_of(size_t k)
{
    return small ? few[k] : orders[k];
}

/* ------------------------------------------------------------------- tests */

/* Every kernel, by order, type and method: certificates, and values as the plain version's. */
static void test_kernels(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c) {
        int64_t const n = order_of(c / 4), count = small ? 5 : 67;
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 5);
        batch plain = batch_make("hermitian", n, count, all_types[c % 4], 5);
        solve_by(ctx, EIG_HEEV_REFERENCE, &plain);
        for (size_t k = 0; k < COUNT(methods); ++k) {
            solve_by(ctx, methods[k], &b);
            for (int64_t m = 0; m < count; ++m) certify_vectors("hermitian", &b, m, k == 2 || k == 0 ? 4 : 10);
            for (int64_t m = 0; m < n * count; ++m) {
                double const x = numbers_re(&b.w, m), y = numbers_re(&plain.w, m);
                double const most =
                    fmax(fabs(numbers_re(&plain.w, m / n * n)), fabs(numbers_re(&plain.w, m / n * n + n - 1)));
                if (!(fabs(x - y) <= 4 * (double)n * (double)type_eps(b.type) * most))
                    fail_msg("n = %lld %s method %d: %.17g, the plain version's is %.17g", (long long)n,
                             type_name(b.type), (int)methods[k], x, y);
            }
        }
        batch_free(&b), batch_free(&plain);
    }
    eig_destroy(ctx);
}

/* n = 12 to 32: means of (9) and (10) over a batch, in n eps, as small as a careful QL has them.  A step that lets s^2 drift
 * from s has 0.6 and more of the one, rotations by (c, s) have 1.1 of the other in c128. */
static void test_accuracy(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (int c = 0; c < 16; ++c) {
        int64_t const n = c / 4 < 3 ? 12 + c / 4 * 6 : 32, count = small ? 5 : 100;
        batch b = batch_make("hermitian", n, count, all_types[c % 4], 3);
        long double const unit = (long double)n * (long double)type_eps(b.type);
        long double residual = 0, orthogonality = 0;
        solve_by(ctx, EIG_HEEV_TRIDIAGONAL, &b);
        for (int64_t m = 0; m < count; ++m) {
            hermitian_norms const norms = hermitian_measure(n, &b.a, &b.w, &b.v, m, true);
            residual += norms.residual / norms.a / unit, orthogonality += norms.orthogonality / unit;
        }
        if (!(residual <= 0.5L * count && orthogonality <= count))
            fail_msg("n = %lld %s: A V - V W is %.2Lf n eps ||A||, V^H V - I %.2Lf n eps", (long long)n,
                     type_name(b.type), residual / count, orthogonality / count);
        batch_free(&b);
    }
    eig_destroy(ctx);
}

/* Device arrays in every layout, triangle and order of rows, padded, in place, without vectors: the bits of host arrays
 * that lie plainly. */
static void test_placements(void **state)
{
    static const placement places[] = {
        {.pad = 0},
        {.pad = 3, .upper = true},
        {.pad = 1, .layout = EIG_LAYOUT_ELEMENT_WISE},
        {.pad = 2, .layout = EIG_LAYOUT_ROW_WISE, .upper = true},
        {.row_major = true, .pad = 1},
        {.row_major = true, .upper = true},
        {.in_place = true},
        {.in_place = true, .row_major = true, .upper = true, .pad = 2},
        {.values_only = true, .layout = EIG_LAYOUT_ELEMENT_WISE, .row_major = true},
        {.values_only = true, .pad = 1},
    };
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 4 * order_count(); ++c)
        for (size_t k = 0; k < COUNT(methods); ++k)
            for (size_t q = 0; q < COUNT(places); ++q) {
                if ((c + k + q) % (small ? 23 : 3) != 0) continue; /* each two of them meet */
                resident r = make("hermitian", order_of(c / 4), small ? 5 : 37, all_types[c % 4], places[q]);
                eig_heev_options o = EIG_HEEV_OPTIONS;
                o.method = methods[k];
                solve_part(ctx, &o, &r.host, (placement){.values_only = places[q].values_only}, 0, r.host.count);
                run(ctx, &o, &r, "on the device");
                drop(&r);
            }
    eig_destroy(ctx);
}

/* Complex arrays that are aligned to their real numbers alone. */
static void test_alignment(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 2 * order_count(); ++c)
        for (size_t k = 0; k < COUNT(methods); ++k) {
            eig_type const type = c % 2 ? EIG_C : EIG_Z;
            size_t const size = type_size(type) / 2;
            resident r = make("hermitian", order_of(c / 2), small ? 3 : 20, type, (placement){0});
            eig_heev_options o = EIG_HEEV_OPTIONS;
            o.method = methods[k];
            solve(ctx, &o, &r.host);
            resident shifted = r;
            shifted.at_a = (char *)r.at_a + size, shifted.at_v = (char *)r.at_v + size;
            run(ctx, &o, &shifted, "aligned to real numbers");
            drop(&r);
        }
    eig_destroy(ctx);
}

/* A batch of several slices and of matrices that end at different times, some not finite: each has the bits that it has
 * alone, from run to run. */
static void test_slices(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    static const struct {
        eig_heev_method method;
        int64_t n, count;
    } cases[] = {{EIG_HEEV_AUTO, 32, 20011},      {EIG_HEEV_JACOBI, 32, 20011},     {EIG_HEEV_TRIDIAGONAL, 32, 20011},
                 {EIG_HEEV_REFERENCE, 5, 700000}, {EIG_HEEV_TRIDIAGONAL, 64, 8009}, {EIG_HEEV_TRIDIAGONAL, 200, 1009}};
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
        for (int64_t m = count - 5; m < count; ++m) { /* alone */
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

/* Whether there are no sweeps to be limited: divide and conquer has none. */
static bool divides(int64_t n, eig_heev_method method)
{
    return n > 32 && (method == EIG_HEEV_AUTO || method == EIG_HEEV_TRIDIAGONAL);
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

        cudaGraph_t graph;
        cudaGraphExec_t replay;
        poison(&r);
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&replay, graph, 0));
        for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(replay, stream));
        same(&r, "replayed");
        CUDA(cudaGraphExecDestroy(replay));
        CUDA(cudaGraphDestroy(graph));
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        CUDA(cudaFree(work));
        drop(&r);
    }
    CUDA(cudaStreamDestroy(stream));
    eig_destroy(ctx);
}

/* Orders around those at which kernels change, in every form that a call can have, against the plain version and against
 * host arrays. */
static void test_blocked(void **state)
{
    static const placement places[] = {{.pad = 0},
                                       {.pad = 1, .upper = true},
                                       {.pad = 3, .row_major = true},
                                       {.row_major = true, .upper = true},
                                       {.in_place = true},
                                       {.in_place = true, .upper = true, .pad = 1},
                                       {.in_place = true, .row_major = true, .pad = 2},
                                       {.pad = 1, .layout = EIG_LAYOUT_ELEMENT_WISE},
                                       {.layout = EIG_LAYOUT_ROW_WISE, .upper = true},
                                       {.values_only = true, .row_major = true}};
    static int64_t const all[] = {33,  40,  41,  48,  49,  63,  64,  65,  96,  97,  100, 115,
                                  116, 127, 128, 129, 166, 167, 200, 237, 238, 256, 300};
    static int64_t const some[] = {34, 47, 64, 65, 119};
    (void)state;
    eig_context *const ctx = test_context(0);
    size_t const count = small ? COUNT(some) : COUNT(all);
    for (size_t c = 0; c < 4 * count; ++c) {
        int64_t const n = small ? some[c / 4] : all[c / 4];
        eig_heev_options o = EIG_HEEV_OPTIONS;
        o.method = EIG_HEEV_TRIDIAGONAL;
        for (size_t q = 0; q < COUNT(places); ++q) {
            if ((small || n > 100) && (c + q) % (small ? 7 : 3) != 0) continue;
            resident r = make("hermitian", n, 3, all_types[c % 4], places[q]);
            solve_part(ctx, &o, &r.host, (placement){.values_only = places[q].values_only}, 0, 3);
            if (!places[q].values_only) certify_vectors("hermitian", &r.host, q % 3, 4);
            run(ctx, &o, &r, "blocked");
            if (!type_is_complex(all_types[c % 4]) || places[q].in_place || places[q].values_only) {
                drop(&r);
                continue;
            }
            resident shifted = r; /* aligned to real numbers alone */
            shifted.at_a = (char *)r.at_a + type_size(all_types[c % 4]) / 2;
            shifted.at_v = (char *)r.at_v + type_size(all_types[c % 4]) / 2;
            run(ctx, &o, &shifted, "blocked, aligned to real numbers");
            drop(&r);
        }
    }
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
        const eig_pass *pass;
        int count;
        solve(ctx, &o, &r.host);
        run(ctx, &o, &r, "timed");
        assert_int_equal(eig_get_timing(ctx, &pass, &count), EIG_OK);
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
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, w, 4, r.at_v, 4, 16, r.at_info, NULL, 10),
                   EIG_BAD_ARGUMENT, "w in host memory");
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, r.at_w, 4, v, 4, 16, r.at_info, NULL, 10),
                   EIG_BAD_ARGUMENT, "v in host memory");
    expect_refused(ctx, eig_dsyev_batched(ctx, NULL, 4, r.at_a, 4, 16, r.at_w, 4, r.at_v, 4, 16, info, NULL, 10),
                   EIG_BAD_ARGUMENT, "info in host memory");
    drop(&r);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_kernels),          cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_placements),       cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_gives_up),         cmocka_unit_test(test_slices),
        cmocka_unit_test(test_stream_and_graph), cmocka_unit_test(test_workspace_bound),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_pass_times),
        cmocka_unit_test(test_blocked),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
