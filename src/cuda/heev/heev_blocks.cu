/* heev on CUDA, n > 32: what one-sided block Jacobi takes of the device, see heev_blocks.cuh. */
#include "heev_blocks_kernel.cuh"

void eig_cuda_heev_blocks_plan(const eig_context *ctx, const heev_problem *p, heev_blocks_plan *plan)
{
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const n = p->n;
    int const width = blocks_width(p);
    heev_of_type(p->type, [&](auto x) {
        blocks_area<decltype(x)> area;
        size_t const shared =
            width == 16 ? sizeof(blocks_space<decltype(x), 16>) : sizeof(blocks_space<decltype(x), 32>);
        int64_t const each = state->shared_bytes / (int64_t)(shared + 1024), most = 2048 / BLOCKS_THREADS;
        int64_t const resident = (each < 1 ? 1 : each < most ? each : most) * state->multiprocessors;
        plan->width = width;
        plan->bytes = blocks_layout(n, width, NULL, &area);
        plan->groups = resident / blocks_group(n, width, resident);
    });
}
