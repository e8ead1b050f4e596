# Debian's cross compiler for AArch64, with its programs run by qemu:
#     cmake -S . -B build/arm -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DEIG_CUDA=OFF -DEIG_MPI=OFF
# (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user-static).  EIG_ARM_ROOT: a folder with further libraries, as an arm64 system
# has them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(EIG_ARM_ROOT "" CACHE PATH "Further libraries for AArch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EIG_ARM_ROOT)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${EIG_ARM_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR
    "qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${EIG_ARM_ROOT}/usr/lib/aarch64-linux-gnu;-E;OMP_NUM_THREADS=2")
