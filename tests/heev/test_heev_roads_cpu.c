/* The table of roads of heev on the CPU, as docs/families/heev.md has it: which road takes which orders.
 *
 *     test_heev_roads_cpu [FILE]     without a file prints the table; with one compares it with the file's, exit status 1 if
 *                                    it is another one */
#include "cpu/heev/heev_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 1000, TYPES = 4, ALL = (1 << TYPES) - 1, METHODS = 4 };

static const char *const beginning = "<!-- made by tests/test_heev_roads_cpu -->\n", *const end =
                                                                                         "<!-- end of roads -->";

static const struct {
    eig_type type;
    const char *name;
} types[TYPES] = {{EIG_S, "f32"}, {EIG_D, "f64"}, {EIG_C, "c64"}, {EIG_Z, "c128"}};

static const eig_heev_method methods[METHODS] = {EIG_HEEV_AUTO, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_JACOBI,
                                                 EIG_HEEV_REFERENCE};

/* The orders that take the road, one run of them: first and last, both 0 where there are none. */
typedef struct run {
    int64_t first, last;
} run;

static run orders(heev_problem p, const heev_road *road)
{
    run r = {0, 0};
    for (p.n = 1; p.n <= MOST_N; ++p.n)
        if (eig_cpu_heev_road(&p) == road) {
            if (r.first == 0) r.first = p.n;
            r.last = p.n;
        }
    return r;
}

static void print_run(FILE *to, run r)
{
    fprintf(to, "%d", (int)r.first);
    if (r.last == MOST_N)
        fprintf(to, "..");
    else if (r.last > r.first)
        fprintf(to, "..%d", (int)r.last);
}

/* The types in the set, e.g. " (f64, c64)"; nothing where all are. */
static void print_types(FILE *to, int set)
{
    const char *between = " (";
    if (set == ALL) return;
    for (int t = 0; t < TYPES; ++t)
        if (set >> t & 1) fprintf(to, "%s%s", between, types[t].name), between = ", ";
    fprintf(to, ")");
}

/* The orders of each type that take the road by a method. */
static void find_runs(eig_heev_method method, const heev_road *road, bool vectors, run runs[TYPES])
{
    for (int t = 0; t < TYPES; ++t) {
        heev_problem const p = {.type = types[t].type, .method = method, .batch = 1000, .vectors = vectors};
        runs[t] = orders(p, road);
    }
}

static void print_runs(FILE *to, const char *before, const run given[TYPES])
{
    run runs[TYPES];
    memcpy(runs, given, sizeof runs);
    for (int t = 0; t < TYPES; ++t) {
        run const r = runs[t];
        int set = 0;
        if (r.first == 0) continue;
        for (int l = t; l < TYPES; ++l)
            if (runs[l].first == r.first && runs[l].last == r.last) set |= 1 << l, runs[l].first = 0;
        fprintf(to, "%s", before), before = "; ";
        print_run(to, r);
        print_types(to, set);
    }
}

/* Those with vectors; where they are others, those of values alone. */
static void print_cell(FILE *to, eig_heev_method method, const heev_road *road)
{
    run with[TYPES], alone[TYPES];
    find_runs(method, road, true, with), find_runs(method, road, false, alone);
    print_runs(to, "", with);
    if (memcmp(with, alone, sizeof with) != 0) print_runs(to, with[0].first > 0 ? "; values " : "values ", alone);
}

static void print_table(FILE *to)
{
    int count;
    const heev_road *const road = eig_cpu_heev_roads(&count);
    fprintf(to, "%s\n| path | auto | tridiagonal | jacobi | reference |\n|---|---|---|---|---|\n", beginning);
    for (int i = 0; i < count; ++i) {
        fprintf(to, "| %s", road[i].name);
        for (int m = 0; m < METHODS; ++m) {
            fprintf(to, " | ");
            print_cell(to, methods[m], &road[i]);
        }
        fprintf(to, " |\n");
    }
    fprintf(to, "\n");
}

/* Whether the page has the table between its marks. */
static bool page_has(const char *file, const char *table)
{
    FILE *const from = fopen(file, "r");
    if (!from) return false;
    static char page[1 << 20];
    page[fread(page, 1, sizeof page - 1, from)] = 0;
    fclose(from);
    const char *const at = strstr(page, beginning), *const behind = at ? strstr(at, end) : NULL;
    return behind && (size_t)(behind - at) == strlen(table) && memcmp(at, table, strlen(table)) == 0;
}

int main(int argc, char **argv)
{
    char *table;
    size_t size;
    FILE *const to = open_memstream(&table, &size);
    if (!to) return 2;
    print_table(to);
    fclose(to);
    bool const same = argc < 2 || page_has(argv[1], table);
    if (argc < 2) printf("%s", table);
    if (!same) fprintf(stderr, "%s has another table of roads than\n%s", argv[1], table);
    free(table);
    return same ? 0 : 1;
}
