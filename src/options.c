/* Options structures that grow: read with the size that the caller's header gave them. */
#include "problem.h"

#include <string.h>

/* No options structure is larger; a size above it is an uninitialised one. */
enum { MOST_BYTES = 4096 };

eig_status eig_read_options(eig_context *ctx, const char *family, const void *given, void *known, size_t known_size)
{
    memset(known, 0, known_size);
    memcpy(known, &known_size, sizeof known_size);
    if (!given) return EIG_OK;
    size_t size;
    memcpy(&size, given, sizeof size);
    REQUIRE(size >= sizeof size && size <= MOST_BYTES,
            "%s: options->size = %zu, must be the structure's size, here %zu: begin with the EIG_..._OPTIONS macro",
            family, size, known_size);
    const char *const bytes = given;
    for (size_t at = known_size; at < size; ++at)
        REQUIRE(
            bytes[at] == 0,
            "%s: options->size = %zu, this library knows %zu bytes, and byte %zu beyond them is not 0: the caller's "
            "eigpack.h is newer than the library",
            family, size, known_size, at - known_size);
    memcpy((char *)known + sizeof size, bytes + sizeof size, (size < known_size ? size : known_size) - sizeof size);
    return EIG_OK;
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
