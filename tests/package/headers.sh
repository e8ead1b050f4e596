#!/usr/bin/env bash
# Every header compiles alone: the public one as C11 and C++17, its face in C++ as C++17 and C++20, with exceptions and without,
# the others as C11.
#     tests/package/headers.sh FOLDER C_COMPILER [CXX_COMPILER]
# FOLDER: where the build has made functions.inc.
set -euo pipefail
made=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
cc=$2
cxx=${3:-}
strict=(-Wall -Wextra -pedantic -Werror -fsyntax-only)

alone() { # HEADER COMPILER FLAGS...
    local header=$1
    shift
    printf '#include "%s"\n' "$header" | "$@" "${strict[@]}" -Iinclude -Isrc -Isrc/numerics -Isrc/cpu -I. -Icli -Itests "-I$made" -D_XOPEN_SOURCE=700 -D_GNU_SOURCE - ||
        { echo "headers.sh: $header does not compile alone: $*" >&2; exit 1; }
}

alone include/eigpack.h "$cc" -x c -std=c11
if [ -n "$cxx" ]; then
    alone include/eigpack.h "$cxx" -x c++ -std=c++17
    for standard in 17 20; do
        alone include/eigpack.hpp "$cxx" -x c++ -std=c++$standard -Wshadow -Wconversion
        alone include/eigpack.hpp "$cxx" -x c++ -std=c++$standard -fno-exceptions
    done
fi
# for_*.h and kinds.h need what they are told, headers named cuda need its toolkit, src/mpi and tests/mpi their MPI; tests/emulate is
# C++.  One type and instruction set are enough: the sources are compiled for all.
find src io cli bench tests -name '*.h' ! -name "for_*.h" ! -name kinds.h ! -name '*cuda*' ! -path 'src/mpi/*' ! -path 'tests/mpi/*' ! -path 'tests/emulate/*' |
    while read -r header; do alone "$header" "$cc" -x c -std=c11 -DEIG_TYPE=d -DEIG_ISA=baseline; done
