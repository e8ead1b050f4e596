/* Checks that a .mat file is one and is complete, before matio reads it.  For matio takes anything for a level 4 file,
 * gives zeros for missing bytes, and allocates whatever a header claims.  The formats are those of MathWorks' "MAT-File
 * Format" (https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf). */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static uint32_t load32(const unsigned char *b, bool big)
{
    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* Level 5: walks elements from at to end, each with its type and size in 8 bytes, and whether none reaches beyond end.
 * The parts of a matrix are elements too: padded to multiples of 8 bytes, and short ones packed into their first 8. */
static bool elements_complete(FILE *file, bool big, bool within_matrix, off_t at, off_t end)
{
    enum { MATRIX = 14 };
    while (end - at >= 8) {
        unsigned char tag[8];
        if (fseeko(file, at, SEEK_SET) != 0 || fread(tag, 1, sizeof tag, file) < sizeof tag) return false;
        uint32_t const type = load32(tag, big);
        off_t size = (off_t)load32(tag + 4, big);
        at += 8;
        if (within_matrix && type >> 16 != 0) continue;
        if (size > end - at) return false;
        if (!within_matrix && type == MATRIX && !elements_complete(file, big, true, at, at + size)) return false;
        if (within_matrix) size = (size + 7) / 8 * 8;
        at += size;
    }
    return within_matrix || at == end;
}

/* The bytes of the level 4 variable whose 20 bytes of header these are: header, name, numbers; 0 if they are no such
 * header.  Its first word is 1000 M + 10 P + T: byte order, type of the numbers, sort of matrix. */
static uint64_t variable_bytes(const unsigned char *header, bool big)
{
    static const unsigned char size[] = {8, 4, 4, 2, 2, 1};
    uint32_t word[5];
    for (int i = 0; i < 5; ++i) word[i] = load32(header + 4 * i, big);
    uint32_t const order = word[0] / 1000, type = word[0] / 10 % 10, sort = word[0] % 10;
    if (order != (big ? 1U : 0U) || word[0] / 100 % 10 != 0 || type > 5 || sort > 2) return 0;
    if (word[1] > INT32_MAX || word[2] > INT32_MAX || word[3] > 1 || word[4] == 0 || word[4] > INT32_MAX) return 0;
    uint64_t const count = (uint64_t)word[1] * word[2]; /* below 2^62 */
    if (count > INT64_MAX / 32) return 0;
    return sizeof word + word[4] + count * size[type] * (1 + word[3]);
}

/* Level 4: variable after variable; *is_one when the first header makes sense. */
static bool variables_complete(FILE *file, off_t bytes, bool *is_one)
{
    off_t at = 0;
    *is_one = false;
    while (at < bytes) {
        unsigned char header[20];
        if (fseeko(file, at, SEEK_SET) != 0 || fread(header, 1, sizeof header, file) < sizeof header) return false;
        uint64_t const little = variable_bytes(header, false);
        uint64_t const size = little > 0 ? little : variable_bytes(header, true);
        if (size == 0) return false;
        *is_one = true;
        if (size > (uint64_t)(bytes - at)) return false;
        at += (off_t)size;
    }
    return true;
}

/* Level 7.3 is HDF5 behind 512 bytes: its superblock is there, and tells where the file ends.  HDF5 would notice too,
 * but prints about it.  (HDF5 File Format Specification 3.0, II.A; versions 2 and 3 have the address at 28.) */
static bool superblock_complete(FILE *file, off_t bytes)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    unsigned char block[48];
    if (fseeko(file, 512, SEEK_SET) != 0 || fread(block, 1, sizeof block, file) < sizeof block) return false;
    const unsigned char *const end = block + (block[8] < 2 ? 40 : 28);
    uint64_t const low = load32(end, false), high = load32(end + 4, false);
    return memcmp(block, signature, sizeof signature) == 0 && (high << 32 | low) <= (uint64_t)bytes;
}

/* NULL, or what is wrong with the file. */
static const char *trouble_of(FILE *file, off_t bytes)
{
    static const char no[] = "is not a .mat file (its first bytes are wrong)", truncated[] = "is truncated or damaged";
    unsigned char header[128] = {0};
    size_t const seen = fread(header, 1, sizeof header, file);
    bool const text = seen >= 6 && memcmp(header, "MATLAB", 6) == 0;
    if (text && seen < sizeof header) return truncated;
    bool const big = header[126] == 'M' && header[127] == 'I', little = header[126] == 'I' && header[127] == 'M';
    if (text && (big || little)) {
        int const version = header[big ? 124 : 125];
        if (version == 2) return superblock_complete(file, bytes) ? NULL : truncated;
        if (version != 1) return no;
        return elements_complete(file, big, false, sizeof header, bytes) ? NULL : truncated;
    }
    bool is_one;
    bool const complete = variables_complete(file, bytes, &is_one);
    return complete ? NULL : is_one ? truncated : no;
}

bool mat_check(const char *path, const char *name, size_t *bytes, io_error *error)
{
    FILE *const file = fopen(name, "rb");
    if (!file) return io_fail(error, path, "cannot be opened: %s", strerror(errno));
    struct stat status;
    const char *trouble = "is not a regular file, which a .mat file must be";
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)) {
        *bytes = (size_t)status.st_size;
        trouble = *bytes == 0 ? "is empty" : trouble_of(file, status.st_size);
    }
    fclose(file);
    return !trouble || io_fail(error, path, "%s", trouble);
}
