/* The certificates of heev and geev on CUDA, from the inside: results that are good by construction pass, and of a
 * batch in which one matrix has a wrong eigenvalue or eigenvector that one is listed, once.
 *
 *     test_certify_cuda [small] [SEED]     exit status 0 where all hold, 1 where one fails, 77 without a GPU
 *
 * A = V diag(w) V^H, V unitary: w is real for heev; for geev complex matrices have complex values, real ones conjugate
 * pairs, too.
 * small: fewer orders, for compute-sanitizer and the emulation. */
#include "geev/geev_cuda.cuh"
#include "heev/heev_cuda.cuh"

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

typedef std::complex<double> complex;

static int failures, cases, singles, missed; /* singles: in single precision, and those not listed */
static eig_context *ctx;
static std::mt19937_64 source;

enum { BATCH = 5, WRONG = 2 }; /* matrices, and which of them has a fault */

static void must(cudaError_t code)
{
    if (code == cudaSuccess) return;
    printf("FAILED - %s\n", cudaGetErrorString(code));
    exit(1);
}

static double uniform()
{
    return (double)(source() >> 11) * 0x1p-52 - 1;
}

/* ------------------------------------------------------------------------------ matrices with their results */

struct solved {
    eig_type type;
    int n;
    std::vector<complex> a, v, w; /* column-major */
};

static bool is_complex(eig_type type)
{
    return type_is_complex(type);
}

/* Unitary: reflections of the identity, or blocks of order 2 on the diagonal, in which an error may be an imaginary
 * number in one place. */
static std::vector<complex> unitary(int n, bool with_imaginary, bool blocks)
{
    std::vector<complex> v((size_t)n * n), u(n);
    for (int i = 0; i < n; ++i) v[i + (size_t)i * n] = 1;
    for (int k = 0; blocks && k + 1 < n; k += 2) {
        double const angle = 0.8 + 0.3 * uniform(), phase = with_imaginary ? 1.5 + uniform() : 0;
        complex const s = std::polar(std::sin(angle), phase);
        complex *const at = &v[k + (size_t)k * n];
        at[0] = at[n + 1] = std::cos(angle), at[1] = s, at[n] = -std::conj(s);
    }
    for (int round = 0; !blocks && round < 3; ++round) {
        double size = 0;
        for (complex &x : u) x = {uniform(), with_imaginary ? uniform() : 0}, size += std::norm(x);
        for (int j = 0; j < n; ++j) {
            complex dot = 0;
            for (int i = 0; i < n; ++i) dot += std::conj(u[i]) * v[i + (size_t)j * n];
            for (int i = 0; i < n; ++i) v[i + (size_t)j * n] -= 2 / size * dot * u[i];
        }
    }
    return v;
}

/* hermitian: w is real; else the first half of a real matrix's values are conjugate pairs. */
static solved make(eig_type type, int n, bool hermitian, bool blocks)
{
    solved x = {type, n, std::vector<complex>((size_t)n * n), unitary(n, is_complex(type), blocks),
                std::vector<complex>(n)};
    for (complex &w : x.w) w = {uniform(), !hermitian && is_complex(type) ? uniform() : 0};
    for (int k = 0; !hermitian && !is_complex(type) && k + 1 < n / 2; k += 2) {
        x.w[k].imag(0.5 + std::abs(uniform())), x.w[k + 1] = std::conj(x.w[k]);
        for (int i = 0; i < n; ++i) {
            complex &p = x.v[i + (size_t)k * n], &q = x.v[i + (size_t)(k + 1) * n];
            p = (p + complex(0, 1) * q) * std::sqrt(0.5), q = std::conj(p);
        }
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            complex sum = 0;
            for (int k = 0; k < n; ++k) sum += x.v[i + (size_t)k * n] * x.w[k] * std::conj(x.v[j + (size_t)k * n]);
            x.a[i + (size_t)j * n] = sum;
        }
    return x;
}

enum fault {
    NONE,
    SIGN,      /* of one component */
    PLACES,    /* two components change places */
    COLUMNS,   /* two vectors change places */
    COPY,      /* one vector twice */
    CONJUGATE, /* of one component */
    TURN,      /* two vectors in their plane, by a small angle */
    LENGTH,
    VALUE,
    NAN_VALUE,
    NAN_VECTOR,
    FAULTS
};
static const char *const names[FAULTS] = {"none", "sign",   "places", "columns",   "copy",      "conjugate",
                                          "turn", "length", "value",  "NaN value", "NaN vector"};

static void plant(solved *x, fault f)
{
    int const n = x->n, k = (int)(source() % (n - n % 2)), l = (k + 1 + (int)(source() % (n - 1))) % n;
    complex *const p = &x->v[(size_t)k * n], *const q = &x->v[(size_t)l * n];
    int most = 0, next = 0; /* components of p with the largest parts */
    for (int i = 0; i < n; ++i)
        if ((f == CONJUGATE ? std::abs(p[i].imag() * p[i].real()) : std::abs(p[i])) >
            (f == CONJUGATE ? std::abs(p[most].imag() * p[most].real()) : std::abs(p[most])))
            most = i;
    for (int i = 0; i < n; ++i)
        if (std::abs(p[i] - p[most]) > std::abs(p[next] - p[most])) next = i;
    switch (f) {
    case SIGN:
        p[most] = -p[most];
        return;
    case PLACES:
        std::swap(p[most], p[next]);
        return;
    case COLUMNS:
        for (int i = 0; i < n; ++i) std::swap(p[i], q[i]);
        return;
    case COPY:
        for (int i = 0; i < n; ++i) p[i] = q[i];
        return;
    case CONJUGATE:
        p[most] = std::conj(p[most]);
        return;
    case TURN:
        for (int i = 0; i < n; ++i) {
            complex const a = p[i], b = q[i];
            p[i] = std::cos(0.03) * a + std::sin(0.03) * b, q[i] = std::cos(0.03) * b - std::sin(0.03) * a;
        }
        return;
    case LENGTH:
        for (int i = 0; i < n; ++i) p[i] *= 1.01;
        return;
    case VALUE:
        x->w[k] += 0.05;
        return;
    case NAN_VALUE:
        x->w[k] = NAN;
        return;
    case NAN_VECTOR:
        p[most] = NAN;
        return;
    default:
        return;
    }
}

/* ------------------------------------------------------------------------------ on the device */

/* Appends numbers in the library's type. */
static void append(std::vector<char> *to, const std::vector<complex> &from, bool single, bool with_imaginary)
{
    auto const put = [&](double x) {
        float const rounded = (float)x;
        const char *const bytes = single ? (const char *)&rounded : (const char *)&x;
        to->insert(to->end(), bytes, bytes + (single ? sizeof rounded : sizeof x));
    };
    for (complex const x : from) {
        put(x.real());
        if (with_imaginary) put(x.imag());
    }
}

struct device_bytes {
    void *at = NULL;
    explicit device_bytes(const std::vector<char> &from)
    {
        must(cudaMalloc(&at, from.size()));
        must(cudaMemcpy(at, from.data(), from.size(), cudaMemcpyHostToDevice));
    }
    explicit device_bytes(size_t bytes, int with)
    {
        must(cudaMalloc(&at, bytes));
        must(cudaMemset(at, with, bytes));
    }
    device_bytes(const device_bytes &) = delete;
    ~device_bytes()
    {
        cudaFree(at);
    }
};

static std::vector<complex> transposed(const std::vector<complex> &x, int n)
{
    std::vector<complex> t(x.size());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) t[j + (size_t)i * n] = x[i + (size_t)j * n];
    return t;
}

static std::vector<solved> batch_of(eig_type type, int n, bool hermitian, bool blocks)
{
    std::vector<solved> all;
    for (int b = 0; b < BATCH; ++b) all.push_back(make(type, n, hermitian, blocks));
    return all;
}

static std::vector<char> bytes_of(const std::vector<solved> &all, const std::vector<complex> solved::*part, bool across,
                                  bool with_imaginary)
{
    std::vector<char> bytes;
    for (const solved &x : all)
        append(&bytes, across ? transposed(x.*part, x.n) : x.*part, type_is_single(x.type), with_imaginary);
    return bytes;
}

/* That the faulty matrix alone was listed.  In single precision the bounds are so wide that an error of some per cent
 * of ||A|| passes by a chance of one in some hundreds. */
static void expect_listed(const std::vector<int64_t> &listed, eig_type type, fault f, const std::string &name)
{
    bool const holds = f == NONE ? listed.empty() : listed.size() == 1 && listed[0] == WRONG;
    ++cases, singles += type_is_single(type);
    if (holds) return;
    bool const passes = type_is_single(type) && f != NONE && listed.empty();
    ++(passes ? missed : failures);
    printf("%s - %s, fault in matrix %d: %s: listed", passes ? "missed" : "FAILED", name.c_str(), WRONG, names[f]);
    for (int64_t const b : listed) printf(" %lld", (long long)b);
    printf("\n");
}

static eig_status run_heev(eig_type type, int n, bool row_major, bool blocks, fault f)
{
    const heev_kernels *const k = eig_cuda_heev_kernels(type);
    std::vector<solved> all = batch_of(type, n, true, blocks);
    plant(&all[WRONG], f);
    device_bytes const a(bytes_of(all, &solved::a, row_major, is_complex(type))),
        v(bytes_of(all, &solved::v, row_major, is_complex(type))), w(bytes_of(all, &solved::w, false, false)),
        info((size_t)BATCH * sizeof(int), 0);
    heev_problem p = {};
    p.type = type, p.n = n, p.batch = p.all = BATCH, p.a = a.at, p.lda = p.ldv = n;
    p.stride_a = p.stride_v = (int64_t)n * n, p.row_major = row_major, p.upper = blocks, p.w = w.at, p.stride_w = n;
    p.vectors = p.certify = true, p.v = v.at, p.info = (int *)info.at, p.range = EIG_RANGE_ALL, p.il = 1, p.iu = n;
    p.tolerance = 1;
    heev_job job = {};
    job.p = p, job.at_a = heev_strides_of(&p), job.at_v = heev_strides_of_v(&p), job.count = BATCH, job.columns = n;
    job.repairs = cuda_state_of(ctx)->repairs;
    arena measure = {NULL, 0};
    eig_cuda_heev_carve_certificate(&measure, ctx, &p, BATCH, &job);
    device_bytes const work(measure.used, 0xff);
    arena own = {(char *)work.at, 0};
    eig_cuda_heev_carve_certificate(&own, ctx, &p, BATCH, &job);
    eig_status status = k->certify_sums(ctx, job, NULL);
    if (status == EIG_OK) status = k->certify_judge(ctx, job, NULL);
    if (status != EIG_OK) return status;
    int count = 0;
    must(cudaMemcpy(&count, job.doubts, sizeof count, cudaMemcpyDeviceToHost));
    std::vector<int64_t> listed((size_t)count);
    must(cudaMemcpy(listed.data(), job.doubtful, listed.size() * sizeof listed[0], cudaMemcpyDeviceToHost));
    expect_listed(listed, type, f,
                  std::string("heev ") + (char)type + " n=" + std::to_string(n) + (row_major ? " rows" : " columns"));
    return EIG_OK;
}

/* sides: 1 right vectors, 2 left ones, 3 both; the fault is in the left ones where there are some. */
static eig_status run_geev(eig_type type, int n, bool row_major, int sides, fault f)
{
    static geev_launch *const certify[] = {eig_cuda_geev_certify_s, eig_cuda_geev_certify_d, eig_cuda_geev_certify_c,
                                           eig_cuda_geev_certify_z};
    std::vector<solved> all = batch_of(type, n, false, false);
    device_bytes const a(bytes_of(all, &solved::a, row_major, is_complex(type))),
        good(bytes_of(all, &solved::v, false, true));
    plant(&all[WRONG], f);
    device_bytes const v(bytes_of(all, &solved::v, false, true)), w(bytes_of(all, &solved::w, false, true));
    geev_slice slice = {};
    geev_problem *const p = &slice.p;
    p->type = type, p->n = n, p->batch = p->all = BATCH, p->a = a.at, p->lda = p->ldvl = p->ldvr = n;
    p->stride_a = p->stride_vl = p->stride_vr = (int64_t)n * n, p->row_major = row_major, p->w = w.at, p->stride_w = n;
    p->vectors = p->certify = p->balance = true, p->vl = sides & 2 ? v.at : NULL,
    p->vr = sides == 1   ? v.at
            : sides == 3 ? good.at
                         : NULL;
    slice.count = BATCH, slice.repairs = cuda_state_of(ctx)->repairs;
    eig_cuda_geev_slice_certificate(ctx, (int64_t)1 << 28, &slice);
    arena measure = {NULL, 0};
    eig_cuda_geev_carve_certificate(&measure, &slice);
    device_bytes const work(measure.used, 0xff), spreads(2 * sizeof(int) * BATCH, 0);
    arena own = {(char *)work.at, 0};
    eig_cuda_geev_carve_certificate(&own, &slice);
    slice.spreads = (unsigned *)spreads.at, slice.spread = (int *)spreads.at + 1;
    static_cast<geev_list_work &>(slice) = slice.doubts;
    must(cudaMemset(slice.queue, 0, sizeof *slice.queue));
    eig_status const status = certify[std::string("sdcz").find((char)type)](ctx, slice, NULL);
    if (status != EIG_OK) return status;
    geev_queue queue;
    must(cudaMemcpy(&queue, slice.queue, sizeof queue, cudaMemcpyDeviceToHost));
    std::vector<int64_t> list(BATCH), listed;
    must(cudaMemcpy(list.data(), slice.failed, list.size() * sizeof list[0], cudaMemcpyDeviceToHost));
    for (unsigned long long k = 0; k < queue.failed; ++k) listed.push_back(list[k]);
    for (unsigned long long k = 0; k < queue.doubtful; ++k) listed.push_back(list[BATCH - 1 - k]);
    expect_listed(listed, type, f,
                  std::string("geev ") + (char)type + " n=" + std::to_string(n) + (row_major ? " rows" : " columns") +
                      (sides == 1   ? " right"
                       : sides == 2 ? " left"
                                    : " both"));
    return EIG_OK;
}

int main(int argc, char **argv)
{
    bool const small = argc > 1 && strcmp(argv[1], "small") == 0;
    if (eig_create(&ctx, "cuda") != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(ctx));
        eig_destroy(ctx);
        return 77;
    }
    source.seed(argc > 1 + small ? strtoull(argv[1 + small], NULL, 10) : 1);
    std::vector<int> const orders = small ? std::vector<int>{3, 16, 33, 65}
                                          : std::vector<int>{2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 40, 64, 65, 97, 130};
    eig_status status = EIG_OK;
    for (int n : orders)
        for (eig_type type : {EIG_S, EIG_D, EIG_C, EIG_Z})
            for (int f = NONE; f < FAULTS && status == EIG_OK; ++f) {
                if (f == CONJUGATE && !is_complex(type)) continue;
                for (int kind = 0; kind < 4 && status == EIG_OK; ++kind) {
                    if (n > HEEV_TINY) status = run_heev(type, n, kind % 2 == 1, kind / 2 == 1, (fault)f);
                    if (kind < 3 && status == EIG_OK) status = run_geev(type, n, kind % 2 == 1, kind + 1, (fault)f);
                }
            }
    if (status != EIG_OK) printf("FAILED - %s\n", eig_error_detail(ctx));
    printf("%d cases, %d failed; %d in single precision, %d missed\n", cases, failures, singles, missed);
    eig_destroy(ctx);
    return failures > 0 || missed > singles / 100 || status != EIG_OK;
}
