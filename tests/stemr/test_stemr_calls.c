/* stemr on the device named by the argument: the same bits for threads, subsets and runs; options, not-finite input,
 * workspaces, progress, refused arguments. */
#include "bench/support/passes.h"
#include "support/stemr_fixture.h"

/* Pairs first to first+m-1 of `whole` are those of `part`, bit for bit. */
static void same_pairs(const char *what, const fixture *whole, const fixture *part, int64_t first)
{
    int64_t const n = whole->n;
    for (int64_t k = 0; k < part->m; ++k) {
        int64_t const j = first - 1 + k;
        if (memcmp(numbers_at(&whole->w, j), numbers_at(&part->w, k), type_size(whole->type)) != 0)
            fail_msg("%s %s n=%lld: w of pair %lld differs: %.17g, %.17g", what, type_name(whole->type), (long long)n,
                     (long long)j, numbers_part(&whole->w, j), numbers_part(&part->w, k));
        if (memcmp(numbers_at(&whole->z, j * whole->ldz), numbers_at(&part->z, k * part->ldz),
                   (size_t)n * type_size(whole->type)) != 0)
            fail_msg("%s %s n=%lld: vector of pair %lld differs", what, type_name(whole->type), (long long)n,
                     (long long)j);
        assert_int_equal(whole->isuppz[2 * j], part->isuppz[2 * k]);
        assert_int_equal(whole->isuppz[2 * j + 1], part->isuppz[2 * k + 1]);
        assert_int_equal(part->info[k], 0);
    }
}

static void check_threads(eig_context *one, eig_context *seven, const char *what, fixture *f, fixture *g)
{
    solve(one, NULL, f);
    solve(seven, NULL, g);
    same_pairs(what, f, g, 1);
    numbers_fill(&g->z, NAN);
    solve(seven, NULL, g);
    same_pairs("again", f, g, 1);
}

/* Method mrrr: subsets have the bits of the full run; on a CPU auto is the same method; on a GPU it tells of no tree. */
static void test_mrrr(void **state)
{
    enum { N = 210 };
    static eig_stemr_node tree[N];
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture whole = make_family(k, N, real_types[c]), other = make_family(k, N, real_types[c]);
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            o.method = EIG_STEMR_MRRR;
            solve(ctx, &o, &whole);
            for (int64_t il = 1; il <= N && whole.stats.inverse_iterations == 0; il += 37) {
                o.range = EIG_RANGE_INDEX, o.il = il, o.iu = il + 20 < N ? il + 20 : N;
                solve(ctx, &o, &other);
                same_pairs("a part by mrrr", &whole, &other, il);
            }
            o = (eig_stemr_options)EIG_STEMR_OPTIONS;
            o.tree = tree, o.tree_room = N, tree[0].size = sizeof *tree;
            solve(ctx, &o, &other);
            if (test_on_cpu()) same_pairs("auto", &whole, &other, 1);
            if (!test_on_cpu())
                assert_true(other.stats.nodes == 0 && other.stats.depth == 0 && other.stats.shifts == 0 &&
                            other.stats.representations == other.stats.blocks);
            assert_int_equal(other.stats.clusters > 0, whole.stats.clusters > 0);
            drop(&whole), drop(&other);
        }
    eig_destroy(ctx);
}

static void test_threads(void **state)
{
    (void)state;
    eig_context *const one = test_context(1), *const seven = test_context(7);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, 333, real_types[c]), g = make_family(k, 333, real_types[c]);
            check_threads(one, seven, families[k].name, &f, &g);
            drop(&f), drop(&g);
        }
    eig_destroy(one), eig_destroy(seven);
}

/* Subsets by index, some of which cut clusters, then by value. */
/* A number above eigenvalue k where no other one is near, so that counts and values agree. */
static double value_beside(const fixture *f, int64_t k)
{
    double const most = fmax(fabs(numbers_part(&f->w, 0)), fabs(numbers_part(&f->w, f->n - 1)));
    for (; k + 1 < f->n; ++k) {
        double const w = numbers_part(&f->w, k), next = numbers_part(&f->w, k + 1);
        if (next - w > 64 * type_eps(f->type) * most) return w + 0.5 * (next - w);
    }
    return INFINITY;
}

static void check_subsets(eig_context *ctx, const char *what, fixture *whole, fixture *part)
{
    static const int64_t ends[][2] = {{1, 1}, {0, 0}, {2, 5}, {17, 17}, {40, 73}, {100, 199}, {1, 211}, {3, -2}};
    int64_t const n = whole->n;
    solve(ctx, NULL, whole);
    for (size_t k = 0; k < COUNT(ends); ++k) {
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_INDEX;
        o.il = ends[k][0] > 0 ? ends[k][0] : n + ends[k][0];
        o.iu = ends[k][1] > 0 ? ends[k][1] : n + ends[k][1];
        if (o.iu > n) o.iu = n;
        solve(ctx, &o, part);
        assert_int_equal(part->m, o.iu - o.il + 1);
        same_pairs(what, whole, part, o.il);
    }
    for (int64_t k = 0; k + 60 < n; k += 53) {
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_VALUE, o.vl = value_beside(whole, k), o.vu = value_beside(whole, k + 7 + k / 10);
        if (!(o.vl < o.vu)) continue;
        int64_t first = 1, last = 0;
        for (int64_t j = 0; j < n; ++j) first += numbers_part(&whole->w, j) <= o.vl;
        for (int64_t j = 0; j < n; ++j) last += numbers_part(&whole->w, j) <= o.vu;
        solve(ctx, &o, part);
        assert_int_equal(part->m, last - first + 1);
        same_pairs(what, whole, part, first);
    }
}

static void test_subsets(void **state)
{
    enum { N = 230 };
    (void)state;
    eig_context *const ctx = test_context(3);
    for (size_t k = 0; k < COUNT(families); ++k)
        for (int c = 0; c < 2; ++c) {
            fixture f = make_family(k, N, real_types[c]), g = make_family(k, N, real_types[c]);
            check_subsets(ctx, families[k].name, &f, &g);
            drop(&f), drop(&g);
        }
    static const char *const kinds[] = {"uniform", "121"};
    for (int k = 0; k < 2; ++k) {
        fixture f = make(kinds[k], N, EIG_D), g = make(kinds[k], N, EIG_D);
        check_subsets(ctx, kinds[k], &f, &g);
        drop(&f), drop(&g);
    }
    eig_destroy(ctx);
}

/* Eigenvalues -0.41 and 2.41 times the least number: two ranges that meet hold each of them once, as w says. */
static void test_subnormal_ends(void **state)
{
    (void)state;
    enum { ENDS = 7 };
    double const least = 5e-324, d[2] = {0, 2 * least}, e[1] = {least};
    eig_context *const ctx = test_context(1);
    for (int end = -3; end < ENDS; ++end) {
        double w[2][2];
        int64_t m[2];
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_VALUE;
        for (int side = 0; side < 2; ++side) {
            o.vl = side ? end * least : -INFINITY, o.vu = side ? INFINITY : end * least;
            assert_int_equal(eig_dstemr(ctx, &o, 2, d, e, &m[side], w[side], NULL, 1, NULL, NULL, NULL, NULL, NULL),
                             EIG_OK);
            for (int64_t k = 0; k < m[side]; ++k) assert_true(o.vl < w[side][k] && w[side][k] <= o.vu);
        }
        assert_int_equal(m[0] + m[1], 2);
    }
    eig_destroy(ctx);
}

/* Eigenvalues 0 and 6e38, the latter infinite in float: between ends beyond float's numbers too each is found once. */
static void test_overflowing_ends(void **state)
{
    (void)state;
    float const d[2] = {3e38F, 3e38F}, e[1] = {3e38F};
    static double const ends[] = {-1e308, -1, 1, 1e39, 1e308, INFINITY};
    eig_context *const ctx = test_context(1);
    int64_t sum = 0;
    for (int k = 0; k < 5; ++k) {
        float w[2];
        int64_t m;
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_VALUE, o.vl = ends[k], o.vu = ends[k + 1];
        assert_int_equal(eig_sstemr(ctx, &o, 2, d, e, &m, w, NULL, 1, NULL, NULL, NULL, NULL, NULL), EIG_OK);
        for (int64_t i = 0; i < m; ++i) assert_true(o.vl < (double)w[i] && (double)w[i] <= o.vu);
        sum += m;
    }
    assert_int_equal(sum, 2);
    eig_destroy(ctx);
}

/* Ranges that meet at 0, or at an eigenvalue, hold each eigenvalue once; those without ends hold all, though -3.4e308
 * overflows. */
static void test_range_ends(void **state)
{
    (void)state;
    static const struct {
        double d[3], e[2];
    } rows[] = {
        {{0, 1, 2}, {0, 0}},          {{0, 0, 0}, {0, 0}},
        {{1, 2, 1}, {-1, -1}},        {{-1.7e308, -1.7e308, 0}, {1.7e308, 0}},
        {{1e-150, 1e200, 0}, {0, 0}},
    };
    eig_context *const ctx = test_context(1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        for (int method = EIG_STEMR_AUTO; method <= EIG_STEMR_MRRR; ++method) {
            static double const ends[] = {-INFINITY, -1, 0, 1, 1e10, INFINITY};
            double w[3];
            int64_t m, sum = 0;
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            o.method = (eig_stemr_method)method, o.range = EIG_RANGE_VALUE;
            for (int i = 0; i < 5; ++i) {
                o.vl = ends[i], o.vu = ends[i + 1];
                assert_int_equal(
                    eig_dstemr(ctx, &o, 3, rows[k].d, rows[k].e, &m, w, NULL, 1, NULL, NULL, NULL, NULL, NULL), EIG_OK);
                sum += m;
                for (int64_t j = 0; j < m; ++j) assert_true((o.vl < w[j] || o.vl == -INFINITY) && w[j] <= o.vu);
            }
            assert_int_equal(sum, 3);
        }
    eig_destroy(ctx);
}

/* Values that come alone are those that come with vectors; the plain method's agree. */
static void test_values_only(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(families); ++k) {
        fixture f = make_family(k, 60, EIG_D), g = make_family(k, 60, EIG_D);
        solve(ctx, NULL, &f);
        for (int64_t j = 0; j < 2 * 60; ++j) g.isuppz[j] = -7;
        assert_int_equal(call(ctx, NULL, &g, false), EIG_OK);
        for (int64_t j = 0; j < 2 * 60; ++j) assert_int_equal(g.isuppz[j], -7);
        assert_true(numbers_same(&f.w, &g.w));
        assert_true(isnan(numbers_part(&g.z, 0)) && isnan(numbers_part(&g.residual, 0)));
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.method = EIG_STEMR_REFERENCE;
        assert_int_equal(call(ctx, &o, &g, false), EIG_OK);
        for (int64_t j = 0; j < 60; ++j)
            assert_true(fabs(numbers_part(&f.w, j) - numbers_part(&g.w, j)) <= DBL_EPSILON * f.norm);
        drop(&f), drop(&g);
    }
    eig_destroy(ctx);
}

static void test_not_finite(void **state)
{
    static double const bad[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int c = 0; c < 24; ++c) {
        int64_t const n = c % 2 ? 50 : 2;
        fixture f = make("uniform", n, real_types[c / 12]);
        numbers_put_part(c / 6 % 2 ? &f.e : &f.d, c / 6 % 2 ? (n - 1) / 2 : n - 1, bad[c / 2 % 3]);
        numbers_fill(&f.w, 0), numbers_fill(&f.z, 0), numbers_fill(&f.residual, 0), numbers_fill(&f.orthogonality, 0);
        solve(ctx, NULL, &f);
        assert_int_equal(f.m, 0);
        assert_true(isnan(numbers_part(&f.orthogonality, 0)));
        for (int64_t k = 0; k < n; ++k) {
            assert_int_equal(f.info[k], EIG_INFO_NOT_FINITE);
            assert_true(isnan(numbers_part(&f.w, k)) && isnan(numbers_part(&f.residual, k)));
            for (int64_t i = 0; i < n; ++i) assert_true(isnan(z_of(&f, i, k)));
        }
        /* By value, too, where nothing is found, info tells. */
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.range = EIG_RANGE_VALUE, o.vl = -1, o.vu = 1;
        for (int64_t k = 0; k < n; ++k) f.info[k] = 7;
        solve(ctx, &o, &f);
        assert_int_equal(f.m, 0);
        for (int64_t k = 0; k < n; ++k) assert_true(f.info[k] == EIG_INFO_NOT_FINITE && isnan(numbers_part(&f.w, k)));
        /* Without vectors what tells of them is not written. */
        numbers_fill(&f.residual, 0), numbers_fill(&f.orthogonality, 0);
        for (int64_t k = 0; k < 2 * n; ++k) f.isuppz[k] = -7;
        assert_int_equal(call(ctx, NULL, &f, false), EIG_OK);
        assert_true(numbers_part(&f.residual, 0) == 0 && numbers_part(&f.orthogonality, 0) == 0);
        for (int64_t k = 0; k < 2 * n; ++k) assert_int_equal(f.isuppz[k], -7);
        /* Nothing but w is wanted. */
        numbers_fill(&f.w, 0);
        assert_int_equal(
            eig_stemr(ctx, f.type, NULL, n, f.d.data, f.e.data, NULL, f.w.data, NULL, 1, NULL, NULL, NULL, NULL, NULL),
            EIG_OK);
        for (int64_t k = 0; k < n; ++k) assert_true(isnan(numbers_part(&f.w, k)));
        drop(&f);
    }
    eig_destroy(ctx);
}

/* On a GPU, host arrays do not use the workspace that is lent: test_stemr_cuda.c; nor do several devices. */
static void test_workspace(void **state)
{
    (void)state;
    if (!test_on_cpu() || test_on_several()) skip_because("host arrays use no lent workspace here");
    eig_context *const ctx = test_context(2);
    for (int c = 0; c < 2; ++c) {
        fixture f = make_family(2, 150, real_types[c]), g = make_family(2, 150, real_types[c]);
        size_t need = 0;
        assert_int_equal(eig_stemr_work_size(ctx, f.type, NULL, f.n, 1, &need), EIG_OK);
        assert_true(need > 0);
        char *const work = aligned_alloc(256, need + 256);
        memset(work + need, 0x55, 256);
        solve(ctx, NULL, &f);
        assert_int_equal(eig_set_workspace(ctx, work, need), EIG_OK);
        solve(ctx, NULL, &g);
        same_pairs("lent", &f, &g, 1);
        for (int i = 0; i < 256; ++i) assert_int_equal(work[need + (size_t)i], 0x55);
        assert_int_equal(eig_set_workspace(ctx, work, need - 1), EIG_OK);
        char told[100];
        snprintf(told, sizeof told, "stemr: the workspace lent has %zu bytes, need %zu", need - 1, need);
        expect_refused(ctx, call(ctx, NULL, &g, true), EIG_BAD_WORKSPACE, told);
        assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
        free(work);
        drop(&f), drop(&g);
    }
    eig_destroy(ctx);
}

/* A callback that stops at a call. */
typedef struct stopper {
    int calls, at;
    double last;
    int descends;
} stopper;

static int note(void *user, double fraction)
{
    stopper *const s = user;
    s->descends += fraction < s->last || fraction > 1;
    s->last = fraction;
    return ++s->calls == s->at;
}

static void test_progress(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(2);
    fixture f = make_family(2, 2100, EIG_D);
    stopper s = {.at = -1};
    assert_int_equal(eig_set_progress(ctx, note, &s), EIG_OK);
    solve(ctx, NULL, &f);
    if (s.calls < 2 || s.descends > 0 || s.last != 1)
        fail_msg("%d calls, %d of which descend, the last %.17g", s.calls, s.descends, s.last);
    for (int at = 1; at < 3; ++at) {
        s = (stopper){.at = at};
        assert_int_equal(call(ctx, NULL, &f, true), EIG_CANCELLED);
        assert_int_equal(s.calls, at);
    }
    drop(&f);
    eig_destroy(ctx);
}

static void test_passes(void **state)
{
    static const char *const names[] = {"root", "tree", "refinement", "vectors", "fallbacks"};
    (void)state;
    eig_context *const ctx = test_context(2);
    fixture f = make_family(2, 400, EIG_D);
    eig_pass pass[PASSES_MOST];
    int count;
    assert_int_equal(eig_set_timing(ctx, 1), EIG_OK);
    solve(ctx, NULL, &f);
    count = passes_read(ctx, pass);
    assert_int_equal(count, 5);
    for (int i = 0; i < 5; ++i) assert_string_equal(pass[i].name, names[i]);
    for (int i = 0; i < 4; ++i) assert_true(pass[i].ms > 0);
    drop(&f);
    eig_destroy(ctx);
}

/* The largest pivot of T - shift, without pivoting, beside ||T||. */
static double growth_of(const fixture *f, double shift)
{
    long double pivot = 1, most = 0;
    for (int64_t i = 0; i < f->n; ++i) {
        long double const beside = i > 0 ? (long double)f->plain_e[i - 1] : 0;
        pivot = (long double)f->plain_d[i] - (long double)shift - (beside != 0 ? beside * beside / pivot : 0);
        if (fabsl(pivot) < 1e-30L * (long double)f->norm) pivot = 1e-30L * (long double)f->norm;
        most = fmaxl(most, fabsl(pivot));
    }
    return (double)most / f->norm;
}

/* A cluster's ends are eigenvalues, its shift is near it, its growth that of T - shift but for the random changes of the
 * diagonal and a power of two. */
static void check_node(const fixture *f, const eig_stemr_node *node)
{
    double const tolerance = 4 * type_eps(f->type) * f->norm;
    int64_t inside = 0, ends = 0;
    for (int64_t j = 0; j < f->n; ++j) {
        double const w = numbers_part(&f->w, j);
        inside += node->low - tolerance <= w && w <= node->high + tolerance;
        ends |= (fabs(w - node->low) <= tolerance ? 1 : 0) | (fabs(w - node->high) <= tolerance ? 2 : 0);
    }
    assert_true(node->members >= 2 && inside >= node->members && ends == 3 && node->good == 1);
    assert_true(node->low <= node->high && node->high - node->low <= 1e-6 * f->norm);
    double const beside = fmax(node->low - node->shift, node->shift - node->high);
    if (!(beside <= 1e-6 * f->norm)) fail_msg("the shift %.17g of [%.17g, %.17g]", node->shift, node->low, node->high);
    double const growth = growth_of(f, node->shift);
    if (!(node->growth >= 0.4 * growth && node->growth <= 1.25 * growth))
        fail_msg("a growth of %g is told as %g", growth, node->growth);
}

/* A caller's nodes may end before this library's, or go on behind them: there they are 0. */
static void same_nodes_of_another_size(eig_context *ctx, fixture *f, const eig_stemr_node *tree, int64_t count)
{
    enum { MORE = 24 };
    static size_t const sizes[] = {offsetof(eig_stemr_node, shift), sizeof(eig_stemr_node) + MORE};
    size_t const begin = sizeof tree->size;
    for (size_t k = 0; k < COUNT(sizes) && count > 0; ++k) {
        size_t const size = sizes[k], known = size < sizeof *tree ? size : sizeof *tree;
        char *const nodes = malloc((size_t)count * size);
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.method = EIG_STEMR_MRRR, o.tree = (eig_stemr_node *)(void *)nodes, o.tree_room = count;
        memset(nodes, 0x55, (size_t)count * size);
        memcpy(nodes, &size, sizeof size);
        solve(ctx, &o, f);
        for (int64_t c = 0; c < count; ++c) {
            const char *const node = nodes + (size_t)c * size;
            assert_memory_equal(node, &size, sizeof size);
            assert_memory_equal(node + begin, (const char *)&tree[c] + begin, known - begin);
            for (size_t i = known; i < size; ++i) assert_int_equal(node[i], 0);
        }
        free(nodes);
    }
}

/* The tree that the caller asks for: parents come first and hold their children; a smaller room gets its beginning. */
static void test_tree(void **state)
{
    enum { N = 210, ROOM = 3 * N };
    static eig_stemr_node tree[ROOM], part[ROOM];
    (void)state;
    eig_context *const ctx = test_context(2);
    for (size_t k = 0; k < COUNT(families); ++k) {
        fixture f = make_family(k, N, EIG_D);
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        o.method = EIG_STEMR_MRRR, o.tree = tree, o.tree_room = ROOM, tree[0].size = sizeof *tree;
        solve(ctx, &o, &f);
        int64_t members = 0, largest = 0, depth = 0, zeros = 0;
        int64_t const count = f.stats.nodes;
        assert_int_equal(count, f.stats.clusters);
        for (int64_t c = 0; c < count; ++c) {
            const eig_stemr_node *const node = &tree[c];
            check_node(&f, node);
            assert_int_equal(node->size, sizeof *node); /* the next call may take the same nodes */
            assert_true(node->parent < c && node->level == (node->parent < 0 ? 1 : tree[node->parent].level + 1));
            if (node->level == 1) members += node->members;
            largest = node->members > largest ? node->members : largest;
            depth = node->level > depth ? node->level : depth;
        }
        assert_true(members <= N);
        for (int64_t i = 0; i + 1 < N; ++i) zeros += f.plain_e[i] == 0;
        assert_true(f.stats.largest_cluster == largest && f.stats.depth == depth);
        assert_true(f.stats.blocks > zeros && (families[k].parameter != 0 || f.stats.blocks == zeros + 1));
        assert_true(f.stats.representations == f.stats.blocks + count && f.stats.bad_representations == 0);
        o.tree = part, o.tree_room = count / 2;
        memset(part, 0x55, sizeof part);
        part[0].size = sizeof *part;
        solve(ctx, &o, &f);
        assert_int_equal(f.stats.nodes, count / 2);
        assert_memory_equal(part, tree, (size_t)(count / 2) * sizeof *tree);
        for (size_t i = (size_t)(count / 2) * sizeof *tree; i < sizeof part; ++i)
            if (i >= sizeof(size_t)) assert_int_equal(((unsigned char *)part)[i], 0x55);
        same_nodes_of_another_size(ctx, &f, tree, count);
        drop(&f);
    }
    eig_destroy(ctx);
}

/* Whether a batch of such short matrices takes a road of its own, on which they have other last bits than by themselves. */
static bool batches_differ(void)
{
    return !test_on_cpu() || test_on_several();
}

/* What a batch should have for the matrix: it by itself, or beside itself in a batch of two. */
static void solve_alike(eig_context *ctx, const eig_stemr_options *o, fixture *f)
{
    if (!batches_differ()) {
        solve(ctx, o, f);
        return;
    }
    int64_t const n = f->n, ldz = f->ldz, room = n * ldz;
    numbers two[6] = {{0}};
    numbers *const own[] = {&f->d, &f->e, &f->w, &f->z, &f->residual, &f->orthogonality};
    int64_t const lengths[] = {n, n - 1, n, room, n, 1};
    int64_t m[2], *const isuppz = calloc(4 * (size_t)n, sizeof *isuppz);
    int *const info = calloc(2 * (size_t)n, sizeof *info);
    for (int i = 0; i < 6; ++i)
        if (!numbers_make(&two[i], f->type, 2 * lengths[i])) fail_msg("no memory");
    for (int64_t i = 0; i < 2 * n; ++i) numbers_put_part(&two[0], i, numbers_part(&f->d, i % n));
    for (int64_t i = 0; i < 2 * (n - 1); ++i) numbers_put_part(&two[1], i, numbers_part(&f->e, i % (n - 1)));
    f->stats = (eig_stemr_stats)EIG_STEMR_STATS;
    if (eig_stemr_batched(ctx, f->type, o, n, two[0].data, n, two[1].data, n - 1, m, two[2].data, n, two[3].data, ldz,
                          room, isuppz, info, two[4].data, two[5].data, &f->stats, 2) != EIG_OK)
        fail_msg("%s", eig_error_detail(ctx));
    assert_int_equal(m[0], m[1]);
    int64_t *const sums[] = {&f->stats.representations,     &f->stats.clusters, &f->stats.shifts,
                             &f->stats.bad_representations, &f->stats.skew,     &f->stats.inverse_iterations};
    for (int i = 0; i < 6; ++i) *sums[i] /= 2;
    f->m = m[0];
    for (int k = 2; k < 6; ++k)
        for (int64_t i = 0; i < lengths[k]; ++i) numbers_put_part(own[k], i, numbers_part(&two[k], i));
    memcpy(f->isuppz, isuppz, 2 * (size_t)n * sizeof *isuppz), memcpy(f->info, info, (size_t)n * sizeof *info);
    for (int i = 0; i < 6; ++i) numbers_free(&two[i]);
    free(isuppz), free(info);
    if (m[0] == n) certify("a batch", f, 1);
}

/* Of blocks, depth and largest_cluster the largest, of the others sums. */
static void add_stats(eig_stemr_stats *sum, const eig_stemr_stats *own)
{
    int64_t *const sums[] = {&sum->representations,     &sum->clusters, &sum->shifts,
                             &sum->bad_representations, &sum->skew,     &sum->inverse_iterations};
    const int64_t *const more[] = {&own->representations,     &own->clusters, &own->shifts,
                                   &own->bad_representations, &own->skew,     &own->inverse_iterations};
    for (int i = 0; i < 6; ++i) *sums[i] += *more[i];
    if (own->blocks > sum->blocks) sum->blocks = own->blocks;
    if (own->depth > sum->depth) sum->depth = own->depth;
    if (own->largest_cluster > sum->largest_cluster) sum->largest_cluster = own->largest_cluster;
}

/* A batch has the bits of its matrices one by one, whatever lies between them; its stats are theirs together. */
static void test_batched(void **state)
{
    enum { N = 40, COUNT_ = 5, D = N + 2, E = N + 1, W = N + 3, LD = N + 4, Z = LD * N + 5, FILL = 55 };
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int c = 0; c < 2; ++c)
        for (int by = 0; by < 3; ++by) {
            eig_type const type = real_types[c];
            eig_stemr_options o = EIG_STEMR_OPTIONS;
            if (by == 1) o.range = EIG_RANGE_INDEX, o.il = 4, o.iu = 11;
            if (by == 2) o.range = EIG_RANGE_VALUE, o.vl = -1, o.vu = 1.5;
            numbers d, e, w, z, residual, orthogonality;
            numbers *const all[] = {&d, &e, &w, &z, &residual, &orthogonality};
            int64_t const lengths[] = {COUNT_ * D, COUNT_ * E, COUNT_ * W, COUNT_ * Z, COUNT_ * W, COUNT_};
            for (int i = 0; i < 6; ++i) {
                if (!numbers_make(all[i], type, lengths[i])) fail_msg("no memory");
                numbers_fill(all[i], FILL);
            }
            int64_t m[COUNT_], isuppz[COUNT_ * 2 * W];
            int info[COUNT_ * W];
            eig_stemr_stats stats = EIG_STEMR_STATS;
            fixture one[COUNT_];
            eig_stemr_stats sum = EIG_STEMR_STATS;
            for (int b = 0; b < COUNT_; ++b) {
                one[b] = make_family((size_t)b, N, type);
                if (b == 3) numbers_put_part(&one[b].d, 7, NAN);
                for (int64_t i = 0; i < N; ++i) numbers_put_part(&d, b * D + i, numbers_part(&one[b].d, i));
                for (int64_t i = 0; i < N - 1; ++i) numbers_put_part(&e, b * E + i, numbers_part(&one[b].e, i));
                solve_alike(ctx, &o, &one[b]);
                add_stats(&sum, &one[b].stats);
            }
            eig_status const status =
                eig_stemr_batched(ctx, type, &o, N, d.data, D, e.data, E, m, w.data, W, z.data, LD, Z, isuppz, info,
                                  residual.data, orthogonality.data, &stats, COUNT_);
            if (status != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
            for (int b = 0; b < COUNT_; ++b) {
                assert_int_equal(m[b], one[b].m);
                for (int64_t k = 0; k < (b == 3 ? 0 : m[b]); ++k) {
                    assert_true(numbers_part(&w, b * W + k) == numbers_part(&one[b].w, k));
                    assert_true(numbers_part(&residual, b * W + k) == numbers_part(&one[b].residual, k));
                    assert_true(info[b * W + k] == one[b].info[k] && isuppz[2 * b * W + 2 * k] == one[b].isuppz[2 * k]);
                    for (int64_t i = 0; i < N; ++i)
                        assert_true(numbers_part(&z, b * Z + k * LD + i) ==
                                    numbers_part(&one[b].z, i + k * one[b].ldz));
                    assert_true(numbers_part(&z, b * Z + k * LD + N) == FILL);
                }
                if (b == 3)
                    assert_true(m[b] == 0 && isnan(numbers_part(&w, b * W)));
                else
                    assert_true(numbers_part(&orthogonality, b) == numbers_part(&one[b].orthogonality, 0));
            }
            assert_memory_equal(&stats, &sum, sizeof sum);
            for (int b = 0; b < COUNT_; ++b) drop(&one[b]);
            for (int i = 0; i < 6; ++i) numbers_free(all[i]);
        }
    double const d[4] = {1, 2, 3, 4}, e[4] = {0};
    double w[4];
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    eig_stemr_node node = {.size = sizeof node};
#define BATCHED(o, sd, se, sw, batch) \
    eig_dstemr_batched(ctx, o, 2, d, sd, e, se, NULL, w, sw, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, batch)
    assert_int_equal(BATCHED(NULL, 2, 1, 2, 2), EIG_OK);
    for (int k = 0; k < 4; ++k) assert_true(fabs(w[k] - (k + 1)) <= 4 * DBL_EPSILON * (k / 2 * 2 + 2));
    assert_int_equal(BATCHED(NULL, 0, 0, 0, 0), EIG_OK);
    o.tree = &node, o.tree_room = 1;
    expect_refused(ctx, BATCHED(&o, 2, 1, 2, 2), EIG_BAD_ARGUMENT, "tree is given with a batch");
    eig_destroy(ctx);
}

/* Threads share many small matrices; each has the bits of a call of its own, whatever workspace is lent. */
static void test_many(void **state)
{
    enum { MATRICES = 600, MOST = 24 };
    static double d[(MATRICES + 1) * MOST], e[(MATRICES + 1) * MOST], w[MATRICES * MOST], z[MATRICES * MOST * MOST],
        own[2 * MOST * (MOST + 1)];
    static int info[MATRICES * MOST];
    (void)state;
    eig_context *const ctx = test_context(7), *const one = test_context(1);
    for (int i = 0; i < (MATRICES + 1) * MOST; ++i) d[i] = sin(i), e[i] = cos(3.0 * i);
    for (int n = 1; n <= MOST; n = n < 9 ? n + 1 : n + 5)
        for (int lends = 0; lends < 2; ++lends) {
            size_t bytes = 0;
            int64_t m[MATRICES];
            assert_int_equal(eig_stemr_work_size(ctx, EIG_D, NULL, n, 1, &bytes), EIG_OK);
            numbers work; /* room for three or so */
            if (!numbers_make(&work, EIG_D, (int64_t)(3 * bytes + 256) / 8)) fail_msg("no memory");
            char *const aligned = (char *)(((uintptr_t)work.data + 255) / 256 * 256);
            if (test_on_cpu() && lends) assert_int_equal(eig_set_workspace(ctx, aligned, 3 * bytes), EIG_OK);
            numbers_fill(&work, NAN);
            eig_status const status = eig_dstemr_batched(ctx, NULL, n, d, n, e, n, m, w, n, z, n, n * n, NULL, info,
                                                         NULL, NULL, NULL, MATRICES);
            if (status != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
            assert_int_equal(eig_set_workspace(ctx, NULL, 0), EIG_OK);
            numbers_free(&work);
            for (int b = 0; b < MATRICES; ++b) {
                /* By itself, or in another place of a batch. */
                int64_t const at = b * n;
                int64_t found[2] = {-1, -1};
                int const count = n > 1 && batches_differ() ? 2 : 1;
                assert_int_equal(eig_dstemr_batched(one, NULL, n, d + at, n, e + at, n, found, own, n, own + 2 * MOST,
                                                    n, n * n, NULL, NULL, NULL, NULL, NULL, count),
                                 EIG_OK);
                assert_true(found[0] == n && m[b] == n && info[b * n] == 0);
                if (memcmp(own, w + b * n, (size_t)n * sizeof *w) != 0 ||
                    memcmp(own + 2 * MOST, z + b * n * n, (size_t)(n * n) * sizeof *z) != 0)
                    fail_msg("n = %d: matrix %d differs", n, b);
            }
        }
    eig_destroy(ctx);
    eig_destroy(one);
}

static int stop_at(void *user, double fraction)
{
    double *const last = user;
    bool const stops = fraction >= last[1];
    last[0] = fraction;
    return stops;
}

/* A batch tells how far all of it is; after a cancelled one the callback is the caller's again. */
static void test_batched_progress(void **state)
{
    enum { N = 300, MATRICES = 4 };
    static double d[N * MATRICES], e[N * MATRICES], w[N * MATRICES], z[N * N];
    double last[2] = {-1, 0.4};
    (void)state;
    eig_context *const ctx = test_context(2);
    for (int i = 0; i < N * MATRICES; ++i) d[i] = 2 + 0.01 * (i % 17), e[i] = 1;
    assert_int_equal(eig_set_progress(ctx, stop_at, last), EIG_OK);
    expect_refused(
        ctx, eig_dstemr_batched(ctx, NULL, N, d, N, e, N, NULL, w, N, z, N, 0, NULL, NULL, NULL, NULL, NULL, MATRICES),
        EIG_BAD_ARGUMENT, "stride_z = 0");
    eig_status const status =
        eig_dstemr_batched(ctx, NULL, N, d, N, e, N, NULL, w, N, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, MATRICES);
    if (last[0] < 0.4) skip_because("the calls are too short to tell how far they are");
    assert_int_equal(status, EIG_CANCELLED);
    assert_true(last[0] >= 0.4 && (last[0] < 0.8 || test_on_several())); /* several work at once */
    last[0] = -1, last[1] = 2;
    assert_int_equal(eig_dstemr(ctx, NULL, N, d, e, NULL, w, z, N, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    assert_true(last[0] <= 1);
    assert_int_equal(
        eig_dstemr_batched(ctx, NULL, N, d, N, e, N, NULL, w, N, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, MATRICES),
        EIG_OK);
    assert_true(last[0] >= 0.75 && last[0] <= 1);
    eig_destroy(ctx);
}

static void test_nothing(void **state)
{
    (void)state;
    eig_context *const ctx = test_context(1);
    int64_t m = -1;
    size_t need = 1;
    assert_int_equal(eig_dstemr(ctx, NULL, 0, NULL, NULL, &m, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL), EIG_OK);
    assert_int_equal(m, 0);
    assert_int_equal(eig_stemr_work_size(ctx, EIG_D, NULL, 0, 1, &need), EIG_OK);
    assert_int_equal(need, 0);
    eig_destroy(ctx);
}

static void test_refused(void **state)
{
    double const d[2] = {1, 2}, e[1] = {1};
    double w[2], z[4];
    int64_t m;
    size_t bytes;
    (void)state;
    eig_context *const ctx = test_context(1);
#define CALL(options, n, d, e, w, z, ldz) eig_dstemr(ctx, options, n, d, e, &m, w, z, ldz, NULL, NULL, NULL, NULL, NULL)
    eig_stemr_options o = EIG_STEMR_OPTIONS;
    o.range = EIG_RANGE_INDEX, o.il = 2, o.iu = 1;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "il = 2");
    o.range = EIG_RANGE_VALUE, o.vl = o.vu = 1;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "vl < vu");
    o.range = (eig_range)7;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "range = 7");
    o = (eig_stemr_options)EIG_STEMR_OPTIONS;
    o.method = (eig_stemr_method)3;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "method = 3");
    o.method = EIG_STEMR_AUTO, o.most_depth = 7;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "most_depth = 7");
    o.most_depth = 0, o.tree_room = -1;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "tree_room = -1");
    o.tree_room = 3;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "tree is NULL");
    eig_stemr_node node = {.size = 7};
    o.tree = &node;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "tree[0].size = 7");
    o.tree = NULL, o.tree_room = 0, o.no_certificate = 2;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "no_certificate = 2");
    eig_stemr_stats unsized = {.size = 0};
    expect_refused(ctx, eig_dstemr(ctx, NULL, 2, d, e, NULL, w, z, 2, NULL, NULL, NULL, NULL, &unsized),
                   EIG_BAD_ARGUMENT, "stats->size = 0");
    o.no_certificate = 0, o.range = EIG_RANGE_VALUE, o.vl = 0, o.vu = 1;
    expect_refused(ctx, eig_dstemr(ctx, &o, 2, d, e, NULL, w, z, 2, NULL, NULL, NULL, NULL, NULL), EIG_BAD_ARGUMENT,
                   "m is NULL");
    o.range = EIG_RANGE_ALL, o.size = 1;
    expect_refused(ctx, CALL(&o, 2, d, e, w, z, 2), EIG_BAD_ARGUMENT, "size = 1");
    expect_refused(ctx, eig_stemr_work_size(ctx, EIG_C, NULL, 2, 1, &bytes), EIG_BAD_ARGUMENT, "type");
    expect_refused(ctx, eig_stemr_work_size(ctx, EIG_D, NULL, 2, 1, NULL), EIG_BAD_ARGUMENT, "bytes is NULL");
    eig_stemr_options_init(&o, sizeof o);
    assert_int_equal(CALL(&o, 2, d, e, w, z, 2), EIG_OK);
    assert_int_equal(m, 2);
    eig_destroy(ctx);
}

int main(int argc, char **argv)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(test_tree),           cmocka_unit_test(test_mrrr),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_subsets),
        cmocka_unit_test(test_subnormal_ends), cmocka_unit_test(test_overflowing_ends),
        cmocka_unit_test(test_range_ends),     cmocka_unit_test(test_values_only),
        cmocka_unit_test(test_batched),        cmocka_unit_test(test_batched_progress),
        cmocka_unit_test(test_many),           cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_progress),       cmocka_unit_test(test_passes),
        cmocka_unit_test(test_workspace),
    };
    if (!test_device_answers(argc, argv)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
