# For Yggdrasil: E/eigpack/build_tarballs.jl, which makes eigpack_jll.
using BinaryBuilder, Pkg

name = "eigpack"
version = v"@VERSION@"

sources = [
    ArchiveSource("@URL@", "@SHA256@"),
]

script = raw"""
cd ${WORKSPACE}/srcdir/eigpack-*
cmake -B build -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TARGET_TOOLCHAIN} -DCMAKE_BUILD_TYPE=Release \
    -DEIG_CUDA=OFF -DEIG_MPI=OFF -DEIG_BUILD_CLI=OFF -DEIG_BUILD_TESTS=OFF
cmake --build build --parallel ${nproc}
cmake --install build
install_license LICENSE
"""

platforms = [
    Platform("x86_64", "linux"; libc = "glibc"),
    Platform("aarch64", "linux"; libc = "glibc"),
]

products = [
    LibraryProduct("libeigpack", :libeigpack),
]

dependencies = [
    Dependency(PackageSpec(name = "CompilerSupportLibraries_jll", uuid = "e66e0078-7015-5450-92f7-15fbd957f2ae")),
]

# GCC 10: AVX-512 and C11 as the kernels need them.
build_tarballs(ARGS, name, version, sources, script, platforms, products, dependencies; julia_compat = "1.9", preferred_gcc_version = v"10")
