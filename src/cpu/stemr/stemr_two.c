/* stemr on the CPU: a T of two rows, by formulas, since blocks, sweeps, ranks and their passes cost several times as much as
 * they.  Its numbers are scaled as in stemr_cpu.c. */
#include "stemr_cpu.h"

#include <math.h>

/* Both pairs, ascending; pair k: w[k], v[k]. */
typedef struct two_pairs {
    double w[2], v[2][2];
    bool split; /* the coupling is negligible */
} two_pairs;

bool eig_cpu_stemr_is_two(const stemr_problem *p)
{
    return p->n == 2 && p->method == EIG_STEMR_AUTO && !p->limits;
}

/* Of [a b; b c]. */
static two_pairs solve(double a, double c, double b, double negligible)
{
    two_pairs r = {.split = fabs(b) <= negligible};
    if (r.split) {
        bool const turned = c < a;
        r.w[turned] = a, r.w[!turned] = c;
        r.v[turned][0] = r.v[!turned][1] = 1;
        return r;
    }
    double const half = 0.5 * (a - c), root = sqrt(half * half + b * b);
    double const x = half >= 0 ? root + half : b, y = half >= 0 ? b : root - half, f = 1 / sqrt(x * x + y * y);
    stebz_twos(a, c, b, r.w);
    r.v[0][0] = -y * f, r.v[0][1] = x * f;
    r.v[1][0] = x * f, r.v[1][1] = y * f;
    return r;
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

eig_status eig_cpu_stemr_two(eig_context *ctx, const stemr_problem *p, cpu_watch *watch)
{
    bool const single = type_is_single(p->type);
    double const d[2] = {type_get(p->type, p->d, 0), type_get(p->type, p->d, 1)}, e = type_get(p->type, p->e, 0);
    double const half = 0.5 * (fmax(fabs(d[0]), fabs(d[1])) + fabs(e));
    int scale = 0;
    if (half > 0) frexp(half, &scale), ++scale;
    stebz_power const down = stebz_power_of(-scale), up = stebz_power_of(scale);
    two_pairs const r = solve(stebz_scaled(d[0], down), stebz_scaled(d[1], down), stebz_scaled(e, down),
                              single ? STEMR_SPLIT_SINGLE : STEMR_SPLIT);
    int64_t columns = 0;
    for (int k = 0; k < 2; ++k) {
        double const exact = stebz_scaled(r.w[k], up), w = single ? (double)(float)exact : exact;
        bool const asked =
            p->range == EIG_RANGE_VALUE ? sturm_in_range(w, p->vl, p->vu) : p->il <= k + 1 && k + 1 <= p->iu;
        if (!asked) continue;
        type_put(p->type, p->w, columns, w);
        if (p->info) p->info[columns] = EIG_INFO_OK;
        for (int i = 0; p->z && i < 2; ++i) type_put(p->type, p->z, columns * p->ldz + i, r.v[k][i]);
        for (int i = 0; p->z && p->isuppz && i < 2; ++i)
            p->isuppz[2 * columns + i] = !r.split ? i + 1 : r.v[k][0] != 0 ? 1 : 2;
        ++columns;
    }
    if (p->m) *p->m = columns;
    if (p->stats) *p->stats = (eig_stemr_stats){.blocks = 1 + r.split, .representations = 1 + r.split};
    if (!p->z || (!p->residual && !p->orthogonality)) return EIG_OK;
    return certify(ctx, p, watch, scale, columns);
}
