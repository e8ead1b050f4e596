/* All of a matrix by way of its Schur form: load, balance, reduce, iterate, eigenvectors, store. */
#ifndef EIG_GEEV_SCHUR_MATRIX_CUH
#define EIG_GEEV_SCHUR_MATRIX_CUH

#include "geev/schur/geev_back.cuh"
#include "geev/schur/geev_schur.cuh"

/* ------------------------------------------------------------------ double shifts */

template <typename real>
static __device__ void double_shifts(const schur_area<real> &a, const schur_window<real> &s, real *re1, real *re2,
                                     real *im)
{
    int const i = s.i, l = s.l;
    real h11 = a.at(i - 1, i - 1), h12 = a.at(i - 1, i), h21 = a.at(i, i - 1), h22 = a.at(i, i);
    francis_step const kind = francis_step_of(s.steps);
    if (kind == FRANCIS_AT_BOTTOM)
        francis_exceptional(h22, h21, a.at(i - 1, i - 2), &h11, &h12, &h21, &h22);
    else if (kind == FRANCIS_AT_TOP)
        francis_exceptional(a.at(l, l), a.at(l + 1, l), a.at(l + 2, l + 1), &h11, &h12, &h21, &h22);
    francis_shifts(h11, h12, h21, h22, re1, re2, im);
}

/* v := a multiple of the first column of (H - s1)(H - s2) from row m on.  Returns whether the sweep may start there. */
template <typename real>
static __device__ bool double_column(const schur_area<real> &a, int m, int l, real re1, real re2, real im, real *v)
{
    francis_first_column(a.at(m, m), a.at(m, m + 1), a.at(m + 1, m), a.at(m + 1, m + 1), a.at(m + 2, m + 1), re1, re2,
                         im, v, v + 1, v + 2);
    if (m == l) return true;
    real const sum = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), safe = sum > 0 ? sum : 1;
    real const around = fabs(a.at(m - 1, m - 1)) + fabs(a.at(m, m)) + fabs(a.at(m + 1, m + 1));
    return fabs(a.at(m, m - 1)) * (fabs(v[1] / safe) + fabs(v[2] / safe)) <=
           real_limits<real>::eps * fabs(v[0] / safe) * around;
}

/* The reflector that takes (v0, v1, v2)' to (beta, 0, 0)'. */
template <typename team_type, typename real>
static __device__ __forceinline__ reflector3<real> bulge_reflector(team_type team, bool acts, const real *v, real *beta)
{
    acts = acts && (v[1] != 0 || v[2] != 0);
    real const square = fma(v[2], v[2], fma(v[1], v[1], v[0] * v[0]));
    reflector3<real> t = reflector_of(acts, v[0], v[1], v[2], acts ? square : (real)1, beta);
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    bool const tiny = acts && square < least;
    if (team.anywhere(tiny)) {
        real again;
        reflector3<real> const u = tiny_reflector(v[0], v[1], v[2], &again);
        if (tiny) t = u, *beta = again;
    }
    return t;
}

/* Reflector t of rows k.. on the columns right of the bulge, then of columns k.. on the rows above it and on Q. */
template <typename team_type, typename real>
static __device__ __forceinline__ void double_apply(team_type team, const schur_area<real> &a,
                                                    const schur_window<real> &s, int k, bool acts, reflector3<real> t)
{
    constexpr int P = team_type::size;
    bool const three = k + 2 <= s.i;
    real none = 0;
    for (int j = k + team.rank, last = a.q ? a.n - 1 : s.i; acts && j <= last; j += P) {
        real *const x = &a.at(k, j);
        real x0 = x[0], x1 = x[a.ld], x2 = three ? x[2 * a.ld] : none;
        t.apply(x0, x1, x2);
        x[0] = x0, x[a.ld] = x1;
        if (three) x[2 * a.ld] = x2;
    }
    team.sync(); /* rows k..k+2 are complete */
    schur_rows const rows(a.q ? 0 : s.l, k + 3 < s.i ? k + 3 : s.i, acts, a.q, s.lo, s.hi, a.n);
    for (int m = team.rank; m < rows.count; m += P) {
        real *const x = a.stacked(rows(m)) + k;
        real x0 = x[0], x1 = x[1], x2 = three ? x[2] : none;
        t.apply(x0, x1, x2);
        x[0] = x0, x[1] = x1;
        if (three) x[2] = x2;
    }
}

template <typename team_type, typename real>
static __device__ void schur_step(team_type team, const schur_area<real> &a, const schur_window<real> &s, bool begins)
{
    real re1 = 0, re2 = 0, im = 0, v[3] = {0, 0, 0};
    if (begins) double_shifts(a, s, &re1, &re2, &im);
    int start = s.l;
    for (int m = s.i - 2 - team.rank; begins && m > s.l && start == s.l; m -= team_type::size)
        if (double_column(a, m, s.l, re1, re2, im, v)) start = m;
    start = team.max(start);
    if (begins) double_column(a, start, start, re1, re2, im, v);
    for (int k = start; team.anywhere(begins && k < s.i); ++k) {
        bool const acts = begins && k < s.i, three = k + 2 <= s.i;
        if (acts && k > start)
            v[0] = a.at(k, k - 1), v[1] = a.at(k + 1, k - 1), v[2] = three ? a.at(k + 2, k - 1) : (real)0;
        real beta;
        reflector3<real> const t = bulge_reflector(team, acts, v, &beta);
        team.sync(); /* all have read column k-1 */
        if (acts && team.rank == 0 && k > start) {
            a.at(k, k - 1) = beta, a.at(k + 1, k - 1) = 0;
            if (three) a.at(k + 2, k - 1) = 0;
        } else if (acts && team.rank == 0 && start > s.l) {
            a.at(k, k - 1) *= 1 - t.tau;
        }
        double_apply(team, a, s, k, acts, t);
        team.sync(); /* columns k..k+2 are complete */
    }
}

/* ------------------------------------------------------------------ single shifts */

/* The unitary matrix [c s; -conj(s) c]. */
template <typename real> struct plane_rotation {
    real c;
    complex_of<real> s;
    /* Of entries x, y of a column, from the left; of a row, from the right by the conjugate transpose. */
    __device__ __forceinline__ void left(complex_of<real> &x, complex_of<real> &y) const
    {
        complex_of<real> const u = product_add(s, y, scaled(c, x));
        y = conj_product_add(s, negative(x), scaled(c, y)), x = u;
    }
    __device__ __forceinline__ void right(complex_of<real> &x, complex_of<real> &y) const
    {
        complex_of<real> const u = conj_product_add(s, y, scaled(c, x));
        y = product_add(s, negative(x), scaled(c, y)), x = u;
    }
};

/* The shift of a window. */
template <typename area_type, typename real>
static __device__ complex_of<real> single_shift(const area_type &a, const schur_window<real> &s)
{
    using complex = complex_of<real>;
    int const i = s.i, l = s.l;
    francis_step const kind = francis_step_of(s.steps);
    if (kind == FRANCIS_AT_BOTTOM) {
        complex const h = a.at(i, i);
        return {h.re + (real)0.75 * taxicab(a.at(i, i - 1)), h.im};
    }
    if (kind == FRANCIS_AT_TOP) {
        complex const h = a.at(l, l);
        return {h.re + (real)0.75 * taxicab(a.at(l + 1, l)), h.im};
    }
    complex const h11 = a.at(i - 1, i - 1), h12 = a.at(i - 1, i), h21 = a.at(i, i - 1), h22 = a.at(i, i);
    real const x11[2] = {h11.re, h11.im}, x12[2] = {h12.re, h12.im}, x21[2] = {h21.re, h21.im},
               x22[2] = {h22.re, h22.im};
    complex shift;
    schur_shift(x11, x12, x21, x22, &shift.re, &shift.im);
    return shift;
}

/* Whether a sweep with this shift may start in row m. */
template <typename area_type, typename real>
static __device__ bool single_starts(const area_type &a, int m, complex_of<real> shift)
{
    real const top = taxicab(difference(a.at(m, m), shift)), sub = taxicab(a.at(m + 1, m)), sum = top + sub,
               safe = sum > 0 ? sum : (real)1;
    return taxicab(a.at(m, m - 1)) * (sub / safe) <=
           real_limits<real>::eps * ((top / safe) * (taxicab(a.at(m, m)) + taxicab(a.at(m + 1, m + 1))));
}

/* The first row of a sweep with this shift. */
template <typename team_type, typename area_type, typename real>
static __device__ __forceinline__ int single_start(team_type team, const area_type &a, const schur_window<real> &s,
                                                   bool begins, complex_of<real> shift)
{
    int start = s.l;
    for (int m = s.i - 1 - team.rank; begins && m > s.l && start == s.l; m -= team_type::size)
        if (single_starts(a, m, shift)) start = m;
    return team.max(start);
}

template <typename team_type, typename real>
static __device__ __forceinline__ void single_apply(team_type team, const schur_area<complex_of<real>> &a,
                                                    const schur_window<real> &s, int k, bool acts,
                                                    plane_rotation<real> t)
{
    using complex = complex_of<real>;
    constexpr int P = team_type::size;
    for (int j = k + team.rank, last = a.q ? a.n - 1 : s.i; acts && j <= last; j += P) {
        complex *const x = &a.at(k, j);
        complex x0 = x[0], x1 = x[a.ld];
        t.left(x0, x1);
        x[0] = x0, x[a.ld] = x1;
    }
    team.sync(); /* rows k and k+1 are complete */
    schur_rows const rows(a.q ? 0 : s.l, k + 2 < s.i ? k + 2 : s.i, acts, a.q, s.lo, s.hi, a.n);
    for (int m = team.rank; m < rows.count; m += P) {
        complex *const x = a.stacked(rows(m)) + k;
        complex x0 = x[0], x1 = x[1];
        t.right(x0, x1);
        x[0] = x0, x[1] = x1;
    }
}

template <typename team_type, typename real>
static __device__ void schur_step(team_type team, const schur_area<complex_of<real>> &a, const schur_window<real> &s,
                                  bool begins)
{
    using complex = complex_of<real>;
    complex shift = {0, 0}, f = {0, 0}, g = {0, 0};
    if (begins) shift = single_shift(a, s);
    int const start = single_start(team, a, s, begins, shift);
    if (begins) f = difference(a.at(start, start), shift), g = a.at(start + 1, start);
    for (int k = start; team.anywhere(begins && k < s.i); ++k) {
        bool const acts = begins && k < s.i;
        if (acts && k > start) f = a.at(k, k - 1), g = a.at(k + 1, k - 1);
        plane_rotation<real> t;
        complex r;
        schur_plane_rotation(f.re, f.im, g.re, g.im, &t.c, &t.s.re, &t.s.im, &r.re, &r.im);
        team.sync(); /* all have read column k-1 */
        if (acts && team.rank == 0 && k > start)
            a.at(k, k - 1) = r, a.at(k + 1, k - 1) = complex{0, 0};
        else if (acts && team.rank == 0 && start > s.l)
            a.at(k, k - 1) = scaled(t.c, a.at(k, k - 1));
        single_apply(team, a, s, k, acts, t);
        team.sync(); /* columns k and k+1 are complete */
    }
}

/* Bytes of a team's area for order n, a multiple of 256: with or without q, and v; entry: bytes of an entry.  Where
 * base is not NULL, area gets its pointers. */
template <typename area_type>
static __host__ __device__ __forceinline__ size_t schur_carve(area_type *area, char *base, int n, int ld, bool with_q,
                                                              bool with_v)
{
    using entry = typename area_type::entry_type;
    using real = typename area_type::real;
    size_t const square = (size_t)n * ld * sizeof(entry), each = (size_t)n * sizeof(real);
    size_t at = 0;
    auto const take = [&](size_t bytes) {
        size_t const from = at;
        at += (bytes + 15) / 16 * 16;
        return base + from;
    };
    area->n = n, area->ld = ld;
    area->t = (entry *)take(square);
    area->q = with_q ? (entry *)take(square) : NULL;
    area->v = with_v ? (entry *)take(square) : NULL;
    area->row = (entry *)take(2 * (size_t)n * sizeof(entry));
    area->w = (complex_of<real> *)take(2 * each);
    area->own = (complex_of<real> *)take(2 * each);
    area->scale = (real *)take(each);
    area->origin = (int *)take((size_t)n * sizeof(int));
    return at;
}

/* Rows and columns whose norms differ by less than a factor of two, are not zero and safe to square need neither a
 * permutation nor a scaling.  sums: of this thread's rows. */
template <typename team_type, typename entry>
static __device__ bool is_balanced(team_type team, const schur_area<entry> &a, bool lives,
                                   geev_triangles<real_of<entry>> *sums)
{
    using real = real_of<entry>;
    constexpr real least = real_limits<real>::square_safe, most = 1 / least;
    bool good = true;
    for (int k = team.rank; lives && k < a.n; k += team_type::size) {
        real below = 0, above = 0, column = 0;
        for (int m = 0; m < k; ++m) below = square_add(a.at(k, m), below), column = square_add(a.at(m, k), column);
        for (int m = k + 1; m < a.n; ++m)
            above = square_add(a.at(k, m), above), column = square_add(a.at(m, k), column);
        sums->lower += below, sums->upper += above;
        real row = below + above;
        good = good && row > least && column > least;
        row = square_add(a.at(k, k), row), column = square_add(a.at(k, k), column);
        good = good && row < most && column < most && column >= (real)0.25 * row && (real)0.25 * column < row;
    }
    return !team.any(!good);
}

/* Scales, permutes and balances a matrix in memory; a team with h.n = 0 has none. */
template <typename team_type, typename entry>
static __device__ geev_record treat_whole(team_type team, geev_view<entry> h, const schur_area<entry> &a, bool balances)
{
    geev_record record = {1, 0, h.n - 1, EIG_INFO_OK, 0, 0};
    normalise(team, h, &record); /* the whole matrix: vectors need its isolated parts to the same scale */
    if (balances) {
        isolate(team, h, &record.lo, &record.hi, a.origin);
        balance(team, h, record.lo, record.hi, a.scale);
    }
    return record;
}

/* Loads, scales, balances and turns matrix b. */
template <typename team_type, typename entry>
static __device__ geev_record begin_matrix(team_type team, const schur_area<entry> &a, const geev_problem &p, int64_t b,
                                           bool lives)
{
    int const n = a.n, end = lives ? n * n : 0;
    bool const by_rows = geev_lies_by_rows(p);
    for (int e = team.rank; e < end; e += team_type::size) {
        int const i = by_rows ? e / n : e % n, j = by_rows ? e % n : e / n;
        a.at(i, j) = geev_entry<entry>(p, b, i, j);
    }
    for (int i = team.rank; lives && i < n; i += team_type::size) a.origin[i] = i, a.scale[i] = 1;
    team.sync();
    geev_record record = {1, 0, lives ? n - 1 : -1, EIG_INFO_OK, 0, 0};
    geev_triangles<real_of<entry>> sums = {0, 0};
    bool const balanced = is_balanced(team, a, lives, &sums); /* every lane of the warp asks */
    bool const acts = lives && !(p.balance && balanced);
    geev_view<entry> const h = {a.t, acts ? n : 0, a.ld, 1};
    sums = {team.sum(sums.lower), team.sum(sums.upper)};
    if (team.anywhere(acts)) {
        geev_record const treated = treat_whole(team, h, a, p.balance);
        geev_triangles<real_of<entry>> const again = triangles_of(team, h, treated);
        if (acts) record = treated, sums = again;
    }
    bool const turns = sums.turns(record);
    if (team.anywhere(turns)) transpose(team, geev_view<entry>{a.t, n, a.ld, 1}, turns, &record, a.origin, a.scale);
    return record;
}

/* The rotation that makes a block triangular of which the smaller entry beside the diagonal counts as zero once the
 * diagonal is level.  No rotation is cs = sn = 0: the entry below the diagonal is that one. */
template <typename real> static __device__ void parting_rotation(real a, real b, real c, real d, real *cs, real *sn)
{
    real x, y;
    schur_standard(a, b, c, d, &x, &y);
    real const top = fma(x, a, y * c), right = fma(x, b, y * d), low = fma(x, c, -(y * a)), last = fma(x, d, -(y * b));
    bool const lower = fabs(fma(x, low, y * last)) > fabs(fma(x, right, -(y * top)));
    *cs = lower ? -y : y == 0 ? (real)0 : x, *sn = lower ? x : y;
}

/* Makes the 2 x 2 blocks of rows lo..hi with real eigenvalues triangular; finds these rows' eigenvalues and those
 * outside the block of the iteration, whose subdiagonal entries are zero.  A pair whose imaginary parts are no numbers
 * any more once they are multiplied by unscale is real. */
template <typename team_type, typename real>
static __device__ void finish_schur(team_type team, const schur_area<real> &a, int lo, int hi, real unscale, bool lives)
{
    constexpr int P = team_type::size;
    int const n = a.n, end = lives ? n : 0;
    real *const cs = a.row, *const sn = a.row + n;
    for (int k = team.rank; k < end; k += P) {
        bool const inside = k >= lo && k <= hi;
        real const sub = inside && k < hi ? a.at(k + 1, k) : (real)0,
                   before = inside && k > lo ? a.at(k, k - 1) : (real)0;
        cs[k] = 1, sn[k] = 0;
        if (sub == 0 && before == 0) a.w[k] = {a.at(k, k), 0};
        if (sub == 0) continue;
        real re1, re2, im;
        francis_block(a.at(k, k), a.at(k, k + 1), sub, a.at(k + 1, k + 1), &re1, &re2, &im);
        bool const lost = im > 0 && im * unscale == 0;
        if (lost) parting_rotation(a.at(k, k), a.at(k, k + 1), sub, a.at(k + 1, k + 1), cs + k, sn + k), im = 0;
        a.w[k] = {re1, im}, a.w[k + 1] = {re2, -im};
        if (im == 0 && !lost) schur_rotation(a.at(k, k), a.at(k, k + 1), sub, a.at(k + 1, k + 1), cs + k, sn + k);
    }
    team.sync();
    for (int j = team.rank; j < end; j += P)
        for (int k = lo; k < hi && k <= j; ++k) {
            if (sn[k] == 0) continue;
            real const x = a.at(k, j), y = a.at(k + 1, j);
            a.at(k, j) = fma(cs[k], x, sn[k] * y), a.at(k + 1, j) = fma(cs[k], y, -(sn[k] * x));
        }
    team.sync();
    schur_rows const rows(0, hi, lives, a.q, lo, hi, n);
    for (int m = team.rank; m < rows.count; m += P) {
        int const r = rows(m);
        real *const row = a.stacked(r);
        for (int k = lo; k < hi; ++k) {
            if (sn[k] == 0 || (r < n && r > k + 1)) continue;
            real const x = row[k], y = row[k + 1];
            row[k] = fma(cs[k], x, sn[k] * y), row[k + 1] = fma(cs[k], y, -(sn[k] * x));
        }
    }
    team.sync();
    for (int k = team.rank; k < end; k += P) {
        if (sn[k] == 0 && cs[k] != 0) continue;
        a.at(k, k) = a.w[k].re, a.at(k + 1, k + 1) = a.w[k + 1].re, a.at(k + 1, k) = 0;
    }
    team.sync();
}
template <typename team_type, typename real>
static __device__ void finish_schur(team_type team, const schur_area<complex_of<real>> &a, int, int, real, bool lives)
{
    for (int k = team.rank; lives && k < a.n; k += team_type::size) a.w[k] = a.at(k, k);
    team.sync();
}

/* Stores eigenvalues, their measure, info, which is returned: those that are too large for a number are NaN. */
template <typename team_type, typename area_type>
static __device__ int store_values(team_type team, const area_type &a, const geev_problem &p, int64_t b, bool lives,
                                   const geev_record &record, int info)
{
    using real = typename area_type::real;
    using entry = typename area_type::entry;
    real const nan = (real)NAN;
    int last = -1; /* too large */
    for (int k = team.rank; lives && k < a.n; k += team_type::size) {
        real const by = (real)record.unscale;
        complex_of<real> w = {unscaled((real)a.n, a.w[k].re, by), unscaled((real)a.n, a.w[k].im, by)};
        if (k < record.lo || k > record.hi) { /* was never scaled */
            entry const own = geev_entry<entry>(p, b, a.origin[k], a.origin[k]);
            w = {real_part(own), imaginary(own)};
        } else if (k < info) {
            w = {nan, nan};
        }
        if (record.info != 0) w = {nan, nan};
        if (info == 0 && !(fabs(w.re) < (real)INFINITY && fabs(w.im) < (real)INFINITY)) w = {nan, nan}, last = k;
        if (p.w) geev_put(p, b, k, w.re, w.im);
        a.own[k] = w;
    }
    last = team.max(last);
    if (last >= 0) info = last + 1;
    team.sync();
    if (!lives || team.rank != 0) return info;
    real measure = info == 0 ? (real)0 : nan;
    for (int k = 0; k < a.n && info == 0 && p.value; ++k)
        measure = geev_measure(p.measure, measure, a.own[k].re, a.own[k].im, k == 0);
    if (p.value) ((real *)p.value)[b] = measure;
    if (p.info) p.info[b] = info;
    return info;
}

/* At least the smallest normal number, with x's sign. */
template <typename real> static __device__ __forceinline__ real kept(real x)
{
    return copysign(fmax(fabs(x), real_limits<real>::safmin), x);
}

/* Brings T's largest entry to 1, and the eigenvalues with it.  A pair stays one: what has underflowed of it becomes the
 * smallest normal number. */
template <typename team_type, typename entry>
static __device__ void scale_schur(team_type team, const schur_area<entry> &a, bool lives)
{
    using real = real_of<entry>;
    int const n = a.n, end = lives ? n : 0;
    real most = 0;
    for (int j = team.rank; j < end; j += team_type::size)
        for (int i = 0; i < n && i <= j + 1; ++i) most = fmax(most, larger_part(a.at(i, j)));
    real const unit = unit_of(team.max(most));
    for (int j = team.rank; j < end; j += team_type::size) {
        real const im = a.w[j].im;
        for (int i = 0; i < n && i <= j + 1; ++i) a.at(i, j) = scaled(unit, a.at(i, j));
        a.w[j] = scaled(unit, a.w[j]);
        if constexpr (!entry_kind<entry>::complex)
            if (im != 0) {
                entry &beside = a.at(im > 0 ? j + 1 : j - 1, j);
                beside = kept(beside), a.w[j].im = kept(a.w[j].im);
            }
    }
    team.sync();
}

/* Eigenvectors and condition numbers of matrix b; good: false where its iteration did not end. */
template <typename team_type, typename entry>
static __device__ void matrix_vectors(team_type team, const schur_area<entry> &a, const geev_problem &p, int64_t b,
                                      bool lives, bool good, bool turned)
{
    using real = real_of<entry>;
    using complex = complex_of<real>;
    geev_target<complex> const to_left(p, b, !turned, turned), to_right(p, b, turned, turned);
    bool const with_left = to_left.to || p.condition, with_right = to_right.to || p.condition,
               both = with_left && with_right;
    schur_side<entry> left = {a, true}, right = {a, false};
    entry *const v = both ? a.v : a.q;
    scale_schur(team, a, good);
    if (team.anywhere(with_left)) side_vectors(team, left, good && with_left, v);
    if (to_left.to && lives) store_vectors(team, left, v, good, to_left);
    if (team.anywhere(with_right)) side_vectors(team, right, good && with_right, a.q);
    if (to_right.to && lives) store_vectors(team, right, a.q, good, to_right);
    for (int k = team.rank; p.condition && lives && k < a.n; k += team_type::size) {
        real s = (real)NAN;
        if (good)
            s = condition_of(
                right, [&](int i) { return vector_entry(left, v, i, k); }, a.q, k);
        ((real *)p.condition)[b * p.stride_w + k] = s;
    }
}

template <typename team_type, typename entry>
static __device__ void schur_matrix(team_type team, const schur_area<entry> &a, const geev_slice &slice, int64_t b,
                                    bool lives)
{
    const geev_problem &p = slice.p;
    geev_record const record = begin_matrix(team, a, p, b, lives);
    bool const finite = lives && record.info == EIG_INFO_OK;
    int const lo = finite ? record.lo : 0, hi = finite ? record.hi : -1;
    schur_reduce<1>(team, a, lo, hi);
    int info = schur_iterate(team, a, lo, hi, finite, p.max_steps);
    if (!finite) info = record.info;
    team.sync();
    finish_schur(team, a, info > lo ? info : lo, hi, (real_of<entry>)record.unscale, finite);
    info = store_values(team, a, p, b, lives, record, info);
    team.sync();
    if (a.q) matrix_vectors(team, a, p, b, lives, lives && info == 0, record.turned);
    bool const asks = a.q && lives && info == 0, spread = is_spread(team, a.scale, a.n, asks);
    if (asks && (spread || !p.balance) && team.rank == 0) note_spread(slice, b);
    team.sync(); /* results are read before the next matrix comes */
}

#endif
