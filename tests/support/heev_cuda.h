/* What the tests of heev on CUDA share: a batch on the device beside the same batch of a call on host arrays, whose bits it must
 * have. */
#ifndef EIG_TEST_HEEV_CUDA_H
#define EIG_TEST_HEEV_CUDA_H

#include "bench/support/cuda_side.h"
#include "heev_fixture.h"

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

static inline resident make(const char *kind, int64_t n, int64_t count, eig_type type, placement p)
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

static inline void drop(resident *r)
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
static inline void poison(const resident *r)
{
    CUDA(cudaMemset(r->at_w, 0xff, r->w_bytes));
    if (r->at_v) CUDA(cudaMemset(r->at_v, 0xff, r->v_bytes));
    CUDA(cudaMemcpy(r->at_a, r->a.data, r->a_bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(r->at_info, 0xff, r->info_bytes));
    CUDA(cudaMemset(r->at_sweeps, 0xff, r->info_bytes));
    CUDA(cudaDeviceSynchronize());
}

static inline eig_status enqueue(eig_context *ctx, const eig_heev_options *options, const resident *r)
{
    eig_heev_options o = *options;
    o.layout = r->la.layout, o.row_major = r->p.row_major, o.uplo = r->p.upper ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    return eig_heev_batched(ctx, r->host.type, &o, r->host.n, r->at_a, r->la.ld, r->la.stride, NULL, r->at_w, r->host.n,
                            r->at_v, r->lv.ld, r->lv.stride, r->at_info, r->at_sweeps, r->host.count);
}

/* The results, brought to a batch like r->host. */
static inline batch fetch(const resident *r)
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
static inline void same(const resident *r, const char *what)
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

static inline void run(eig_context *ctx, const eig_heev_options *o, const resident *r, const char *what)
{
    poison(r);
    eig_status const status = enqueue(ctx, o, r);
    if (status != EIG_OK) fail_msg("%s: %s", what, eig_error_detail(ctx));
    same(r, what);
}

static const eig_heev_method methods[]
    __attribute__((unused)) = {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_REFERENCE};

static int64_t const orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 35, 40, 48, 57};
static int64_t const few[] = {3, 4, 5, 7, 13, 18, 29, 35};

static inline size_t order_count(void)
{
    return small ? COUNT(few) : COUNT(orders);
}

static inline int64_t order_of(size_t k)
{
    return small ? few[k] : orders[k];
}

#endif
