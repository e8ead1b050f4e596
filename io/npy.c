/* NumPy's .npy files, versions 1.0 to 3.0 in, 1.0 out.
 *
 * A file is the magic "\x93NUMPY", a version, the header's length, a header that is a Python dictionary with the keys
 * descr, fortran_order and shape, and the numbers
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). A file in this machine's byte order, in C
 * order and of a type we keep is handed on in the buffer it was read into; anything else is converted number by number.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct npy_header {
    char order; /* of descr "<f8": '<' */
    npy_form form;
    bool has_descr, has_fortran, has_shape;
    char trouble[112]; /* what is wrong with it, where that is known */
} npy_header;

static bool machine_is_big(void)
{
    uint16_t const one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* ------------------------------------------------------------------ the header's dictionary */

typedef struct cursor {
    const char *next, *end;
} cursor;

static void skip_white(cursor *c)
{
    while (c->next < c->end && (*c->next == ' ' || (*c->next >= '\t' && *c->next <= '\r'))) ++c->next;
}

/* Takes the character, after white space, if it comes next. */
static bool take(cursor *c, char wanted)
{
    skip_white(c);
    if (c->next == c->end || *c->next != wanted) return false;
    ++c->next;
    return true;
}

/* A quoted string without escapes, of at most 31 characters. */
static bool take_string(cursor *c, char text[32])
{
    skip_white(c);
    if (c->next == c->end || (*c->next != '\'' && *c->next != '"')) return false;
    char const quote = *c->next++;
    size_t length = 0;
    while (c->next < c->end && *c->next != quote && length < 31) text[length++] = *c->next++;
    text[length] = '\0';
    return take(c, quote);
}

static bool take_word(cursor *c, const char *word)
{
    skip_white(c);
    size_t const length = strlen(word);
    if ((size_t)(c->end - c->next) < length || memcmp(c->next, word, length) != 0) return false;
    c->next += length;
    return true;
}

/* A size; Python 2 wrote long ones with an L. */
static bool take_size(cursor *c, int64_t *x)
{
    skip_white(c);
    const char *const start = c->next;
    *x = 0;
    for (; c->next < c->end && *c->next >= '0' && *c->next <= '9'; ++c->next) {
        int const digit = *c->next - '0';
        if (*x > (INT64_MAX - digit) / 10) return false;
        *x = 10 * *x + digit;
    }
    if (c->next == start) return false;
    if (c->next < c->end && *c->next == 'L') ++c->next;
    return true;
}

static bool trouble(npy_header *h, const char *sentence)
{
    snprintf(h->trouble, sizeof h->trouble, "%s", sentence);
    return false;
}

/* The shape's tuple.  A rank above 3 is counted, its extents are not kept. */
static bool take_shape(cursor *c, npy_header *h)
{
    npy_form *const f = &h->form;
    f->rank = 0;
    if (!take(c, '(')) return false;
    while (!take(c, ')')) {
        int64_t extent;
        if (take(c, '-')) return trouble(h, "has a negative extent in its shape");
        if (!take_size(c, &extent)) return false;
        if (f->rank < 3) f->shape[f->rank] = extent;
        ++f->rank;
        if (!take(c, ',')) return take(c, ')');
    }
    return true;
}

static bool take_descr(cursor *c, npy_header *h)
{
    char text[32];
    if (take(c, '[')) return trouble(h, "has numbers of a structured type, which is not read");
    if (!take_string(c, text)) return false;
    if (strcmp(text, "|O") == 0) return trouble(h, "holds Python objects, which are not read");
    if (strlen(text) < 3) return false;
    h->order = text[0];
    h->form.kind = text[1];
    char *end;
    long const size = strtol(text + 2, &end, 10);
    h->form.size = *end == '\0' && size > 0 && size <= 1024 ? (int)size : 0;
    return strchr("<>|=", h->order) != NULL;
}

static bool take_entry(cursor *c, npy_header *h)
{
    char key[32];
    if (!take_string(c, key) || !take(c, ':')) return false;
    if (strcmp(key, "descr") == 0) return h->has_descr = take_descr(c, h);
    if (strcmp(key, "shape") == 0) return h->has_shape = take_shape(c, h);
    if (strcmp(key, "fortran_order") == 0) {
        h->form.fortran = take_word(c, "True");
        return h->has_fortran = h->form.fortran || take_word(c, "False");
    }
    for (char *letter = key; *letter; ++letter)
        if (*letter < ' ' || *letter > '~') *letter = '?';
    snprintf(h->trouble, sizeof h->trouble, "has the key '%s' in its .npy header, which has no such key", key);
    return false;
}

static bool parse_dictionary(cursor c, npy_header *h)
{
    if (!take(&c, '{')) return false;
    while (!take(&c, '}')) {
        if (!take_entry(&c, h)) return false;
        if (!take(&c, ',')) {
            if (!take(&c, '}')) return false;
            break;
        }
    }
    skip_white(&c);
    if (c.next != c.end) return false;
    if (h->has_descr && h->has_shape && h->has_fortran) return true;
    snprintf(h->trouble, sizeof h->trouble, "has a .npy header without the key '%s'",
             !h->has_descr  ? "descr"
             : h->has_shape ? "fortran_order"
                            : "shape");
    return false;
}

/* Checks what stands before the numbers, and where they begin. */
static bool parse_header(const char *path, const io_bytes *file, npy_header *h, io_error *error)
{
    static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
    const unsigned char *const b = (const unsigned char *)file->data;
    size_t const seen = file->size < sizeof magic ? file->size : sizeof magic;
    if (memcmp(b, magic, seen) != 0) return io_fail(error, path, "is not a .npy file (its first bytes are wrong)");
    if (file->size < 10) return io_fail(error, path, "is truncated within its header");
    if (b[6] < 1 || b[6] > 3) return io_fail(error, path, "has .npy version %d.%d; 1.0 to 3.0 are known", b[6], b[7]);
    size_t length = b[8] | (size_t)b[9] << 8, start = 10;
    if (b[6] > 1) {
        if (file->size < 12) return io_fail(error, path, "is truncated within its header");
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
        start = 12;
    }
    if (length > file->size - start) return io_fail(error, path, "is truncated within its header");
    cursor const c = {file->data + start, file->data + start + length};
    h->form.start = (int64_t)(start + length);
    if (parse_dictionary(c, h)) return true;
    return io_fail(error, path, "%s", h->trouble[0] ? h->trouble : "has a .npy header that is not understood");
}

/* ------------------------------------------------------------------ the numbers */

/* The type in which numbers of the file's type are held; false for types that are not read. */
static bool held_type(const npy_form *h, io_type *type)
{
    int const s = h->size;
    if (h->kind == 'f' && (s == 4 || s == 8)) return *type = s == 4 ? IO_F32 : IO_F64, true;
    if (h->kind == 'c' && (s == 8 || s == 16)) return *type = s == 8 ? IO_C64 : IO_C128, true;
    if (h->kind == 'i' && (s == 4 || s == 8)) return *type = s == 4 ? IO_I32 : IO_I64, true;
    *type = IO_F64;
    if (h->kind == 'b') return s == 1;
    return (h->kind == 'i' || h->kind == 'u') && (s == 1 || s == 2 || s == 4 || s == 8);
}

/* The unsigned integer of the given bytes. */
static uint64_t load_bits(const unsigned char *bytes, int size, bool big)
{
    uint64_t bits = 0;
    for (int i = 0; i < size; ++i) bits = bits << 8 | bytes[big ? i : size - 1 - i];
    return bits;
}

/* Stores a number's 4 or 8 bytes in this machine's order. */
static void store_bits(unsigned char *out, uint64_t bits, int size)
{
    uint32_t const low = (uint32_t)bits;
    if (size == 4) memcpy(out, &low, 4);
    if (size == 8) memcpy(out, &bits, 8);
}

/* Converts one number of the file, at in, to the held type, at out. */
static void convert(const npy_form *h, const unsigned char *in, unsigned char *out)
{
    bool const big = h->big;
    if (h->kind == 'f' || (h->kind == 'i' && h->size >= 4)) {
        store_bits(out, load_bits(in, h->size, big), h->size);
    } else if (h->kind == 'c') {
        int const part = h->size / 2;
        store_bits(out, load_bits(in, part, big), part);
        store_bits(out + part, load_bits(in + part, part, big), part);
    } else {
        uint64_t const bits = load_bits(in, h->size, big);
        double x = (double)bits;
        if (h->kind == 'i' && bits >> (8 * h->size - 1)) x -= h->size == 1 ? 256.0 : 65536.0; /* two's complement */
        memcpy(out, &x, sizeof x);
    }
}

void npy_convert(const npy_form *h, const void *in, int64_t count, void *out)
{
    size_t const held = io_type_size(h->type), size = (size_t)h->size;
    for (size_t k = 0; k < (size_t)count; ++k)
        convert(h, (const unsigned char *)in + k * size, (unsigned char *)out + k * held);
}

/* Converts every number, in C order, whatever order the file has. */
static void convert_all(const char *path, const npy_form *h, const char *data, io_array *a)
{
    int64_t extent[3] = {1, 1, 1}, stride[3] = {0, 0, 0}; /* right-aligned: extent[2] is the last axis */
    int64_t step = 1;
    for (int k = 0; k < h->rank; ++k) {
        int const axis = h->fortran ? k : h->rank - 1 - k;
        extent[3 - h->rank + axis] = h->shape[axis];
        stride[3 - h->rank + axis] = step;
        step *= h->shape[axis];
    }
    if (io_array_count(a) == 0) return; /* an extent beside a zero may be anything */
    unsigned char *out = (unsigned char *)a->data;
    size_t const held = io_type_size(a->type);
    int64_t const count = io_array_count(a);
    int64_t done = 0;
    for (int64_t i = 0; i < extent[0]; ++i)
        for (int64_t j = 0; j < extent[1]; ++j)
            for (int64_t k = 0; k < extent[2]; ++k, out += held) {
                if (done++ % IO_SOME == 0) io_tell("converting", path, done, count);
                int64_t const from = i * stride[0] + j * stride[1] + k * stride[2];
                convert(h, (const unsigned char *)data + from * h->size, out);
            }
    io_tell("converting", path, count, count);
}

/* The bytes of the numbers that the header claims; false: more than any file holds. */
static bool claimed_bytes(const npy_form *h, size_t *claimed)
{
    *claimed = (size_t)h->size;
    for (int k = 0; k < h->rank; ++k) {
        if (h->shape[k] > 0 && *claimed > (size_t)INT64_MAX / (size_t)h->shape[k]) return false;
        if (h->shape[k] > 0) *claimed *= (size_t)h->shape[k];
    }
    for (int k = 0; k < h->rank; ++k) *claimed = h->shape[k] == 0 ? 0 : *claimed;
    return true;
}

/* Compares that with the bytes that are there. */
static bool check_size(const char *path, const npy_form *h, size_t there, io_error *error)
{
    size_t claimed;
    if (!claimed_bytes(h, &claimed))
        return io_fail(error, path, "is truncated: its header claims more numbers than any file holds");
    if (there < claimed) {
        return io_fail(error, path, "is truncated: %zu bytes of numbers where its header needs %zu", there, claimed);
    }
    return there == claimed || io_fail(error, path, "has %zu bytes after its array", there - claimed);
}

size_t npy_claim(const io_bytes *beginning)
{
    npy_header h = {0};
    size_t claimed = 0;
    bool const known = beginning->size >= 10 && parse_header("", beginning, &h, NULL) && h.form.rank <= 3 &&
                       claimed_bytes(&h.form, &claimed);
    return known ? (size_t)h.form.start + claimed : 0;
}

bool npy_inspect(const char *path, const io_bytes *file, size_t size, npy_form *form, io_error *error)
{
    npy_header h = {0};
    if (file->size == 0) return io_fail(error, path, "is empty");
    if (!parse_header(path, file, &h, error)) return false;
    *form = h.form;
    int const s = form->size;
    if (!held_type(form, &form->type))
        return io_fail(error, path,
                       "has numbers of type %c%d, which is not read: b1, i1 to i8, u1 to u8, f4, f8, c8 and c16 are",
                       form->kind, s);
    if (form->rank < 1 || form->rank > 3) return io_fail(error, path, "has rank %d; ranks 1 to 3 are read", form->rank);
    form->fortran &= form->rank > 1;
    form->big = h.order == '>' || (h.order != '<' && machine_is_big());
    bool const kept = form->kind == 'f' || form->kind == 'c' || (form->kind == 'i' && s >= 4);
    form->as_held = kept && form->big == machine_is_big();
    return check_size(path, form, size - (size_t)form->start, error);
}

bool npy_parse(const char *path, io_bytes *file, io_array *a, io_error *error)
{
    npy_form h;
    if (!npy_inspect(path, file, file->size, &h, error)) return false;
    if (h.as_held && !h.fortran) {
        memmove(file->data, file->data + h.start, file->size - (size_t)h.start);
        *a = (io_array){h.type, h.rank, {h.shape[0], h.shape[1], h.shape[2]}, file->data};
        *file = (io_bytes){0};
        return true;
    }
    if (!io_array_create(path, h.type, h.rank, h.shape, a, error)) return false;
    convert_all(path, &h, file->data + h.start, a);
    return true;
}

/* ------------------------------------------------------------------ writing */

static bool write_numbers(const io_output *out, const char *numbers, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        size_t const piece = bytes - done < IO_PIECE ? bytes - done : IO_PIECE;
        io_tell("writing", out->path, (int64_t)done, (int64_t)bytes);
        if (fwrite(numbers + done, 1, piece, out->file) != piece) return false;
        done += piece;
    }
    return true;
}

bool npy_write_header(const io_output *out, const io_array *a)
{
    static const char *const descr[] = {
        [IO_F32] = "f4", [IO_F64] = "f8", [IO_C64] = "c8", [IO_C128] = "c16", [IO_I32] = "i4", [IO_I64] = "i8"};
    char shape[80] = "", header[192];
    for (int k = 0, used = 0; k < a->rank; ++k) {
        used += snprintf(shape + used, sizeof shape - (size_t)used, k ? ", %" PRId64 : "%" PRId64, a->shape[k]);
    }
    int length = snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s%s), }",
                          machine_is_big() ? '>' : '<', descr[a->type], shape, a->rank == 1 ? "," : "");
    /* Spaces and a newline, so that the numbers begin at a multiple of 64. */
    int const padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    while (length < padded - 1) header[length++] = ' ';
    header[length++] = '\n';
    unsigned char const start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
    return fwrite(start, 1, sizeof start, out->file) == sizeof start &&
           fwrite(header, 1, (size_t)length, out->file) == (size_t)length;
}

bool npy_write(const io_output *out, const io_array *a)
{
    size_t const count = (size_t)io_array_count(a);
    return npy_write_header(out, a) && write_numbers(out, (const char *)a->data, count * io_type_size(a->type));
}
