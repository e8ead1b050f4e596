/* The tables of a family: its roads, of which the first that serves a call takes it, and the launchers of its kernels.
 * driver.cuh lays out a road's workspace and enqueues it, slice by slice. */
#ifndef EIG_CUDA_PLAN_CUH
#define EIG_CUDA_PLAN_CUH

#include "cuda_common.cuh"

/* Matrices that are computed at a time: the base of every family's job. */
struct cuda_slice {
    int64_t first, count; /* matrices first, ..., first + count - 1 of the problem */
    int64_t bytes;        /* that its workspace is to have at most; one matrix may need more */
    bool reports;         /* the host may wait, and tell how far the call is */
    double done, share;   /* of the whole call: before this slice, and what it is */
};

struct cuda_passes {
    int count;
    const char *const *name;
};

/* A road that a call can take.  A job is a slice of a problem, and the arrays of that slice. */
template <typename problem, typename job> struct cuda_road {
    const char *name;
    /* The name with the algorithm that this call takes; NULL: the road has only one. */
    const char *(*algorithm)(const eig_context *ctx, const problem *p);
    bool (*serves)(const eig_context *ctx, const problem *p);
    /* The layout, in two steps: sets j->count, the matrices of a slice, at most all, and what else decides sizes; takes
     * arrays. */
    void (*slice)(const eig_context *ctx, const problem *p, job *j);
    void (*carve)(arena *a, const eig_context *ctx, const problem *p, job *j);
    eig_status (*enqueue)(eig_context *ctx, const job &j, cudaStream_t stream, cuda_clock *clock);
    cuda_passes passes;
    unsigned has = 0;       /* bits of the family */
    const char *way = NULL; /* more about it, for the docs' table */
};

/* The first row of the table that serves the call: one always does. */
template <typename problem, typename job>
static const cuda_road<problem, job> *cuda_road_of(const cuda_road<problem, job> *roads, const eig_context *ctx,
                                                   const problem *p)
{
    while (!roads->serves(ctx, p)) ++roads;
    return roads;
}

/* What eig_get_road tells of the call. */
template <typename problem, typename job>
static const char *cuda_told(const cuda_road<problem, job> *road, const eig_context *ctx, const problem *p)
{
    return road->algorithm ? road->algorithm(ctx, p) : road->name;
}

/* A family lists what its files export once for each type as OF(family, signature, name), each a function
 * eig_cuda_<family>_<name>_s, ..._d, ..._c or ..._z of type <family>_<signature>.  The list is made into declarations,
 * into members of a structure, and into rows of a table of such structures; NONE where there is no function for the
 * type. */
#define CUDA_DECLARE_REAL(family, signature, name) \
    family##_##signature eig_cuda_##family##_##name##_s, eig_cuda_##family##_##name##_d;
#define CUDA_DECLARE_COMPLEX(family, signature, name) \
    family##_##signature eig_cuda_##family##_##name##_c, eig_cuda_##family##_##name##_z;
#define CUDA_DECLARE(family, signature, name)  \
    CUDA_DECLARE_REAL(family, signature, name) \
    CUDA_DECLARE_COMPLEX(family, signature, name)
#define CUDA_MEMBER(family, signature, name) family##_##signature *name;
#define CUDA_OF_S(family, signature, name) eig_cuda_##family##_##name##_s,
#define CUDA_OF_D(family, signature, name) eig_cuda_##family##_##name##_d,
#define CUDA_OF_C(family, signature, name) eig_cuda_##family##_##name##_c,
#define CUDA_OF_Z(family, signature, name) eig_cuda_##family##_##name##_z,
#define CUDA_OF_NONE(family, signature, name) NULL,

#endif
