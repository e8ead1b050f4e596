/* Cases: what is the same for all families. */
#include "cases.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"
#include "io/matrices_hermitian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bench_case case_new(const case_family *family, const char *kind, eig_type type, int64_t n, int64_t batch)
{
    bench_case c = {.family = family, .kind = kind, .type = type, .n = n, .batch = batch, .seed = 1};
    eig_stebz_options_init(&c.stebz, sizeof c.stebz);
    eig_geev_options_init(&c.geev, sizeof c.geev);
    eig_heev_options_init(&c.heev, sizeof c.heev);
    eig_stemr_options_init(&c.stemr, sizeof c.stemr);
    return c;
}

bool case_make(bench_case *c, io_error *error)
{
    snprintf(error->text, sizeof error->text, "no memory for the case n = %lld, batch = %lld", (long long)c->n,
             (long long)c->batch);
    c->info = (int *)calloc(c->batch > 0 ? (size_t)c->batch : 1, sizeof *c->info);
    if (!c->info || !c->family->fill(c, error)) return false;
    return numbers_make(&c->w, c->w.type, c->wanted * c->batch);
}

void case_free(bench_case *c)
{
    for (int i = 0; i < 2; ++i) numbers_free(&c->in[i]);
    numbers_free(&c->w), numbers_free(&c->v);
    free(c->info);
    c->info = NULL;
}

bool case_refuse_kind(const char *kind, const char *family_takes, io_error *error)
{
    bool const known =
        matrices_tridiagonal_text(kind) || matrices_nonsymmetric_text(kind) || matrices_hermitian_text(kind);
    snprintf(error->text, sizeof error->text,
             known ? "kind '%s': %s; see eigpack generate --list" : "unknown kind '%s'; see eigpack generate --list",
             kind, family_takes);
    return false;
}

void case_poison(bench_case *c)
{
    numbers_fill(&c->w, NAN);
    if (c->v.data) numbers_fill(&c->v, NAN);
    for (int64_t b = 0; b < c->batch; ++b) c->info[b] = -99;
}

eig_status case_call(eig_context *ctx, bench_case *c)
{
    case_arrays const own = {{c->in[0].data, c->in[1].data}, c->w.data, c->info, c->v.data};
    return c->family->call(ctx, c, &own);
}

eig_status case_check(eig_context *ctx, const bench_case *c, double *error)
{
    *error = 0;
    for (int64_t b = 0; b < c->batch; ++b)
        if (c->info[b] != EIG_INFO_OK) *error = INFINITY;
    if (numbers_not_finite(&c->w) >= 0 || numbers_not_finite(&c->v) >= 0) *error = INFINITY;
    return *error == 0 && c->w.count > 0 ? c->family->check(ctx, c, error) : EIG_OK;
}

bool case_passed(const bench_case *c, double error)
{
    return isfinite(error) && error <= c->family->allowed;
}

/* ----------------------------------------------------------------- repeats */

case_run case_run_new(eig_context *ctx, bench_case *c)
{
    return (case_run){.ctx = ctx, .c = c, .same = true};
}

void case_run_free(case_run *r)
{
    numbers_free(&r->first), numbers_free(&r->first_v);
}

/* Keeps the array, or compares with the one that is kept. */
static bool note(const numbers *now, numbers *first)
{
    if (!now->data) return true;
    if (first->data) return numbers_same(first, now);
    if (!numbers_make(first, now->type, now->count)) return true;
    memcpy(first->data, now->data, (size_t)now->count * type_size(now->type));
    return true;
}

void case_run_note(case_run *r)
{
    bool const w = note(&r->c->w, &r->first), v = note(&r->c->v, &r->first_v);
    r->same = r->same && w && v;
}

int case_run_host(void *run, double *ms)
{
    case_run *const r = run;
    case_poison(r->c);
    double const start = clock_ms();
    eig_status const status = case_call(r->ctx, r->c);
    *ms = clock_ms() - start;
    if (status == EIG_OK) case_run_note(r);
    return status;
}
