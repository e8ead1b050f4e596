#!/usr/bin/env bash
# Every header compiles alone: the public ones as C11 and as C++17, the others as C11.
#     tests/headers.sh C_COMPILER [CXX_COMPILER]
set -euo pipefail
cd "$(dirname "$0")/.."
cc=$1
cxx=${2:-}
strict=(-Wall -Wextra -pedantic -Werror -fsyntax-only)

alone() { # HEADER COMPILER FLAGS...
    local header=$1
    shift
    printf '#include "%s"\n' "$header" | "$@" "${strict[@]}" -Iinclude -Isrc -Isrc/numerics -Isrc/cpu - ||
        { echo "headers.sh: $header does not compile alone: $*" >&2; exit 1; }
}

for header in include/*.h; do
    case $header in *_cuda.h) continue ;; esac # names types of the CUDA runtime; its tests include it
    alone "$header" "$cc" -x c -std=c11
    if [ -n "$cxx" ]; then alone "$header" "$cxx" -x c++ -std=c++17; fi
done
# for_sd.h and for_lanes.h need their TEMPLATE; some headers of the CPU are for files of one type.
find src cli -name '*.h' ! -name for_sd.h ! -name for_lanes.h | while read -r header; do
    for type in s d; do alone "$header" "$cc" -x c -std=c11 -DEIG_TYPE=$type; done
done
