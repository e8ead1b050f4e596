/* Any bytes as a .mat file.  matio reads names, not memory: the bytes go to a file without a disk. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    io_error error = {""};
    io_array a = {0};
    char path[64];
    int const file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool const done = mat_read(path, path, &a, &error);
    fuzz_check_array(path, done, &a, &error);
    close(file);
    return 0;
}
