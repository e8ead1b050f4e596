/* fuzz_seeds FOLDER: the files from which the fuzzer starts, in FOLDER/npy, text, mtx and mat, which must exist. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

static const double numbers[24] = {1, 4, 0, 4, 2, 5, 0, 5, 3, -0.5, 1e-300, 1e300};

/* Every type and rank in the format of the given ending. */
static bool write_arrays(const char *folder, const char *format, const char *ending, int ranks, io_error *error)
{
    for (int type = IO_F32; type <= IO_I64; ++type) {
        for (int rank = 1; rank <= ranks; ++rank) {
            io_array const a = {(io_type)type, rank, {rank == 1 ? 4 : 2, 2, 3}, (void *)(uintptr_t)numbers};
            char path[1024];
            snprintf(path, sizeof path, "%s/%s/type%d-rank%d.%s", folder, format, type, rank, ending);
            if (!io_write_array(path, "x", &a, error)) return false;
        }
    }
    return true;
}

static bool write_text(const char *folder, const char *name, const char *text, io_error *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return io_write_bytes(path, text, strlen(text), error);
}

int main(int argc, char **argv)
{
    io_error error = {"usage: fuzz_seeds FOLDER"};
    const char *const folder = argc == 2 ? argv[1] : NULL;
    bool const done =
        folder && write_arrays(folder, "npy", "npy", 3, &error) && write_arrays(folder, "text", "dat", 3, &error) &&
        write_arrays(folder, "mtx", "mtx", 2, &error) &&
        (!io_has_mat() || write_arrays(folder, "mat", "mat", 3, &error)) &&
        write_text(folder, "text/stcollection.dat", "3\n1 1 4\n2 2.5 -5D-1\n3 nan\n", &error) &&
        write_text(folder, "text/comments.dat", "\xef\xbb\xbf# a, b\n1,2 # 3\n4 ,5,\r\n", &error) &&
        write_text(folder, "mtx/symmetric.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n% T\n3 3 5\n1 1 1\n2 1 4\n2 2 2\n3 2 5\n3 3 3\n",
                   &error) &&
        write_text(folder, "mtx/general.mtx",
                   "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 4\n2 1 4\n2 2 2\n", &error) &&
        write_text(folder, "text/blocks.dat", "1 2\n3 4\n\n5 6\n7 8 # x\n\n", &error) &&
        write_text(folder, "mtx/hermitian.mtx",
                   "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 3 4\n2 2 9 0\n", &error) &&
        write_text(folder, "mtx/skew.mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", &error) &&
        write_text(folder, "mtx/pattern.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n",
                   &error) &&
        write_text(folder, "mtx/lower.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n4\n2\n", &error) &&
        write_text(folder, "npy/big-endian.npy",
                   "\x93NUMPY\1\1:{'descr':'>i2','fortran_order':True,'shape':(2,2L),}     \n12345678", &error);
    if (!done) fprintf(stderr, "%s\n", error.text);
    return done ? 0 : 1;
}
