/* What stands for mat.c where the build has no matio. */
#include "internal.h"

static const char reason[] = "this build of eigpack reads and writes no .mat files (it was made without matio)";

void io_listen(void (*listener)(const char *sentence))
{
    (void)listener;
}

bool mat_read(const char *path, const char *name, io_array *a, io_error *error)
{
    (void)name;
    *a = (io_array){0};
    return io_fail(error, path, "%s", reason);
}

bool mat_write(const char *path, const char *variable, const io_array *a, io_error *error)
{
    (void)variable;
    (void)a;
    return io_fail(error, path, "%s", reason);
}

bool io_has_mat(void)
{
    return false;
}
