/* The MEX gateway of Octave's package: eigpack_gateway(COMMAND, ...) is one call of the library on host arrays.  The
 * functions in inst/ read options and give results their shapes; sizes, classes and failures are checked here.
 *
 * Octave keeps real and imaginary parts apart, MATLAB with -R2018a interleaves them as the library does: only
 * read_numbers and complex_result know. */
#include <eigpack.h>
#include <math.h>
#include <mex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef EIG_OCTAVE
#include <quit.h>
#endif

/* One context a device, the one that was used last in front; the call uses that. */
enum { MOST_CONTEXTS = 4, LONGEST_NAME = 64 };
static struct {
    char device[LONGEST_NAME];
    eig_context *context;
} open_contexts[MOST_CONTEXTS];
static eig_context *context;

/* What a call is asked for beside its arrays: device, threads, same_bits. */
enum { SETTINGS = 3 };
static int same_bits;

static const eig_heev_options *heev_options(void)
{
    static eig_heev_options options = EIG_HEEV_OPTIONS;
    options.same_bits_in_batches = same_bits;
    return &options;
}

static const eig_geev_options *geev_options(void)
{
    static eig_geev_options options = EIG_GEEV_OPTIONS;
    options.same_bits_in_batches = same_bits;
    return &options;
}

static void close_contexts(void)
{
    for (int k = 0; k < MOST_CONTEXTS; k++) {
        eig_destroy(open_contexts[k].context);
        open_contexts[k].context = NULL;
    }
    context = NULL;
}

/* Octave's signal handler counts; Octave ends the command once the gateway has returned. */
static int interrupted(void *user, double fraction)
{
    (void)user, (void)fraction;
#ifdef EIG_OCTAVE
    return octave_interrupt_state > 0;
#else
    return 0;
#endif
}

/* ------------------------------------------------------------------ errors */

/* Octave's mexErrMsgIdAndTxt puts the gateway's name before the text, which users do not know; its `error` does not. */
static void fail(const char *id, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mxArray *call[3] = {mxCreateString(id), mxCreateString("eigpack: %s"), mxCreateString(text)};
    mexCallMATLAB(0, NULL, 3, call, "error");
    mexErrMsgIdAndTxt(id, "%s", text); /* not reached: `error` does not return */
}

static void check(eig_status status)
{
    if (status == EIG_OK) return;
    const char *id = "eigpack:deviceFailure";
    if (status == EIG_BAD_ARGUMENT) id = "eigpack:badArgument";
    if (status == EIG_NO_MEMORY) id = "eigpack:noMemory";
    if (status == EIG_CANCELLED) id = "eigpack:cancelled";
#ifdef EIG_OCTAVE
    if (status == EIG_CANCELLED) octave_interrupt_state = 0; /* else `error` ends without its text */
#endif
    const char *detail = context ? eig_error_detail(context) : "";
    fail(id, "%s", *detail ? detail : eig_status_text(status));
}

/* n: the order of geev's matrices, whose info may be n + 1; else -1. */
static void check_info(const int *info, int64_t batch, const char *what, int64_t n)
{
    int64_t failed = 0, first = -1;
    for (int64_t b = 0; b < batch; b++) {
        if (info[b] == EIG_INFO_OK) continue;
        if (failed++ == 0) first = b;
    }
    if (failed == 0) return;
    const char *id = info[first] == EIG_INFO_NOT_FINITE ? "eigpack:notFinite" : "eigpack:notConverged";
    fail(id, "%lld of %lld failed, the first is %s %lld: %s", (long long)failed, (long long)batch, what,
         (long long)first + 1, eig_geev_info_text(n, info[first]));
}

static void need(bool good, const char *id, const char *sentence)
{
    if (!good) fail(id, "%s", sentence);
}

/* ------------------------------------------------------------------ arrays */

/* mxMalloc's memory is released when the gateway returns, also by an error. */
static void *scratch(int64_t count, size_t size)
{
    return mxCalloc(count > 0 ? (mwSize)count : 1, size);
}

static mxClassID class_of(eig_type type)
{
    return type == EIG_S || type == EIG_C ? mxSINGLE_CLASS : mxDOUBLE_CLASS;
}

/* Real numbers where they lie; complex ones interleaved, in a copy where they are kept apart. */
static const void *read_numbers(const mxArray *array, const char *name, eig_type *type)
{
    if (mxIsSparse(array) || !(mxIsDouble(array) || mxIsSingle(array))) {
        fail("eigpack:badClass", "%s is %s%s, and must be a full array of class double or single", name,
             mxIsSparse(array) ? "sparse " : "", mxGetClassName(array));
    }
    bool const single = mxIsSingle(array);
    if (!mxIsComplex(array)) {
        *type = single ? EIG_S : EIG_D;
        return mxGetData(array);
    }
    *type = single ? EIG_C : EIG_Z;
#if MX_HAS_INTERLEAVED_COMPLEX
    return mxGetData(array);
#else
    int64_t const count = (int64_t)mxGetNumberOfElements(array);
    const void *re = mxGetData(array), *im = mxGetImagData(array);
    if (single) {
        eig_c *copy = scratch(count, sizeof *copy);
        for (int64_t k = 0; k < count; k++) copy[k] = (eig_c){((const float *)re)[k], ((const float *)im)[k]};
        return copy;
    }
    eig_z *copy = scratch(count, sizeof *copy);
    for (int64_t k = 0; k < count; k++) copy[k] = (eig_z){((const double *)re)[k], ((const double *)im)[k]};
    return copy;
#endif
}

static const void *read_real(const mxArray *array, const char *name, eig_type *type)
{
    const void *data = read_numbers(array, name, type);
    if (*type == EIG_C || *type == EIG_Z) {
        fail("eigpack:notSupported", "%s is complex, and must be real", name);
    }
    return data;
}

static mxArray *real_result(eig_type type, int64_t rows, int64_t columns, int64_t pages)
{
    mwSize const size[3] = {(mwSize)rows, (mwSize)columns, (mwSize)pages};
    return mxCreateNumericArray(3, size, class_of(type), mxREAL);
}

/* An array of interleaved numbers; a real one if no imaginary part differs from 0, as results of Octave's are. */
static mxArray *complex_result(eig_type type, const void *numbers, int64_t rows, int64_t columns, int64_t pages)
{
    int64_t const count = rows * columns * pages;
    const eig_c *c = numbers;
    const eig_z *z = numbers;
    bool const single = class_of(type) == mxSINGLE_CLASS;
    bool real = true;
    for (int64_t k = 0; real && k < count; k++) real = single ? c[k].im == 0 : z[k].im == 0;
    mwSize const size[3] = {(mwSize)rows, (mwSize)columns, (mwSize)pages};
    mxArray *result = mxCreateNumericArray(3, size, class_of(type), real ? mxREAL : mxCOMPLEX);
    void *re = mxGetData(result);
#if MX_HAS_INTERLEAVED_COMPLEX
    if (!real) {
        memcpy(re, numbers, (size_t)count * (single ? sizeof *c : sizeof *z));
        return result;
    }
    void *im = NULL;
#else
    void *im = real ? NULL : mxGetImagData(result);
#endif
    for (int64_t k = 0; k < count; k++) {
        if (single) {
            ((float *)re)[k] = c[k].re;
            if (im) ((float *)im)[k] = c[k].im;
        } else {
            ((double *)re)[k] = z[k].re;
            if (im) ((double *)im)[k] = z[k].im;
        }
    }
    return result;
}

/* An array of pages: n x n x ..., of which all dimensions from the third on count as one. */
typedef struct pages {
    int64_t n, batch;
    eig_type type;
    const void *data;
} pages;

static pages read_pages(const mxArray *array, const char *name)
{
    pages p = {.batch = 1};
    p.data = read_numbers(array, name, &p.type);
    const mwSize *size = mxGetDimensions(array);
    p.n = (int64_t)size[0];
    if (size[0] != size[1]) {
        fail("eigpack:badSize", "the pages of %s are %lld x %lld, and must be square", name, (long long)size[0],
             (long long)size[1]);
    }
    for (mwSize k = 2; k < mxGetNumberOfDimensions(array); k++) p.batch *= (int64_t)size[k];
    return p;
}

/* ---------------------------------------------------------------- commands */

static double number_of(const pages *p, int64_t k)
{
    return class_of(p->type) == mxSINGLE_CLASS ? ((const float *)p->data)[k] : ((const double *)p->data)[k];
}

static bool is_finite(const pages *p, int64_t begin, int64_t end)
{
    bool finite = true;
    for (int64_t k = begin; k < end; k++) finite &= isfinite(number_of(p, k)) != 0;
    return finite;
}

static bool is_hermitian(const pages *p, int64_t begin, int parts)
{
    for (int64_t j = 0; j < p->n; j++) {
        for (int64_t i = 0; i <= j; i++) {
            int64_t const upper = begin + (i + j * p->n) * parts, lower = begin + (j + i * p->n) * parts;
            if (number_of(p, upper) != number_of(p, lower)) return false;
            if (parts == 2 && number_of(p, upper + 1) != -number_of(p, lower + 1)) return false;
        }
    }
    return true;
}

/* Bytes of a complex number of the type's precision. */
static size_t complex_size(eig_type type)
{
    return class_of(type) == mxSINGLE_CLASS ? sizeof(eig_c) : sizeof(eig_z);
}

/* Flags: for each page, whether it is Hermitian; returns how many are.  All must be finite: heev would read one triangle
 * only. */
static int64_t find_hermitian(const pages *p, mxLogical *flags)
{
    int const parts = p->type == EIG_C || p->type == EIG_Z ? 2 : 1;
    int64_t const length = p->n * p->n * parts;
    int64_t count = 0;
    int *info = scratch(p->batch, sizeof *info);
    for (int64_t b = 0; b < p->batch; b++) {
        info[b] = is_finite(p, b * length, (b + 1) * length) ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
        flags[b] = is_hermitian(p, b * length, parts);
        count += flags[b];
    }
    check_info(info, p->batch, "page", -1);
    return count;
}

/* hermitian(X): the flags. */
static void hermitian(mxArray *out[], const mxArray *in[])
{
    pages const p = read_pages(in[0], "X");
    out[0] = mxCreateLogicalMatrix(1, (mwSize)p.batch);
    find_hermitian(&p, mxGetLogicals(out[0]));
}

/* heev(X): w (n x pages) and V of pages that are Hermitian. */
static void heev(mxArray *out[], const mxArray *in[])
{
    pages const p = read_pages(in[0], "X");
    int64_t const n = p.n, ld = n > 0 ? n : 1;
    bool const complex = p.type == EIG_C || p.type == EIG_Z;
    int *info = scratch(p.batch, sizeof *info);
    out[0] = real_result(p.type, n, p.batch, 1);
    if (!complex) out[1] = real_result(p.type, n, n, p.batch);
    void *v = complex ? scratch(n * n * p.batch, eig_type_size(p.type)) : mxGetData(out[1]);
    check(eig_heev_batched(context, p.type, heev_options(), n, p.data, ld, ld * n, NULL, mxGetData(out[0]), n, v, ld,
                           ld * n, info, NULL, p.batch));
    check_info(info, p.batch, "page", -1);
    if (complex) out[1] = complex_result(p.type, v, n, n, p.batch);
}

/* Values of pages that are all Hermitian. */
static mxArray *hermitian_values(const pages *p)
{
    int64_t const n = p->n, ld = n > 0 ? n : 1;
    int *info = scratch(p->batch, sizeof *info);
    mxArray *w = real_result(p->type, n, p->batch, 1);
    check(eig_heev_batched(context, p->type, heev_options(), n, p->data, ld, ld * n, NULL, mxGetData(w), n, NULL, ld,
                           ld * n, info, NULL, p->batch));
    check_info(info, p->batch, "page", -1);
    return w;
}

/* Values of pages of which none is Hermitian, and of all pages of a mixture; right and left vectors where vr and vl are
 * not NULL: interleaved. */
static void *general_pairs(const pages *p, void *vr, void *vl)
{
    int64_t const n = p->n, ld = n > 0 ? n : 1;
    int *info = scratch(p->batch, sizeof *info);
    void *w = scratch(n * p->batch, complex_size(p->type));
    check(eig_geev_batched(context, p->type, geev_options(), n, p->data, ld, ld * n, w, n, vl, ld, ld * n, vr, ld,
                           ld * n, NULL, info, p->batch));
    check_info(info, p->batch, "page", n);
    return w;
}

/* geev(X): w (n x pages), right vectors V, left vectors W, all complex. */
static void geev(mxArray *out[], const mxArray *in[])
{
    pages const p = read_pages(in[0], "X");
    int64_t const count = p.n * p.n * p.batch;
    void *vr = scratch(count, complex_size(p.type)), *vl = scratch(count, complex_size(p.type));
    void *w = general_pairs(&p, vr, vl);
    out[0] = complex_result(p.type, w, p.n, p.batch, 1);
    out[1] = complex_result(p.type, vr, p.n, p.n, p.batch);
    out[2] = complex_result(p.type, vl, p.n, p.n, p.batch);
}

/* Q and T, or of one result T alone, of the class of X. */
static void find_forms(mxArray *out[], const mxArray *in[], int results)
{
    pages const p = read_pages(in[0], "X");
    int64_t const n = p.n, ld = n > 0 ? n : 1;
    bool const complex = p.type == EIG_C || p.type == EIG_Z;
    int *info = scratch(p.batch, sizeof *info);
    void *w = scratch(n * p.batch, complex_size(p.type)), *form[2] = {NULL, NULL};
    for (int r = 0; r < results; r++) {
        if (!complex) out[r] = real_result(p.type, n, n, p.batch);
        form[r] = complex ? scratch(n * n * p.batch, eig_type_size(p.type)) : mxGetData(out[r]);
    }
    check(eig_geev_schur(context, p.type, NULL, n, p.data, ld, ld * n, w, n, form[results - 1], ld, ld * n,
                         results > 1 ? form[0] : NULL, ld, ld * n, info, p.batch));
    check_info(info, p.batch, "page", n);
    for (int r = 0; r < results && complex; r++) out[r] = complex_result(p.type, form[r], n, n, p.batch);
}

/* schur(X): Q, T. */
static void schur(mxArray *out[], const mxArray *in[])
{
    find_forms(out, in, 2);
}

/* form(X): T. */
static void form(mxArray *out[], const mxArray *in[])
{
    find_forms(out, in, 1);
}

/* Puts the ascending values of the Hermitian pages of a mixture in place of those in w. */
static void put_hermitian_values(const pages *p, const mxLogical *flags, int64_t count, void *w)
{
    size_t const size = eig_type_size(p->type), page = (size_t)(p->n * p->n) * size;
    pages some = {.n = p->n, .batch = count, .type = p->type};
    char *copy = scratch(p->n * p->n * count, size);
    for (int64_t b = 0, k = 0; b < p->batch; b++)
        if (flags[b]) memcpy(copy + (size_t)k++ * page, (const char *)p->data + (size_t)b * page, page);
    some.data = copy;
    mxArray *values = hermitian_values(&some);
    pages const read = {.type = p->type, .data = mxGetData(values)};
    for (int64_t b = 0, k = 0; b < p->batch; b++) {
        for (int64_t i = 0; flags[b] && i < p->n; i++, k++) {
            if (class_of(p->type) == mxSINGLE_CLASS)
                ((eig_c *)w)[b * p->n + i] = (eig_c){(float)number_of(&read, k), 0};
            else
                ((eig_z *)w)[b * p->n + i] = (eig_z){number_of(&read, k), 0};
        }
    }
    mxDestroyArray(values);
}

/* values(X): the eigenvalues, n x 1 x ..., in one call, since a call is most of the time of one small page. */
static void values(mxArray *out[], const mxArray *in[])
{
    pages const p = read_pages(in[0], "X");
    mxLogical *flags = scratch(p.batch, sizeof *flags);
    int64_t const count = find_hermitian(&p, flags);
    if (count == p.batch) {
        out[0] = hermitian_values(&p);
    } else {
        void *w = general_pairs(&p, NULL, NULL);
        if (count > 0) put_hermitian_values(&p, flags, count, w);
        out[0] = complex_result(p.type, w, p.n, p.batch, 1);
    }
    mwSize const dimensions = mxGetNumberOfDimensions(in[0]);
    mwSize *size = scratch((int64_t)dimensions, sizeof *size);
    memcpy(size, mxGetDimensions(in[0]), dimensions * sizeof *size);
    size[1] = 1;
    mxSetDimensions(out[0], size, dimensions);
}

/* d (n x batch) and e (n-1 x batch); for one matrix both may lie as they like. */
typedef struct tridiagonal {
    int64_t n, batch;
    eig_type type;
    const void *d, *e;
    eig_range range;
    int64_t il, iu;
    double vl, vu;
} tridiagonal;

/* in: d, e. */
static tridiagonal read_diagonals(const mxArray *in[])
{
    tridiagonal t = {.range = EIG_RANGE_ALL};
    eig_type type_e;
    t.d = read_real(in[0], "d", &t.type);
    t.e = read_real(in[1], "e", &type_e);
    need(type_e == t.type, "eigpack:badClass", "d and e are of different classes");
    need(mxGetNumberOfDimensions(in[0]) == 2 && mxGetNumberOfDimensions(in[1]) == 2, "eigpack:badSize",
         "d and e must be vectors or matrices");
    bool const row = mxGetM(in[0]) == 1;
    t.n = (int64_t)(row ? mxGetN(in[0]) : mxGetM(in[0]));
    t.batch = row ? 1 : (int64_t)mxGetN(in[0]);
    int64_t const length = t.n > 0 ? t.n - 1 : 0;
    bool const fits = t.batch == 1 ? (int64_t)mxGetNumberOfElements(in[1]) == length
                                   : (int64_t)mxGetM(in[1]) == length && (int64_t)mxGetN(in[1]) == t.batch;
    if (!fits) {
        fail("eigpack:badSize", "e is %lld x %lld, and must be %lld x %lld", (long long)mxGetM(in[1]),
             (long long)mxGetN(in[1]), (long long)length, (long long)t.batch);
    }
    return t;
}

/* in: d, e, 'A', 'I' or 'V', and the two ends. */
static tridiagonal read_tridiagonal(const mxArray *in[])
{
    tridiagonal t = read_diagonals(in);
    t.range = (eig_range)(int)mxGetScalar(in[2]);
    need(mxIsDouble(in[3]) && !mxIsComplex(in[3]) && mxGetNumberOfElements(in[3]) == 2, "eigpack:badArgument",
         "a range has two ends, real numbers of class double");
    const double *ends = mxGetData(in[3]);
    if (t.range == EIG_RANGE_INDEX) {
        need(floor(ends[0]) == ends[0] && floor(ends[1]) == ends[1] && fabs(ends[0]) < 9e15 && fabs(ends[1]) < 9e15,
             "eigpack:badArgument", "the ends of a range by index must be whole numbers");
        t.il = (int64_t)ends[0], t.iu = (int64_t)ends[1];
    }
    if (t.range == EIG_RANGE_VALUE) {
        need(t.batch == 1, "eigpack:badArgument", "a range by value is for one matrix");
        t.vl = ends[0], t.vu = ends[1];
    }
    return t;
}

/* The first columns of an n x n array, as an array of its own. */
static mxArray *columns_of(eig_type type, const void *numbers, int64_t rows, int64_t columns)
{
    mxArray *result = real_result(type, rows, columns, 1);
    if (rows * columns > 0) memcpy(mxGetData(result), numbers, (size_t)(rows * columns) * eig_type_size(type));
    return result;
}

/* How many eigenvalues there is room for; a range that is wrong is refused by the library. */
static int64_t room_of(const tridiagonal *t)
{
    bool const part = t->range == EIG_RANGE_INDEX && 1 <= t->il && t->il <= t->iu && t->iu <= t->n;
    return part ? t->iu - t->il + 1 : t->n;
}

/* w and, of three results, lower and upper. */
static void bisect(mxArray *out[], const mxArray *in[], int results)
{
    tridiagonal const t = read_tridiagonal(in);
    int64_t const n = t.n, room = room_of(&t), off = n > 0 ? n - 1 : 0;
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.range = t.range, options.il = t.il, options.iu = t.iu, options.vl = t.vl, options.vu = t.vu;
    int *info = scratch(t.batch, sizeof *info);
    void *w[3] = {NULL, NULL, NULL};
    if (t.range == EIG_RANGE_VALUE) {
        int64_t m = 0;
        for (int r = 0; r < results; r++) w[r] = scratch(n, eig_type_size(t.type));
        check(eig_stebz(context, t.type, &options, n, t.d, t.e, &m, w[0], w[1], w[2], info));
        check_info(info, 1, "matrix", -1);
        for (int r = 0; r < results; r++) out[r] = columns_of(t.type, w[r], m, 1);
        return;
    }
    for (int r = 0; r < results; r++) {
        out[r] = real_result(t.type, room, t.batch, 1);
        w[r] = mxGetData(out[r]);
    }
    check(eig_stebz_batched(context, t.type, &options, n, t.d, n, t.e, off, w[0], w[1], w[2], room, info, t.batch));
    check_info(info, t.batch, "matrix", -1);
}

/* stebz(d, e, range, ends): w. */
static void stebz(mxArray *out[], const mxArray *in[])
{
    bisect(out, in, 1);
}

/* enclosures(d, e, range, ends): w, lower, upper. */
static void enclosures(mxArray *out[], const mxArray *in[])
{
    bisect(out, in, 3);
}

/* counts(d, e, x): how many eigenvalues of one matrix are smaller than each x, as doubles in x's shape. */
static void counts(mxArray *out[], const mxArray *in[])
{
    tridiagonal const t = read_diagonals(in);
    eig_type type_x;
    const void *x = read_real(in[2], "x", &type_x);
    need(t.batch == 1, "eigpack:badSize", "d has several columns or none, and counts are of one matrix");
    need(type_x == t.type, "eigpack:badClass", "d and x are of different classes");
    int64_t const m = (int64_t)mxGetNumberOfElements(in[2]);
    int64_t *count = scratch(m, sizeof *count);
    int info = 0;
    check(eig_stebz_count(context, t.type, t.n, t.d, t.e, m, x, count, &info));
    need(info == EIG_INFO_OK, "eigpack:notFinite", "d, e or x holds a NaN, or d or e an infinity");
    out[0] = mxCreateNumericArray(mxGetNumberOfDimensions(in[2]), mxGetDimensions(in[2]), mxDOUBLE_CLASS, mxREAL);
    double *result = mxGetData(out[0]);
    for (int64_t j = 0; j < m; j++) result[j] = (double)count[j];
}

/* Fails where a matrix is not finite or a pair lacks a promise; info is that of found pairs of room a matrix. */
static void check_pairs(const int *info, int64_t room, int64_t found, int64_t batch)
{
    int *finite = scratch(batch, sizeof *finite);
    for (int64_t b = 0; b < batch && room > 0; b++)
        finite[b] = info[b * room] == EIG_INFO_NOT_FINITE ? EIG_INFO_NOT_FINITE : EIG_INFO_OK;
    check_info(finite, batch, "matrix", -1);
    for (int64_t b = 0; b < batch; b++) {
        for (int64_t k = 0; k < found; k++) {
            int const lack = info[b * room + k];
            if (lack == EIG_INFO_OK) continue;
            fail("eigpack:notConverged", "pair %lld of matrix %lld lacks a promise: %s", (long long)k + 1,
                 (long long)b + 1, lack & EIG_STEMR_RESIDUAL ? "its residual" : "its orthogonality");
        }
    }
}

/* stemr(d, e, range, ends): w and V. */
static void stemr(mxArray *out[], const mxArray *in[])
{
    tridiagonal const t = read_tridiagonal(in);
    int64_t const n = t.n, room = room_of(&t), off = n > 0 ? n - 1 : 0, ld = n > 0 ? n : 1;
    size_t const size = eig_type_size(t.type);
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    options.same_bits_in_batches = same_bits;
    options.range = t.range, options.il = t.il, options.iu = t.iu, options.vl = t.vl, options.vu = t.vu;
    int *info = scratch(room * t.batch, sizeof *info);
    if (t.range == EIG_RANGE_VALUE) {
        int64_t m = 0;
        void *w = scratch(room, size), *v = scratch(n * room, size);
        check(eig_stemr(context, t.type, &options, n, t.d, t.e, &m, w, v, ld, NULL, info, NULL, NULL, NULL));
        check_pairs(info, room, m, 1);
        out[0] = columns_of(t.type, w, m, 1);
        out[1] = columns_of(t.type, v, n, m);
        return;
    }
    out[0] = real_result(t.type, room, t.batch, 1);
    out[1] = real_result(t.type, n, room, t.batch);
    check(eig_stemr_batched(context, t.type, &options, n, t.d, n, t.e, off, NULL, mxGetData(out[0]), room,
                            mxGetData(out[1]), ld, ld * room, NULL, info, NULL, NULL, NULL, t.batch));
    check_pairs(info, room, room, t.batch);
}

/* Numbers of type *type as complex ones, in a copy where they are real. */
static const void *as_complex(const void *numbers, int64_t count, eig_type *type)
{
    if (*type == EIG_C || *type == EIG_Z) return numbers;
    bool const single = *type == EIG_S;
    *type = single ? EIG_C : EIG_Z;
    char *copy = scratch(count, eig_type_size(*type));
    for (int64_t k = 0; k < count; k++) {
        if (single)
            ((eig_c *)copy)[k].re = ((const float *)numbers)[k];
        else
            ((eig_z *)copy)[k].re = ((const double *)numbers)[k];
    }
    return copy;
}

/* affine(A, x, measure): w (n x points), or with a measure that is not 0 its values (1 x points). */
static void affine(mxArray *out[], const mxArray *in[])
{
    pages p = read_pages(in[0], "A");
    eig_type type_x;
    const void *x = read_numbers(in[1], "x", &type_x);
    need(class_of(type_x) == class_of(p.type), "eigpack:badClass", "A and x are of different classes");
    if (type_x != p.type) {
        p.data = as_complex(p.data, p.n * p.n * p.batch, &p.type);
        x = as_complex(x, (int64_t)mxGetNumberOfElements(in[1]), &type_x);
    }
    need(p.batch >= 1, "eigpack:badSize", "A has no pages, and must have one more than x has rows");
    int64_t const n = p.n, m = p.batch - 1, ld = n > 0 ? n : 1, points = (int64_t)mxGetN(in[1]);
    if (mxGetNumberOfDimensions(in[1]) != 2 || (int64_t)mxGetM(in[1]) != m) {
        fail("eigpack:badSize", "x has %lld rows, and A %lld pages: it must be one more", (long long)mxGetM(in[1]),
             (long long)p.batch);
    }
    eig_geev_measure const measure = (eig_geev_measure)(int)mxGetScalar(in[2]);
    int *info = scratch(points, sizeof *info);
    void *value = NULL, *w = NULL;
    if (measure) {
        out[0] = real_result(p.type, 1, points, 1);
        value = mxGetData(out[0]);
    } else {
        w = scratch(n * points, complex_size(p.type));
    }
    check(eig_geev_affine(context, p.type, geev_options(), n, m, p.data, ld, ld * n, x, m, w, n, measure, value, info,
                          points));
    check_info(info, points, "point", n);
    if (!measure) out[0] = complex_result(p.type, w, n, points, 1);
}

/* ----------------------------------------------------------------- gateway */

/* Puts the device's context in front, opened where it is not; of too many the one that was used least lately is closed. */
static void use_device(const char *device)
{
    int k = 0;
    while (k < MOST_CONTEXTS - 1 && open_contexts[k].context && strcmp(open_contexts[k].device, device) != 0) k++;
    eig_context *found = open_contexts[k].context;
    if (found && strcmp(open_contexts[k].device, device) != 0) {
        eig_destroy(found);
        found = open_contexts[k].context = NULL;
    }
    if (!found) {
        eig_status const status = eig_create(&found, device);
        if (status != EIG_OK) {
            char sentence[400];
            snprintf(sentence, sizeof sentence, "%s", found ? eig_error_detail(found) : eig_status_text(status));
            eig_destroy(found);
            fail(status == EIG_BAD_ARGUMENT ? "eigpack:badArgument" : "eigpack:deviceFailure", "%s", sentence);
        }
        eig_set_progress(found, interrupted, NULL);
    }
    memmove(open_contexts + 1, open_contexts, (size_t)k * sizeof *open_contexts);
    snprintf(open_contexts[0].device, LONGEST_NAME, "%s", device);
    context = open_contexts[0].context = found;
}

/* in: a device's name, a number of threads and whether bits are the same in batches, or nothing: the CPU, with as many threads as
 * there are. */
static void settings(int count, const mxArray *in[])
{
    char device[LONGEST_NAME] = "cpu";
    double threads = 0;
    same_bits = 0;
    if (count == SETTINGS) {
        need(mxIsChar(in[0]) && mxGetString(in[0], device, sizeof device) == 0, "eigpack:badArgument",
             "a device is 'cpu', 'cuda', 'cuda:1' or 'auto'");
        need(mxIsDouble(in[1]) && !mxIsComplex(in[1]) && mxGetNumberOfElements(in[1]) == 1, "eigpack:badArgument",
             "threads is a number");
        threads = mxGetScalar(in[1]);
        need(floor(threads) == threads && threads >= 0 && threads < 1e9, "eigpack:badArgument",
             "threads must be a whole number, or 0 for as many as there are");
        need((mxIsLogical(in[2]) || mxIsDouble(in[2])) && mxGetNumberOfElements(in[2]) == 1, "eigpack:badArgument",
             "same_bits is true or false");
        same_bits = mxGetScalar(in[2]) != 0;
    }
    use_device(device);
    check(eig_set_threads(context, (int)threads));
}

static const struct {
    const char *name;
    int arguments, most_results;
    void (*call)(mxArray *out[], const mxArray *in[]);
} commands[] = {
    {"hermitian", 1, 1, hermitian},
    {"heev", 1, 2, heev},
    {"values", 1, 1, values},
    {"stebz", 4, 1, stebz},
    {"enclosures", 4, 3, enclosures},
    {"counts", 3, 1, counts},
    {"stemr", 4, 2, stemr},
    {"affine", 3, 1, affine},
    {"geev", 1, 3, geev},
    {"schur", 1, 2, schur},
    {"form", 1, 1, form},
};

/* eigpack_gateway(COMMAND, arguments...) or eigpack_gateway(COMMAND, arguments..., device, threads, same_bits) */
void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    char name[16] = "";
    if (nrhs > 0 && mxIsChar(prhs[0])) mxGetString(prhs[0], name, sizeof name);
    size_t const count = sizeof commands / sizeof *commands;
    size_t k = 0;
    while (k < count && strcmp(name, commands[k].name) != 0) k++;
    int const more = k < count ? nrhs - 1 - commands[k].arguments : -1;
    need((more == 0 || more == SETTINGS) && nlhs <= commands[k].most_results, "eigpack:badArgument",
         "eigpack_gateway is called by pageeig, eig_tridiagonal and their like");
    static bool locked;
    if (!locked) {
        mexLock(); /* threads of OpenMP outlive the call: their code must stay */
        mexAtExit(close_contexts);
        locked = true;
    }
    settings(more, prhs + nrhs - more);
    mxArray *out[3] = {NULL, NULL, NULL};
    commands[k].call(out, prhs + 1);
    for (int r = 0; r < (nlhs > 1 ? nlhs : 1); r++) plhs[r] = out[r];
}
