/* Any bytes as a Matrix Market file: an array, and a tridiagonal matrix. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    io_error error = {""};
    io_array a = {0};
    io_tridiagonal t = {0};
    io_bytes file = fuzz_file(data, size);
    bool done = mtx_parse_array("x.mtx", &file, &a, NULL, &error);
    fuzz_check_array("x.mtx", done, &a, &error);
    done = mtx_parse_tridiagonal("x.mtx", &file, &t, &error);
    fuzz_check_tridiagonal("x.mtx", done, &t, &error);
    io_bytes_free(&file);
    return 0;
}
