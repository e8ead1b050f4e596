#!/usr/bin/env bash
# Every test that CTest runs on a GPU is one of scripts/test-gpu too.
#     tests/gpu_lists.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
programs=$(ctest --test-dir "$build" --show-only -V --label-regex cuda | grep 'Test command' | grep -oE '/(test_[a-z_]+|bits|[a-z_]+\.sh)\b' | sort -u)
[ -n "$programs" ] || { echo "gpu_lists.sh: CTest names no test of a GPU" >&2; exit 1; }
lost=0
for program in $programs; do
    grep -w "${program#/}" scripts/test-gpu >/dev/null || { echo "scripts/test-gpu does not run ${program#/}" >&2; lost=1; }
done
exit $lost
