/* stemr on the CPU, method reference: the plain version, one pair after the other, by a single thread.  Every
 * eigenvalue is bisected against its block's first representation until its bracket has no middle worth a count, and
 * its vector comes from one twisted factorisation; those that agree to more digits than that can tell go to inverse
 * iteration.  No engine, no lanes, no tree; subsets take the time of the full run. */
#include "stemr_cpu.h"

#include <math.h>

/* Relative width of a final bracket, and relative gap below which pairs are orthogonalised. */
#define WIDTH 0x1p-98
#define CLOSE 0x1p-40

static int64_t count_of(const stemr_row *rows, int64_t n, wide_d x)
{
    wide_d s = wide_minus_d(x), pivot;
    double inverse;
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        s = mrrr_forward_d(rows[i].d, rows[i].g, x, s, &pivot, &inverse);
        count += pivot.hi < 0;
    }
    return count;
}

void eig_cpu_stemr_narrow(const stemr_row *rows, int64_t n, int64_t index, wide_d *lo, wide_d *hi)
{
    while (wide_difference(*hi, *lo).hi > WIDTH * fabs(hi->hi)) {
        wide_d const middle = wide_middle(*lo, *hi);
        if (count_of(rows, n, middle) >= index)
            *hi = middle;
        else
            *lo = middle;
    }
}

/* The pairs of one block; runs of close ones share their orthogonalisation.  False where the caller asks to stop. */
static bool find_pairs(stemr_task *t, int64_t number)
{
    const stemr_block *const b = &t->block[number];
    const stemr_row *const rows = t->rows + b->start;
    double most = 0;
    for (int64_t i = 0; i < b->length; ++i)
        most = fmax(most, rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi + rows[i - 1].b : 0) + fabs(rows[i].b));
    for (int64_t k = 1; k <= b->length; ++k) {
        if (!eig_cpu_watch_look(&t->watch, t->from + t->part * (double)t->pairs / (double)t->p->n)) return false;
        stemr_pair *const pair = &t->pair[t->pairs++];
        *pair = (stemr_pair){.block = number, .index = k, .node = -1, .column = -1, .state = STEMR_SINGLE};
        pair->hi = wide_of(2 * fabs(most) + 0x1p-40), pair->x = wide_of(t->a[b->start]);
        if (b->length == 1) continue;
        eig_cpu_stemr_narrow(rows, b->length, k, &pair->lo, &pair->hi);
        pair->x = wide_middle(pair->lo, pair->hi);
        if (k == 1 || wide_difference(pair->x, pair[-1].x).hi > CLOSE * pair->x.hi) continue;
        if (pair[-1].state != STEMR_INVERSE) pair[-1].run = t->pairs - 2;
        pair->state = pair[-1].state = STEMR_INVERSE;
        pair->run = pair[-1].run;
    }
    return true;
}

eig_status eig_cpu_stemr_reference(stemr_task *t)
{
    eig_cpu_stemr_split(t);
    for (int64_t number = 0; number < t->blocks; ++number) {
        eig_cpu_stemr_first(t, &t->block[number]);
        if (!find_pairs(t, number)) return t->watch.status;
    }
    return EIG_OK;
}

/* The vector of a single, by the ratios of both factorisations; they lie in the room of inverse iteration. */
void eig_cpu_stemr_reference_vector(stemr_task *t, stemr_pair *pair)
{
    const stemr_problem *const p = t->p;
    const stemr_block *const b = &t->block[pair->block];
    const stemr_row *const rows = t->rows + b->start;
    int64_t const n = b->length;
    wide_d *const from_top = (wide_d *)t->inverse;
    double *const down = t->inverse + 2 * p->n, *const up = down + p->n, *const z = up + p->n;
    wide_d s = wide_minus_d(pair->x), pivot;
    for (int64_t i = 0; i < n; ++i) {
        double inverse;
        from_top[i] = s;
        s = mrrr_forward_d(rows[i].d, rows[i].g, pair->x, s, &pivot, &inverse);
        up[i] = -rows[i].b * inverse;
    }
    int64_t twist = n - 1;
    wide_d below = wide_difference(rows[n - 1].d, pair->x), above;
    double gamma = wide_sum_rounded_d(from_top[n - 1], rows[n - 1].d);
    for (int64_t i = n - 2; i >= 0; --i) {
        double inverse;
        below = mrrr_backward_d(rows[i].d, rows[i].g, pair->x, below, &above, &inverse);
        down[i] = -rows[i].b * inverse;
        double const other = wide_sum_rounded_d(from_top[i], above);
        if (fabs(other) < fabs(gamma)) gamma = other, twist = i;
    }
    z[twist] = 1;
    for (int64_t i = twist - 1; i >= 0; --i) z[i] = up[i] * z[i + 1];
    for (int64_t i = twist + 1; i < n; ++i) z[i] = down[i - 1] * z[i - 1];
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) norm += z[i] * z[i];
    norm = sqrt(norm);
    double const signed_norm = stemr_sign(z, n) * norm;
    for (int64_t i = 0; i < p->n; ++i) {
        bool const inside = i >= b->start && i < b->start + n;
        type_put(p->type, p->z, pair->column * p->ldz + i, inside ? z[i - b->start] / signed_norm + 0.0 : 0);
    }
    pair->support_first = b->start, pair->support_last = b->start + n - 1;
    pair->residual = fabs(gamma) / norm;
    if (!p->certify) return;
    double const off = eig_cpu_stemr_measure(t, pair);
    eig_cpu_stemr_judge(t, pair, off * off, 1);
}
