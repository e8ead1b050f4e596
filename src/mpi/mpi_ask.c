/* What is asked for: each rank checks its own arguments and compares them with those of rank 0, and all agree. */
#include "tridiagonal.h"

#include "parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Returns EIG_BAD_ARGUMENT with a sentence unless cond holds. */
#define REQUIRE(cond, ...)                                                          \
    do {                                                                            \
        if (!(cond)) return eig_mpi_fail(call->ctx, EIG_BAD_ARGUMENT, __VA_ARGS__); \
    } while (0)

/* ------------------------------------------------------- what all ranks ask for */

enum { FIELD_FAMILY, FIELD_TYPE, FIELD_N, FIELD_INPUT, FIELD_OUTPUT, FIELD_ROOT, FIELD_RANGE, FIELD_IL, FIELD_IU };
enum { FIELD_VL = FIELD_IU + 1, FIELD_VU, FIELD_ABSTOL, FIELD_RELTOL, FIELD_METHOD, FIELD_DEPTH, FIELD_OUTPUTS };
enum { FIELD_T = FIELD_OUTPUTS + 1, FIELDS };

static const char *const field_name[FIELDS] = {
    "function",
    "type",
    "n",
    "where->input",
    "where->output",
    "where->root",
    "options->range",
    "options->il",
    "options->iu",
    "options->vl",
    "options->vu",
    "options->abstol",
    "options->reltol",
    "options->method",
    "options->most_depth",
    "set of outputs",
    "T",
};

static int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A hash of T: four sums of mixed words, which do not wait for each other. */
static uint64_t mixed(uint64_t word, uint64_t place)
{
    uint64_t x = (word + 0x9e3779b97f4a7c15U * (place + 1)) * 0xbf58476d1ce4e5b9U;
    return (x ^ (x >> 29)) * 0x94d049bb133111ebU;
}

static uint64_t hash_of(const void *array, size_t bytes)
{
    const char *const at = array;
    uint64_t sum[4] = {0}, word;
    size_t const words = bytes / sizeof word;
    for (size_t i = 0; i < words; ++i) {
        memcpy(&word, at + i * sizeof word, sizeof word);
        sum[i & 3] += mixed(word, i);
    }
    word = 0;
    if (bytes % sizeof word) memcpy(&word, at + words * sizeof word, bytes % sizeof word);
    return mixed(sum[0], 1) ^ mixed(sum[1], 2) ^ mixed(sum[2], 3) ^ mixed(sum[3], 4) ^ mixed(word, words);
}

static int64_t hash_of_matrix(const tridiagonal_call *call)
{
    uint64_t h = call->n > 0 ? hash_of(call->d, (size_t)call_bytes(call, call->n)) : 0;
    if (call->n > 1) h = mixed(h, 5) ^ hash_of(call->e, (size_t)call_bytes(call, call->n - 1));
    return (int64_t)h;
}

/* Which outputs are wanted, as bits. */
static int64_t outputs_of(const tridiagonal_call *call)
{
    int64_t bits = 0;
    for (int i = 0; i < CALL_ARRAYS; ++i) bits |= (int64_t)(call->array[i].given != NULL) << i;
    return bits;
}

/* The most eigenvalues that can be found. */
static int64_t most_found(const tridiagonal_call *call)
{
    return call->range == EIG_RANGE_INDEX ? call->iu - call->il + 1 : call->n;
}

/* The most that this rank can have in its arrays. */
static int64_t most_kept(const tridiagonal_call *call)
{
    int64_t const found = most_found(call);
    if (call->where.output == EIG_MPI_OUTPUT_ROOT && !call_has_outputs(call)) return 0;
    if (call->where.output != EIG_MPI_OUTPUT_RUNS) return found;
    return eig_part_begin(found, call->ctx->wire.size, call->ctx->wire.rank + 1) -
           eig_part_begin(found, call->ctx->wire.size, call->ctx->wire.rank);
}

/* ------------------------------------------------------------------- checks */

static eig_status check_where(tridiagonal_call *call, const eig_mpi_options *where)
{
    const eig_mpi_options *const w = &call->where;
    int const size = call->ctx->wire.size;
    size_t given = sizeof *w;
    if (where) memcpy(&given, where, sizeof given);
    REQUIRE(given >= sizeof given && given <= 4096,
            "%s: where->size = %zu, must be the structure's size, here %zu: begin with EIG_MPI_OPTIONS", call->family,
            given, sizeof *w);
    for (size_t at = sizeof *w; at < given; ++at)
        REQUIRE(((const char *)where)[at] == 0,
                "%s: where->size = %zu, this library knows %zu bytes: the caller's eigpack_mpi.h is newer",
                call->family, given, sizeof *w);
    eig_mpi_read(where, &call->where, sizeof call->where);
    REQUIRE(w->input == EIG_MPI_INPUT_ALL || w->input == EIG_MPI_INPUT_ROOT, "%s: where->input = %d, must be 0 or 1",
            call->family, (int)w->input);
    REQUIRE(w->output == EIG_MPI_OUTPUT_RUNS || w->output == EIG_MPI_OUTPUT_ALL || w->output == EIG_MPI_OUTPUT_ROOT,
            "%s: where->output = %d, must be 0, 1 or 2", call->family, (int)w->output);
    REQUIRE(w->unused == 0, "%s: where->unused = %d, must be 0", call->family, w->unused);
    REQUIRE(0 <= w->root && w->root < size, "%s: where->root = %d, must be 0 to %d", call->family, w->root, size - 1);
    return EIG_OK;
}

/* What one process would find wrong; sizes that MPI cannot send. */
static eig_status check_call(tridiagonal_call *call, const eig_mpi_options *where)
{
    long long const n = call->n;
    REQUIRE(call->type == EIG_S || call->type == EIG_D, "%s: type = %d, must be 's' or 'd'", call->family,
            (int)call->type);
    REQUIRE(n >= 0, "%s: n = %lld, must be >= 0", call->family, n);
    REQUIRE(n < INT_MAX, "%s: n = %lld is too large, must be < 2^31-1", call->family, n);
    REQUIRE(!call->told || eig_mpi_is_sane(call->told), "%s: run->size = %zu, must be sizeof(eig_mpi_run), here %zu",
            call->family, call->told->size, sizeof *call->told);
    eig_status status = check_where(call, where);
    if (status == EIG_OK) status = call->check(call);
    if (status != EIG_OK) return status;
    if (n == 0) return EIG_OK;
    REQUIRE(call->d || !call_reads_matrix(call), "%s: d is NULL with n = %lld", call->family, n);
    REQUIRE(call->e || n == 1 || !call_reads_matrix(call), "%s: e is NULL with n = %lld", call->family, n);
    REQUIRE(call->array[CALL_W].given || most_kept(call) == 0, "%s: w is NULL with n = %lld", call->family, n);
    for (int i = 0; i < CALL_ARRAYS && call_has_outputs(call); ++i) {
        const call_array *const a = &call->array[i];
        REQUIRE(!a->given || a->stride >= a->length, "%s: ld%s = %lld < n = %lld", call->family, a->name,
                (long long)a->stride, n);
        REQUIRE(!a->given || a->stride <= INT64_MAX / 64 / (n + 1), "%s: ld%s = %lld is too large", call->family,
                a->name, (long long)a->stride);
    }
    return EIG_OK;
}

static void fill_fields(const tridiagonal_call *call, int64_t field[FIELDS])
{
    field[FIELD_FAMILY] = call->family[3]; /* steb, stem */
    field[FIELD_TYPE] = call->type;
    field[FIELD_N] = call->n;
    field[FIELD_INPUT] = call->where.input, field[FIELD_OUTPUT] = call->where.output;
    field[FIELD_ROOT] = call->where.root;
    field[FIELD_RANGE] = call->range, field[FIELD_IL] = call->il, field[FIELD_IU] = call->iu;
    field[FIELD_VL] = bits_of(call->vl), field[FIELD_VU] = bits_of(call->vu);
    field[FIELD_ABSTOL] = bits_of(call->abstol), field[FIELD_RELTOL] = bits_of(call->reltol);
    field[FIELD_METHOD] = call->method, field[FIELD_DEPTH] = call->depth;
    field[FIELD_OUTPUTS] = call->where.output == EIG_MPI_OUTPUT_ROOT ? 0 : outputs_of(call);
    field[FIELD_T] = call->where.input == EIG_MPI_INPUT_ALL ? hash_of_matrix(call) : 0;
}

/* Whether this rank asks for what rank 0 asks for; a rank that can have no eigenvalues may lack the arrays for them. */
static eig_status compare(tridiagonal_call *call, const int64_t mine[FIELDS], const int64_t first[FIELDS])
{
    for (int i = 0; i < FIELDS; ++i) {
        bool const told = FIELD_N <= i && i <= FIELD_IU && i != FIELD_RANGE; /* numbers that a reader understands */
        if (mine[i] == first[i] || (i == FIELD_OUTPUTS && most_kept(call) == 0)) continue;
        if (!told)
            return eig_mpi_fail(call->ctx, EIG_BAD_ARGUMENT, "%s: the %s is not that of rank 0", call->family,
                                field_name[i]);
        return eig_mpi_fail(call->ctx, EIG_BAD_ARGUMENT, "%s: %s = %lld, on rank 0 it is %lld", call->family,
                            field_name[i], (long long)mine[i], (long long)first[i]);
    }
    return EIG_OK;
}

/* Sums of the first agreement. */
enum { SUM_OUTPUTS, SUM_ORTHOGONALITY };

eig_status eig_mpi_ask(tridiagonal_call *call, const eig_mpi_options *where)
{
    eig_mpi_context *const ctx = call->ctx;
    int64_t mine[FIELDS] = {0}, first[FIELDS], sums[WIRE_SUMS] = {0};
    eig_status status = check_call(call, where);
    if (status == EIG_OK) fill_fields(call, mine);
    memcpy(first, mine, sizeof first);
    eig_status const sent = eig_mpi_status(ctx, eig_wire_broadcast(&ctx->wire, first, sizeof first, 0));
    if (sent != EIG_OK) return sent;
    /* Where rank 0's arguments are wrong, its own sentence counts. */
    if (status == EIG_OK && first[FIELD_FAMILY] != 0) status = compare(call, mine, first);
    if (status == EIG_OK && !call_reads_matrix(call) && call->n > 0) {
        call->owned = malloc((size_t)call_bytes(call, 2 * call->n));
        if (!call->owned) status = eig_mpi_fail(ctx, EIG_NO_MEMORY, "%s: no memory for T", call->family);
    }
    /* The root's wishes, or those that all share. */
    if (ctx->wire.rank == (call->where.output == EIG_MPI_OUTPUT_ROOT ? call->where.root : 0))
        sums[SUM_OUTPUTS] = outputs_of(call);
    sums[SUM_ORTHOGONALITY] = call->orthogonality;
    status = eig_mpi_agree(ctx, status, sums);
    for (int i = 0; i < CALL_ARRAYS; ++i) call->array[i].wanted = sums[SUM_OUTPUTS] >> i & 1;
    call->orthogonality = sums[SUM_ORTHOGONALITY] > 0;
    return status;
}

/* ------------------------------------------------------------- what is asked for */

void eig_mpi_set_range(tridiagonal_call *call, eig_range range, int64_t il, int64_t iu, double vl, double vu)
{
    call->range = range == (eig_range)'A' ? EIG_RANGE_ALL : range;
    call->il = call->range == EIG_RANGE_INDEX ? il : 1;
    call->iu = call->range == EIG_RANGE_INDEX ? iu : call->n;
    if (call->range == EIG_RANGE_VALUE) call->vl = vl, call->vu = vu;
}

void eig_mpi_set_array(tridiagonal_call *call, int which, const char *name, void *given, MPI_Datatype number,
                       int64_t length, int64_t stride)
{
    size_t const size = number == MPI_INT64_T ? sizeof(int64_t)
                        : number == MPI_INT   ? sizeof(int)
                                              : eig_type_size(call->type);
    call->array[which] = (call_array){.name = name, .given = given, .number = number, .size = size};
    call->array[which].length = length, call->array[which].stride = stride;
}

void eig_mpi_read(const void *given, void *known, size_t known_size)
{
    size_t size = sizeof size;
    memset(known, 0, known_size);
    if (given) memcpy(&size, given, sizeof size);
    if (given && size > sizeof size)
        memcpy((char *)known + sizeof size, (const char *)given + sizeof size,
               (size < known_size ? size : known_size) - sizeof size);
    memcpy(known, &known_size, sizeof known_size);
}

bool eig_mpi_is_sane(const void *given)
{
    size_t size = 0;
    if (given) memcpy(&size, given, sizeof size);
    return size >= sizeof size && size <= 4096;
}

void eig_mpi_write(void *given, const void *known, size_t known_size)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    memset((char *)given + sizeof size, 0, size - sizeof size);
    memcpy((char *)given + sizeof size, (const char *)known + sizeof size,
           (size < known_size ? size : known_size) - sizeof size);
}
