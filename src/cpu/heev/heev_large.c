/* heev on the CPU: one matrix at a time, n > 64, by the tridiagonal method.  Compiled once for each instruction set and
 * type.
 *
 *     heev_large_reduce.h   A = Q T Q^H
 *     heev_stages_band.h, heev_stages_chase.h   the same in two stages, for values alone
 *     heev_large_divide.h   T = Z diag(d) Z^T: divide and conquer with heev_secular.h, leaves by heev_large_ql.h
 *     heev_large_back.h     V = Q Z
 *     product.h             the products of all of them
 *
 * Mapping   the lanes run along columns, which are padded by zeros to whole blocks of 64 bytes.  From HEEV_TOGETHER on
 *           the threads of a team may share a matrix: each goes through all of this, and does its share.
 * Memory    A below its diagonal, and Z, column by column in planes of real and imaginary parts; vectors beside them.
 * Cost      4/3 n^3 flops (complex: 16/3) for the reduction, up to 4/3 n^3 for the vectors of T, 2 n^3 (8) for those of
 *           A.
 * Promises  sums run over the lanes of 64 bytes, whatever the width of a vector: the same bits for every instruction
 *           set that has FMA.  At most n max_sweeps steps of QL.
 *
 * Everything here is static but the table at the end, so that no other file can link to this ISA's code. */
#include "heev_certify.h"
#include "heev_large_back.h"
#include "heev_large_divide.h"
#include "heev_large_reduce.h"
#include "heev_stages_chase.h"

#include <string.h>

/* Lays the work area out as heev_large_bytes counts it, for one thread of those that share it. */
static void lay_out(large_matrix *m, const heev_problem *p, void *work, cpu_member *who)
{
    int64_t const n = p->n, ld = heev_padded_column(n, sizeof(real));
    real *rest = work;
    *m = (large_matrix){.n = n, .ld = ld, .who = who};
    m->band = heev_band(n, sizeof(real)), m->bands = heev_bands(n, sizeof(real));
    for (int part = 0; part < HEEV_PARTS; ++part) m->a[part] = rest, rest += (n + HEEV_SPARE) * ld;
    for (int part = 0; part < HEEV_PARTS && p->vectors; ++part) m->z[part] = rest, rest += n * ld;
    m->u = EIG_COMPLEX ? m->z[1] : rest;
    if (p->vectors && !EIG_COMPLEX) rest += n * ld;
    real **const vectors[] = {&m->d,        &m->e,    &m->tau,  &m->bad,  &m->phase[0],
                              &m->phase[1], &m->x[0], &m->x[1], &m->y[0], &m->y[1]};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = rest, rest += ld;
    for (int part = 0; part < HEEV_PARTS; ++part) m->own[part] = rest, rest += m->bands * ld;
    m->sums = (band_sums *)rest, rest += m->bands * HEEV_BAND_SUMS(sizeof(real));
    m->stages = heev_in_stages(p), m->reduced = p->vectors ? 0.4 : 0.95;
    m->values = rest, m->search = rest + heev_reduction_reals(p);
    m->order = (int64_t *)(p->vectors ? (char *)rest : (char *)rest + heev_values_bytes(p));
    char *const members = (char *)work + heev_large_bytes(p) - heev_member_bytes(p);
    m->first_scratch = p->vectors ? (real *)members : m->values;
    if (!p->vectors) return;
    m->scratch = (real *)(members + who->rank * heev_member_bytes(p));
    m->noted = (rotation *)(m->scratch + heev_large_scratch(n, HEEV_PARTS, sizeof(real)));
    m->lists = (int64_t *)((char *)m->noted + (int64_t)HEEV_NOTED * HEEV_NOTED_BYTES);
}

/* Loads these columns of matrix b from the diagonal on. Returns the largest part of an entry, NaN where one is not
 * finite. Adding zero makes -0 to 0, so that either triangle gives the same bits. */
static real load(large_matrix *m, const heev_problem *p, int64_t b, span columns)
{
    batch_strides const s = heev_strides_of(p);
    int64_t const si = HEEV_PARTS * (p->upper ? s.j : s.i), sj = HEEV_PARTS * (p->upper ? s.i : s.j);
    const real *const a = (const real *)p->a + HEEV_PARTS * b * s.b;
    real most = 0;
    bool finite = true;
    for (int64_t j = columns.first; j < columns.last; ++j)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const to = m->a[part] + j * m->ld;
            for (int64_t i = 0; i < m->ld; ++i) to[i] = 0;
            for (int64_t i = part ? j + 1 : j; i < m->n; ++i) {
                real const x = a[i * si + j * sj + part];
                finite = finite && isfinite(x);
                most = fabs(x) > most ? fabs(x) : most;
                to[i] = (part && p->upper ? -x : x) + (real)0;
            }
        }
    return finite ? most : (real)NAN;
}

/* What the certificate asks of these columns, which are scaled, with the diagonal in d. */
static heev_sums sums_of(const large_matrix *m, span columns)
{
    heev_sums all = {0, 0};
    for (int64_t j = columns.first; j < columns.last; ++j) {
        double const x = m->d[j];
        all.trace += x, all.squares += x * x;
        int64_t const from = j - j % BLOCK; /* above the diagonal there are zeros */
        for (int part = 0; part < HEEV_PARTS; ++part)
            all.squares += 2 * (double)heev_squares(m->ld - from, m->a[part] + j * m->ld + from, 1);
    }
    return all;
}

/* Scales these columns by powers of two so that the largest part of an entry of all, `most`, is in [1, 2), and moves
 * the diagonal to d. */
static void normalise(large_matrix *m, real most, span columns)
{
    /* In two steps, since the reciprocal of a subnormal number overflows. */
    real const far = FLOAT_OR_DOUBLE(0x1p60f, 0x1p500), step = FLOAT_OR_DOUBLE(0x1p70f, 0x1p520);
    m->up = most < 1 / far ? step : most > far ? 1 / step : 1;
    m->unit = most > 0 ? REAL_TYPED(pow2_floor)(most * m->up) : 1;
    real const inverse = 1 / m->unit;
    for (int64_t j = columns.first; j < columns.last; ++j) {
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t i = j; i < m->n; ++i) m->a[part][i + j * m->ld] = m->a[part][i + j * m->ld] * m->up * inverse;
        m->d[j] = m->a[0][j + j * m->ld], m->a[0][j + j * m->ld] = 0;
    }
}

/* Loads and scales A. The threads' largest entries meet in tau, their sums in order, which nothing else needs before T
 * is there.
 * Returns whether all are finite. */
static bool take_matrix(large_matrix *m, const heev_problem *p, int64_t b, heev_sums *sums)
{
    cpu_member *const who = m->who;
    span const mine = share_of(m, m->n, 1);
    if (who->rank == 0) {
        for (int64_t k = 0; k < m->ld; ++k)
            m->d[k] = m->phase[0][k] = m->phase[1][k] = m->x[0][k] = m->x[1][k] = m->y[0][k] = m->y[1][k] = 0;
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t k = 0; k < HEEV_SPARE * m->ld; ++k) m->a[part][m->n * m->ld + k] = 0;
    }
    cpu_team_meet(who);
    m->tau[who->rank] = load(m, p, b, mine);
    cpu_team_meet(who);
    real most = 0;
    for (int k = 0; k < who->size; ++k) most = m->tau[k] > most || m->tau[k] != m->tau[k] ? m->tau[k] : most;
    if (most != most) return false;
    normalise(m, most, mine);
    heev_sums const own = sums_of(m, mine);
    _Static_assert(sizeof own == 2 * sizeof *m->order && 2 * HEEV_TILE < HEEV_TOGETHER, "room for all threads'");
    memcpy(m->order + 2 * who->rank, &own, sizeof own);
    cpu_team_meet(who);
    *sums = (heev_sums){0, 0};
    for (int k = 0; k < who->size; ++k) {
        heev_sums other;
        memcpy(&other, m->order + 2 * k, sizeof other);
        sums->trace += other.trace, sums->squares += other.squares;
    }
    return true;
}

/* A to T. Returns whether to go on. */
static bool reduce_any(large_matrix *m, cpu_watch *watch)
{
    if (!m->stages) return reduce(m, watch);
    stages const s = lay_out_stages(m, m->values);
    return cpu_team_meet(m->who) && reduce_to_band(m, &s, watch) && chase_band(m, &s, watch);
}

/* How many eigenvalues of T lie up to the ends of a range by value: one T for values and pairs, so that they are
 * equally many. The first thread's work; x and y, which hold nothing between the steps, have room for T in double. */
static bool count_range(large_matrix *m, const heev_problem *p, int64_t b, cpu_watch *watch)
{
    if (!p->upto) return true;
    if (m->who->rank == 0) {
        int64_t il, iu;
        double *const room = (double *)m->x[0];
        double const up = (double)m->up, unit = (double)m->unit; /* powers of two */
        stebz_problem const q = {.type = FLOAT_OR_DOUBLE(EIG_S, EIG_D),
                                 .n = m->n,
                                 .batch = 1,
                                 .d = m->d,
                                 .e = m->e,
                                 .by_value = {.vl = p->by_value.vl * up / unit, .vu = p->by_value.vu * up / unit}};
        eig_cpu_stebz_range(watch->ctx, &q, room, room + m->ld, &il, &iu);
        p->upto[2 * b] = il - 1, p->upto[2 * b + 1] = iu;
        for (int64_t k = 0; k < m->ld; ++k) m->x[0][k] = m->x[1][k] = m->y[0][k] = m->y[1][k] = 0;
    }
    return cpu_team_meet(m->who);
}

/* The eigenvalues of T in d, ascending: the first thread's work, a hundredth of the reduction's. */
static bool find_values(large_matrix *m, cpu_watch *watch)
{
    if (m->who->rank == 0) {
        bool const on = eig_cpu_stebz_values(watch, m->reduced, FLOAT_OR_DOUBLE(EIG_S, EIG_D), m->n, m->d, m->e,
                                             m->x[0], m->search);
        if (!on) cpu_team_stop(m->who);
        for (int64_t k = 0; k < m->n; ++k) m->d[k] = m->x[0][k], m->order[k] = k;
    }
    return cpu_team_meet(m->who);
}

/* The eigenvalues of T, and its vectors in Z. Returns how many have not converged; if any, none of them is good. -1
 * where the watch stops it. */
static int64_t solve_tridiagonal(large_matrix *m, const heev_problem *p, cpu_watch *watch)
{
    span const mine = share_of(m, m->n, 1);
    for (int64_t j = mine.first; j < mine.last; ++j)
        for (int64_t i = 0; i < m->ld; ++i) m->z[0][i + j * m->ld] = i == j;
    if (!cpu_team_meet(m->who)) return -1;
    int64_t const failed = divide_together(m, p->max_sweeps, (share){m->reduced, 0.7}, watch);
    return failed > 0 ? m->n : failed;
}

/* Whether the results pass, which all threads ask together: each its columns, whose flags meet in e. */
static bool certify(large_matrix *m, const heev_problem *p, heev_sums of)
{
    span const mine = share_of(m, m->n, 1);
    bool good = m->who->rank > 0 || heev_certify_values(m->n, m->d, 1, of, 0);
    for (int64_t j = mine.first; j < mine.last && p->vectors; ++j)
        good = heev_certify_vector(m->n, m->z[0] + j * m->ld, EIG_COMPLEX ? m->z[1] + j * m->ld : NULL) && good;
    m->e[m->who->rank] = good;
    if (!cpu_team_meet(m->who)) return true; /* it is stopped, and stores nothing */
    for (int k = 0; k < m->who->size; ++k) good = good && m->e[k] != 0;
    return good;
}

static void store(const large_matrix *m, const heev_problem *p, int64_t b, int64_t failed)
{
    span const mine = share_of(m, m->n, 1);
    heev_matrix const v = {.n = m->n, .ld = m->ld, .re = m->z[0], .im = m->z[1]};
    heev_store_some(p, b, mine.first, mine.last, m->d, &v, m->order, failed, 1 / m->up);
    if (m->who->rank == 0) heev_store_info(p, b, failed, 0);
}

/* Brings the values to the matrix's size, except for `up`; those that are too large for a number go last. */
static void finish_values(const large_matrix *m)
{
    int64_t const n = m->n;
    int64_t below = 0;
    for (int64_t k = 0; k < n; ++k) m->d[k] *= m->unit;
    if (heev_cut(n, m->d, NULL, 1, m->up) == 0) return;
    while (below < n && m->d[m->order[below]] == -(real)INFINITY) ++below;
    for (int64_t k = 0; k < below; ++k) { /* one place to the left */
        int64_t const first = m->order[0];
        memmove(m->order, m->order + 1, (size_t)(n - 1) * sizeof *m->order);
        m->order[n - 1] = first;
    }
}

static bool solve_large(const heev_problem *p, int64_t b, void *work, cpu_watch *watch, cpu_member *who)
{
    large_matrix m;
    lay_out(&m, p, work, who);
    heev_sums sums;
    if (!take_matrix(&m, p, b, &sums)) {
        if (who->rank > 0) return false;
        heev_store(p, b, NULL, NULL, NULL, p->n, 1);
        heev_store_info(p, b, EIG_INFO_NOT_FINITE, 0);
        return false;
    }
    if (!reduce_any(&m, watch) || !count_range(&m, p, b, watch)) return false;
    int64_t failed = p->vectors ? solve_tridiagonal(&m, p, watch) : find_values(&m, watch) ? 0 : -1;
    if (failed < 0) return false;
    if (p->vectors && failed == 0 && !back_transform(&m, watch)) return false;
    bool const asks = p->certify && failed == 0;
    if (asks && !cpu_team_meet(who)) return false; /* the vectors are there */
    bool const good = !asks || certify(&m, p, sums);
    if (!good) failed = m.n;
    if (who->rank == 0) finish_values(&m);
    if (!cpu_team_meet(who)) return false;
    if (failed == 0 && m.up < 1)
        for (int64_t k = 0; k < m.n; ++k) failed += !(fabs(m.d[k]) <= REAL_MAX);
    if (failed > 0 && p->upto && who->rank == 0) p->upto[2 * b] = -1;
    store(&m, p, b, failed);
    return !good;
}

const heev_large_kernels ISA_TYPED(eig_cpu_heev_large) = {.solve = solve_large};
