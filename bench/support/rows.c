/* One line of a benchmark's table. */
#include "rows.h"

#include <string.h>

const char bench_columns[] =
    "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit\n";

const char *bench_verdict(const bench_row *row)
{
    return row->passed ? "ok" : "FAIL";
}

void bench_write_row(FILE *csv, const bench_place *place, const bench_row *row)
{
    fprintf(csv, "%s,%s,%lld,%lld,%s,%s,%d,%.6g,", row->family, type_name(row->type), (long long)row->n,
            (long long)row->batch, place->device, row->method,
            row->threads_per_matrix > 0 ? row->threads_per_matrix : place->threads, row->time_ms);
    if (row->limit_ms > 0) fprintf(csv, "%.6g", row->limit_ms);
    if (row->rival)
        fprintf(csv, ",%s,%.6g,%.4g,", row->rival, row->rival_ms, row->rival_ms / row->time_ms);
    else
        fputs(",,,,", csv);
    if (row->error >= 0) fprintf(csv, "%.3g", row->error);
    fprintf(csv, ",%s,\"%s\",%s\n", bench_verdict(row), place->machine, place->commit);
    fflush(csv);
}

bench_place bench_place_of(eig_context *ctx, const char *machine, const char *commit)
{
    const char *const text = eig_describe(ctx);
    bool const cpu = strncmp(text, "cpu", 3) == 0;
    size_t const length = strcspn(text, cpu ? "," : ":");
    bench_place place = {.commit = commit};
    snprintf(place.device, sizeof place.device, "%.*s", (int)length, text);
    snprintf(place.machine, sizeof place.machine, "%s", machine ? machine : text);
    if (cpu) sscanf(text + length, ", %d", &place.threads);
    return place;
}
