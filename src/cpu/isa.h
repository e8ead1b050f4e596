/* The instruction sets for which kernels are compiled, and which of them this machine has. */
#ifndef EIG_ISA_H
#define EIG_ISA_H

#include <stdbool.h>

/* Worst first; which one a context uses is chosen once. */
typedef enum cpu_isa { CPU_BASELINE, CPU_AVX2, CPU_AVX512 } cpu_isa;

static inline bool cpu_has(cpu_isa i)
{
#ifdef __x86_64__
    if (i == CPU_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (i == CPU_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
#endif
    return i == CPU_BASELINE;
}

#endif
