/* Square matrices from one file. */
#include "run/matrices_file.h"

static eig_type type_of(const io_array *a)
{
    return a->type == IO_F32 ? EIG_S : a->type == IO_C64 ? EIG_C : a->type == IO_C128 ? EIG_Z : EIG_D;
}

int matrices_ragged(const char *path, const io_source *s)
{
    return cli_fail(CLI_USAGE, "%s: need a square matrix: line %lld has %lld number%s, line %lld has %lld", path,
                    (long long)s->line, (long long)s->here, s->here == 1 ? "" : "s", (long long)s->first_line,
                    (long long)s->first);
}

/* The layout tells which extents are the matrices'. */
static int read_shape(const char *path, eig_layout layout, matrices_file *m)
{
    const io_array *const a = &m->source.a;
    int const at_batch = layout == EIG_LAYOUT_MATRIX_WISE ? 0 : layout == EIG_LAYOUT_ROW_WISE ? 1 : 2;
    int const at_row = at_batch == 0 ? 1 : 0, at_column = at_batch == 2 ? 1 : 2;
    m->one = a->rank == 2 || (a->rank == 1 && a->shape[0] == 1);
    if (a->rank < 2 && !m->one && m->source.line > 0) return matrices_ragged(path, &m->source);
    if (a->rank < 2 && !m->one)
        return cli_fail(CLI_USAGE, "%s: need a square matrix or a batch of them, got a vector", path);
    int64_t const rows = m->one ? a->shape[0] : a->shape[at_row];
    int64_t const columns = a->rank == 1 ? 1 : m->one ? a->shape[1] : a->shape[at_column];
    if (rows != columns)
        return cli_fail(CLI_USAGE, "%s: expected square matrices, got %lld x %lld", path, (long long)rows,
                        (long long)columns);
    int64_t const outer[] = {1, rows, rows * rows};
    m->n = rows, m->batch = m->one ? 1 : a->shape[at_batch];
    m->slab = (io_slab){.outer = 1, .batch = m->batch, .inner = rows * rows};
    if (!m->one) m->slab.outer = outer[at_batch], m->slab.inner = outer[2 - at_batch];
    return CLI_OK;
}

int matrices_open(const char *path, eig_layout layout, bool hermitian, matrices_file *m)
{
    io_error error;
    const char *const shown = io_is_standard_input(path) ? "standard input" : path;
    *m = (matrices_file){.n = 0};
    if (!io_source_open(path, &m->source, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    if (m->source.text && io_array_count(&m->source.a) == 0) return cli_fail(CLI_USAGE, "%s: is empty", shown);
    m->type = type_of(&m->source.a);
    if (hermitian && m->source.not_hermitian)
        return cli_fail(CLI_USAGE, "%s: is %s; a Hermitian matrix is needed", shown, m->source.not_hermitian);
    return read_shape(shown, layout, m);
}

void matrices_close(matrices_file *m)
{
    io_source_close(&m->source);
}
