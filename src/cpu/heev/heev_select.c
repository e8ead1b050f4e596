/* Selects the eigenpairs that a call asked for from all eigenpairs of some matrices. */
#include "backend_cpu.h"

#include <string.h>

/* How many of the n ascending numbers, the last of which may be NaN, are at most x. */
static int64_t count_up_to(eig_type type, const void *w, int64_t n, double x)
{
    int64_t count = 0;
    while (count < n && type_get(type, w, count) <= x) ++count;
    return count;
}

/* How many eigenvalues of matrix b lie below the range, and how many in it or below; whether others than w tell. */
static bool find_range(const heev_selection *s, int64_t b, const char *w, int64_t upto[2])
{
    const heev_problem *const p = s->p;
    const value_range *const r = &p->by_value;
    bool const by_value = p->range == EIG_RANGE_VALUE, counted = s->upto && s->upto[2 * b] >= 0;
    if (s->deciding) w = (const char *)s->deciding + (size_t)(b * p->n) * type_size(type_real_of(p->type));
    for (int end = 0; end < 2; ++end) {
        if (!by_value)
            upto[end] = end ? p->iu : p->il - 1;
        else
            upto[end] = counted ? s->upto[2 * b + end] : count_up_to(p->type, w, p->n, end ? r->vu : r->vl);
    }
    return counted || (by_value && s->deciding);
}

/* Columns first to first+count-1 of the n x n matrix v. */
static void copy_columns(const heev_problem *p, const char *v, int64_t first, int64_t count, char *out)
{
    size_t const size = type_size(p->type), n = (size_t)p->n, ld = (size_t)p->ldv;
    size_t const rows = p->row_major ? n : (size_t)count, length = p->row_major ? (size_t)count : n;
    const char *from = v + (size_t)first * (p->row_major ? 1 : n) * size;
    for (size_t r = 0; r < rows; ++r) memcpy(out + r * ld * size, from + r * n * size, length * size);
}

bool eig_cpu_heev_ranges(const eig_context *ctx, const heev_problem *p)
{
    (void)ctx, (void)p;
    return false;
}

eig_status eig_cpu_heev_select(eig_context *ctx, const heev_selection *s)
{
    const heev_problem *const p = s->p;
    size_t const size = type_size(p->type), real = type_is_complex(p->type) ? size / 2 : size, n = (size_t)p->n;
    (void)ctx;
    for (int64_t b = 0; b < s->count; ++b) {
        const char *const w = s->w ? (const char *)s->w + (size_t)b * n * real : NULL;
        int64_t upto[2];
        bool const counted = find_range(s, b, w, upto);
        int64_t const at = s->first + b, first = upto[0], count = upto[1] - upto[0];
        if (p->m) p->m[at] = count;
        if (!w) continue;
        char *const to = (char *)p->w + (size_t)(at * p->stride_w) * real;
        memcpy(to, w + (size_t)first * real, (size_t)count * real);
        for (int64_t k = 0; counted && k < count; ++k)
            type_put(type_real_of(p->type), to, k, range_moved(&p->by_value, type_get(type_real_of(p->type), to, k)));
        if (p->v)
            copy_columns(p, (const char *)s->v + (size_t)b * n * n * size, first, count,
                         (char *)p->v + (size_t)(at * p->stride_v) * size);
    }
    return EIG_OK;
}
