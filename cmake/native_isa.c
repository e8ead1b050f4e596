/* CMake runs it: its exit status is the best instruction set of this machine, a cpu_isa. */
#include "../src/cpu/isa.h"

int main(void)
{
    return cpu_has(CPU_AVX512) ? CPU_AVX512 : cpu_has(CPU_AVX2) ? CPU_AVX2 : CPU_BASELINE;
}
