/* The sign or phase of eigenvectors, as eigpack.h promises it: of the components whose modulus is at least 1 - 2^-10 times the
 * largest one, the first one is real and positive. */
#ifndef EIG_TEST_GAUGE_H
#define EIG_TEST_GAUGE_H

#include "device.h"
#include "io/numbers.h"

#include <math.h>

/* A vector: component i is v[first + i*step]. */
typedef struct gauge_vector {
    const numbers *v;
    int64_t n, first, step;
} gauge_vector;

static inline double gauge_modulus(const gauge_vector *x, int64_t i)
{
    int64_t const at = x->first + i * x->step;
    return type_is_complex(x->v->type) ? hypot(numbers_re(x->v, at), numbers_im(x->v, at)) : fabs(numbers_re(x->v, at));
}

/* The first component whose modulus is at least `part` of the largest one. */
static inline int64_t gauge_first(const gauge_vector *x, double part)
{
    double most = 0;
    for (int64_t i = 0; i < x->n; ++i) most = fmax(most, gauge_modulus(x, i));
    if (!(most > 0)) fail_msg("a vector without a largest component");
    int64_t i = 0;
    while (gauge_modulus(x, i) < part * most) ++i;
    return i;
}

/* Whether a change of moduli by `slack` beside the largest one may change which component decides. */
static inline bool gauge_is_open(const gauge_vector *x, double slack)
{
    double const part = 1 - 0x1p-10;
    return gauge_first(x, part - slack) != gauge_first(x, part + slack);
}

/* Components at the border may decide or not: rounding tells. */
static inline void expect_gauge(const char *name, int64_t column, const gauge_vector *x)
{
    double const part = 1 - 0x1p-10, slack = 16 * type_eps(x->v->type);
    int64_t const last = gauge_first(x, part + slack);
    for (int64_t i = gauge_first(x, part - slack); i <= last; ++i) {
        bool const is_real = !type_is_complex(x->v->type) || numbers_im(x->v, x->first + i * x->step) == 0;
        if (is_real && numbers_re(x->v, x->first + i * x->step) > 0) return;
    }
    fail_msg("%s: n = %lld, %s, vector %lld: component %lld decides, and is %g + %g i", name, (long long)x->n,
             type_name(x->v->type), (long long)column, (long long)last, numbers_re(x->v, x->first + last * x->step),
             type_is_complex(x->v->type) ? numbers_im(x->v, x->first + last * x->step) : 0.0);
}

/* The largest distance of two vectors' components. */
static inline double gauge_apart(const gauge_vector *x, const gauge_vector *y)
{
    double most = 0;
    for (int64_t i = 0; i < x->n; ++i) {
        int64_t const at = x->first + i * x->step, to = y->first + i * y->step;
        double const im = type_is_complex(x->v->type) ? numbers_im(x->v, at) - numbers_im(y->v, to) : 0;
        most = fmax(most, hypot(numbers_re(x->v, at) - numbers_re(y->v, to), im));
    }
    return most;
}

#endif
