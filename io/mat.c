/* MATLAB's .mat files, through matio (https://github.com/tbeu/matio): level 4, 5 and 7.3 in, level 5 out.
 *
 * MATLAB stores by columns, we by rows, and its third extent is our first: an n x n x batch array becomes
 * (batch, n, n).  matio tells neither of failed writes nor of missing bytes, so that a file is checked before it is
 * read (mat_check.c), and what was written is read back and compared before it takes its name. */
#include "internal.h"

#include <errno.h>
#include <matio.h>
#include <stdlib.h>
#include <string.h>

/* The two arrangements of one array. */
typedef struct mat_layout {
    size_t rows, columns, batch;
} mat_layout;

/* Where entry number k in C order lies in a plane of MATLAB's order. */
static size_t by_columns(const mat_layout *m, size_t k)
{
    size_t const j = k % m->columns, i = k / m->columns % m->rows, b = k / m->columns / m->rows;
    return (b * m->columns + j) * m->rows + i;
}

static size_t layout_count(const mat_layout *m)
{
    return m->rows * m->columns * m->batch;
}

/* ------------------------------------------------------------------ reading */

/* The type in which a variable of this class is held; false for classes without numbers. */
static bool held_type(const matvar_t *v, io_type *type)
{
    switch (v->class_type) {
    case MAT_C_DOUBLE:
        return *type = v->isComplex ? IO_C128 : IO_F64, true;
    case MAT_C_SINGLE:
        return *type = v->isComplex ? IO_C64 : IO_F32, true;
    case MAT_C_INT32:
        return *type = IO_I32, !v->isComplex;
    case MAT_C_INT64:
        return *type = IO_I64, !v->isComplex;
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_UINT32:
    case MAT_C_UINT64:
        return *type = IO_F64, !v->isComplex;
    default:
        return false;
    }
}

/* An integer of a class that is converted to double. */
static double integer_value(enum matio_classes type, const void *data, size_t k)
{
    switch (type) {
    case MAT_C_INT8:
        return (double)((const int8_t *)data)[k];
    case MAT_C_UINT8:
        return (double)((const uint8_t *)data)[k];
    case MAT_C_INT16:
        return (double)((const int16_t *)data)[k];
    case MAT_C_UINT16:
        return (double)((const uint16_t *)data)[k];
    case MAT_C_UINT32:
        return (double)((const uint32_t *)data)[k];
    default:
        return (double)((const uint64_t *)data)[k];
    }
}

/* The first variable that holds numbers, without them; NULL if there is none. */
static matvar_t *find_numeric(mat_t *mat, bool *sparse)
{
    for (matvar_t *v; (v = Mat_VarReadNextInfo(mat)) != NULL; Mat_VarFree(v)) {
        io_type type;
        if (held_type(v, &type)) return v;
        *sparse |= v->class_type == MAT_C_SPARSE;
    }
    return NULL;
}

/* Checks rank and extents.  A file of some bytes holds at most 1032 times as many numbers, that being the most that
 * zlib compresses (https://zlib.net/zlib_tech.html); a header that claims more is damaged. */
static bool check_extents(const char *path, const matvar_t *v, size_t bytes, mat_layout *m, io_error *error)
{
    if (v->rank < 2 || v->rank > 3 || !v->dims) {
        return io_fail(error, path, "has variable '%.60s' of rank %d; ranks 1 to 3 are read", v->name ? v->name : "",
                       v->rank);
    }
    *m = (mat_layout){v->dims[0], v->dims[1], v->rank == 3 ? v->dims[2] : 1};
    size_t const most = bytes < SIZE_MAX / 1032 / 16 ? bytes * 1032 : SIZE_MAX / 16;
    size_t const extent[3] = {m->rows, m->columns, m->batch};
    size_t count = 1;
    for (int k = 0; k < 3; ++k) {
        if (extent[k] > most || (extent[k] > 0 && count > most / extent[k])) {
            return io_fail(error, path, "is damaged: it claims more numbers than its %zu bytes can hold", bytes);
        }
        if (extent[k] > 0) count *= extent[k];
    }
    return true;
}

/* Reads the variable's numbers into its real and imaginary planes, filled with the given byte beforehand. */
static bool read_planes(mat_t *mat, matvar_t *v, size_t count, size_t size, int filling, char *planes)
{
    mat_complex_split_t split = {planes, planes + count * size};
    memset(planes, filling, count * size * (v->isComplex ? 2 : 1));
    return Mat_VarReadDataLinear(mat, v, v->isComplex ? (void *)&split : planes, 0, 1, (int)count) == 0;
}

/* The variable's planes, to be freed; NULL if matio cannot read all of them. matio does not report that a damaged file
 * gave fewer numbers than it asked for.  Reading twice, over different fillings, shows what it never wrote. */
static char *load_planes(const char *path, mat_t *mat, matvar_t *v, const mat_layout *m, io_error *error)
{
    const char *const name = v->name ? v->name : "";
    size_t const count = layout_count(m), size = Mat_SizeOfClass((int)v->class_type);
    size_t const bytes = count * size * (v->isComplex ? 2 : 1);
    if (count > INT32_MAX)
        return io_fail(error, path, "has 2^31 numbers or more in variable '%.60s', which matio does not read", name),
               NULL;
    if (bytes <= SIZE_MAX / 2 && !io_memory_fits(path, 2 * bytes, ": a .npy file is read in slices", error))
        return NULL;
    char *const planes = (char *)malloc(bytes), *const again = (char *)malloc(bytes);
    bool const room = planes && again;
    bool const good = room && read_planes(mat, v, count, size, 0, planes) &&
                      read_planes(mat, v, count, size, 0xff, again) && memcmp(planes, again, bytes) == 0;
    free(again);
    if (good) return planes;
    free(planes);
    if (!room) return io_fail(error, path, "needs 2 x %zu bytes of memory, which are not available", bytes), NULL;
    return io_fail(error, path, "is truncated or damaged within variable '%.60s'", name), NULL;
}

/* Copies the planes into C order. */
static void take_numbers(const matvar_t *v, const mat_layout *m, const char *planes, io_array *a)
{
    size_t const count = layout_count(m);
    size_t const parts = v->isComplex ? 2 : 1, size = io_type_size(a->type) / parts;
    bool const converted = a->type == IO_F64 && v->class_type != MAT_C_DOUBLE;
    for (size_t k = 0; k < count; ++k) {
        size_t const from = by_columns(m, k);
        if (converted) ((double *)a->data)[k] = integer_value(v->class_type, planes, from);
        for (size_t part = 0; part < parts && !converted; ++part) {
            memcpy((char *)a->data + (k * parts + part) * size, planes + (part * count + from) * size, size);
        }
    }
}

static bool read_variable(const char *path, mat_t *mat, matvar_t *v, size_t bytes, io_array *a, io_error *error)
{
    mat_layout m = {0};
    io_type type;
    if (!check_extents(path, v, bytes, &m, error) || !held_type(v, &type)) return false;
    int64_t shape[3] = {(int64_t)m.rows, (int64_t)m.columns, 0};
    if (v->rank == 3) {
        shape[0] = (int64_t)m.batch;
        shape[1] = (int64_t)m.rows;
        shape[2] = (int64_t)m.columns;
    }
    if (layout_count(&m) == 0) return io_array_create(path, type, v->rank, shape, a, error);
    char *const planes = load_planes(path, mat, v, &m, error);
    if (!planes) return false;
    bool const created = io_array_create(path, type, v->rank, shape, a, error);
    if (created) take_numbers(v, &m, planes, a);
    free(planes);
    return created;
}

static void (*listening)(const char *sentence);

void io_listen(void (*listener)(const char *sentence))
{
    listening = listener;
}

/* Tells which variable was taken where others hold numbers, too. */
static void tell_choice(const char *path, const char *name)
{
    mat_t *const mat = listening ? Mat_Open(name, MAT_ACC_RDONLY) : NULL;
    if (!mat) return;
    bool sparse = false;
    matvar_t *const first = find_numeric(mat, &sparse), *const second = first ? find_numeric(mat, &sparse) : NULL;
    if (second) {
        io_error note;
        io_fail(&note, path, "variable '%.60s' is read, the first one; '%.60s' is not", first->name ? first->name : "",
                second->name ? second->name : "");
        listening(note.text);
    }
    Mat_VarFree(second);
    Mat_VarFree(first);
    Mat_Close(mat);
}

bool mat_read(const char *path, const char *name, io_array *a, io_error *error)
{
    size_t bytes = 0;
    *a = (io_array){0};
    if (!mat_check(path, name, &bytes, error)) return false;
    mat_t *const mat = Mat_Open(name, MAT_ACC_RDONLY);
    if (!mat) return io_fail(error, path, "is not a .mat file that matio can read");
    bool sparse = false;
    matvar_t *const v = find_numeric(mat, &sparse);
    bool ok = v != NULL;
    if (v)
        ok = read_variable(path, mat, v, bytes, a, error);
    else if (sparse)
        io_fail(error, path, "holds sparse matrices only; save full(T) instead");
    else
        io_fail(error, path, "holds no numeric variable, or is truncated");
    Mat_VarFree(v);
    Mat_Close(mat);
    if (ok) tell_choice(path, name);
    return ok;
}

/* ------------------------------------------------------------------ writing */

static mat_layout layout_of(const io_array *a)
{
    size_t const s0 = (size_t)a->shape[0], s1 = (size_t)a->shape[1], s2 = (size_t)a->shape[2];
    if (a->rank == 1) return (mat_layout){s0, 1, 1};
    if (a->rank == 2) return (mat_layout){s0, s1, 1};
    return (mat_layout){s1, s2, s0};
}

/* The array in MATLAB's order: the real plane, then the imaginary one. */
static char *make_planes(const io_array *a, const mat_layout *m, size_t parts)
{
    size_t const count = layout_count(m), size = io_type_size(a->type) / parts;
    char *const planes = (char *)malloc(count > 0 ? count * parts * size : 1);
    for (size_t k = 0; planes && k < count; ++k) {
        for (size_t part = 0; part < parts; ++part) {
            memcpy(planes + (part * count + by_columns(m, k)) * size, (const char *)a->data + (k * parts + part) * size,
                   size);
        }
    }
    return planes;
}

/* Writes the variable to a file that exists.  Reading it back shows whether that succeeded. */
static void write_variable(const char *file, const char *variable, const io_array *a, char *planes)
{
    static const struct {
        enum matio_classes class;
        enum matio_types type;
    } matlab[] = {
        [IO_F32] = {MAT_C_SINGLE, MAT_T_SINGLE}, [IO_F64] = {MAT_C_DOUBLE, MAT_T_DOUBLE},
        [IO_C64] = {MAT_C_SINGLE, MAT_T_SINGLE}, [IO_C128] = {MAT_C_DOUBLE, MAT_T_DOUBLE},
        [IO_I32] = {MAT_C_INT32, MAT_T_INT32},   [IO_I64] = {MAT_C_INT64, MAT_T_INT64},
    };
    mat_layout const m = layout_of(a);
    bool const complex = a->type == IO_C64 || a->type == IO_C128;
    size_t dims[3] = {m.rows, m.columns, m.batch};
    mat_complex_split_t split = {planes, planes + layout_count(&m) * (io_type_size(a->type) / 2)};
    mat_t *const mat = Mat_CreateVer(file, NULL, MAT_FT_MAT5);
    if (!mat) return;
    matvar_t *const v =
        Mat_VarCreate(variable, matlab[a->type].class, matlab[a->type].type, a->rank == 3 ? 3 : 2, dims,
                      complex ? (void *)&split : planes, MAT_F_DONT_COPY_DATA | (complex ? MAT_F_COMPLEX : 0));
    if (v) Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
    Mat_Close(mat);
}

/* Whether the file holds the array. */
static bool holds(const char *file, const io_array *a)
{
    io_array back;
    if (!mat_read(file, file, &back, NULL)) return false;
    size_t const count = (size_t)io_array_count(a);
    bool const same = back.type == a->type && io_array_count(&back) == (int64_t)count &&
                      memcmp(back.data, a->data, count * io_type_size(a->type)) == 0;
    io_array_free(&back);
    return same;
}

bool mat_write(const char *path, const char *variable, const io_array *a, io_error *error)
{
    mat_layout const m = layout_of(a);
    size_t const count = layout_count(&m);
    if (count > INT32_MAX / io_type_size(a->type)) {
        return io_fail(error, path, "cannot be written: a .mat file holds 2 GiB at most; .npy has no limit");
    }
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    bool written = false;
    errno = 0;
    if (out.temporary) {
        char *const planes = make_planes(a, &m, a->type == IO_C64 || a->type == IO_C128 ? 2 : 1);
        if (planes) write_variable(out.temporary, variable, a, planes);
        int const reason = errno;
        free(planes); /* reading it back needs the memory */
        written = planes && holds(out.temporary, a);
        errno = reason ? reason : EIO;
    } else {
        errno = ESPIPE; /* matio needs a file in which it can seek */
    }
    return io_output_close(&out, written, error);
}

bool io_has_mat(void)
{
    return true;
}
