/* Checksums of results: the bits that a change of house must not change.
 *
 *     bits DEVICE [FOLDER [isa]]   prints a line for each case, "name checksum"; with FOLDER, compares with the lines of
 *                                  the file there that is named after the instruction set, or cuda.txt, instead; with
 *                                  isa, without the cases that are the same code for every instruction set
 *
 * Inputs are random numbers that are the same on every machine and exact integers; checksums are FNV-1a over the bytes
 * of all outputs, NaN in one form.  The files in this folder hold what each instruction set and the GPU gave. */
#include "bits.h"

#include "io/matrices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

eig_context *bits_ctx;
static uint64_t sum;
static FILE *held;
static bool isa_only;        /* no interval tree */
static bool held_is_partial; /* the GPU's file may lack cases: they are skipped, not wrong */
static char name_held[128];  /* of the next line of the file */
static unsigned long long sum_held;
static int cases, differing, missing;

void bits_digest(const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) sum = (sum ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
}

/* Reals of a type, with one pattern for all NaN. */
void bits_reals(eig_type type, const void *x, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        double const v = type == EIG_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
        uint64_t const nan = UINT64_C(0x7ff8000000000000);
        bits_digest(isnan(v) ? (const void *)&nan : (const void *)&v, sizeof v);
    }
}

static void next_held(void)
{
    if (fscanf(held, "%127s %llx", name_held, &sum_held) != 2) name_held[0] = 0;
}

/* A problem that cannot be computed ends the program. */
void bits_demand(eig_status status)
{
    if (status == EIG_OK) return;
    printf("%s\n", eig_error_detail(bits_ctx));
    exit(1);
}

void bits_end_case(const char *name)
{
    char line[160];
    ++cases;
    snprintf(line, sizeof line, "%s %016llx", name, (unsigned long long)sum);
    if (!held) {
        puts(line);
    } else if (held_is_partial && strcmp(name_held, name) != 0) {
        printf("not held: %s\n", line);
        ++missing;
    } else {
        if (strcmp(name_held, name) != 0 || sum_held != sum) {
            printf("differs: %s\n", line);
            ++differing;
        }
        next_held();
    }
    sum = UINT64_C(14695981039346656037);
}

/* Whether a case goes without: its line is passed over. */
static bool left_out(const char *name, bool tree)
{
    if (!isa_only || !tree) return false;
    if (strcmp(name_held, name) == 0) next_held();
    return true;
}

void *bits_room(int64_t count)
{
    void *const p = calloc((size_t)(count > 0 ? count : 1), 16);
    if (!p) exit(1);
    return p;
}

static void put(eig_type type, void *x, int64_t i, double value)
{
    if (type == EIG_S)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* ------------------------------------------------------------------- stebz */

enum {
    STEBZ_UNIFORM,
    STEBZ_WILKINSON,
    STEBZ_GRADED,
    STEBZ_TOEPLITZ,
    STEBZ_SPLIT,
    STEBZ_TINY,
    STEBZ_ZERO,
    STEBZ_NAN,
    STEBZ_KINDS
};
static const char *const stebz_kinds[] = {"uniform", "wilkinson", "graded", "toeplitz", "split", "tiny", "zero", "nan"};

/* Entry i of the diagonal or off-diagonal. */
static double stebz_entry(int kind, bool diagonal, int64_t n, int64_t i, matrices_rng *rng)
{
    double const u = 2 * matrices_uniform(rng) - 1;
    switch (kind) {
    case STEBZ_WILKINSON:
        return diagonal ? fabs((double)(i % 21) - 10) : i % 21 == 20 ? 0x1p-26 : 1;
    case STEBZ_GRADED:
        return ldexp(diagonal ? 1 + 0.5 * u : u, (int)(-(i * 60) / (n > 1 ? n : 1)));
    case STEBZ_TOEPLITZ:
        return diagonal ? 2 : -1;
    case STEBZ_SPLIT:
        return diagonal || i % 3 > 0 ? u : 0;
    case STEBZ_TINY:
        return ldexp(u, -100);
    case STEBZ_ZERO:
        return 0;
    case STEBZ_NAN:
        return diagonal && i == n / 2 ? NAN : u;
    default:
        return u;
    }
}

static void stebz_fill(eig_type type, int kind, int64_t n, uint64_t seed, void *d, void *e)
{
    matrices_rng rng = matrices_seed(seed);
    for (int64_t i = 0; i < n; ++i) put(type, d, i, stebz_entry(kind, true, n, i, &rng));
    for (int64_t i = 0; i + 1 < n; ++i) put(type, e, i, stebz_entry(kind, false, n, i, &rng));
}

static void stebz_one(eig_type type, int kind, int64_t n, const eig_stebz_options *c, bool bounds)
{
    void *const d = bits_room(n), *const e = bits_room(n), *const w = bits_room(n), *const lower = bits_room(n),
                *const upper = bits_room(n);
    int64_t m = -1;
    int info = -7;
    stebz_fill(type, kind, n, (uint64_t)(n + kind), d, e);
    bits_demand(eig_stebz(bits_ctx, type, c, n, d, e, &m, w, bounds ? lower : NULL, bounds ? upper : NULL, &info));
    bits_digest(&m, sizeof m);
    bits_digest(&info, sizeof info);
    bits_reals(type, w, m > 0 ? m : 1);
    if (bounds && m > 0) bits_reals(type, lower, m), bits_reals(type, upper, m);
    free(d), free(e), free(w), free(lower), free(upper);
}

static void stebz_singles(eig_type type)
{
    static const int64_t orders[] = {1, 2, 3, 16, 17, 33, 100, 515, 1100};
    static const struct {
        const char *name;
        eig_stebz_options c;
        bool bounds;
    } calls[] = {
        {"all", {sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_MULTISECTION, 0, 0, 0, 0, 0, 0, 0, 0}, false},
        {"bounds", {sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_MULTISECTION, 0, 0, 0, 0, 0, 0, 0, 0}, true},
        {"index", {sizeof(eig_stebz_options), EIG_RANGE_INDEX, EIG_STEBZ_MULTISECTION, 0, 0, 0, 0, 0, 0, 0, 0}, true},
        {"value",
         {sizeof(eig_stebz_options), EIG_RANGE_VALUE, EIG_STEBZ_MULTISECTION, 0, 0, -0.3, 0.7, 0, 0, 0, 0},
         true},
        {"loose", {sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_MULTISECTION, 0, 0, 0, 0, 1e-4, 0, 0, 0}, true},
        {"tight", {sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_MULTISECTION, 0, 0, 0, 0, 1e-30, 0, 0, 0}, true},
        {"tree", {sizeof(eig_stebz_options), EIG_RANGE_ALL, EIG_STEBZ_INTERVAL_TREE, 0, 0, 0, 0, 0, 0, 0, 0}, true},
        {"tree-index",
         {sizeof(eig_stebz_options), EIG_RANGE_INDEX, EIG_STEBZ_INTERVAL_TREE, 0, 0, 0, 0, 1e-5, 0, 0, 0},
         true}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
        for (int kind = 0; kind < STEBZ_KINDS; ++kind) {
            char name[100];
            snprintf(name, sizeof name, "stebz-%c-%s-%s", type, calls[k].name, stebz_kinds[kind]);
            if (left_out(name, calls[k].c.method == EIG_STEBZ_INTERVAL_TREE)) continue;
            for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
                eig_stebz_options c = calls[k].c;
                c.il = orders[i] / 3 + 1, c.iu = orders[i] / 2 + 1;
                if (c.iu < c.il || c.iu > orders[i]) c.iu = c.il;
                stebz_one(type, kind, orders[i], &c, calls[k].bounds);
            }
            bits_end_case(name);
        }
}

static void stebz_batches(eig_type type)
{
    static const int64_t orders[] = {1, 2, 5, 24, 32, 33, 100, 300, 700};
    for (int pass = 0; pass < 4; ++pass) {
        char name[100];
        static const char *const names[] = {"all", "index", "tight", "tree"};
        snprintf(name, sizeof name, "stebz-batched-%c-%s", type, names[pass]);
        if (left_out(name, pass == 3)) continue;
        for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
            int64_t const n = orders[i], batch = 37, sd = n + 3, se = n + 1, sw = n + 2;
            size_t const size = eig_type_size(type);
            char *const d = bits_room(batch * sd), *const e = bits_room(batch * se);
            void *const w = bits_room(batch * sw), *const lower = bits_room(batch * sw),
                        *const upper = bits_room(batch * sw);
            int info[37];
            for (int64_t b = 0; b < batch; ++b)
                stebz_fill(type, (int)(b % STEBZ_KINDS), n, (uint64_t)(n * 1000 + b), d + (size_t)(b * sd) * size,
                           e + (size_t)(b * se) * size);
            eig_stebz_options c = EIG_STEBZ_OPTIONS;
            c.method = pass == 3 ? EIG_STEBZ_INTERVAL_TREE : EIG_STEBZ_MULTISECTION;
            c.range = pass == 1 ? EIG_RANGE_INDEX : EIG_RANGE_ALL, c.il = n / 2 + 1, c.iu = n;
            c.abstol = pass == 2 ? 1e-30 : 0;
            bits_demand(eig_stebz_batched(bits_ctx, type, &c, n, d, sd, e, se, w, pass == 0 ? NULL : lower,
                                          pass == 0 ? NULL : upper, sw, info, batch));
            bits_digest(info, sizeof info);
            bits_reals(type, w, batch * sw);
            bits_reals(type, lower, batch * sw), bits_reals(type, upper, batch * sw);
            free(d), free(e), free(w), free(lower), free(upper);
        }
        bits_end_case(name);
    }
}

static void stebz_counts_of(eig_type type)
{
    for (int kind = 0; kind < STEBZ_NAN; ++kind) {
        for (int64_t n = 1; n < 2000; n = 3 * n + 1) {
            enum { SHIFTS = 101 };
            void *const d = bits_room(n), *const e = bits_room(n), *const x = bits_room(SHIFTS);
            int64_t count[SHIFTS];
            stebz_fill(type, kind, n, (uint64_t)(n + 7), d, e);
            for (int j = 0; j < SHIFTS; ++j)
                put(type, x, j, j == 0 ? -INFINITY : j == 1 ? INFINITY : (j - 50) * 0.0625);
            bits_demand(eig_stebz_count(bits_ctx, type, n, d, e, SHIFTS, x, count, NULL));
            bits_digest(count, sizeof count);
            free(d), free(e), free(x);
        }
        char name[100];
        snprintf(name, sizeof name, "stebz-count-%c-%s", type, stebz_kinds[kind]);
        bits_end_case(name);
    }
}

/* -------------------------------------------------------------------- geev */

/* Matrix b of a batch, of one of eight kinds by its number. */
static double geev_entry(int64_t n, int64_t b, int64_t i, int64_t j, matrices_rng *rng)
{
    double const u = 2 * matrices_uniform(rng) - 1;
    switch (b % 8) {
    case 1: /* badly scaled */
        return ldexp(u, (int)(3 * (i - j)));
    case 2: /* block triangular, permuted */
        return (i * 7 % n > n / 2) && (j * 7 % n <= n / 2) ? 0 : u;
    case 3: /* companion */
        return i == 0 ? u : i == j + 1 ? 1 : 0;
    case 4: /* cyclic shift: exceptional shifts */
        return (i + 1) % n == j ? 1 : 0;
    case 5: /* tiny or huge */
        return ldexp(u, b % 16 == 5 ? -120 : 110);
    case 6: /* symmetric integers */
        return (double)((i * j + i + j) % 7);
    case 7:
        return b % 16 == 15 && i == n - 1 && j == 0 ? INFINITY : u;
    default:
        return u;
    }
}

static void geev_batch(eig_type type, int64_t n, int64_t batch, const eig_geev_options *c)
{
    int64_t const lda = n + 1, sw = n + 1;
    int64_t const stride = c->layout == 'E' ? batch + 3 : c->layout == 'R' ? batch * lda + 2 : lda * n + 5;
    int64_t const entries = c->layout == 'E' ? n * lda * stride : c->layout == 'R' ? n * stride : batch * stride;
    void *const a = bits_room(entries), *const w = bits_room(batch * sw);
    int *const info = bits_room(batch);
    for (int64_t b = 0; b < batch; ++b) {
        matrices_rng rng = matrices_seed((uint64_t)(1000 * n + b));
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                int64_t const at = c->layout == 'E'   ? (i * lda + j) * stride + b
                                   : c->layout == 'R' ? i * stride + b * lda + j
                                                      : i + j * lda + b * stride;
                put(type, a, at, geev_entry(n, b, i, j, &rng));
            }
    }
    bits_demand(
        eig_geev_batched(bits_ctx, type, c, n, a, lda, stride, w, sw, NULL, 0, 0, NULL, 0, 0, NULL, info, batch));
    bits_digest(info, (size_t)batch * sizeof *info);
    bits_reals(type, w, 2 * batch * sw);
    free(a), free(w), free(info);
}

static void geev_batches(eig_type type)
{
    static const struct {
        const char *name;
        eig_geev_options c;
    } calls[] = {
        {"auto", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"element-wise", {sizeof(eig_geev_options), EIG_LAYOUT_ELEMENT_WISE, EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"row-wise", {sizeof(eig_geev_options), EIG_LAYOUT_ROW_WISE, EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"swb", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_SWB, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"mwb", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"swb1", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_SWB, 0, 1, 0, 0, 0, 0, 0, 0}},
        {"swb2", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_SWB, 0, 2, 0, 0, 0, 0, 0, 0}},
        {"swb4", {sizeof(eig_geev_options), EIG_LAYOUT_ELEMENT_WISE, EIG_GEEV_SWB, 0, 4, 0, 0, 0, 0, 0, 0}},
        {"swb8", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_SWB, 0, 8, 0, 0, 0, 0, 0, 0}},
        {"swb16", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_SWB, 0, 16, 0, 0, 0, 0, 0, 0}},
        {"swb32", {sizeof(eig_geev_options), EIG_LAYOUT_ROW_WISE, EIG_GEEV_SWB, 0, 32, 0, 0, 0, 0, 0, 0}},
        {"mwb2", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 2, 0, 0, 0, 0, 0, 0}},
        {"mwb4", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 4, 0, 0, 0, 0, 0, 0}},
        {"mwb8", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 8, 0, 0, 0, 0, 0, 0}},
        {"mwb16", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 16, 0, 0, 0, 0, 0, 0}},
        {"mwb32", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_MWB, 0, 32, 0, 0, 0, 0, 0, 0}},
        {"plain-scaling", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 1, 0, 0, 0, 0, 0, 0, 0}},
        {"gives-up", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 0, 0, 0, 3, 0, 0, 0, 0}},
        {"auto1", {sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 0, 1, 0, 0, 0, 0, 0, 0}}};
    static const int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                         middle[] = {17, 18, 19, 20, 24, 25, 29, 31, 32, 33}, large[] = {40, 48, 56, 57, 64, 65, 70};
    static const struct {
        const char *name;
        const int64_t *orders;
        size_t count;
        int64_t batch;
    } parts[] = {{"small", small, 16, 300}, {"middle", middle, 10, 70}, {"large", large, 7, 35}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
        for (int part = 0; part < 3; ++part) {
            char name[100];
            for (size_t i = 0; i < parts[part].count; ++i)
                geev_batch(type, parts[part].orders[i], parts[part].batch, &calls[k].c);
            snprintf(name, sizeof name, "geev-%c-%s-%s", type, calls[k].name, parts[part].name);
            bits_end_case(name);
        }
}

static void geev_affine_of(eig_type type, char measure, bool with_w)
{
    static const int64_t orders[] = {1, 2, 4, 7, 10, 13, 15, 20, 33, 50, 66};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        int64_t const n = orders[i], m = 3, points = n > 30 ? 20 : 100, lda = n + 2, sa = lda * n + 1, sx = m + 1;
        void *const a = bits_room((m + 1) * sa), *const x = bits_room(points * sx), *const w = bits_room(points * n),
                    *const value = bits_room(points);
        int *const info = bits_room(points);
        matrices_rng rng = matrices_seed((uint64_t)n);
        for (int64_t k = 0; k < (m + 1) * sa; ++k) put(type, a, k, 2 * matrices_uniform(&rng) - 1);
        for (int64_t k = 0; k < points * sx; ++k) put(type, x, k, 2 * matrices_uniform(&rng) - 1);
        eig_geev_options const c = {
            sizeof(eig_geev_options), EIG_LAYOUT_MATRIX_WISE, EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0};
        bits_demand(eig_geev_affine(bits_ctx, type, &c, n, m, a, lda, sa, x, sx, with_w ? w : NULL, n,
                                    (eig_geev_measure)measure, value, info, points));
        bits_digest(info, (size_t)points * sizeof *info);
        bits_reals(type, w, 2 * points * n);
        bits_reals(type, value, points);
        free(a), free(x), free(w), free(value), free(info);
    }
    char name[100];
    snprintf(name, sizeof name, "geev-affine-%c-%c%s", type, measure, with_w ? "-w" : "");
    bits_end_case(name);
}

/* The file of the device: the word after "cpu" in its description, e.g. "cpu avx512, 16 threads", or cuda. */
static bool open_held(const char *folder)
{
    char path[1000], word[20] = "cuda";
    sscanf(eig_describe(bits_ctx), "cpu %19[a-z0-9]", word);
#ifdef __ARM_FEATURE_FMA
    if (strcmp(word, "baseline") == 0) strcpy(word, "avx2"); /* every instruction set with FMA has the same bits */
#endif
    snprintf(path, sizeof path, "%s/%s.txt", folder, word);
    held = fopen(path, "r");
    held_is_partial = strcmp(word, "cuda") == 0;
    if (held)
        next_held();
    else
        printf("skipped: no %s\n", path);
    return held != NULL;
}

/* Orders above those of the lanes, with everything, on a CPU. */
static void geev_vectors_of(eig_type type)
{
    static const int64_t orders[] = {66, 130, 270};
    int64_t const parts = type == EIG_C || type == EIG_Z ? 2 : 1;
    eig_type const real = type == EIG_S || type == EIG_C ? EIG_S : EIG_D;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        int64_t const n = orders[i], lda = n + 1;
        void *const a = bits_room(lda * n * parts), *const w = bits_room(n), *const vl = bits_room(n * n),
                    *const vr = bits_room(n * n), *const condition = bits_room(n);
        int info;
        matrices_rng rng = matrices_seed((uint64_t)n);
        for (int64_t k = 0; k < lda * n * parts; ++k) put(real, a, k, 2 * matrices_uniform(&rng) - 1);
        bits_demand(eig_geev(bits_ctx, type, NULL, n, a, lda, w, vl, n, vr, n, condition, &info));
        bits_digest(&info, sizeof info);
        bits_reals(real, w, 2 * n);
        bits_reals(real, vl, 2 * n * n);
        bits_reals(real, vr, 2 * n * n);
        bits_reals(real, condition, n);
        free(a), free(w), free(vl), free(vr), free(condition);
    }
    char name[100];
    snprintf(name, sizeof name, "geev-vectors-%c", type);
    bits_end_case(name);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    if (eig_create(&bits_ctx, argv[1]) != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(bits_ctx));
        return 77;
    }
    if (argc > 2 && !open_held(argv[2])) return 77;
    isa_only = argc > 3 && strcmp(argv[3], "isa") == 0;
    sum = UINT64_C(14695981039346656037);
    for (int turn = 0; turn < 2; ++turn) {
        eig_type const type = turn == 0 ? EIG_S : EIG_D;
        stebz_singles(type);
        stebz_batches(type);
        stebz_counts_of(type);
        geev_batches(type);
        for (const char *measure = "ARD"; *measure; ++measure) geev_affine_of(type, *measure, true);
        geev_affine_of(type, 'A', false);
    }
    for (const char *type = strcmp(argv[1], "cpu") == 0 ? "sdcz" : ""; *type; ++type) geev_vectors_of((eig_type)*type);
    for (const char *type = "sdcz"; *type; ++type) bits_heev((eig_type)*type);
    for (const char *type = "sd"; *type; ++type) bits_stemr((eig_type)*type);
    if (strcmp(argv[1], "cpu") == 0) bits_calls();
    if (held) printf("%d cases on %s, %d differ, %d not held\n", cases, eig_describe(bits_ctx), differing, missing);
    eig_destroy(bits_ctx);
    return differing > 0 || name_held[0] ? 1 : missing > 0 ? 77 : 0;
}
