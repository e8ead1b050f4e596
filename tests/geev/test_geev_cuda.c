/* geev on CUDA, what only a GPU context has: device arrays in every form and layout, streams, graphs, lent workspaces,
 * matrices that are given up, both sides at once.  Device arrays and host arrays give the same bits. */
#include "bench/support/cuda_side.h"
#include "bench/support/passes.h"
#include "support/geev_fixture.h"

static int small; /* sizes for compute-sanitizer, which takes ten thousand times as long */

/* A batch on the device, laid out in some way, and its results there; same bits as those of a call on host arrays. */
typedef struct resident {
    batch host;
    placement p;
    size_t a_bytes, w_bytes, info_bytes;
    void *a, *w;
    int *info;
} resident;

static resident make(const char *kind, int64_t n, int64_t count, eig_type type, eig_layout layout, bool row_major)
{
    resident r = {.host = batch_make(kind, n, count, type, 11)};
    size_t const size = type_size(type);
    r.p = row_major ? place_rows(layout, n, count, 1) : place(layout, n, count, 1);
    r.a_bytes = (size_t)r.p.entries * size;
    r.w_bytes = (size_t)(2 * n * count) * size;
    r.info_bytes = (size_t)count * sizeof(int);
    r.a = device_memory(r.a_bytes), r.w = device_memory(r.w_bytes), r.info = device_memory(r.info_bytes);
    numbers a = laid_out(&r.host, &r.p, 0, count);
    CUDA(cudaMemcpy(r.a, a.data, r.a_bytes, cudaMemcpyHostToDevice));
    numbers_free(&a);
    return r;
}

static void drop(resident *r)
{
    CUDA(cudaFree(r->a));
    CUDA(cudaFree(r->w));
    CUDA(cudaFree(r->info));
    batch_free(&r->host);
}

/* Enqueues the call on device arrays. */
static eig_status enqueue(eig_context *ctx, const eig_geev_options *options, const resident *r)
{
    eig_geev_options o = *options;
    int64_t const n = r->host.n;
    o.layout = r->p.layout, o.row_major = r->p.row_major;
    return eig_geev_batched(ctx, r->host.type, &o, n, r->a, r->p.lda, r->p.stride, r->w, n, NULL, 0, 0, NULL, 0, 0,
                            NULL, r->info, r->host.count);
}

/* Poisons the results, before a call. */
static void poison(const resident *r)
{
    CUDA(cudaMemset(r->w, 0xff, r->w_bytes));
    CUDA(cudaMemset(r->info, 0xff, r->info_bytes));
    CUDA(cudaDeviceSynchronize());
}

/* The device's results are those in r->host. */
static void same(const resident *r, const char *what)
{
    int64_t const count = r->host.count;
    int *const info = room((size_t)count, sizeof *info);
    numbers w;
    assert_true(numbers_make(&w, type_complex(r->host.type), r->host.n * count));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(w.data, r->w, r->w_bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(info, r->info, r->info_bytes, cudaMemcpyDeviceToHost));
    for (int64_t k = 0; k < numbers_parts(&w); ++k) {
        double const x = numbers_part(&w, k);
        if (!(x == r->host.w[k] || (isnan(x) && isnan(r->host.w[k]))))
            fail_msg("%s: n = %lld %s '%c': number %lld is %g, not %g", what, (long long)r->host.n,
                     type_name(r->host.type), (int)r->p.layout, (long long)k, x, r->host.w[k]);
    }
    for (int64_t m = 0; m < count; ++m) assert_int_equal(info[m], r->host.info[m]);
    numbers_free(&w);
    free(info);
}

/* ------------------------------------------------------------------- tests */

/* Every form of the kernels, by order, method and number of threads; with a badly scaled kind, too, which takes the
 * ways through shared memory. */
static void test_forms(void **state)
{
    static const int64_t many[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                   15, 16, 17, 21, 27, 32, 33, 41, 48, 49, 56, 57, 64};
    static const int64_t few[] = {10, 5, 12, 33, 21, 16, 3};
    static const char *const kinds[] = {"random", "badly-scaled"};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < (small ? COUNT(few) : COUNT(many)); ++c)
        for (int variant = 0; variant < 4; ++variant) {
            resident r = make(kinds[variant / 2], small ? few[c] : many[c], small ? 3 : 1021, real_types[variant % 2],
                              EIG_LAYOUT_MATRIX_WISE, false);
            eig_geev_options o = EIG_GEEV_OPTIONS;
            int const methods = !small || variant < 2 ? EIG_GEEV_MWB : EIG_GEEV_AUTO;
            for (int method = EIG_GEEV_AUTO; method <= methods; ++method) {
                for (int p = method == EIG_GEEV_AUTO ? 0 : 1; p <= (method == EIG_GEEV_AUTO ? 1 : 32);
                     p = p > 0 ? 2 * p : 1) {
                    o.method = (eig_geev_method)method, o.threads_per_matrix = p;
                    /* The registers of `auto` compute in another order than swb and mwb, which agree. */
                    if (method == EIG_GEEV_AUTO || (method == EIG_GEEV_SWB && p == 1)) solve(ctx, &o, &r.host);
                    poison(&r);
                    assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
                    same(&r, "another form");
                }
            }
            drop(&r);
        }
    eig_destroy(ctx);
}

/* More than 100 matrices by method auto, in stages: the bits of swb, of matrices that are given up too. */
static void test_stages(void **state)
{
    static const int64_t many[] = {14, 16, 17, 20, 21, 25, 28, 29, 30, 31, 32, 40, 64}, few[] = {14};
    static const char *const kinds[] = {"random", "badly-scaled"};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < (small ? COUNT(few) : COUNT(many)); ++c)
        for (int variant = 0; variant < (small ? 1 : 2); ++variant) {
            resident r = make(kinds[variant], small ? few[c] : many[c], small ? 101 : 1021, EIG_D,
                              EIG_LAYOUT_MATRIX_WISE, false);
            eig_geev_options o = EIG_GEEV_OPTIONS;
            for (o.max_steps = 0; o.max_steps <= (small ? 0 : 2); ++o.max_steps) {
                o.method = EIG_GEEV_SWB;
                solve(ctx, &o, &r.host);
                o.method = EIG_GEEV_AUTO;
                poison(&r);
                assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
                same(&r, "stages");
            }
            drop(&r);
        }
    eig_destroy(ctx);
}

/* The times of the passes of a call, on device arrays and on host arrays. */
static void test_pass_times(void **state)
{
    static const int64_t orders[] = {3, 16, 70, 200}; /* registers; two kernels; a block a matrix; blocks a matrix */
    static const bool passes[][4] = {
        {false, true, true, false}, {true, true, true, true}, {true, true, true, true}, {false, true, true, true}};
    static const char *const names[] = {"reduction", "iteration", "plain", "certificate"};
    (void)state;
    eig_context *const ctx = test_context(0);
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    for (size_t c = 0; c < COUNT(orders); ++c) {
        resident r =
            make("gaussian", orders[c], small ? orders[c] > 99 ? 1 : 3 : 333, EIG_D, EIG_LAYOUT_MATRIX_WISE, false);
        eig_geev_options const o = EIG_GEEV_OPTIONS;
        eig_pass pass[PASSES_MOST];
        int count;
        solve(ctx, &o, &r.host);
        poison(&r);
        assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
        count = passes_read(ctx, pass);
        assert_int_equal(count, 4);
        for (int k = 0; k < 4; ++k) {
            assert_string_equal(pass[k].name, names[k]);
            if (passes[c][k])
                assert_true(pass[k].ms > 0 && pass[k].ms < 1e5);
            else
                assert_true(pass[k].ms >= 0 && pass[k].ms < 1); /* two events in a row */
        }
        same(&r, "timed");
        drop(&r);
    }
    eig_destroy(ctx);
}

/* Layouts, padded, each with row_major too. */
static void test_layouts(void **state)
{
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    static const int64_t orders[] = {3, 10, 16, 30, 40, 70, 180};
    (void)state;
    eig_context *const ctx = test_context(0);
    eig_geev_options const o = EIG_GEEV_OPTIONS;
    for (size_t c = 0; c < COUNT(orders) - (small ? 3 : 0); ++c)
        for (int variant = 0; variant < 12; ++variant) {
            resident r = make("gaussian", orders[c],
                              small            ? 3
                              : orders[c] > 99 ? 20
                                               : 333,
                              real_types[variant % 2], layouts[variant / 4], variant / 2 % 2);
            solve(ctx, &o, &r.host);
            assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
            same(&r, "on the device");
            drop(&r);
        }
    eig_destroy(ctx);
}

/* Arrays that are aligned to their real numbers alone. */
static void test_alignment(void **state)
{
    static const int64_t orders[] = {3, 16, 20, 33, 70};
    (void)state;
    eig_context *const ctx = test_context(0);
    eig_geev_options const o = EIG_GEEV_OPTIONS;
    for (size_t c = 0; c < 2 * COUNT(orders); ++c) {
        eig_type const type = real_types[c % 2];
        size_t const size = type_size(type);
        resident r = make("random", orders[c / 2], small ? 3 : 100, type, EIG_LAYOUT_MATRIX_WISE, false);
        solve(ctx, &o, &r.host);
        resident shifted = r;
        void *const a = device_memory(r.a_bytes);
        shifted.a = (char *)a + size, shifted.w = (char *)r.w + size;
        CUDA(cudaMemcpy(shifted.a, r.a, r.a_bytes, cudaMemcpyDeviceToDevice));
        poison(&shifted);
        assert_int_equal(enqueue(ctx, &o, &shifted), EIG_OK);
        same(&shifted, "aligned to real numbers");
        CUDA(cudaFree(a));
        drop(&r);
    }
    eig_destroy(ctx);
}

/* Given up after a step, so that the second attempt has work; the bits of host arrays. */
static void test_gives_up(void **state)
{
    static const int64_t orders[] = {4, 10, 15, 30, 64, 90, 175};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < 2 * COUNT(orders) - (small ? 8 : 0); ++c) {
        resident r = make("gaussian", orders[c / 2],
                          small                ? 3
                          : orders[c / 2] > 64 ? 9
                                               : 99,
                          real_types[c % 2], EIG_LAYOUT_MATRIX_WISE, false);
        eig_geev_options o = EIG_GEEV_OPTIONS;
        int given_up = 0;
        for (o.max_steps = 1; o.max_steps <= 2; ++o.max_steps) {
            solve(ctx, &o, &r.host);
            for (int64_t m = 0; m < r.host.count; ++m) given_up += r.host.info[m] > 0;
            poison(&r);
            assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
            same(&r, "given up");
        }
        assert_true(given_up > 0);
        drop(&r);
    }
    eig_destroy(ctx);
}

/* How far the n eigenvalues at x are from those at y, each y taken once. */
static double apart(const double *x, const double *y, int64_t n)
{
    char *const taken = room((size_t)n, 1);
    double worst = 0;
    memset(taken, 0, (size_t)n);
    for (int64_t i = 0; i < n; ++i) {
        int64_t at = 0;
        double least = INFINITY;
        for (int64_t j = 0; j < n; ++j) {
            double const d = hypot(x[2 * i] - y[2 * j], x[2 * i + 1] - y[2 * j + 1]);
            if (!taken[j] && d < least) least = d, at = j;
        }
        if (least == INFINITY) fail_msg("eigenvalue %lld is no number", (long long)i);
        taken[at] = 1, worst = fmax(worst, least);
    }
    free(taken);
    return worst;
}

/* Few matrices, by Aberth's iteration: the bits do not depend on how many there are and share the GPU; the eigenvalues are those of QR,
 * which takes the kinds that cannot be proved, too. */
static void test_few(void **state)
{
    static const struct {
        int64_t n, count;
    } many[] = {{17, 100}, {25, 9},  {32, 100},  {33, 5},  {64, 20},  {65, 300}, {66, 9},   {81, 40},
                {100, 5},  {105, 9}, {128, 140}, {168, 3}, {170, 40}, {257, 9},  {300, 33}, {530, 3}},
      few[] = {{20, 2}, {70, 2}};
    static const char *const kinds[] = {"gaussian", "random", "companion", "badly-scaled"};
    (void)state;
    eig_context *const ctx = test_context(0);
    for (size_t c = 0; c < (small ? COUNT(few) : COUNT(many)); ++c)
        for (size_t k = 0; k < (small ? 1 : COUNT(kinds)); ++k) {
            int64_t const n = small ? few[c].n : many[c].n, count = small ? few[c].count : many[c].count;
            resident r = make(kinds[k], n, count, EIG_D, EIG_LAYOUT_MATRIX_WISE, false);
            eig_geev_options o = EIG_GEEV_OPTIONS;
            solve(ctx, &o, &r.host);
            for (int64_t m = 0; m < count; ++m) assert_int_equal(r.host.info[m], 0);
            resident one = r;
            one.host.count = 1, one.w_bytes = (size_t)(2 * n) * sizeof(double), one.info_bytes = sizeof(int);
            poison(&r);
            assert_int_equal(enqueue(ctx, &o, &one), EIG_OK);
            same(&one, "alone");

            double *const found = room((size_t)(2 * n * count), sizeof *found);
            memcpy(found, r.host.w, (size_t)(2 * n * count) * sizeof *found);
            for (int64_t i = 0; i < n * count; ++i) { /* pairs are adjacent, that above the real axis first */
                if (found[2 * i + 1] == 0) continue;
                assert_true(found[2 * i + 1] > 0 && found[2 * i + 2] == found[2 * i] &&
                            found[2 * i + 3] == -found[2 * i + 1]);
                ++i;
            }
            o.method = EIG_GEEV_SWB;
            solve(ctx, &o, &r.host);
            for (int64_t m = 0; k < 2 && m < count; ++m) {
                double norm = 0;
                for (int64_t i = 0; i < n; ++i)
                    norm = fmax(norm, hypot(r.host.w[2 * (m * n + i)], r.host.w[2 * (m * n + i) + 1]));
                double const far = apart(found + 2 * m * n, r.host.w + 2 * m * n, n);
                if (!(far <= 1e-9 * norm))
                    fail_msg("%s, n = %lld, matrix %lld: %g apart from QR's", kinds[k], (long long)n, (long long)m,
                             far);
            }
            free(found);
            drop(&r);
        }
    eig_destroy(ctx);
}

/* A stream of the caller's, a lent workspace of exactly the size, a graph: all the same bits. */
static void test_stream_and_graph(void **state)
{
    static const int64_t orders[] = {5, 15, 40, 66, 190};
    (void)state;
    eig_context *const ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
    for (size_t c = 0; c < COUNT(orders) - (small ? 2 : 0); ++c) {
        resident r = make("random", orders[c], small ? 3 : 5000 / orders[c], EIG_D, EIG_LAYOUT_MATRIX_WISE, false);
        eig_geev_options o = EIG_GEEV_OPTIONS;
        solve(ctx, &o, &r.host);
        size_t need = 0;
        assert_int_equal(eig_geev_work_size(ctx, EIG_D, &o, r.host.n, 0, r.host.count, &need), EIG_OK);
        char *const work = device_memory(need);
        assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
        expect_refused(ctx, enqueue(ctx, &o, &r), EIG_BAD_WORKSPACE, "need");
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        assert_int_equal(enqueue(ctx, &o, &r), EIG_OK);
        same(&r, "with a lent workspace");
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

/* The arrays of a call with vectors, on the host or on the device; sets are those of geev_vectors_fixture.h: 1 left, 2 right,
 * 4 condition. */
enum { OUTPUTS = 5 };
typedef struct vectors_call {
    eig_type type;
    int64_t n, count;
    size_t bytes[OUTPUTS];
    void *a, *to[OUTPUTS]; /* w, vl, vr, condition, info */
} vectors_call;

static vectors_call vectors_new(eig_type type, int64_t n, int64_t count, int set, bool on_device)
{
    size_t const square = (size_t)(n * n * count), each = (size_t)(n * count), entry = type_size(type_complex(type));
    vectors_call v = {type, n, count, {each * entry, 0, 0, 0, (size_t)count * sizeof(int)}, NULL, {NULL}};
    if (set & 1) v.bytes[1] = square * entry;
    if (set & 2) v.bytes[2] = square * entry;
    if (set & 4) v.bytes[3] = each * type_size(type_real(type));
    for (int k = 0; k < OUTPUTS; ++k)
        if (v.bytes[k]) v.to[k] = on_device ? device_memory(v.bytes[k]) : room(v.bytes[k], 1);
    v.a = on_device ? device_memory(square * type_size(type)) : room(square, type_size(type));
    return v;
}

static void vectors_drop(vectors_call *v, bool on_device)
{
    for (int k = 0; k <= OUTPUTS; ++k) {
        void *const array = k < OUTPUTS ? v->to[k] : v->a;
        if (on_device)
            CUDA(cudaFree(array));
        else
            free(array);
    }
}

static eig_status vectors_enqueue(eig_context *ctx, const vectors_call *v)
{
    int64_t const n = v->n, square = n * n;
    return eig_geev_batched(ctx, v->type, NULL, n, v->a, n, square, v->to[0], n, v->to[1], n, square, v->to[2], n,
                            square, v->to[3], v->to[4], v->count);
}

/* Vectors of all types: a lent workspace of exactly the size, a graph; the bits of host arrays.  Odd numbers of matrices, so
 * that teams of a warp are without one; none, all or some of them with equal eigenvalues, which the road of other matrices
 * gives up; one with a NaN. */
static void test_vectors(void **state)
{
    static const int64_t orders[] = {3, 12, 20, 50, 66}, counts[] = {1, 3, 5, 7, 33, 77};
    static const eig_type types[] = {EIG_D, EIG_S, EIG_Z, EIG_C};
    static const int sets[] = {2, 3, 7};
    (void)state;
    eig_context *const ctx = test_context(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    assert_int_equal(eig_set_stream(ctx, stream), EIG_OK);
    for (size_t c = 0; c < 12 * COUNT(orders) - (small ? 12 : 0); ++c) {
        eig_type const type = types[c % 4];
        int64_t const n = orders[c / 12], count = small ? 3 : counts[c % 6], parts = type_is_complex(type) ? 2 : 1;
        int const equal = (int)(c % 5 % 3); /* matrices with equal eigenvalues: none, all, every second one */
        vectors_call host = vectors_new(type, n, count, sets[c / 4 % 3], false),
                     gpu = vectors_new(type, n, count, sets[c / 4 % 3], true);
        for (int64_t k = 0; k < n * n * count * parts; ++k)
            type_put(type_real(type), host.a, k,
                     equal == 1 || (equal == 2 && k / parts / (n * n) % 2) ? 2 : sin((double)(k * k % 1009)));
        if (count > 2) type_put(type_real(type), host.a, (2 * n * n + 1) * parts, NAN);
        assert_int_equal(vectors_enqueue(ctx, &host), EIG_OK);
        CUDA(cudaMemcpy(gpu.a, host.a, (size_t)(n * n * count) * type_size(type), cudaMemcpyHostToDevice));
        size_t need = 0;
        assert_int_equal(eig_geev_work_size(ctx, type, NULL, n, 1, count, &need), EIG_OK);
        char *const work = device_memory(need);
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        assert_int_equal(vectors_enqueue(ctx, &gpu), EIG_OK);
        device_replay(stream);
        CUDA(cudaDeviceSynchronize());
        for (int k = 0; k < OUTPUTS; ++k) {
            if (!gpu.bytes[k]) continue;
            void *const back = room(gpu.bytes[k], 1);
            CUDA(cudaMemcpy(back, gpu.to[k], gpu.bytes[k], cudaMemcpyDeviceToHost));
            if (memcmp(back, host.to[k], gpu.bytes[k]) != 0 || !device_guard_holds(gpu.to[k], gpu.bytes[k]))
                fail_msg("n = %lld %s, set %d: output %d", (long long)n, type_name(type), sets[c / 4 % 3], k);
            free(back);
        }
        const int *const info = host.to[4];
        for (int64_t m = 0; m < count; ++m) assert_int_equal(info[m], m == 2 ? EIG_INFO_NOT_FINITE : 0);
        assert_true(device_guard_holds(work, need));
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        CUDA(cudaFree(work));
        vectors_drop(&host, false), vectors_drop(&gpu, true);
    }
    CUDA(cudaStreamDestroy(stream));
    eig_destroy(ctx);
}

/* No batch of matrices that fit in it needs more than 256 MB, or 1 GB where n > 256, with vectors n > 64. */
static void test_workspace_bound(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int64_t n = 1; n <= 600; n += n < 70 ? 1 : 53)
        for (int64_t count = 1; count <= 100000000; count *= 7)
            for (int t = 0; t < 4; ++t) {
                size_t bytes = 0;
                if (t > 1 && count * n * n > (int64_t)1 << 50) continue;
                assert_int_equal(eig_geev_work_size(ctx, t % 2 ? EIG_D : EIG_S, NULL, n, t / 2, count, &bytes), EIG_OK);
                if (bytes > (size_t)(n > (t > 1 ? 64 : 256) ? 1024 : 256) << 20)
                    fail_msg("n = %lld: %zu bytes", (long long)n, bytes);
            }
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(0);
    resident r = make("random", 4, 10, EIG_D, EIG_LAYOUT_MATRIX_WISE, false);
    eig_z w[40];
    int info[10];
    expect_refused(ctx, eig_dgeev_batched(ctx, NULL, 4, r.a, 5, 21, w, 4, NULL, 0, 0, NULL, 0, 0, NULL, r.info, 10),
                   EIG_BAD_ARGUMENT, "w in host memory");
    expect_refused(ctx, eig_dgeev_batched(ctx, NULL, 4, r.a, 5, 21, r.w, 4, NULL, 0, 0, NULL, 0, 0, NULL, info, 10),
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
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_pass_times),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_stream_and_graph),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_workspace_bound),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_few),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
