/* Affine families of matrices: their files and the grid of their parameters. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "commands/geev_family.h"
#include "commands/commands.h"
#include "pictures/chart.h"
#include "run/matrices_file.h"
#include "run/stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- grid */

/* Reads "LOW:HIGH:COUNT" or one number, up to a comma or the end. */
static bool read_range(const char **text, svg_parameter *p)
{
    char *stop;
    p->low = p->high = strtod(*text, &stop);
    p->count = 1;
    bool good = stop != *text && isfinite(p->low);
    if (good && *stop == ':') {
        const char *at = stop + 1;
        p->high = strtod(at, &stop);
        good = stop != at && *stop == ':' && isfinite(p->high) && isfinite(p->high - p->low) && p->low < p->high;
        if (good) {
            at = stop + 1;
            errno = 0;
            p->count = strtoll(at, &stop, 10);
            good = stop != at && errno == 0 && p->count >= 2;
        }
    }
    *text = stop;
    return good && (*stop == ',' || *stop == '\0');
}

static int read_grid(const arguments *args, family *f)
{
    static const char *const names[FAMILY_MOST] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"};
    const char *const grid = option_text(args, "grid");
    int64_t const most = INT32_MAX;
    const char *at = grid;
    f->points = 1;
    for (f->m = 0;; at++) {
        if (f->m == FAMILY_MOST)
            return cli_fail(CLI_USAGE, "--grid = '%s': more than %d parameters", grid, FAMILY_MOST);
        svg_parameter *const p = &f->range[f->m];
        if (!read_range(&at, p))
            return cli_fail(
                CLI_USAGE, "--grid = '%s': range %d must be LOW:HIGH:COUNT with LOW < HIGH and COUNT >= 2, or a number",
                grid, f->m + 1);
        if (p->count > most / f->points)
            return cli_fail(CLI_USAGE, "--grid = '%s': more than %lld points", grid, (long long)most);
        p->name = names[f->m++];
        f->points *= p->count;
        if (*at == '\0') return CLI_OK;
    }
}

/* Cuts --affine at the commas. */
static int read_names(const arguments *args, family *f)
{
    f->list = strdup(option_text(args, "affine"));
    if (!f->list) return cli_fail(CLI_FAILED, "no memory for the names of files");
    for (char *at = f->list; at; f->files++) {
        if (f->files == FAMILY_MOST + 1) return cli_fail(CLI_USAGE, "--affine: more than %d files", FAMILY_MOST + 1);
        f->file[f->files] = at;
        if (*at == ',' || *at == '\0')
            return cli_fail(CLI_USAGE, "--affine: the name of file %d is empty", f->files + 1);
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return CLI_OK;
}

int family_options(const arguments *args, family *f)
{
    int const status = read_names(args, f);
    return status == CLI_OK ? read_grid(args, f) : status;
}

int family_varying(const family *f, svg_parameter varying[FAMILY_MOST])
{
    int count = 0;
    for (int k = 0; k < f->m; k++)
        if (f->range[k].count > 1) varying[count++] = f->range[k];
    return count;
}

/* ------------------------------------------------------------------- files */

/* Whether the file holds one or more square matrices, of the same order as those before. */
static int check_matrices(const char *path, const io_source *s, int64_t *n)
{
    const io_array *const a = &s->a;
    if (s->text && io_array_count(a) == 0) return cli_fail(CLI_USAGE, "%s: is empty", path);
    bool const one_by_one = a->rank == 1 && a->shape[0] == 1;
    if (a->rank < 2 && !one_by_one && s->line > 0) return matrices_ragged(path, s);
    if (a->rank < 2 && !one_by_one)
        return cli_fail(CLI_USAGE, "%s: need a square matrix or a batch of them, got a vector", path);
    long long const rows = one_by_one ? 1 : a->shape[a->rank - 2], columns = a->shape[a->rank - 1];
    if (rows != columns)
        return cli_fail(CLI_USAGE, "%s: expected square matrices, got %lld x %lld", path, rows, columns);
    if (*n >= 0 && rows != *n)
        return cli_fail(CLI_USAGE, "%s: its matrices are %lld x %lld, those before %lld x %lld", path, rows, columns,
                        (long long)*n, (long long)*n);
    *n = rows;
    return CLI_OK;
}

static int64_t matrices_in(const io_array *a)
{
    return a->rank == 3 ? a->shape[0] : 1;
}

/* Copies the matrices of a file behind the `before` that are there, from row-major to column-major. */
static int append(family *f, const io_source *s, int64_t before)
{
    io_error error;
    numbers b;
    int64_t const n = f->n, count = matrices_in(&s->a), parts = type_is_complex(f->a.type) ? 2 : 1;
    io_slab const all = {1, count, n * n, 0, count};
    if (!numbers_make(&b, f->a.type, count * n * n))
        return cli_fail(CLI_FAILED, "no memory for %lld matrices of order %lld", (long long)count, (long long)n);
    int const status = stream_numbers(s, &all, &b, &error) ? CLI_OK : cli_fail(CLI_USAGE, "%s", error.text);
    for (int64_t k = 0; k < count && status == CLI_OK; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t part = 0; part < parts; part++)
                    numbers_put_part(&f->a, (((before + k) * n + j) * n + i) * parts + part,
                                     numbers_part(&b, ((k * n + i) * n + j) * parts + part));
    numbers_free(&b);
    return status;
}

static int take_files(const arguments *args, family *f, eig_type *type, const io_source *s)
{
    int64_t matrices = 0;
    int status = CLI_OK;
    bool single = true;
    const char *complex = NULL;
    f->n = -1;
    for (int i = 0; i < f->files && status == CLI_OK; i++) {
        status = check_matrices(f->file[i], &s[i], &f->n);
        matrices += status == CLI_OK ? matrices_in(&s[i].a) : 0;
        if (s[i].a.type != IO_F32 && s[i].a.type != IO_C64) single = false;
        if (s[i].a.type == IO_C64 || s[i].a.type == IO_C128) complex = f->file[i];
    }
    if (status != CLI_OK) return status;
    if (matrices != f->m + 1)
        return cli_fail(CLI_USAGE, "--affine has %lld matri%s and --grid %d range%s: need one matrix more than ranges",
                        (long long)matrices, matrices == 1 ? "x" : "ces", f->m, f->m == 1 ? "" : "s");
    *type = complex ? (single ? EIG_C : EIG_Z) : single ? EIG_S : EIG_D;
    if (!cli_type(args, NULL, type)) return CLI_USAGE;
    if (complex && !type_is_complex(*type))
        return cli_fail(CLI_USAGE, "%s: is complex; real numbers are needed", complex);
    if (!numbers_make(&f->a, *type, matrices * f->n * f->n))
        return cli_fail(CLI_FAILED, "no memory for %lld matrices of order %lld", (long long)matrices, (long long)f->n);
    int64_t before = 0;
    for (int i = 0; i < f->files && status == CLI_OK; i++) {
        status = append(f, &s[i], before);
        before += matrices_in(&s[i].a);
    }
    return status;
}

int family_read(const arguments *args, family *f, eig_type *type)
{
    io_source s[FAMILY_MOST + 1] = {{.path = NULL}};
    io_error error;
    int status = CLI_OK;
    for (int i = 0; i < f->files && status == CLI_OK; i++)
        if (!io_source_open(f->file[i], &s[i], &error)) status = cli_fail(CLI_USAGE, "%s", error.text);
    if (status == CLI_OK) status = take_files(args, f, type, s);
    for (int i = 0; i < f->files; i++) io_source_close(&s[i]);
    return status;
}

/* ------------------------------------------------------------------ points */

/* Value i of count, as in numpy.linspace. */
static double grid_value(const svg_parameter *p, int64_t i)
{
    if (p->count == 1) return p->low;
    return i == p->count - 1 ? p->high : p->low + (double)i * ((p->high - p->low) / (double)(p->count - 1));
}

void family_points(const family *f, int64_t first, int64_t count, numbers *x)
{
    int64_t inside = f->points; /* points with the same value of the parameters so far */
    for (int k = 0; k < f->m; k++) {
        inside /= f->range[k].count;
        for (int64_t p = 0; p < count; p++) {
            int64_t const at = p * f->m + k;
            double const value = grid_value(&f->range[k], (first + p) / inside % f->range[k].count);
            numbers_put_part(x, type_is_complex(x->type) ? 2 * at : at, value);
            if (type_is_complex(x->type)) numbers_put_part(x, 2 * at + 1, 0);
        }
    }
}

void family_title(const family *f, char *text, size_t size)
{
    char number[LABEL_SIZE];
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < f->m && used < size; k++)
        if (f->range[k].count == 1)
            used += (size_t)snprintf(text + used, size - used, "%s p%d = %s", used ? "," : ";", k + 1,
                                     chart_number(number, 6, f->range[k].low));
}

int family_shape(const family *f, int64_t shape[3])
{
    shape[0] = f->points;
    for (int k = 0; k < f->m && f->m <= 3; k++) shape[k] = f->range[k].count;
    return f->m <= 3 ? f->m : 1;
}

void family_free(family *f)
{
    free(f->list);
    numbers_free(&f->a);
}
