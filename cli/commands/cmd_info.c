/* eigpack info: the version, what computes on this machine, and what this build can read. */
#include "bench/rivals.h"
#include "build.h"
#include "commands/commands.h"
#include "io/io.h"

#include <stdio.h>

/* Opens device `name` and prints its description, or why there is none.  Returns whether it could be opened. */
static bool print_device(const char *label, const char *name, bool say_why)
{
    eig_context *ctx;
    bool const open = eig_create(&ctx, name) == EIG_OK;
    if (open)
        printf("%-10s %s\n", label, eig_describe(ctx));
    else if (say_why)
        printf("%-10s none: %s\n", label, eig_error_detail(ctx));
    eig_destroy(ctx);
    return open;
}

static int run(const arguments *args)
{
    if (args->count > 0) return cli_fail(CLI_USAGE, "info takes no files, got '%s'", args->file[0]);
    printf("%-10s %d.%d.%d, commit %s\n", "eigpack", eig_version() / 10000, eig_version() / 100 % 100,
           eig_version() % 100, EIG_COMMIT);
    char machine[160];
    printf("%-10s %s\n", "machine", rivals_machine(machine, sizeof machine));
    print_device("cpu", "cpu", true);
    char name[16] = "cuda:0";
    int gpus = 0;
    for (; print_device(gpus == 0 ? "gpu" : "", name, gpus == 0); gpus++)
        snprintf(name, sizeof name, "cuda:%d", gpus + 1);
    if (gpus > 1) print_device("cuda:all", "cuda:all", true);
    printf("%-10s .dat .txt .npy .mtx .mat%s\n", "files", io_has_mat() ? "" : " (.mat not in this build: no matio)");
    const char *const rival = rivals_open();
    printf("%-10s %s\n", "rivals", rival ? rival : "none: no LAPACK library found");
    return CLI_OK;
}

static const option_row options[] = {{NULL, 0, NULL, NULL}};

const cli_command command_info = {
    .name = "info",
    .summary = "version, instruction set and kernels chosen, GPUs",
    .usage = "",
    .text = "Prints the version, the processors that can compute, and what this build can read.\n"
            "The environment variable EIG_CPU=baseline|avx2|avx512 chooses another instruction set.",
    .examples = "  eigpack info\n  EIG_CPU=avx2 eigpack info\n",
    .options = options,
    .run = run,
    .ranks = true,
};
