/* geev on CUDA: the forms of kernel 2 with an unrolled chase, double.  The order is a constant, so that places and
 * modes of most slots are constants too; smaller matrices are padded. */
#include "geev_qr.cuh"

eig_status geev_qr_unrolled_d(eig_context *ctx, int order, const geev_job &job, cudaStream_t stream)
{
    using real = double;
    switch (order) {
    case 4:
        return launch_qr<real, 1, 4, 4, false>(ctx, job, stream);
    case 5:
        return launch_qr<real, 1, 5, 5, false>(ctx, job, stream);
    case 6:
        return launch_qr<real, 1, 6, 6, false>(ctx, job, stream);
    case 8:
        return launch_qr<real, 1, 8, 8, false>(ctx, job, stream);
    default:
        return launch_qr<real, 1, 10, 10, false>(ctx, job, stream);
    }
}
