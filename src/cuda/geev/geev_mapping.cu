/* geev on CUDA: which kernel, with how many threads a matrix, computes a problem, and in which stages. */
#include "geev_cuda.cuh"
#include "geev_table.cuh"

/* The last row of the table that begins at n or below. */
static geev_choice choose_from_table(eig_type type, int64_t n)
{
    bool const is_float = type == EIG_S;
    const geev_choice *const table = is_float ? geev_table_s : geev_table_d;
    int const rows = is_float ? (int)(sizeof geev_table_s / sizeof *geev_table_s)
                              : (int)(sizeof geev_table_d / sizeof *geev_table_d);
    int row = 0;
    while (row + 1 < rows && table[row + 1].from <= n) ++row;
    return table[row];
}

/* The largest order for a team of this many threads, of which each owns at most 16 indices. */
static int64_t most_order(int threads)
{
    return threads == 1 ? 16 : threads == 2 ? 32 : GEEV_MOST;
}

int eig_cuda_geev_tile_matrices(geev_mapping mapping)
{
    return mapping.method == EIG_GEEV_MWB ? 32 : 32 / mapping.threads;
}

/* Entries behind a matrix in a tile, at most; see tile_entries in geev_qr.cu. */
enum { TILE_PADDING = GEEV_MOST + 3 };

/* Bytes of shared memory that a tile of this mapping takes. */
static size_t tile_bytes(const geev_problem *p, geev_mapping mapping)
{
    size_t const size = type_size(p->type);
    size_t const exchange = mapping.method == EIG_GEEV_MWB ? 32 * (size_t)mapping.threads * sizeof(int) : 0;
    return (size_t)eig_cuda_geev_tile_matrices(mapping) * size * (size_t)(geev_packed(p->n) + TILE_PADDING) + exchange;
}

geev_mapping eig_cuda_geev_choose_mapping(const eig_context *ctx, const geev_problem *p)
{
    size_t const most = cuda_state_of(ctx)->shared_bytes;
    geev_mapping const choice = choose_from_table(p->type, p->n).mapping;
    bool const asked = p->method != EIG_GEEV_AUTO || p->threads_per_matrix > 0;
    if (p->method == EIG_GEEV_AUTO && p->threads_per_matrix == 1 &&
        p->n <= (p->type == EIG_S ? GEEV_SMALL_S : GEEV_SMALL_D))
        return geev_mapping{EIG_GEEV_AUTO, 1};
    if (!asked && (choice.method == EIG_GEEV_AUTO || tile_bytes(p, choice) <= most)) return choice;
    geev_mapping mapping = {p->method != EIG_GEEV_AUTO       ? p->method
                            : choice.method != EIG_GEEV_AUTO ? choice.method
                                                             : EIG_GEEV_SWB,
                            1};
    int const wanted = p->threads_per_matrix > 0 ? p->threads_per_matrix : choice.threads;
    while (mapping.threads < wanted || most_order(mapping.threads) < p->n) mapping.threads *= 2;
    if (mapping.threads == 1) mapping.method = EIG_GEEV_SWB; /* one warp for 32 matrices: the methods are the same */
    /* 32 matrices of a block may not fit in its shared memory; those of a warp do, with enough threads each. */
    if (mapping.method == EIG_GEEV_MWB && tile_bytes(p, mapping) > most) mapping.method = EIG_GEEV_SWB;
    while (mapping.threads < 32 && tile_bytes(p, mapping) > most) mapping.threads *= 2;
    return mapping;
}

static const geev_kernels kernels[] = {
    {eig_cuda_geev_small_s, eig_cuda_geev_prepare_s, eig_cuda_geev_swb_s, eig_cuda_geev_mwb_s, eig_cuda_geev_plain_s},
    {eig_cuda_geev_small_d, eig_cuda_geev_prepare_d, eig_cuda_geev_swb_d, eig_cuda_geev_mwb_d, eig_cuda_geev_plain_d},
};

const geev_kernels *eig_cuda_geev_kernels(eig_type type)
{
    return &kernels[type_index(type)];
}

/* The largest window that a stage of kernel 2 leaves to the next: three quarters of its order or less, 0 = none is
 * worth another launch.  Measured on an H200; longer lists gain nothing. */
static int stop_of(int order)
{
    static const int stops[] = {48, 32, 20, 16, 14};
    for (int stop : stops)
        if (4 * stop <= 3 * order + 3) return stop;
    return 0;
}

eig_status eig_cuda_geev_launch_qr(eig_context *ctx, const geev_job &job, cudaStream_t stream)
{
    const geev_kernels *const k = eig_cuda_geev_kernels(job.p.type);
    geev_job part = job;
    geev_problem p = job.p;
    geev_mapping mapping = eig_cuda_geev_choose_mapping(ctx, &p);
    part.order = (int)p.n;
    for (part.stage = 0;; ++part.stage) {
        part.stop = part.stage + 1 < GEEV_STAGES ? stop_of(part.order) : 0;
        eig_status const status =
            (mapping.method == EIG_GEEV_MWB ? k->mwb : k->swb)(ctx, mapping.threads, part, stream);
        if (status != EIG_OK || part.stop == 0) return status;
        p.n = part.order = part.stop;
        geev_mapping const next = eig_cuda_geev_choose_mapping(ctx, &p);
        mapping = next.method == EIG_GEEV_AUTO ? geev_mapping{EIG_GEEV_MWB, 2} : next;
    }
}
