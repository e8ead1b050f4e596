/* The tables of measured choices, as pages of docs have them, from src/cpu/crossovers.h and src/cuda/crossovers.h.
 *
 *     test_crossovers [ROOT]     prints the tables; with the root of the sources compares them with the pages', and looks whether
 *                                the records that they name are there; exit status 1 if not */
#include "cpu/crossovers.h"
#include "cuda/crossovers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const end = "<!-- end of crossovers -->";

static const struct {
    const char *family, *page, *up; /* family: NULL for all; page: in docs/maintainers; up: from the page to there */
    const crossover_table *tables;
} pages[] = {
    {NULL, "architecture.md", "", cpu_crossovers},      {"heev", "cuda/heev.md", "../", cuda_crossovers},
    {"geev", "cuda/geev.md", "../", cuda_crossovers},   {"stebz", "cuda/stebz.md", "../", cuda_crossovers},
    {"stemr", "cuda/stemr.md", "../", cuda_crossovers},
};
enum { PAGES = sizeof pages / sizeof *pages };

static void print_types(FILE *to, const crossover *row)
{
    static const char *const names[] = {"f32", "f64", "c64", "c128"};
    const char *between = "";
    int const own = row->types;
    if (own == OF_ALL)
        fprintf(to, "all types");
    else if (own == OF_REAL || own == OF_COMPLEX)
        fprintf(to, "%s", own == OF_REAL ? "real" : "complex");
    else
        for (int t = 0; t < 4; ++t)
            if (own >> t & 1) fprintf(to, "%s%s", between, names[t]), between = ", ";
    if (row->wants) fprintf(to, row->wants == 'V' ? ", with vectors" : ", values alone");
}

/* What the bound is more than `bound` matrices at other orders, e.g. " + (1024 - n) 12/512". */
static void print_rise(FILE *to, const crossover *row)
{
    long long const before = (long long)row->from - 1, last = (long long)row->upto, per = (long long)row->per;
    if (row->rise > 0 && before > 0) fprintf(to, " + (n - %lld)", before);
    if (row->rise > 0 && before == 0) fprintf(to, " + n");
    if (row->rise < 0) fprintf(to, " + (%lld - n)", last);
    if (llabs(row->rise) != 1 || per == 1) fprintf(to, " %lld", llabs(row->rise));
    if (row->rise && per != 1) fprintf(to, "/%lld", per);
}

static void print_matrices(FILE *to, const crossover *row)
{
    bool const any = row->least == 1 && row->most == NO_END;
    bool const least = row->most == NO_END;
    if (any)
        fprintf(to, "any");
    else
        fprintf(to, "%s%lld", least ? "" : "up to ", (long long)(least ? row->least : row->most));
    if (row->rise) print_rise(to, row);
    if (least && !any) fprintf(to, " and more");
}

/* A page of notes, a text of bench/results, or a run, whose rows stand in the CSV of its family. */
static void print_record(FILE *to, const crossover *row, int page, const char *family)
{
    const char *const record = row->record, *const dot = record ? strrchr(record, '.') : NULL;
    const char *const device = pages[page].tables == cuda_crossovers ? "cuda" : "cpu";
    if (!record)
        fprintf(to, "no record");
    else if (dot)
        fprintf(to, "[%.*s](%s%s%s)", (int)(dot - record), record, pages[page].up,
                strcmp(dot, ".md") == 0 ? "" : "../../bench/results/", record);
    else
        fprintf(to, "[%s](%s../../bench/results/%s-%s.csv)", record, pages[page].up, family, device);
}

static void print_row(FILE *to, const crossover_table *t, const crossover *row, int page)
{
    bool const of_all = !pages[page].family;
    fprintf(to, of_all ? "| %s: %s" : "| %.0s%s", t->family, t->choice);
    if (row->value) fprintf(to, ": %d", row->value);
    fprintf(to, " | ");
    print_types(to, row);
    fprintf(to, " | %lld..", (long long)row->from);
    if (row->upto != NO_END) fprintf(to, "%lld", (long long)row->upto);
    fprintf(to, " | ");
    print_matrices(to, row);
    fprintf(to, " | ");
    print_record(to, row, page, t->family);
    fprintf(to, " |\n");
}

/* A page's table, with the line before it. */
static char *table_of(int page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const to = open_memstream(&text, &size);
    if (!to) exit(2);
    fprintf(to,
            "<!-- made by tests/test_crossovers -->\n\n| choice | types | orders | matrices of a call | measured |\n");
    fprintf(to, "|---|---|---|---|---|\n");
    for (const crossover_table *t = pages[page].tables; t->family; ++t)
        for (const crossover *row = t->rows; row->types; ++row)
            if (!pages[page].family || strcmp(t->family, pages[page].family) == 0) print_row(to, t, row, page);
    fprintf(to, "\n");
    fclose(to);
    return text;
}

static const char *read_file(const char *path)
{
    static char text[1 << 20];
    FILE *const from = fopen(path, "r");
    if (!from) return NULL;
    text[fread(text, 1, sizeof text - 1, from)] = 0;
    fclose(from);
    return text;
}

static bool page_has(const char *root, int page, const char *table)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/maintainers/%s", root, pages[page].page);
    const char *const text = read_file(path);
    const char *const at = text ? strstr(text, "<!-- made by tests/test_crossovers -->") : NULL;
    const char *const behind = at ? strstr(at, end) : NULL;
    return behind && (size_t)(behind - at) == strlen(table) && memcmp(at, table, strlen(table)) == 0;
}

/* Whether bench/results/machines.txt tells of this run. */
static bool is_run(const char *machines, const char *run)
{
    char line[256];
    snprintf(line, sizeof line, "== %s\n", run);
    const char *const at = strstr(machines, line);
    return at && (at == machines || at[-1] == '\n');
}

/* Whether every record of the tables is there. */
static bool has_records(const char *root, const crossover_table *tables)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/bench/results/machines.txt", root);
    const char *const machines = read_file(path);
    bool good = true;
    for (const crossover_table *t = tables; t->family; ++t)
        for (const crossover *row = t->rows; row->types; ++row) {
            if (!row->record) continue;
            bool found = strchr(row->record, '.') == NULL && machines && is_run(machines, row->record);
            if (strchr(row->record, '.')) {
                snprintf(path, sizeof path, "%s/%s/%s", root,
                         strstr(row->record, ".md") ? "docs/maintainers" : "bench/results", row->record);
                FILE *const from = fopen(path, "r");
                found = from != NULL;
                if (from) fclose(from);
            }
            if (!found)
                fprintf(stderr, "%s, %s: there is no record %s\n", t->family, t->choice, row->record), good = false;
        }
    return good;
}

int main(int argc, char **argv)
{
    bool const records = argc < 2 || has_records(argv[1], cpu_crossovers);
    bool same = (argc < 2 || has_records(argv[1], cuda_crossovers)) && records;
    for (int page = 0; page < PAGES; ++page) {
        char *const table = table_of(page);
        if (argc < 2) printf("%s: %s", pages[page].page, table);
        if (argc > 1 && !page_has(argv[1], page, table)) {
            fprintf(stderr, "docs/maintainers/%s has another table than\n%s%s\n", pages[page].page, table, end);
            same = false;
        }
        free(table);
    }
    return same ? 0 : 1;
}
