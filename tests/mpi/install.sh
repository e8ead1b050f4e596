#!/usr/bin/env bash
# Installs a build into a fresh prefix and uses eigpack_mpi as a stranger would: by find_package and by pkg-config, shared
# and static, from C11 and C++17, on two ranks; then compares the symbols of the shared library with the functions of the header.
#     tests/mpi/install.sh BUILD_FOLDER MPICC MPIEXEC [PREFIX]
# PREFIX: where eigpack itself is installed, when the build is that of src/mpi alone.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mpicc=$2 mpiexec=$3
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }
fail() { echo "install.sh: $*" >&2; exit 1; }

# Installed under one name, used under another.
mkdir "$temp/first"
[ $# -lt 4 ] || cp -a "$4/." "$temp/first"
cmake --install "$build" --prefix "$temp/first" >/dev/null
mv "$temp/first" "$temp/prefix"
prefix=$temp/prefix
library=$(find "$prefix" -name libeigpack_mpi.so) && [ -n "$library" ] || fail "no shared library was installed"
libdir=$(dirname "$library")
[ -f "$libdir/eigpack/eigpack_ranks.so" ] || fail "eigpack_ranks.so was not installed"

# Without the component nobody needs MPI; with it there are the targets.
cmake -S "$tests/consumer" -B "$temp/consumer" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_PREFIX_PATH="$prefix" \
    -DMPI_C_COMPILER="$mpicc" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" >"$temp/log" 2>&1 &&
    cmake --build "$temp/consumer" >>"$temp/log" 2>&1 || { cat "$temp/log" >&2; fail "find_package(eigpack COMPONENTS mpi) failed"; }
for program in c_mpi c_mpi_static cxx_mpi cxx_mpi_static; do
    "$mpiexec" -n 2 "$temp/consumer/$program" || fail "$program failed"
done
readelf -d "$temp/consumer/c_mpi_static" | grep -q 'NEEDED.*eigpack' && fail "c_mpi_static needs a shared library"
readelf -d "$temp/consumer/c_mpi" | grep -q 'NEEDED.*libeigpack_mpi\.so\.0\.[0-9]*\]' || fail "c_mpi: wrong soname"

if command -v pkg-config >/dev/null; then
    # The flags are words on purpose: no quotes around them.
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH=$libdir/pkgconfig "$mpicc" -std=c11 "$tests/consumer/consumer.c" -o "$temp/pc_shared" \
        $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs eigpack_mpi) -lm
    "$mpiexec" -n 2 "$temp/pc_shared" || fail "the program built by pkg-config failed"
fi

"$tests/../package/exports.sh" "$library" "$prefix/include/eigpack_mpi.h" "EIGPACK_$("$tests/../../scripts/stamp" --print minor)"
