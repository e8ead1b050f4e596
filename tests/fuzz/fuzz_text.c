/* Any bytes as a text file: an array, and a tridiagonal matrix in STCollection's form. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    io_error error = {""};
    io_array a = {0};
    io_tridiagonal t = {0};
    io_bytes file = fuzz_file(data, size);
    bool done = text_parse_array("x.dat", &file, &a, NULL, &error);
    fuzz_check_array("x.dat", done, &a, &error);
    done = text_parse_tridiagonal("x.dat", &file, &t, &error);
    fuzz_check_tridiagonal("x.dat", done, &t, &error);
    io_bytes_free(&file);
    return 0;
}
