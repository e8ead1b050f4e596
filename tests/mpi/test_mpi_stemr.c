/* eig_mpi_stemr on any number of ranks: the bits of one process, which every rank computes for itself beside it. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

typedef struct pairs {
    void *w, *z, *residual;
    int64_t *isuppz, m;
    int *info;
    double orthogonality;
    eig_stemr_stats stats;
} pairs;

static pairs make(eig_type type, int64_t n, int64_t ldz, int64_t count)
{
    size_t const size = eig_type_size(type);
    return (pairs){.w = test_array(size, count),
                   .z = test_array(size, count * (n > 0 ? ldz : 1)),
                   .residual = test_array(size, count),
                   .isuppz = test_array(sizeof(int64_t), 2 * count),
                   .info = test_array(sizeof(int), count),
                   .stats = EIG_STEMR_STATS};
}

static void release(pairs *p)
{
    free(p->w), free(p->z), free(p->residual), free(p->isuppz), free(p->info);
}

static pairs whole(eig_mpi_context *ctx, const test_matrix *t, const eig_stemr_options *options)
{
    pairs p = make(t->type, t->n, t->n, t->n);
    float single = 0;
    CHECK(eig_stemr(eig_mpi_local(ctx), t->type, options, t->n, t->d, t->e, &p.m, p.w, p.z, t->n, p.isuppz, p.info,
                    p.residual, t->type == EIG_S ? (void *)&single : &p.orthogonality, &p.stats) == EIG_OK);
    if (t->type == EIG_S) p.orthogonality = (double)single;
    return p;
}

static void compare_pairs(const test_matrix *t, const pairs *mine, int64_t ldz, const pairs *one, int64_t begin,
                          int64_t count)
{
    size_t const size = eig_type_size(t->type);
    if (count == 0) return;
    CHECK(test_same(mine->w, 0, one->w, begin, size, count));
    CHECK(test_same(mine->isuppz, 0, one->isuppz, 2 * begin, sizeof(int64_t), 2 * count));
    CHECK(test_same(mine->info, 0, one->info, begin, sizeof(int), count));
    CHECK(test_same(mine->residual, 0, one->residual, begin, size, count));
    for (int64_t k = 0; k < count; ++k) {
        CHECK(test_same(mine->z, k * ldz, one->z, (begin + k) * t->n, size, t->n));
        /* What lies between the columns is not written. */
        for (int64_t i = t->n; i < ldz; ++i) CHECK(((unsigned char *)mine->z)[(size_t)(k * ldz + i) * size] == 0xa5);
    }
}

/* One call against what one process found. */
static void compare(eig_mpi_context *ctx, const test_matrix *t, const eig_mpi_options *where,
                    const eig_stemr_options *o, int64_t asked, const pairs *one)
{
    eig_mpi_output const output = where ? where->output : EIG_MPI_OUTPUT_RUNS;
    bool const reads = !where || where->input == EIG_MPI_INPUT_ALL || where->root == test_rank;
    bool const none = output == EIG_MPI_OUTPUT_ROOT && test_rank != where->root;
    int64_t const ldz = t->n + 3;
    int64_t room = asked, begin, count;
    if (output == EIG_MPI_OUTPUT_RUNS) eig_mpi_slice(asked, test_rank, test_size, NULL, &room);
    pairs mine = {.stats = EIG_STEMR_STATS};
    if (!none && room > 0) mine = make(t->type, t->n, ldz, room);
    eig_mpi_run run = {sizeof run, -1, -1, -1, -1, -1};
    double skew = -1;
    float skew_single = -1;
    CHECK(eig_mpi_stemr(ctx, t->type, where, o, t->n, reads ? t->d : NULL, reads ? t->e : NULL, &run, mine.w, mine.z,
                        ldz, mine.isuppz, mine.info, mine.residual, t->type == EIG_S ? (void *)&skew_single : &skew,
                        &mine.stats) == EIG_OK);
    eig_mpi_slice(one->m, test_rank, test_size, &begin, &count);
    CHECK(run.total == one->m && run.count == count && run.info == EIG_INFO_OK);
    if (output == EIG_MPI_OUTPUT_ALL || (output == EIG_MPI_OUTPUT_ROOT && !none)) begin = 0, count = one->m;
    compare_pairs(t, &mine, ldz, one, begin, none ? 0 : count);
    if (t->type == EIG_S) skew = (double)skew_single;
    double const eps = t->type == EIG_S ? 0x1p-23 : 0x1p-52;
    CHECK(asked > 0 ? skew >= 0 && skew <= (one->m > 0 ? 10 * (double)t->n * eps : 0) : skew == -1);
    release(&mine);
}

static void one_place(eig_mpi_context *ctx, const test_matrix *t, const eig_stemr_options *o, int64_t asked)
{
    pairs one = whole(ctx, t, o);
    compare(ctx, t, NULL, o, asked, &one);
    release(&one);
}

static void every_place(eig_mpi_context *ctx, const test_matrix *t, const eig_stemr_options *o, int64_t asked)
{
    pairs one = whole(ctx, t, o);
    for (int input = 0; input <= 1; ++input)
        for (int output = 0; output <= 2; ++output) {
            eig_mpi_options where = EIG_MPI_OPTIONS;
            where.input = (eig_mpi_input)input, where.output = (eig_mpi_output)output;
            where.root = (input + 2 * output) % test_size;
            compare(ctx, t, &where, o, asked, &one);
        }
    release(&one);
}

/* By value from one eigenvalue to another: an end that is an eigenvalue belongs to the upper end of a range. */
static void by_value(eig_mpi_context *ctx, const test_matrix *t)
{
    int64_t const n = t->n;
    pairs all = whole(ctx, t, NULL);
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_VALUE;
    o.vl = t->type == EIG_S ? (double)((float *)all.w)[n / 4] : ((double *)all.w)[n / 4];
    o.vu = t->type == EIG_S ? (double)((float *)all.w)[3 * n / 4] : ((double *)all.w)[3 * n / 4];
    if (o.vl < o.vu) one_place(ctx, t, &o, n);
    o.vl = -INFINITY, o.vu = INFINITY;
    one_place(ctx, t, &o, n);
    o.vl = 1e6, o.vu = 1e7;
    one_place(ctx, t, &o, n);
    release(&all);
}

static void test_bits(eig_mpi_context *ctx)
{
    static const int64_t orders[] = {0, 1, 2, 3, 7, 42, 190};
    for (int kind = 0; kind < KINDS; ++kind)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i)
            for (int single = 0; single <= 1; ++single) {
                int64_t const n = orders[i];
                test_matrix t = test_make(single ? EIG_S : EIG_D, (matrix_kind)kind, n);
                every_place(ctx, &t, NULL, n);
                eig_stemr_options o = EIG_STEMR_OPTIONS;
                o.range = EIG_RANGE_INDEX, o.il = (n + 2) / 3, o.iu = (2 * n + 2) / 3;
                if (n > 0) one_place(ctx, &t, &o, o.iu - o.il + 1);
                if (n > 0) by_value(ctx, &t);
                test_free(&t);
            }
}

/* Clusters of 5 by inverse iteration, which the runs of 2 and 5 ranks cut. */
static void test_inverse_iteration(eig_mpi_context *ctx)
{
    test_matrix t = test_make(EIG_D, GLUED, 105);
    for (int64_t i = 20; i < 104; i += 21) ((double *)t.e)[i] = 1e-12;
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.most_depth = -1;
    pairs one = whole(ctx, &t, &o);
    CHECK(one.stats.inverse_iterations > 20);
    release(&one);
    every_place(ctx, &t, &o, 105);
    /* One process does not look beyond what it is asked for, which here begins and ends within a cluster. */
    o.range = EIG_RANGE_INDEX, o.il = 3, o.iu = 103;
    every_place(ctx, &t, &o, 101);
    test_free(&t);
}

/* Eigenvalues that float cannot hold: one process leaves the infinite w out of (-inf, x]. */
static void test_overflow(eig_mpi_context *ctx)
{
    test_matrix t = test_make(EIG_S, GLUED, 7);
    for (int64_t i = 0; i < 7; ++i) ((float *)t.d)[i] = 0;
    for (int64_t i = 0; i < 6; ++i) ((float *)t.e)[i] = 3e38F;
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_VALUE, o.vl = -INFINITY, o.vu = 1;
    one_place(ctx, &t, &o, 7);
    test_free(&t);
}

/* Eigenvalues alone, with nothing else wanted. */
static void test_values(eig_mpi_context *ctx)
{
    test_matrix t = test_make(EIG_D, GLUED, 105);
    pairs one = whole(ctx, &t, NULL);
    double *const w = test_array(sizeof *w, 105);
    eig_mpi_options where = EIG_MPI_OPTIONS;
    where.output = EIG_MPI_OUTPUT_ALL;
    CHECK(eig_mpi_dstemr(ctx, &where, NULL, 105, t.d, t.e, NULL, w, NULL, 0, NULL, NULL, NULL, NULL, NULL) == EIG_OK);
    CHECK(test_same(w, 0, one.w, 0, sizeof *w, 105));
    free(w);
    release(&one);
    test_free(&t);
}

static void test_not_finite(eig_mpi_context *ctx)
{
    for (int64_t n = 1; n <= 40; n += 13)
        for (int by_value = 0; by_value <= 1; ++by_value) {
            test_matrix t = test_make(EIG_D, RANDOM, n);
            ((double *)t.d)[n - 1] = INFINITY;
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            if (by_value) o.range = EIG_RANGE_VALUE, o.vl = 0, o.vu = 1;
            pairs mine = make(EIG_D, n, n, n);
            eig_mpi_run run = {sizeof run, -1, -1, -1, -1, -1};
            int64_t count;
            CHECK(eig_mpi_dstemr(ctx, NULL, &o, n, t.d, t.e, &run, mine.w, mine.z, n, mine.isuppz, mine.info,
                                 mine.residual, &mine.orthogonality, &mine.stats) == EIG_OK);
            CHECK(run.total == 0 && run.count == 0 && run.info == EIG_INFO_NOT_FINITE && isnan(mine.orthogonality));
            eig_mpi_slice(n, test_rank, test_size, NULL, &count);
            for (int64_t k = 0; k < count && !by_value; ++k)
                CHECK(isnan(((double *)mine.w)[k]) && mine.info[k] == EIG_INFO_NOT_FINITE &&
                      isnan(((double *)mine.z)[k * n]));
            release(&mine);
            test_free(&t);
        }
}

/* Of no vectors the orthogonality is 0; without z it is not written. */
static void test_order_0(eig_mpi_context *ctx)
{
    double z, skew[2] = {-1, -1};
    float z_single, skew_single = -1;
    for (int with = 0; with <= 1; ++with)
        CHECK(eig_mpi_dstemr(ctx, NULL, NULL, 0, NULL, NULL, NULL, NULL, with ? &z : NULL, 1, NULL, NULL, NULL,
                             &skew[with], NULL) == EIG_OK);
    CHECK(eig_mpi_sstemr(ctx, NULL, NULL, 0, NULL, NULL, NULL, NULL, &z_single, 1, NULL, NULL, NULL, &skew_single,
                         NULL) == EIG_OK);
    CHECK(skew[0] == -1 && skew[1] == 0 && skew_single == 0);
}

static void tests(eig_mpi_context *ctx, const char *device)
{
    (void)device;
    test_bits(ctx);
    test_inverse_iteration(ctx);
    test_overflow(ctx);
    test_values(ctx);
    test_not_finite(ctx);
    test_order_0(ctx);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, tests);
}
