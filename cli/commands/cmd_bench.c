/* eigpack bench: times on this machine, each answer checked, with LAPACK as rival in the same run on the same data.
 *
 * One line a case and rival on stdout; --csv F writes the same as a table with the columns
 *     family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit
 * Times are medians of repeats; contestants take turns, so that a noisy moment of the machine meets all of them. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bench/bench.h"
#include "bench/rivals.h"
#include "build.h"
#include "commands/commands.h"
#include "run/option_help.h"
#include "run/progress.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(bench *b);
    const cli_command *command; /* whose --method has the same words */
} families[] = {{"stebz", bench_stebz, &command_stebz},
                {"stemr", bench_stemr, &command_stemr},
                {"geev", bench_geev, &command_geev},
                {"heev", bench_heev, &command_heev},
                {"latency", bench_latency, NULL}};

/* ------------------------------------------------------------------- rows */

void bench_print(bench *b, const bench_row *row)
{
    char size[48], rival[80] = "";
    if (row->batch == 1)
        snprintf(size, sizeof size, "n = %lld", (long long)row->n);
    else
        snprintf(size, sizeof size, "n = %lld x %lld", (long long)row->n, (long long)row->batch);
    if (row->rival)
        snprintf(rival, sizeof rival, "  %s %.3f ms: %.2fx", row->rival, row->rival_ms, row->rival_ms / row->time_ms);
    printf("%s %s %-18s %-26s %10.*f ms  error %-6.3g %s%s\n", row->family, type_name(row->type), size, row->method,
           row->time_ms < 0.1 ? 6 : 3, row->time_ms, row->error, bench_verdict(row), rival);
    fflush(stdout);
    b->failed += !row->passed;
    bench_write_row(b->csv, &b->place, row);
}

void bench_method(char *text, size_t size, const char *method, const char *kind, const char *usual, const char *more)
{
    bool const said = strcmp(kind, usual) != 0;
    snprintf(text, size, "%s%s%s%s", method, said ? " " : "", said ? kind : "", more);
}

bool bench_types(const bench *b, eig_type types[2], int *count)
{
    types[0] = EIG_D, types[1] = EIG_S;
    *count = option_given(b->args, "type") ? 1 : 2;
    return cli_type(b->args, option_words(&command_stebz, "type"), &types[0]);
}

bool bench_all_types(const bench *b, eig_type types[4], int *count)
{
    types[0] = EIG_D, types[1] = EIG_S, types[2] = EIG_Z, types[3] = EIG_C;
    *count = option_given(b->args, "type") ? 1 : 4;
    return cli_type(b->args, NULL, &types[0]);
}

/* ------------------------------------------------------------------ a case */

/* Each turn has a bar of its own. */
static int run_own(void *run, double *ms)
{
    case_run *const r = run;
    progress_phase("");
    return cli_status(r->ctx, (eig_status)case_run_host(r, ms));
}

int bench_run(bench *b, bench_case *c, const char *method, bench_rival *rivals, int count)
{
    times t[BENCH_RIVALS + 1];
    contestant who[BENCH_RIVALS + 1];
    case_run own = case_run_new(b->ctx, c);
    double error = 0;
    who[0] = (contestant){run_own, &own};
    for (int i = 0; i < count; i++) who[i + 1] = rivals[i].who;
    int status = times_of_turns(who, count + 1, b->budget_ms, t);
    progress_phase("checking");
    if (status == CLI_OK) status = cli_status(b->ctx, case_check(b->ctx, c, &error));
    bench_row row = {.family = c->family->name, .type = c->type, .method = method, .n = c->n, .batch = c->batch};
    row.time_ms = times_median(&t[0]), row.error = error, row.passed = case_passed(c, error) && own.same;
    for (int i = 0; i < count && status == CLI_OK; i++) {
        row.rival = rivals[i].name, row.rival_ms = rivals[i].ms = times_median(&t[i + 1]);
        row.limit_ms = rivals[i].bar > 0 ? rivals[i].ms / rivals[i].bar : 0;
        bench_print(b, &row);
    }
    if (count == 0 && status == CLI_OK) bench_print(b, &row);
    case_run_free(&own);
    return status;
}

static int run_family(bench *b, int (*family)(bench *b))
{
    char *text = NULL;
    size_t size = 0;
    b->csv = open_memstream(&text, &size);
    if (!b->csv) return cli_fail(CLI_FAILED, "no memory for the table");
    fputs(bench_columns, b->csv);
    int status = family(b);
    bool const complete = fclose(b->csv) == 0;
    const char *const path = option_text(b->args, "csv");
    io_error error;
    if (status == CLI_OK && path && !complete) status = cli_fail(CLI_FAILED, "no memory for the table");
    if (status == CLI_OK && path && !io_write_bytes(path, text, size, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK) status = cli_keep_outputs();
    free(text);
    if (status == CLI_OK && b->failed > 0)
        status = cli_fail(CLI_FAILED, "%lld cases have wrong answers", (long long)b->failed);
    return status;
}

static int run(const arguments *args)
{
    bench b = {.args = args, .quick = option_given(args, "quick"), .rivals = option_given(args, "rivals")};
    double budget = b.quick ? 0.2 : 1, rival = b.quick ? 2 : 10;
    if (!option_real(args, "budget", 0, &budget) || !option_real(args, "rival-budget", 0, &rival)) return CLI_USAGE;
    if (args->count != 1) return cli_fail(CLI_USAGE, "bench takes one FAMILY; see eigpack bench --help");
    cli_output const csv = {"csv", option_text(args, "csv"), 0};
    int const checked = cli_check_files(args, NULL, 0, &csv, 1);
    if (checked != CLI_OK) return checked;
    b.budget_ms = 1e3 * budget, b.rival_ms = 1e3 * rival;
    const char *const lapack = option_text(args, "lapack");
    if (lapack && !rivals_use(lapack)) return cli_fail(CLI_USAGE, "--lapack %s: no LAPACK library", lapack);
    if (b.rivals && !rivals_open()) cli_fail(CLI_OK, "no LAPACK library found: running without rivals");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strcmp(args->file[0], families[i].name) != 0) continue;
        int status = cli_open(args, &b.ctx);
        if (status != CLI_OK) return status;
        char machine[160];
        b.place = bench_place_of(b.ctx, rivals_machine(machine, sizeof machine), EIG_COMMIT);
        b.methods = families[i].command ? option_words(families[i].command, "method") : NULL;
        status = run_family(&b, families[i].run);
        eig_destroy(b.ctx);
        return status;
    }
    return cli_fail(CLI_USAGE, "unknown family '%s'; see eigpack bench --help", args->file[0]);
}

static const option_row options[] = {
    {"n", 'n', "LIST", "orders, e.g. 512,2048 (default: the family's own cases)"},
    {"type", 0, "T=f32|f64|c64|c128",
     "f32 or f64; heev, geev: also c64 or c128 (default: all; geev without vectors: f32 and f64)"},
    {"batch", 0, "B", "matrices a call (default 1; geev: about 10^7 entries; heev: 4*10^6)"},
    {"kind", 0, "KIND", "test matrix (default uniform; geev: random; heev: hermitian); see eigpack generate --list"},
    {"method", 0, "M",
     "multisection (default), interval-tree or reference; geev: auto (default), reference, on a GPU swb or mwb; heev: "
     "auto (default), jacobi, tridiagonal or reference; stemr: auto (default), reference or mrrr"},
    {"vectors", 0, NULL, "geev: right eigenvectors, too"},
    {"values-only", 0, NULL, "heev: eigenvalues without vectors"},
    {"threads-per-matrix", 0, "P", "geev " HELP_GEEV_THREADS},
    {"tune", 0, NULL, "geev on a GPU, heev: time all methods for n = 1 to 64 and print the table of `auto`"},
    {"tolerance", 0, "T", "stebz: " HELP_STEBZ_TOLERANCE},
    {"rivals", 0, NULL, "time LAPACK's solvers in the same run, where the system has them"},
    {"lapack", 0, "F", "take LAPACK from this library (default: the system's)"},
    {"csv", 0, "F", "write the table to F"},
    {"quick", 0, NULL, "few and small cases"},
    {"budget", 0, "SECONDS", "time for the repeats of one case (default 1, quick 0.2)"},
    {"rival-budget", 0, "SECONDS", "leave out a rival expected to take longer than this a run (default 10, quick 2)"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_bench = {
    .name = "bench",
    .summary = "times on this machine, every answer checked, against LAPACK where present",
    .usage = "FAMILY [--type T] [--n LIST] [--rivals] [--csv F] ...",
    .text =
        "Times the cases of a family: medians of repeats, each answer checked.\n"
        "  stebz   an answer passes when Sturm counts show every eigenvalue within max(tolerance, 4 eps max|w|);\n"
        "          `error` is the bound shown, in eps max|w|\n"
        "  stemr   an answer passes when every residual (in ||T||) and, by random vectors, the rows of Z'Z - I are\n"
        "          within 10 n eps; `error` is in n eps\n"
        "  geev    an answer passes when every trace, and every eigenvalue of a sample, is exact for a matrix\n"
        "          within 10 n eps ||A||; `error` is in n eps ||A||\n"
        "  heev    an answer passes when ||A V - V W|| / ||A|| and ||V^H V - I|| of a sample are within 10 n eps, or,\n"
        "          without vectors, counts show all eigenvalues within 10 n eps max|w|; `error` is in those units\n"
        "  latency small calls of all families in f64, from 1 to 1000 matrices a call; an answer passes when the sum "
        "of\n"
        "          the eigenvalues is the trace to 8 n eps ||A||",
    .examples = "  eigpack bench stebz --quick\n"
                "  eigpack bench stebz --rivals --csv stebz.csv\n"
                "  eigpack bench stebz --n 2048 --type f64 --rivals --threads 2\n"
                "  eigpack bench stebz --n 128 --batch 10000 --type f64\n"
                "  eigpack bench stemr --rivals --n 2048 --type f64\n"
                "  eigpack bench geev --rivals --csv geev.csv\n"
                "  eigpack bench geev --tune --device cuda --csv tune.csv\n"
                "  eigpack bench latency --threads 1 --csv latency.csv\n"
                "  eigpack bench heev --n 8,64 --type c128 --rivals --lapack libmkl_rt.so.2\n",
    .options = options,
    .names = "stebz stemr geev heev latency",
    .run = run,
    .computes = true,
};
