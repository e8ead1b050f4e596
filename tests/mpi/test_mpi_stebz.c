/* eig_mpi_stebz on any number of ranks: the bits of one process, which every rank computes for itself beside it. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

/* What one process finds. */
typedef struct spectrum {
    void *w, *lower, *upper;
    int64_t m;
    int info;
} spectrum;

static spectrum whole(eig_mpi_context *ctx, const test_matrix *t, const eig_stebz_options *options)
{
    size_t const size = eig_type_size(t->type);
    spectrum s = {test_array(size, t->n), test_array(size, t->n), test_array(size, t->n), 0, 0};
    CHECK(eig_stebz(eig_mpi_local(ctx), t->type, options, t->n, t->d, t->e, &s.m, s.w, s.lower, s.upper, &s.info) ==
          EIG_OK);
    return s;
}

static void release(spectrum *s)
{
    free(s->w), free(s->lower), free(s->upper);
}

/* The arrays of a rank: as long as the header says, and NULL where they may be. */
static spectrum arrays_for(const test_matrix *t, const eig_mpi_options *where, const eig_stebz_options *o)
{
    int64_t count = o && o->range == EIG_RANGE_INDEX ? o->iu - o->il + 1 : t->n;
    if (!where || where->output == EIG_MPI_OUTPUT_RUNS) eig_mpi_slice(count, test_rank, test_size, NULL, &count);
    bool const none = where && where->output == EIG_MPI_OUTPUT_ROOT && test_rank != where->root;
    if (none || count == 0) return (spectrum){0};
    size_t const size = eig_type_size(t->type);
    return (spectrum){test_array(size, count), test_array(size, count), test_array(size, count), 0, 0};
}

/* One call against one process. */
static void compare(eig_mpi_context *ctx, const test_matrix *t, const eig_mpi_options *where,
                    const eig_stebz_options *o, int64_t il)
{
    size_t const size = eig_type_size(t->type);
    spectrum one = whole(ctx, t, o), mine = arrays_for(t, where, o);
    bool const reads = !where || where->input == EIG_MPI_INPUT_ALL || where->root == test_rank;
    eig_mpi_run run = {sizeof run, -1, -1, -1, -1, -1};
    CHECK(eig_mpi_stebz(ctx, t->type, where, o, t->n, reads ? t->d : NULL, reads ? t->e : NULL, &run, mine.w,
                        mine.lower, mine.upper) == EIG_OK);
    int64_t begin, count;
    eig_mpi_slice(one.m, test_rank, test_size, &begin, &count);
    CHECK(run.total == one.m && run.count == count && run.info == one.info);
    CHECK(one.m == 0 || run.first == il + begin);
    eig_mpi_output const output = where ? where->output : EIG_MPI_OUTPUT_RUNS;
    if (output == EIG_MPI_OUTPUT_ALL || (output == EIG_MPI_OUTPUT_ROOT && where->root == test_rank))
        begin = 0, count = one.m;
    if (output == EIG_MPI_OUTPUT_ROOT && where->root != test_rank) count = 0;
    if (count > 0) {
        CHECK(test_same(mine.w, 0, one.w, begin, size, count));
        CHECK(test_same(mine.lower, 0, one.lower, begin, size, count));
        CHECK(test_same(mine.upper, 0, one.upper, begin, size, count));
    }
    release(&one);
    release(&mine);
}

static void every_place(eig_mpi_context *ctx, const test_matrix *t, const eig_stebz_options *o, int64_t il)
{
    compare(ctx, t, NULL, o, il);
    for (int input = 0; input <= 1; ++input)
        for (int output = 0; output <= 2; ++output) {
            eig_mpi_options where = EIG_MPI_OPTIONS;
            where.input = (eig_mpi_input)input, where.output = (eig_mpi_output)output;
            where.root = (input + output) % test_size;
            compare(ctx, t, &where, o, il);
        }
}

/* The eigenvalues up to x: those below the next double.  A T of floats counts as one of doubles. */
static int64_t count_upto(eig_mpi_context *ctx, const test_matrix *t, double x)
{
    test_matrix const wide = {EIG_D, t->n, test_array(sizeof(double), t->n), test_array(sizeof(double), t->n)};
    double *const d = wide.d, *const e = wide.e, next = nextafter(x, INFINITY);
    int64_t count = -1;
    for (int64_t i = 0; i < t->n; ++i) {
        d[i] = t->type == EIG_S ? (double)((float *)t->d)[i] : ((double *)t->d)[i];
        e[i] = t->type == EIG_S ? (double)((float *)t->e)[i] : ((double *)t->e)[i];
    }
    CHECK(eig_dstebz_count(eig_mpi_local(ctx), t->n, d, e, 1, &next, &count, NULL) == EIG_OK);
    free(d), free(e);
    return count;
}

static void ranges(eig_mpi_context *ctx, const test_matrix *t)
{
    int64_t const n = t->n;
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    every_place(ctx, t, NULL, 1);
    if (n == 0) return;
    o.range = EIG_RANGE_INDEX, o.il = (n + 2) / 3, o.iu = (2 * n + 2) / 3;
    compare(ctx, t, NULL, &o, o.il);
    o.il = o.iu = n;
    compare(ctx, t, NULL, &o, n);
    /* By value: from one eigenvalue to another, where the ends are in doubt; all; none. */
    spectrum all = whole(ctx, t, NULL);
    o.range = EIG_RANGE_VALUE;
    o.vl = t->type == EIG_S ? ((float *)all.w)[n / 4] : ((double *)all.w)[n / 4];
    o.vu = t->type == EIG_S ? ((float *)all.w)[3 * n / 4] : ((double *)all.w)[3 * n / 4];
    release(&all);
    if (o.vl < o.vu) every_place(ctx, t, &o, count_upto(ctx, t, o.vl) + 1);
    o.vl = -INFINITY, o.vu = INFINITY;
    compare(ctx, t, NULL, &o, 1);
    o.vl = 1e6, o.vu = 1e7;
    compare(ctx, t, NULL, &o, n + 1);
}

static void test_bits(eig_mpi_context *ctx)
{
    static const int64_t orders[] = {0, 1, 2, 3, 4, 7, 21, 64, 100, 301, 1000};
    for (int kind = 0; kind < KINDS; ++kind)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i)
            for (int single = 0; single <= 1; ++single) {
                test_matrix t = test_make(single ? EIG_S : EIG_D, (matrix_kind)kind, orders[i]);
                ranges(ctx, &t);
                test_free(&t);
            }
}

static void test_methods(eig_mpi_context *ctx)
{
    test_matrix t = test_make(EIG_D, GRADED, 200);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.method = EIG_STEBZ_REFERENCE;
    compare(ctx, &t, NULL, &o, 1);
    o.method = EIG_STEBZ_MULTISECTION, o.abstol = 1e-300;
    compare(ctx, &t, NULL, &o, 1);
    o.abstol = 0, o.reltol = 1e-3;
    compare(ctx, &t, NULL, &o, 1);
    test_free(&t);
}

/* Without enclosures, and without run. */
static void test_plain(eig_mpi_context *ctx)
{
    test_matrix t = test_make(EIG_D, RANDOM, 50);
    spectrum one = whole(ctx, &t, NULL);
    double *const w = test_array(sizeof *w, 50);
    eig_mpi_options where = EIG_MPI_OPTIONS;
    where.output = EIG_MPI_OUTPUT_ALL;
    CHECK(eig_mpi_dstebz(ctx, &where, NULL, 50, t.d, t.e, NULL, w, NULL, NULL) == EIG_OK);
    CHECK(test_same(w, 0, one.w, 0, sizeof *w, 50));
    free(w);
    release(&one);
    test_free(&t);
}

/* A NaN in T, also where the rank that has it computes nothing. */
static void test_not_finite(eig_mpi_context *ctx)
{
    for (int64_t n = 1; n <= 40; n += 13)
        for (int by_value = 0; by_value <= 1; ++by_value) {
            test_matrix t = test_make(EIG_D, RANDOM, n);
            ((double *)t.d)[n - 1] = NAN;
            eig_stebz_options o = EIG_STEBZ_OPTIONS;
            if (by_value) o.range = EIG_RANGE_VALUE, o.vl = 0, o.vu = 1;
            double *const w = test_array(sizeof *w, n);
            eig_mpi_run run = {sizeof run, -1, -1, -1, -1, -1};
            int64_t count;
            CHECK(eig_mpi_dstebz(ctx, NULL, &o, n, t.d, t.e, &run, w, NULL, NULL) == EIG_OK);
            CHECK(run.total == 0 && run.count == 0 && run.info == EIG_INFO_NOT_FINITE);
            eig_mpi_slice(n, test_rank, test_size, NULL, &count);
            for (int64_t k = 0; k < count && !by_value; ++k) CHECK(isnan(w[k]));
            free(w);
            test_free(&t);
        }
}

static void tests(eig_mpi_context *ctx, const char *device)
{
    (void)device;
    test_bits(ctx);
    test_methods(ctx);
    test_plain(ctx);
    test_not_finite(ctx);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, tests);
}
