/* Any bytes as a .npy file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    io_error error = {""};
    io_array a = {0};
    io_bytes file = fuzz_file(data, size);
    bool const done = npy_parse("x.npy", &file, &a, &error);
    fuzz_check_array("x.npy", done, &a, &error);
    io_bytes_free(&file);
    return 0;
}
