/* stemr on the CPU: a T of one or two rows, by formulas, since blocks, sweeps, ranks and their passes cost several
 * times as much as they.  Its numbers are scaled as in stemr_cpu.c where that may change a bit. */
#include "stemr_cpu.h"

#include <math.h>

/* Copies for orders and types that are known: straight code, without loops. */
#define EACH_ORDER static inline __attribute__((always_inline))

/* All pairs, ascending; pair k: w[k], v[k]. */
typedef struct few_pairs {
    double w[2], v[2][2];
    bool split; /* the coupling is negligible */
} few_pairs;

/* Of [a b; b c]. */
EACH_ORDER void solve(double a, double c, double b, double negligible, few_pairs *r)
{
    r->split = fabs(b) <= negligible;
    if (r->split) {
        bool const turned = c < a;
        r->w[turned] = a, r->w[!turned] = c;
        r->v[turned][0] = r->v[!turned][1] = 1;
        r->v[turned][1] = r->v[!turned][0] = 0;
        return;
    }
    double const half = 0.5 * (a - c), root = sqrt(half * half + b * b);
    double const x = half >= 0 ? root + half : b, y = half >= 0 ? b : root - half, f = 1 / sqrt(x * x + y * y);
    stebz_twos(a, c, b, r->w);
    r->v[0][0] = -y * f, r->v[0][1] = x * f;
    r->v[1][0] = x * f, r->v[1][1] = y * f;
    for (int k = 0; k < 2; ++k) {
        double const sign = stemr_sign(r->v[k], 2);
        r->v[k][0] *= sign, r->v[k][1] *= sign;
    }
}

/* What certificates the caller wants of the outputs. */
static eig_status certify(eig_context *ctx, const stemr_problem *p, cpu_watch *watch, int scale, int64_t columns)
{
    double room[2 + 2 + 2 * STEMR_INVERSE_ROW];
    stemr_task t = {.ctx = ctx, .p = p, .threads = 1, .scale = scale, .watch = *watch};
    t.a = room, t.b = room + 2, t.inverse = room + 4, t.part = 1;
    eig_status const status = eig_cpu_stemr_certify(&t, columns);
    watch->status = t.watch.status;
    return status;
}

/* The pairs of a range by value, as stebz decides it. */
static void find_range(const eig_context *ctx, const stemr_problem *p, int64_t *il, int64_t *iu)
{
    double a[2], b[2];
    stebz_problem const q = stemr_range_of(p);
    eig_cpu_stebz_range(ctx, &q, a, b, il, iu);
}

/* Pairs il to iu to w, z, isuppz and info; returns how many there are. */
EACH_ORDER int64_t store(const stemr_problem *p, int64_t il, int64_t iu, const few_pairs *r, eig_type const type,
                         int const n)
{
    int64_t columns = 0;
    for (int k = 0; k < n; ++k) {
        if (k + 1 < il || iu < k + 1) continue;
        type_put(type, p->w, columns, p->moves ? range_moved(&p->by_value, r->w[k]) : r->w[k]);
        if (p->info) p->info[columns] = EIG_INFO_OK;
        for (int i = 0; p->z && i < n; ++i) type_put(type, p->z, columns * p->ldz + i, r->v[k][i]);
        if (p->z && p->isuppz) {
            int64_t *const support = p->isuppz + 2 * columns;
            support[0] = r->split && r->v[k][0] == 0 ? 2 : 1;
            support[1] = r->split && r->v[k][0] != 0 ? 1 : 2;
        }
        ++columns;
    }
    return columns;
}

EACH_ORDER eig_status solve_few(eig_context *ctx, const stemr_problem *p, cpu_watch *watch, eig_type const type,
                                int const n)
{
    double a = type_get(type, p->d, 0), c = n > 1 ? type_get(type, p->d, 1) : a;
    double b = n > 1 ? type_get(type, p->e, 0) : 0;
    double const half = 0.5 * ((fabs(a) > fabs(c) ? fabs(a) : fabs(c)) + fabs(b));
    double negligible = type_is_single(type) ? STEMR_SPLIT_SINGLE : STEMR_SPLIT;
    bool const plain = 1 / STEBZ_PLAIN_NORM <= half && half <= STEBZ_PLAIN_NORM;
    int scale = 0;
    if (!((a - a) + (b - b) + (c - c) == 0)) {
        eig_cpu_stemr_fill_nan(p);
        if (p->stats) *p->stats = (eig_stemr_stats){0};
        return EIG_OK;
    }
    if (plain) {
        scale = 1 + stebz_exponent_of(half);
        negligible *= stebz_two_to(scale);
    } else {
        if (half > 0) frexp(half, &scale), ++scale;
        stebz_power const down = stebz_power_of(-scale);
        a = stebz_scaled(a, down), c = stebz_scaled(c, down), b = stebz_scaled(b, down);
    }
    few_pairs r = {.w = {a}, .v = {{1}}, .split = true};
    if (n > 1) solve(a, c, b, negligible, &r);
    if (!plain) {
        stebz_power const up = stebz_power_of(scale);
        for (int k = 0; k < n; ++k) r.w[k] = stebz_scaled(r.w[k], up);
    }
    int64_t il = p->il, iu = p->iu;
    if (p->range == EIG_RANGE_VALUE) find_range(ctx, p, &il, &iu);
    int64_t const columns = store(p, il, iu, &r, type, n);
    int const blocks = n > 1 && r.split ? 2 : 1;
    if (p->m) *p->m = columns;
    if (p->stats) *p->stats = (eig_stemr_stats){.blocks = blocks, .representations = blocks};
    return p->z && (p->residual || p->orthogonality) ? certify(ctx, p, watch, scale, columns) : EIG_OK;
}

eig_status eig_cpu_stemr_few(eig_context *ctx, const stemr_problem *p, cpu_watch *watch)
{
    if (p->type == EIG_D) return p->n == 1 ? solve_few(ctx, p, watch, EIG_D, 1) : solve_few(ctx, p, watch, EIG_D, 2);
    return p->n == 1 ? solve_few(ctx, p, watch, EIG_S, 1) : solve_few(ctx, p, watch, EIG_S, 2);
}
