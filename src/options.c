/* Options structures that grow: read with the size that the caller's header gave them. */
#include "problem.h"

#include <string.h>

/* No structure is larger; a size above it is an uninitialised one. */
enum { MOST_BYTES = 4096 };

/* Whether the caller's structure has a size that can be, and nothing but zeros beyond what is known. */
static eig_status check_options(eig_context *ctx, const char *family, const char *given, size_t size, size_t known_size)
{
    REQUIRE(size >= sizeof size && size <= MOST_BYTES,
            "%s: options->size = %zu, must be the structure's size, here %zu: begin with the EIG_..._OPTIONS macro",
            family, size, known_size);
    for (size_t at = known_size; at < size; ++at)
        REQUIRE(
            given[at] == 0,
            "%s: options->size = %zu, this library knows %zu bytes, and byte %zu beyond them is not 0: the caller's "
            "eigpack.h is newer than the library",
            family, size, known_size, at - known_size);
    return EIG_OK;
}

/* A copy would cost a small matrix more than its checks: a load waits for stores of another width. */
const void *eig_read_options(eig_context *ctx, const char *family, const void *given, void *known, size_t known_size)
{
    size_t size = 0;
    if (given) memcpy(&size, given, sizeof size);
    if (size == known_size) return given;
    memset(known, 0, known_size);
    memcpy(known, &known_size, sizeof known_size);
    if (!given) return known;
    if (check_options(ctx, family, given, size, known_size) != EIG_OK) return NULL;
    size_t const shared = size < known_size ? size : known_size;
    memcpy((char *)known + sizeof size, (const char *)given + sizeof size, shared - sizeof size);
    return known;
}

bool eig_structure_is_sane(const void *given)
{
    if (!given) return false;
    size_t size;
    memcpy(&size, given, sizeof size);
    return size >= sizeof size && size <= MOST_BYTES;
}

void eig_write_structure(void *given, const void *known, size_t known_size)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    memset((char *)given + sizeof size, 0, size - sizeof size);
    memcpy((char *)given + sizeof size, (const char *)known + sizeof size,
           (size < known_size ? size : known_size) - sizeof size);
}

/* What the public eig_<family>_options_init do. */
static void init(void *options, size_t size)
{
    if (!options || size < sizeof size) return;
    memset(options, 0, size);
    memcpy(options, &size, sizeof size);
}

void eig_stebz_options_init(eig_stebz_options *options, size_t size)
{
    init(options, size);
}

void eig_stemr_options_init(eig_stemr_options *options, size_t size)
{
    init(options, size);
}

void eig_heev_options_init(eig_heev_options *options, size_t size)
{
    init(options, size);
}

void eig_geev_options_init(eig_geev_options *options, size_t size)
{
    init(options, size);
}

eig_status eig_read_range(eig_context *ctx, const char *call, int64_t n, eig_range *range, int64_t *il, int64_t *iu,
                          double vl, double vu)
{
    if (*range == (eig_range)'A') *range = EIG_RANGE_ALL;
    if (*range != EIG_RANGE_INDEX) *il = 1, *iu = n;
    REQUIRE(*range == EIG_RANGE_ALL || *range == EIG_RANGE_INDEX || *range == EIG_RANGE_VALUE,
            "%s: range = %d, must be 'A', 'I' or 'V'", call, (int)*range);
    REQUIRE(n <= 0 || *range != EIG_RANGE_INDEX || (1 <= *il && *il <= *iu && *iu <= n),
            "%s: need 1 <= il <= iu <= n, got il = %lld, iu = %lld, n = %lld", call, (long long)*il, (long long)*iu,
            (long long)n);
    REQUIRE(*range != EIG_RANGE_VALUE || vl < vu, "%s: need vl < vu, got vl = %g, vu = %g", call, vl, vu);
    return EIG_OK;
}
