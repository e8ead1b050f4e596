/* Arrays in unusual places, on a GPU: aligned to their real type alone, matrices far apart, rows further apart than the
 * runtime's copies reach, on the device, in pinned and in pageable memory; NaN in them. */
#include "bench/support/cuda_side.h"
#include "cuda/copy_nest.h"
#include "support/device.h"

#include <math.h>

static int small; /* sizes for compute-sanitizer */

enum { PAGEABLE, PINNED, DEVICE, PLACES };
static const char *const place_names[] = {"pageable", "pinned", "on the device"};

/* Memory in a place; zeros, but NULL where there is not as much. */
static void *memory(int place, size_t bytes)
{
    void *p = NULL;
    if (place == PAGEABLE) return calloc(bytes, 1);
    cudaError_t const status = place == PINNED ? cudaMallocHost(&p, bytes) : cudaMalloc(&p, bytes);
    (void)cudaGetLastError();
    if (status != cudaSuccess) return NULL;
    if (place == PINNED)
        memset(p, 0, bytes);
    else
        CUDA(cudaMemset(p, 0, bytes));
    return p;
}

static void release(int place, void *p)
{
    if (place == PAGEABLE) free(p);
    if (place == PINNED) CUDA(cudaFreeHost(p));
    if (place == DEVICE) CUDA(cudaFree(p));
}

/* A copy in a place, of which `offset` bytes in front are unused. */
static char *placed(int place, const void *from, size_t bytes, size_t offset)
{
    char *const p = memory(place, bytes + offset);
    if (!p) fail_msg("no memory %s", place_names[place]);
    CUDA(cudaMemcpy(p + offset, from, bytes, cudaMemcpyDefault));
    return p;
}

/* The eigenvalues and info of a call, brought from their place. */
static void compare(int place, const numbers *want, const void *w, const int *info, int64_t batch, const char *what)
{
    numbers got;
    int *const got_info = malloc((size_t)batch * sizeof *got_info);
    assert_true(got_info && numbers_make(&got, want->type, want->count));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(got.data, w, numbers_bytes(&got), cudaMemcpyDefault));
    CUDA(cudaMemcpy(got_info, info, (size_t)batch * sizeof *got_info, cudaMemcpyDefault));
    if (!numbers_same(want, &got)) fail_msg("%s, %s: other bits", what, place_names[place]);
    for (int64_t b = 0; b < batch; ++b) assert_int_equal(got_info[b], 0);
    numbers_free(&got);
    free(got_info);
}

/* -------------------------------------------------------------- alignment */

static void test_alignment(void **state)
{
    static const int64_t orders[] = {1, 3, 10, 13, 20, 40, 66};
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < 2 * 7; ++i) {
        bench_case c = case_new(&case_geev, "random", real_types[i % 2], orders[i / 2], small ? 3 : 57);
        io_error error;
        assert_true(case_make(&c, &error));
        assert_int_equal(case_call(ctx, &c), EIG_OK);
        size_t const real = type_size(c.type), info_bytes = (size_t)c.batch * sizeof(int);
        for (int place = 0; place < PLACES; ++place) {
            char *const a = placed(place, c.in[0].data, numbers_bytes(&c.in[0]), real);
            char *const w = memory(place, numbers_bytes(&c.w) + real);
            char *const info = memory(place, info_bytes + sizeof(int));
            assert_true(w && info);
            case_arrays const at = {{a + real}, w + real, (int *)(void *)(info + sizeof(int)), NULL};
            assert_int_equal(c.family->call(ctx, &c, &at), EIG_OK);
            compare(place, &c.w, at.w, at.info, c.batch, "aligned to the real type");
            release(place, a), release(place, w), release(place, info);
        }
        case_free(&c);
    }
    for (int i = 0; i < 2; ++i) {
        bench_case c = case_new(&case_stebz, "uniform", real_types[i], small ? 33 : 1001, 1);
        io_error error;
        assert_true(case_make(&c, &error));
        assert_int_equal(case_call(ctx, &c), EIG_OK);
        size_t const real = type_size(c.type);
        for (int place = 0; place < PLACES; ++place) {
            char *const d = placed(place, c.in[0].data, numbers_bytes(&c.in[0]), real);
            char *const e = placed(place, c.in[1].data, numbers_bytes(&c.in[1]), 3 * real);
            char *const w = memory(place, numbers_bytes(&c.w) + real), *const info = memory(place, 2 * sizeof(int));
            case_arrays const at = {{d + real, e + 3 * real}, w + real, (int *)(void *)(info + sizeof(int)), NULL};
            assert_int_equal(c.family->call(ctx, &c, &at), EIG_OK);
            compare(place, &c.w, at.w, at.info, 1, "aligned to the real type");
            release(place, d), release(place, e), release(place, w), release(place, info);
        }
        case_free(&c);
    }
    eig_destroy(ctx);
}

/* ----------------------------------------------------------------- strides */

/* Solves 3 x 3 matrices that lie together; the answer is in c.w. */
static bench_case together(eig_context *ctx, eig_type type, int64_t n, int64_t batch)
{
    bench_case c = case_new(&case_geev, "random", type, n, batch);
    io_error error;
    if (!case_make(&c, &error)) fail_msg("%s", error.text);
    assert_int_equal(case_call(ctx, &c), EIG_OK);
    return c;
}

/* Matrices of 9 numbers every 1000, and eigenvalues every 50. */
static void test_huge_stride(void **state)
{
    enum { N = 3, STRIDE = 1000, STRIDE_W = 50 };
    (void)state;
    eig_context *ctx = test_context(0);
    int64_t const batch = small ? 9 : 20000;
    for (int i = 0; i < 2 * PLACES; ++i) {
        int const place = i / 2;
        bench_case c = together(ctx, real_types[i % 2], N, batch);
        size_t const real = type_size(c.type), complex_size = 2 * real;
        char *const a = memory(place, (size_t)(batch * STRIDE) * real);
        char *const w = memory(place, (size_t)(batch * STRIDE_W) * complex_size);
        int *const info = memory(place, (size_t)batch * sizeof *info);
        assert_true(a && w && info);
        CUDA(
            cudaMemcpy2D(a, STRIDE * real, c.in[0].data, N * N * real, N * N * real, (size_t)batch, cudaMemcpyDefault));
        assert_int_equal(eig_geev_batched(ctx, c.type, NULL, N, a, N, STRIDE, w, STRIDE_W, NULL, 0, 0, NULL, 0, 0, NULL,
                                          info, batch),
                         EIG_OK);
        assert_int_equal(eig_synchronize(ctx), EIG_OK);
        char *const packed = malloc((size_t)(batch * N) * complex_size);
        CUDA(cudaMemcpy2D(packed, N * complex_size, w, STRIDE_W * complex_size, N * complex_size, (size_t)batch,
                          cudaMemcpyDefault));
        compare(place, &c.w, packed, info, batch, "huge stride");
        /* Nothing between the eigenvalues is written. */
        char between[(STRIDE_W - N) * sizeof(eig_z)];
        size_t const gap = (STRIDE_W - N) * complex_size;
        CUDA(cudaMemcpy(between, w + N * complex_size, gap, cudaMemcpyDefault));
        for (size_t k = 0; k < gap; ++k) assert_int_equal(between[k], 0);
        free(packed);
        release(place, a), release(place, w), release(place, info);
        case_free(&c);
    }
    eig_destroy(ctx);
}

/* Rows 2 GiB and more apart: as much memory as most machines have; a place that has it not is left out. */
static void test_huge_pitch(void **state)
{
    enum { N = 2, BATCH = 5 };
    (void)state;
    if (small) skip_because("takes too long under compute-sanitizer");
    eig_context *ctx = test_context(0);
    int64_t const pitch = ((int64_t)1 << 28) + 12;
    bench_case c = together(ctx, EIG_D, N, BATCH);
    for (int layout = 0; layout < 2; ++layout)
        for (int place = 0; place < PLACES; ++place) {
            bool const rows = layout == 0; /* row-wise: N rows; element-wise: N*N of them */
            size_t const bytes =
                ((size_t)(rows ? N - 1 : N * N - 1) * (size_t)pitch + (size_t)(BATCH * N)) * sizeof(double);
            double *const a = memory(place, bytes);
            eig_z *const w = memory(place, N * BATCH * sizeof *w);
            int *const info = memory(place, BATCH * sizeof *info);
            if (!a || !w || !info) printf("%s: not enough memory for %zu bytes\n", place_names[place], bytes);
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.layout = rows ? EIG_LAYOUT_ROW_WISE : EIG_LAYOUT_ELEMENT_WISE;
            for (int64_t b = 0; b < BATCH && a && w && info; ++b)
                for (int64_t i = 0; i < N; ++i)
                    for (int64_t j = 0; j < N; ++j) { /* the case is read as columns */
                        double const x = numbers_re(&c.in[0], (b * N + j) * N + i);
                        int64_t const at = rows ? i * pitch + b * N + j : (i * N + j) * pitch + b;
                        CUDA(cudaMemcpy(a + at, &x, sizeof x, cudaMemcpyDefault));
                    }
            if (a && w && info) {
                assert_int_equal(
                    eig_dgeev_batched(ctx, &o, N, a, N, pitch, w, N, NULL, 0, 0, NULL, 0, 0, NULL, info, BATCH),
                    EIG_OK);
                compare(place, &c.w, w, info, BATCH, rows ? "row-wise, rows far apart" : "element-wise, far apart");
            }
            if (a) release(place, a);
            if (w) release(place, w);
            if (info) release(place, info);
        }
    case_free(&c);
    eig_destroy(ctx);
}

/* -------------------------------------------------------------- not finite */

static void test_not_finite(void **state)
{
    enum { N = 12, BATCH = 30, BAD = 17 };
    static double const values[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < 2 * PLACES; ++i) {
        int const place = i / 2;
        bench_case g = case_new(&case_geev, "random", real_types[i % 2], N, BATCH);
        bench_case t = case_new(&case_stebz, "uniform", real_types[i % 2], N, BATCH);
        bench_case *const both[] = {&g, &t};
        io_error error;
        for (int k = 0; k < 2; ++k) {
            bench_case *const c = both[k];
            assert_true(case_make(c, &error));
            numbers_put_part(&c->in[0], BAD * c->in[0].count / BATCH + 5, values[i % 3]);
            char *const first = placed(place, c->in[0].data, numbers_bytes(&c->in[0]), 0);
            char *const second = k == 1 ? placed(place, c->in[1].data, numbers_bytes(&c->in[1]), 0) : NULL;
            char *const w = memory(place, numbers_bytes(&c->w));
            int *const info = memory(place, BATCH * sizeof *info);
            case_arrays const at = {{first, second}, w, info, NULL};
            assert_int_equal(c->family->call(ctx, c, &at), EIG_OK);
            CUDA(cudaDeviceSynchronize());
            CUDA(cudaMemcpy(c->w.data, w, numbers_bytes(&c->w), cudaMemcpyDefault));
            CUDA(cudaMemcpy(c->info, info, BATCH * sizeof *info, cudaMemcpyDefault));
            int64_t const each = numbers_parts(&c->w) / BATCH;
            for (int64_t b = 0; b < BATCH; ++b) {
                assert_int_equal(c->info[b], b == BAD ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
                for (int64_t j = 0; j < each; ++j) assert_int_equal(isnan(numbers_part(&c->w, b * each + j)), b == BAD);
            }
            release(place, first), release(place, w), release(place, info);
            if (second) release(place, second);
            case_free(c);
        }
    }
    eig_destroy(ctx);
}

/* One matrix, so that m is told, with bounds: NaN and 0 on every side, and m and info of a good matrix. */
static void test_single_not_finite(void **state)
{
    enum { N = 40 };
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < 2 * PLACES; ++i) {
        int const place = i / 2;
        double d[N], e[N], out[3 * N];
        struct told {
            int64_t m;
            int info;
        } told = {9, 9};
        for (int k = 0; k < N; ++k) d[k] = k, e[k] = 1;
        if (i % 2) e[N - 2] = -INFINITY;
        char *const at_d = placed(place, d, sizeof d, 0), *const at_e = placed(place, e, sizeof e, 0);
        char *const at_out = placed(place, out, sizeof out, 0), *const at_told = placed(place, &told, sizeof told, 0);
        double *const w = (double *)(void *)at_out;
        struct told *const t = (struct told *)(void *)at_told;
        assert_int_equal(eig_dstebz(ctx, NULL, N, (const double *)(void *)at_d, (const double *)(void *)at_e, &t->m, w,
                                    w + N, w + 2 * N, &t->info),
                         EIG_OK);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(out, at_out, sizeof out, cudaMemcpyDefault));
        CUDA(cudaMemcpy(&told, at_told, sizeof told, cudaMemcpyDefault));
        assert_int_equal(told.m, i % 2 ? 0 : N);
        assert_int_equal(told.info, i % 2 ? EIG_INFO_NOT_FINITE : EIG_INFO_OK);
        for (int k = 0; k < 3 * N; ++k) assert_int_equal(isnan(out[k]), i % 2);
        release(place, at_d), release(place, at_e), release(place, at_out), release(place, at_told);
    }
    eig_destroy(ctx);
}

/* -------------------------------------------------------------- host arrays */

/* One matrix of order 2048 from host memory, by every method: as on the device, and certified. */
static void test_host_2048(void **state)
{
    (void)state;
    eig_context *ctx = test_context(0);
    for (int i = 0; i < 6; ++i) {
        bench_case c = case_new(&case_stebz, "uniform", real_types[i % 2], small ? 100 : 2048, 1);
        io_error error;
        double worst = 0;
        c.stebz.method = (eig_stebz_method)(i / 2);
        assert_true(case_make(&c, &error));
        device_case d = device_new(ctx, &c, NULL);
        case_run host = case_run_new(ctx, &c);
        double ms;
        assert_int_equal(device_run(&d, &ms), EIG_OK);
        assert_int_equal(case_run_host(&host, &ms), EIG_OK);
        assert_true(numbers_same(&d.run.first, &host.first));
        assert_int_equal(case_check(ctx, &c, &worst), EIG_OK);
        assert_true(case_passed(&c, worst));
        case_run_free(&host);
        device_free(&d);
        case_free(&c);
    }
    eig_destroy(ctx);
}

/* ------------------------------------------------------------------- nests */

/* A nest of such counts, each level with a gap behind it or none; the first level or the last one lies innermost. */
static copy_nest nest_of(const int64_t count[3], size_t width, int shape)
{
    copy_nest nest = {.width = width};
    int64_t stride = (int64_t)width;
    for (int level = 2; level >= 0; --level) {
        int const at = shape & 8 ? 2 - level : level;
        stride += shape & 1 << level ? 4 * (level + 1) : 0;
        nest.count[at] = count[level], nest.stride[at] = stride;
        stride *= count[level];
    }
    return nest;
}

/* Copies to a dense array and back are those of three loops, and leave gaps alone. */
static void try_nest(eig_context *ctx, copy_nest nest)
{
    static unsigned char strided[16384], back[16384], dense[4096], want[4096];
    copy_nest const simple = eig_cuda_simplify_nest(nest);
    size_t const bytes = nest_bytes(&nest), width = nest.width;
    assert_true(bytes <= sizeof dense && nest_bytes(&simple) == bytes);
    for (size_t i = 0; i < sizeof strided; ++i) strided[i] = (unsigned char)(i % 251 + 1);
    memset(back, 0, sizeof back), memset(dense, 0, sizeof dense);
    size_t at = 0;
    for (int64_t i = 0; i < nest.count[0]; ++i)
        for (int64_t j = 0; j < nest.count[1]; ++j)
            for (int64_t k = 0; k < nest.count[2]; ++k, at += width)
                memcpy(want + at, strided + i * nest.stride[0] + j * nest.stride[1] + k * nest.stride[2], width);
    eig_cuda_copy_nest(ctx, &simple, strided, dense, false);
    assert_memory_equal(dense, want, bytes);
    eig_cuda_copy_nest(ctx, &simple, back, dense, true);
    size_t copied = 0;
    for (size_t i = 0; i < sizeof back; ++i) {
        if (back[i] != 0) assert_int_equal(back[i], strided[i]);
        copied += back[i] != 0;
    }
    assert_int_equal(copied, bytes);
}

static void test_nests(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 3, 5};
    static const size_t widths[] = {1, 8, 24};
    eig_context *ctx = test_context(2);
    for (int c = 0; c < 64; ++c)
        for (int w = 0; w < 3; ++w)
            for (int shape = 0; shape < 16; ++shape) {
                int64_t const count[3] = {counts[c % 4], counts[c / 4 % 4], counts[c / 16]};
                try_nest(ctx, nest_of(count, widths[w], shape));
            }
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    small = argc > 1 && strcmp(argv[1], "small") == 0;
    char *arguments[] = {argv[0], "cuda", NULL};
    if (!test_device_answers(2, arguments)) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),  cmocka_unit_test(test_huge_stride),       cmocka_unit_test(test_huge_pitch),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_single_not_finite), cmocka_unit_test(test_host_2048),
        cmocka_unit_test(test_nests),
    };
    if (argc > 1 + small) cmocka_set_test_filter(argv[1 + small]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
