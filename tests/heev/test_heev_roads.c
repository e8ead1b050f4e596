/* The tables of roads of heev, as docs/heev.md and docs/heev-cuda.md have them: which road takes which orders.  Needs no GPU.
 *
 *     test_heev_roads cpu|cuda [FILE]     without a file prints the table; with one compares it with the file's, exit status 1
 *                                         if it is another one */
#include "cpu/heev/heev_cpu.h"
#ifdef EIG_WITH_CUDA
#include "heev_roads.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 3000, TYPES = 4, KINDS = 2 * TYPES, ALL = (1 << TYPES) - 1 };

static const char *const beginning = "<!-- made by tests/test_heev_roads -->\n", *const end = "<!-- end of roads -->";

static const struct {
    eig_type type;
    const char *name;
} types[TYPES] = {{EIG_S, "f32"}, {EIG_D, "f64"}, {EIG_C, "c64"}, {EIG_Z, "c128"}};

static const char *cpu_road_name(int i)
{
    int count;
    const heev_road *const road = eig_cpu_heev_roads(&count);
    return i < count ? road[i].name : NULL;
}

static const char *cpu_road_taken(const heev_problem *p)
{
    return eig_cpu_heev_road(p)->name;
}

typedef struct device {
    const char *name;
    const char *(*row)(int i);
    const char *(*taken)(const heev_problem *p);
    const char *heading;
    int methods;
    eig_heev_method method[4];
} device;

static const device devices[] = {
    {"cpu",
     cpu_road_name,
     cpu_road_taken,
     "auto | tridiagonal | jacobi | reference",
     4,
     {EIG_HEEV_AUTO, EIG_HEEV_TRIDIAGONAL, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE}},
#ifdef EIG_WITH_CUDA
    {"cuda",
     cuda_road_name,
     cuda_road_taken,
     "auto, tridiagonal | jacobi | reference",
     3,
     {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE}},
#endif
};

/* The orders that take the road, one run of them: first and last, both 0 where there are none. */
typedef struct run {
    int64_t first, last;
} run;

static run orders(const device *of, heev_problem p, const char *road)
{
    run r = {0, 0};
    for (p.n = 1; p.n <= MOST_N; ++p.n)
        if (strcmp(of->taken(&p), road) == 0) {
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

static void print_types(FILE *to, int set, const char *which)
{
    const char *between = "";
    if (set == ALL)
        fprintf(to, "all types");
    else
        for (int t = 0; t < TYPES; ++t)
            if (set >> t & 1) fprintf(to, "%s%s", between, types[t].name), between = ", ";
    fprintf(to, "%s", which);
}

/* The types with such orders, e.g. " (f32, f64 with vectors)"; nothing where all have them. */
static void print_who(FILE *to, int values, int vectors)
{
    if (values == ALL && vectors == ALL) return;
    fprintf(to, " (");
    if (values == vectors) {
        print_types(to, values, "");
    } else {
        if (values) print_types(to, values, " without vectors");
        if (values && vectors) fprintf(to, ", ");
        if (vectors) print_types(to, vectors, " with vectors");
    }
    fprintf(to, ")");
}

/* All orders that take the road by a method, for each type without and with vectors. */
static void print_cell(FILE *to, const device *of, eig_heev_method method, const char *road)
{
    run runs[KINDS];
    const char *between = "";
    for (int k = 0; k < KINDS; ++k) {
        heev_problem const p = {.type = types[k % TYPES].type, .method = method, .vectors = k >= TYPES, .batch = 1000};
        runs[k] = orders(of, p, road);
    }
    for (int k = 0; k < KINDS; ++k) {
        if (runs[k].first == 0) continue;
        run const r = runs[k];
        int set[2] = {0, 0};
        for (int l = k; l < KINDS; ++l)
            if (runs[l].first == r.first && runs[l].last == r.last) set[l / TYPES] |= 1 << l % TYPES, runs[l].first = 0;
        fprintf(to, "%s", between), between = "; ";
        print_run(to, r);
        print_who(to, set[0], set[1]);
    }
}

static void print_table(FILE *to, const device *of)
{
    fprintf(to, "%s\n| road | %s |\n|---|", beginning, of->heading);
    for (int m = 0; m < of->methods; ++m) fprintf(to, "---|");
    fprintf(to, "\n");
    for (int i = 0; of->row(i); ++i) {
        fprintf(to, "| %s", of->row(i));
        for (int m = 0; m < of->methods; ++m) {
            fprintf(to, " | ");
            print_cell(to, of, of->method[m], of->row(i));
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
    for (size_t i = 0; argc > 1 && i < sizeof devices / sizeof *devices; ++i) {
        if (strcmp(argv[1], devices[i].name) != 0) continue;
        char *table;
        size_t size;
        FILE *const to = open_memstream(&table, &size);
        if (!to) return 2;
        print_table(to, &devices[i]);
        fclose(to);
        bool const same = argc < 3 || page_has(argv[2], table);
        if (argc < 3) printf("%s", table);
        if (!same) fprintf(stderr, "%s has another table of roads than\n%s", argv[2], table);
        free(table);
        return same ? 0 : 1;
    }
    fprintf(stderr, "usage: test_heev_roads cpu|cuda [FILE]\n");
    return 2;
}
