/* Staged copies: data that a thread sends from global into shared memory while it computes (cp.async).  Devices before
 * sm_80 copy at once. */
#ifndef EIG_COPY_CUH
#define EIG_COPY_CUH

/* Sends 16 bytes; both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint4 *)to = __ldcg((const uint4 *)from);
#endif
}

/* Sends a number of 4, 8 or 16 bytes, aligned to its size in both places. */
template <typename number> static __device__ __forceinline__ void copy_number(number *to, const number *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(sizeof *to)
                 : "memory");
#else
    *to = *from;
#endif
}

/* The same, or zero where the number is not there. */
template <typename number>
static __device__ __forceinline__ void copy_number_or_zero(number *to, const number *from, bool there)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof *to), "r"(there ? (int)sizeof *to : 0)
                 : "memory");
#else
    *to = there ? *from : number{};
#endif
}

/* What this thread has sent since the last call is a group. */
static __device__ __forceinline__ void copy_end()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for all groups of this thread but the last `left`.  A barrier then shows them to the other threads. */
template <int left> static __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

#endif
