/* geev on CUDA: eigenvectors and condition numbers of matrices of order up to 64 whose eigenvalues are there, by
 * inverse iteration.  Matrices that it gives up go to the slice's list.  Real matrices, in four shapes of the grid,
 * then complex ones. */
#include "geev/reduce/geev_grid.cuh"
#include "geev/schur/geev_lanes.cuh"
#include "geev/schur/geev_schur_matrix.cuh"
#include "geev/vectors/geev_inverse_common.cuh"

/* ------------------------------------------------------------------- real matrices */

/* Eigenvectors of a real matrix whose eigenvalues are known, by inverse iteration on its Hessenberg form H = Q'AQ: a
 * lane for each column of the eigenvectors, so two for the real and imaginary parts of a pair.
 *
 * Steps    load, balance and reduce in registers (geev_grid.cuh); H and the reflectors go to shared memory; then for
 *          each eigenvalue w solve (H - w) x = b once or more; the reflectors, back from balancing, norm 1.
 * Solving  goes from the last column to the first.  Of columns k - 1 and k, either is eliminated from row k with the
 *          other one's help, whichever has the larger entry there (partial pivoting); what remains is the running
 *          column c.  The finished column of the triangular factor is used at once, so that a vector takes two columns
 *          of memory: c, whose free places take the multipliers, and b, which becomes x.
 * Certificate   ||(H - w) x|| / ||x|| = ||b|| / ||x||, by how much x has grown.  A matrix with a vector that does not
 *               reach
 *          some n eps ||H||, or with eigenvalues so close that their vectors might come out parallel, is given up: it
 *          is for the Schur form.
 * Bits     rounds depend on the matrix alone, not on the others of the warp.
 * Source   LAPACK's hsein; J. Wilkinson, The algebraic eigenvalue problem (1965), chapter 9. */

/* A lane's part of a vector. */
template <typename real> struct inverse_lane {
    real *c, *b;                    /* its columns: component 0 in the order of the side's H */
    int along;                      /* from component to component */
    real re, im;                    /* of w */
    bool pair, second, lives, acts; /* second: the imaginary parts; lives: has columns; acts: they may change */

    __device__ __forceinline__ real c_at(int i) const
    {
        return lives ? c[i * along] : (real)0;
    }
    __device__ __forceinline__ real b_at(int i) const
    {
        return lives ? b[i * along] : (real)0;
    }

    static __device__ __forceinline__ real exchange(real x)
    {
        return __shfl_xor_sync(0xffffffffu, x, 1);
    }
    /* What the pair's other lane has; 0 for a real w. */
    __device__ __forceinline__ real other(real x) const
    {
        real const y = exchange(x);
        return pair ? y : (real)0;
    }
    /* The number of which this lane has `own`. */
    __device__ __forceinline__ complex_of<real> whole(real own) const
    {
        real const rest = other(own);
        return {second ? rest : own, second ? own : rest};
    }
    __device__ __forceinline__ real part(complex_of<real> x) const
    {
        return second ? x.im : x.re;
    }
    /* The imaginary part with the sign that it has in this lane's part of a product. */
    __device__ __forceinline__ real crossed(complex_of<real> x) const
    {
        return second ? x.im : -x.im;
    }
};

/* Column j of a side's H from row 0 on. */
template <typename real> struct inverse_hessenberg {
    const real *first;
    int along;
    __device__ __forceinline__ inverse_hessenberg(const schur_side<real> &s, int j)
        : first(s.a.t + (s.left ? s.index(j) * s.a.ld + s.index(0) : j)), along(s.left ? -1 : s.a.ld)
    {
    }
    __device__ __forceinline__ real operator()(int i) const
    {
        return first[i * along];
    }
};

/* Eliminates row k: column k - 1 of H - w and the running column c become the new running column and a column of the
 * triangular factor, by which b is updated.  Returns whether the columns changed their roles. */
template <typename real>
static __device__ __forceinline__ bool eliminate_row(const schur_side<real> &s, const inverse_lane<real> &v, int k,
                                                     real least)
{
    using complex = complex_of<real>;
    inverse_hessenberg<real> const h(s, k - 1);
    complex const p = {h(k), 0}, ck = v.whole(v.c_at(k)), bk = v.whole(v.b_at(k));
    bool const swaps = fabs(p.re) > taxicab(ck);
    complex pivot = swaps ? p : ck;
    schur_pivot(least, &pivot.re, &pivot.im);
    complex const inverse = fast_inverse(pivot), m = product_add(swaps ? ck : p, inverse, complex{0, 0}),
                  y = product_add(bk, inverse, complex{0, 0});
    real const m_cross = v.crossed(m), y_cross = v.crossed(y);
    if (v.acts) v.c[k * v.along] = v.part(m), v.b[k * v.along] = v.part(y);
    auto const update = [&](int i, real a, real a_other) {
        real const c = v.c_at(i), b = v.b_at(i), c_other = v.other(c);
        real const from = swaps ? a : c, from_other = swaps ? a_other : c_other, to = swaps ? c : a;
        real const c_new = fma(-m_cross, from_other, fma(-m.re, from, to)),
                   b_new = fma(-y_cross, from_other, fma(-y.re, from, b));
        if (v.acts) v.c[i * v.along] = c_new, v.b[i * v.along] = b_new;
    };
    real const top = h(k - 1) - v.re;
    update(k - 1, v.second ? -v.im : top, v.second ? top : -v.im);
#pragma unroll 4
    for (int i = 0; i < k - 1; ++i) {
        real const a = h(i);
        update(i, v.second ? (real)0 : a, v.second ? a : (real)0);
    }
    return swaps;
}

/* Solves (H - w) x = b, |b| <= 1, in the place of b; x is scaled to 1 at most.  Returns by how much it was larger. */
template <typename real>
static __device__ __forceinline__ real inverse_step(const schur_side<real> &s, const inverse_lane<real> &v, real least)
{
    using complex = complex_of<real>;
    int const n = s.a.n;
    unsigned long long swaps = 0;
    inverse_hessenberg<real> const last(s, n - 1);
    for (int i = 0; v.acts && i < n; ++i) {
        real const a = last(i);
        v.c[i * v.along] = i < n - 1 ? (v.second ? (real)0 : a) : v.second ? -v.im : a - v.re;
    }
    for (int k = n - 1; k > 0; --k)
        if (eliminate_row(s, v, k, least)) swaps |= 1ull << k;
    complex pivot = v.whole(v.c_at(0));
    schur_pivot(least, &pivot.re, &pivot.im);
    real z = v.part(product_add(v.whole(v.b_at(0)), fast_inverse(pivot), complex{0, 0})), most = 0;
    for (int k = 1; k < n; ++k) { /* the columns' exchanges and multipliers */
        complex const m = v.whole(v.c_at(k));
        real const y = fma(-v.crossed(m), v.other(z), fma(-m.re, z, v.b_at(k)));
        bool const swapped = swaps >> k & 1;
        real const x = swapped ? y : z;
        if (v.acts) v.b[(k - 1) * v.along] = x;
        most = fmax(most, fabs(x));
        if (!swapped) z = y;
    }
    if (v.acts) v.b[(n - 1) * v.along] = z;
    most = fmax(most, fabs(z));
    most = fmax(most, v.other(most));
    real const scale = 1 / most;
    for (int i = 0; v.acts && i < n; ++i) v.b[i * v.along] *= scale;
    return most;
}

/* The column of slot m: pairs first, two slots each, then real vectors; -1: none. */
template <typename team_type, typename real>
static __device__ void list_columns(team_type team, const schur_side<real> &s, int *list)
{
    int pairs = 0, singles = 0;
    for (int k = 0; k < s.a.n; ++k) pairs += s.is_first(k);
    for (int k = 0, at = 0; k < s.a.n; ++k) {
        bool const first = s.is_first(k), second = s.is_second(k);
        int const slot = first ? at++ * 2 : second ? at * 2 - 1 : 2 * pairs + singles++;
        if (slot % team_type::size == team.rank) list[slot] = k;
    }
    team.sync();
}

/* All vectors of one side of H.  good: whether this team's matrix has not been given up.  Returns the same. */
template <typename team_type, typename real>
static __device__ __forceinline__ bool solve_side(team_type team, const schur_side<real> &s, real norm, const int *list,
                                                  bool good)
{
    constexpr real eps = real_limits<real>::eps;
    int const n = s.a.n;
    real const fine = 1 / (INVERSE_FINE * eps * norm * sqrt((real)n)), least = norm * (eps / 8);
    bool all = true;
    for (int base = 0; base < n; base += team_type::size) {
        int const m = base + team.rank, k = good && m < n ? list[m] : 0;
        bool const mine = good && m < n;
        complex_of<real> const w = mine ? s.w(k) : complex_of<real>{0, 0};
        int const at = s.index(0) * s.a.ld + s.index(k);
        inverse_lane<real> v = {
            s.a.q + at, s.a.v + at, s.left ? -s.a.ld : s.a.ld, w.re, fabs(w.im), w.im != 0, w.im < 0, mine, mine};
        for (int i = 0; mine && i < n; ++i) v.b[i * v.along] = v.second ? (real)0 : (real)1;
        v.acts = mine;
        real growth = 0;
        for (int round = 0; round < INVERSE_ROUNDS; ++round) {
            real const now = inverse_step(s, v, least);
            if (v.acts) growth = now;
            bool const again = team.any(v.acts && !(growth >= fine)); /* a matrix goes on as a whole */
            v.acts = again && mine;
            if (!team.anywhere(again)) break;
        }
        if (mine) all = all && growth * ((real)INVERSE_GOOD / INVERSE_FINE) >= fine && growth < (real)INFINITY;
    }
    return !team.any(!all) && good;
}

/* Takes columns of a side's vectors from H's coordinates to the balanced matrix's. */
template <typename team_type, typename real>
static __device__ void apply_reflectors(team_type team, const schur_area<real> &a, int lo, int hi, const real *t,
                                        const real *head)
{
    for (int k = team.rank; k < a.n; k += team_type::size) {
        real *const x = a.v + k;
        for (int j = hi - 2; j >= lo; --j) {
            const real *const u = a.t + j;
            real dot = head[j] * x[(j + 1) * a.ld];
#pragma unroll 4
            for (int i = j + 2; i <= hi; ++i) dot = fma(u[i * a.ld], x[i * a.ld], dot);
            dot *= -t[j];
            x[(j + 1) * a.ld] = fma(dot, head[j], x[(j + 1) * a.ld]);
#pragma unroll 4
            for (int i = j + 2; i <= hi; ++i) x[i * a.ld] = fma(dot, u[i * a.ld], x[i * a.ld]);
        }
    }
    team.sync();
}

/* One side of matrix b; good: in and out, whether all its vectors are. */
template <typename team_type, typename real>
static __device__ bool inverse_side(team_type team, const schur_side<real> &s, int lo, int hi, real norm, bool good)
{
    int *const list = (int *)s.a.own;
    list_columns(team, s, list);
    good = solve_side(team, s, norm, list, good);
    team.sync(); /* all columns are there */
    apply_reflectors(team, s.a, good ? lo : 0, good ? hi : -1, s.a.row, s.a.row + s.a.n);
    for (int k = team.rank; good && k < s.a.n; k += team_type::size)
        if (!s.is_second(k)) normalise_vector(s, s.a.v, k);
    team.sync();
    return good;
}

/* Loads, scales and balances matrix b in the grid's registers, by way of area.t where it needs more than usual. */
template <typename grid_type, typename team_type, typename real>
static __device__ __forceinline__ geev_record begin_grid(grid_type &grid, team_type team, const schur_area<real> &a,
                                                         const geev_problem &p, int64_t b, bool lives)
{
    int const n = a.n;
    geev_view<real> h = {a.t, n, a.ld, 1};
    geev_apart<real> const apart(p, b);
    if (apart.serves) {
        grid.load(apart, lives ? n : 0);
    } else {
        for (int j = 0; lives && j < n; ++j)
            for (int i = team.rank; i < n; i += team_type::size) h(i, j) = geev_entry<real>(p, b, i, j);
        team.sync();
        grid.load(h);
    }
    for (int i = team.rank; i < n; i += team_type::size) a.origin[i] = i, a.scale[i] = 1;
    auto const norms = grid.find_norms(n);
    bool const odd = grid.ballot(!norms.plain) != 0 && lives;
    geev_record record = {1, 0, lives ? n - 1 : -1, EIG_INFO_OK, 0, 0};
    if (team.anywhere(odd)) {
        grid.store(h);
        team.sync();
        geev_view<real> const own = {a.t, odd ? n : 0, a.ld, 1};
        geev_record treated = treat_whole(team, own, a, p.balance);
        turn(team, own, &treated, a.origin, a.scale);
        grid.load(h);
        if (odd) record = treated;
        team.sync(); /* all have loaded */
    }
    grid.balance(n, p.balance && lives && !odd, norms, odd ? (real *)NULL : a.scale);
    bool const turns = grid.triangles().turns(record) && lives && !odd;
    if (team.anywhere(turns)) {
        grid.store(h, turns);
        for (int i = team.rank; turns && i < n; i += team_type::size) a.scale[i] = 1 / a.scale[i];
        if (turns) record.turned = 1;
        team.sync();
        grid.load(h);
        team.sync(); /* all have loaded */
    }
    return record;
}

/* Matrix b balanced and in Hessenberg form in area.t, with the reflectors; scratch: the grid's.  By the lanes of one
 * warp. */
template <typename grid_type, typename team_type, typename real>
static __device__ __forceinline__ geev_record begin_inverse(team_type team, const schur_area<real> &a, real *scratch,
                                                            const geev_problem &p, int64_t b, bool lives)
{
    grid_type grid(threadIdx.x, scratch);
    geev_record const record = begin_grid(grid, team, a, p, b, lives);
    grid.reduce(a.n, record.lo, record.hi, {a.t, a.ld, a.row, a.row + a.n});
    grid.store_hessenberg(geev_view<real>{a.t, a.n, a.ld, 1});
    return record;
}

/* Eigenvectors of matrix b, whose eigenvalues p.w has.  Returns whether they are found. */
template <typename team_type, typename real>
static __device__ __forceinline__ bool inverse_matrix(team_type team, const schur_area<real> &a,
                                                      const geev_record &record, const geev_slice &slice, int64_t b,
                                                      bool lives)
{
    using complex = complex_of<real>;
    const geev_problem &p = slice.p;
    int const n = a.n;
    bool good = lives && record.info == EIG_INFO_OK;
    for (int k = team.rank; lives && k < n; k += team_type::size)
        a.w[k] = scaled(1 / (real)record.unscale, load_number((const complex *)p.w + b * p.stride_w + k));
    team.sync(); /* H is there, too */
    real const norm = hessenberg_norm(team, a, good);
    good = !has_cluster(team, a, INVERSE_APART * n * real_limits<real>::eps * norm, good) && good;
    for (int side = 0; side < 2; ++side) {
        bool const left = side == 0;
        geev_target<complex> const place = inverse_place<complex>(slice, b, left, record.turned);
        if (!place.to && !p.condition) continue;
        schur_side<real> const s = {a, left != (bool)record.turned};
        good = inverse_side(team, s, record.lo, record.hi, norm, good);
        if (good && place.to) store_vectors(team, s, a.v, true, place);
        team.sync(); /* stored before the other side begins */
    }
    return p.condition ? inverse_conditions(team, a, slice, b, record.turned, good) : good;
}

/* ------------------------------------------------------------------- complex matrices */

/* Eigenvectors of a complex matrix whose eigenvalues are known, by inverse iteration on its Hessenberg form H: L lanes
 * a vector.
 *
 * Steps    load what geev_single.cu has balanced and reduced, with the reflectors below H; then for each eigenvalue w
 *          solve (H - w) x = b once or twice; the reflectors, back from balancing, norm 1.
 * Solving  goes from the last column to the first.  Of columns k - 1 and k, either is eliminated from row k with the
 *          other one's help, whichever has the larger entry there (partial pivoting); what remains is the running
 *          column c.  The finished column of the triangular factor is used at once, so that a vector takes two columns
 *          of memory: c, whose free places take the multipliers, and b, which becomes x.  A lane owns every L-th row.
 * Certificate   ||(H - w) x|| / ||x|| = ||b|| / ||x||, by how much x has grown.  A matrix with a vector that does not
 *               reach
 *          n eps ||H||, or with eigenvalues so close that their vectors might come out parallel, is given up: it is for
 *          the Schur form.  So is one whose terms cancel, which growth does not show, and one that has grown by far
 *          more: several pivots were as small as rounding errors, of a graded matrix, and the growth says nothing of
 *          the residual.
 * Source   LAPACK's hsein; J. Wilkinson, The algebraic eigenvalue problem (1965), chapter 9. */

/* A vector in memory, in the order of one side. */
template <typename complex> struct inverse_column {
    complex *first; /* component 0 */
    int along;      /* from component to component */

    __device__ __forceinline__ complex &operator()(int i) const
    {
        return first[i * along];
    }
};

/* Column k of H from its first row on, conjugate where that side's H is. */
template <typename complex> struct hessenberg_column {
    const complex *first;
    int along;
    bool left;

    __device__ __forceinline__ hessenberg_column(const schur_side<complex> &s, int k)
        : first(&s.a.at(s.left ? s.index(k) : 0, s.left ? s.index(0) : k)), along(s.left ? -1 : s.a.ld), left(s.left)
    {
    }
    __device__ __forceinline__ complex operator()(int i) const
    {
        complex const x = first[i * along];
        return {x.re, left ? -x.im : x.im};
    }
};

/* Eliminates row k: column k - 1 of H - w and the running column c become the new running column and a column of the
 * triangular factor, by which b is updated.  Returns whether the columns changed their roles. */
template <int L, typename complex, typename real>
static __device__ __forceinline__ bool eliminate_row(sub_team<L> lanes, const schur_side<complex> &s, int k, complex w,
                                                     real least, inverse_column<complex> c, inverse_column<complex> b)
{
    hessenberg_column<complex> const h(s, k - 1);
    row_elimination<complex> const step(h(k), c(k), b(k), least);
    if ((k - 1) % L == lanes.rank) step.update(difference(h(k - 1), w), &c(k - 1), &b(k - 1));
#pragma unroll 4
    for (int i = lanes.rank; i < k - 1; i += L) step.update(h(i), &c(i), &b(i));
    lanes.sync(); /* all have read row k; row k - 1 is there */
    if (lanes.rank == 0) c(k) = step.m, b(k) = step.y;
    return step.swaps;
}

/* Solves (H - w) x = b, |b| <= 1, in the place of b; x is scaled to 1 at most.  Returns by how much it was larger; 0
 * where the solution of the triangular system is so much larger than x, which its columns make of it, that x has lost
 * digits. */
template <int L, typename complex, typename real>
static __device__ __forceinline__ real inverse_step(sub_team<L> lanes, const schur_side<complex> &s, complex w,
                                                    real least, inverse_column<complex> c, inverse_column<complex> b)
{
    int const n = s.a.n;
    unsigned long long swaps = 0;
    hessenberg_column<complex> const last(s, n - 1);
    for (int i = lanes.rank; i < n; i += L) c(i) = i < n - 1 ? last(i) : difference(last(i), w);
    lanes.sync(); /* row n - 1 is there */
    for (int k = n - 1; k > 0; --k)
        if (eliminate_row(lanes, s, k, w, least, c, b)) swaps |= 1ull << k;
    lanes.sync(); /* multipliers are there */
    real most = 0, wide = 0;
    if (lanes.rank == 0) {
        complex pivot = c(0);
        schur_pivot(least, &pivot.re, &pivot.im);
        complex z = product(b(0), fast_inverse(pivot));
        wide = larger_part(z);
        for (int k = 1; k < n; ++k) { /* the columns' exchanges and multipliers */
            wide = fmax(wide, larger_part(b(k)));
            complex const y = minus_product(c(k), z, b(k));
            bool const swapped = swaps >> k & 1;
            complex const x = swapped ? y : z;
            b(k - 1) = x;
            most = fmax(most, larger_part(x));
            if (!swapped) z = y;
        }
        b(n - 1) = z;
        most = fmax(most, larger_part(z));
    }
    lanes.sync(); /* x is there */
    most = lanes.max(most), wide = lanes.max(wide);
    real const scale = 1 / most;
    for (int i = lanes.rank; i < n; i += L) b(i) = scaled(scale, b(i));
    lanes.sync(); /* b is there */
    return wide <= (real)INVERSE_CANCELS * most ? most : (real)0;
}

/* Vector k of H.  Returns whether it is good. */
template <int L, typename complex>
static __device__ bool inverse_vector(sub_team<L> lanes, const schur_side<complex> &s, int k, real_of<complex> norm)
{
    using real = real_of<complex>;
    constexpr real eps = real_limits<real>::eps;
    int const n = s.a.n, along = s.left ? -s.a.ld : s.a.ld, at = s.index(0) * s.a.ld + s.index(k);
    inverse_column<complex> const c = {s.a.q + at, along}, b = {s.a.v + at, along};
    real const fine = 1 / (INVERSE_FINE * eps * norm * sqrt((real)n));
    for (int i = lanes.rank; i < n; i += L) b(i) = complex{1, 0};
    real growth = 0;
    for (int round = 0; round < INVERSE_ROUNDS && !(growth >= fine); ++round)
        growth = inverse_step(lanes, s, s.w(k), norm * (eps / 8), c, b);
    return growth * ((real)INVERSE_GOOD / INVERSE_FINE) >= fine && growth < fine * (real)INVERSE_MOST_GROWTH;
}

/* Takes vector k from H's coordinates to the balanced matrix's. */
template <int L, typename complex>
static __device__ void apply_reflectors(sub_team<L> lanes, const schur_side<complex> &s, int lo, int hi,
                                        const real_of<complex> *factors, int k)
{
    inverse_column<complex> const x = {s.a.v + s.index(k), s.a.ld};
    lanes.sync(); /* x is there; left vectors lie backwards */
    for (int j = hi - 2; j >= lo; --j) {
        int const first = j + 1 + (lanes.rank + L - (j + 1) % L) % L;
        complex dot = {0, 0};
#pragma unroll 4
        for (int i = first; i <= hi; i += L)
            dot = i == j + 1 ? total(dot, x(i)) : conj_product_add(s.a.at(i, j), x(i), dot);
        dot = scaled(-factors[j], sum_of(lanes, dot));
#pragma unroll 4
        for (int i = first; i <= hi; i += L)
            x(i) = i == j + 1 ? total(dot, x(i)) : product_add(s.a.at(i, j), dot, x(i));
    }
    lanes.sync(); /* the vector is there */
}

/* One side of matrix b; good: in and out, whether all its vectors are. */
template <int L, typename team_type, typename complex>
static __device__ bool inverse_side(team_type team, const schur_side<complex> &s, int lo, int hi, real_of<complex> norm,
                                    const real_of<complex> *factors, bool good)
{
    constexpr int step = team_type::size / L;
    sub_team<L> const lanes(team.rank);
    int const first = team.rank / L, n = s.a.n;
    bool all = true;
    for (int k = first; good && k < n; k += step) all = inverse_vector(lanes, s, k, norm) && all;
    good = !team.any(!all) && good;
    for (int k = first; good && k < n; k += step) apply_reflectors(lanes, s, lo, hi, factors, k);
    for (int k = first; good && k < n; k += step)
        if (lanes.rank == 0) normalise_vector(s, s.a.v, k);
    team.sync();
    return good;
}

/* Loads matrix number `at` of the slice, which geev_single.cu has reduced. */
template <typename team_type, typename complex>
static __device__ geev_record load_form(team_type team, const schur_area<complex> &a, const geev_slice &slice,
                                        int64_t at)
{
    using real = real_of<complex>;
    int const n = a.n;
    geev_single_form<real, complex> const form((char *)slice.forms + at * slice.form_bytes, n);
#pragma unroll 8
    for (int e = team.rank; e < n * n; e += team_type::size) a.at(e / n, e % n) = form.h[e];
    for (int i = team.rank; i < n; i += team_type::size) {
        a.origin[i] = slice.origins[at * n + i], a.scale[i] = form.scale[i];
        ((real *)a.row)[i] = form.factor[i];
    }
    return slice.records[at];
}

/* Eigenvectors of matrix b, which is reduced, and whose eigenvalues p.w has.  Returns whether they are found. */
template <int L, typename team_type, typename complex>
static __device__ bool inverse_complex_matrix(team_type team, const schur_area<complex> &a, const geev_record &record,
                                              const geev_slice &slice, int64_t b, bool lives)
{
    using real = real_of<complex>;
    const geev_problem &p = slice.p;
    bool good = lives && record.info == EIG_INFO_OK;
    int const lo = good ? record.lo : 0, hi = good ? record.hi : -1, n = a.n;
    for (int k = team.rank; lives && k < n; k += team_type::size) {
        complex const w = load_number((const complex *)p.w + b * p.stride_w + k);
        a.w[k] = scaled(1 / (real)record.unscale, w);
    }
    team.sync(); /* all is there */
    real const norm = hessenberg_norm(team, a, good);
    good = !has_cluster(team, a, INVERSE_APART * n * real_limits<real>::eps * norm, good) && good;
    for (int side = 0; side < 2; ++side) {
        bool const left = side == 0;
        geev_target<complex> const place = inverse_place<complex>(slice, b, left, record.turned);
        if (!place.to && !p.condition) continue;
        schur_side<complex> const s = {a, left != (bool)record.turned};
        good = inverse_side<L>(team, s, lo, hi, norm, (const real *)a.row, good);
        if (good && place.to) store_vectors(team, s, a.v, true, place);
        team.sync(); /* stored before the other side begins */
    }
    return p.condition ? inverse_conditions(team, a, slice, b, record.turned, good) : good;
}

/* ------------------------------------------------------------------- kernels */

/* Lists a matrix that did not get vectors, and notes one whose vectors are to be looked at. */
template <typename team_type>
static __device__ __forceinline__ void end_matrix(team_type team, const schur_area<entry> &a, const geev_slice &slice,
                                                  int64_t b, bool good, bool lives)
{
    bool const scaled = is_spread(team, a.scale, a.n, lives && good), spread = scaled || !slice.p.balance;
    /* where balancing may have spoilt vectors, condition numbers are those of the Schur form, whatever else is
     * wanted */
    if (scaled && slice.p.condition) good = false;
    if (!lives || team.rank != 0) return;
    if (!good) slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    if (spread && good) note_spread(slice, b);
}

/* Real matrices, 4 C lanes each; C, TR, TC: the grid's. */
template <int C, int TR, int TC>
static __global__ void __launch_bounds__(LANES_MOST_THREADS, C < 8 ? 4 : 2)
    inverse_lanes(geev_slice slice, bool, int bytes, bool)
{
    constexpr int P = 4 * C;
    char *behind;
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, true, true, &behind);
    lane_team<P> const team(threadIdx.x % 32);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, b = slice.first + at;
    bool const lives = at < slice.count;
    geev_record const record =
        begin_inverse<geev_grid<real, C, TR, TC>>(team, area, (real *)behind, slice.p, lives ? b : slice.first, lives);
    end_matrix(team, area, slice, b, inverse_matrix(team, area, record, slice, b, lives), lives);
}

/* The same, W warps each: the first one reduces. */
template <int W, int TR, int TC>
static __global__ void __launch_bounds__(32 * W) inverse_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    __shared__ geev_record record;
    char *behind;
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, true, true, &behind);
    block_team<32 *W> const team = {(int)threadIdx.x, space};
    int64_t const b = slice.first + blockIdx.x;
    if (threadIdx.x < 32) {
        lane_team<32> const first(threadIdx.x);
        geev_record const mine =
            begin_inverse<geev_grid<real, 8, TR, TC>>(first, area, (real *)behind, slice.p, b, true);
        if (threadIdx.x == 0) record = mine;
    }
    __syncthreads(); /* H is there */
    end_matrix(team, area, slice, b, inverse_matrix(team, area, record, slice, b, true), true);
}

/* Complex matrices, P lanes each. */
template <int P> static __global__ void inverse_complex_lanes(geev_slice slice, bool, int bytes, bool)
{
    schur_area<entry> const area = lanes_area<P>(slice.p, bytes, true, true);
    lane_team<P> const team(threadIdx.x % 32);
    int64_t const at = lanes_first<P>() + threadIdx.x % 32 / P, b = slice.first + at;
    bool const lives = at < slice.count;
    geev_record const record = load_form(team, area, slice, lives ? at : 0);
    end_matrix(team, area, slice, b, inverse_complex_matrix<1>(team, area, record, slice, b, lives), lives);
}

/* Larger ones, W warps each: four lanes a vector. */
template <int W> static __global__ void __launch_bounds__(32 * W) inverse_complex_block(geev_slice slice, int bytes)
{
    __shared__ double space[W];
    schur_area<entry> const area = lanes_area<32 * W>(slice.p, bytes, true, true);
    block_team<32 *W> const team = {(int)threadIdx.x, space};
    int64_t const b = slice.first + blockIdx.x;
    geev_record const record = load_form(team, area, slice, blockIdx.x);
    end_matrix(team, area, slice, b, inverse_complex_matrix<4>(team, area, record, slice, b, true), true);
}

/* --------------------------------------------------------------- launchers */

template <int C, int TR, int TC>
static eig_status launch_inverse(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 4 * C, true, geev_grid<real, C, TR, TC>::space * sizeof(real));
    return launch_lanes<4 * C>(ctx, "geev: inverse_lanes", slice, bytes, false, stream, inverse_lanes<C, TR, TC>, true);
}

template <int W, int TR, int TC>
static eig_status launch_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 32, true, geev_grid<real, 8, TR, TC>::space * sizeof(real));
    return cuda_launch(ctx, "geev: inverse_block", stream, {slice.count, 32 * W, bytes}, inverse_block<W, TR, TC>,
                       slice, (int)bytes);
}

template <int P> static eig_status launch_complex(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    return launch_lanes<P>(ctx, "geev: inverse_lanes", slice, lanes_bytes(&slice.p, P, true), false, stream,
                           inverse_complex_lanes<P>, true);
}

template <int W> static eig_status launch_complex_block(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    size_t const bytes = lanes_bytes(&slice.p, 32, true);
    return cuda_launch(ctx, "geev: inverse_block", stream, {slice.count, 32 * W, bytes}, inverse_complex_block<W>,
                       slice, (int)bytes);
}

eig_status TYPED(eig_cuda_geev_inverse)(eig_context *ctx, const geev_slice &slice, cudaStream_t stream)
{
    int64_t const n = slice.p.n;
    if constexpr (number::complex) {
        if (n <= 8) return launch_complex<8>(ctx, slice, stream);
        if (n <= 16) return launch_complex<16>(ctx, slice, stream);
        if (n <= 32) return launch_complex_block<4>(ctx, slice, stream);
        return n <= 48 ? launch_complex_block<6>(ctx, slice, stream) : launch_complex_block<8>(ctx, slice, stream);
    } else {
        if (n <= 16) return launch_inverse<4, 4, 4>(ctx, slice, stream);
        if (n <= 32) return launch_inverse<8, 8, 4>(ctx, slice, stream);
        if (n <= 48) return launch_block<2, 12, 6>(ctx, slice, stream);
        return launch_block<2, 16, 8>(ctx, slice, stream);
    }
}
