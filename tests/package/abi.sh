#!/usr/bin/env bash
# The binary interface is the one that tests/package/abi.xml describes: abidiff compares functions, types, fields and enumerators,
# and any difference is a failure.  A change that is meant writes the description anew:
#     tests/package/abi.sh COMPILER            compares; 77 where abidiff (Debian: abigail-tools) is missing
#     tests/package/abi.sh COMPILER --update
# The files that define public functions are compiled by themselves with debug information, into a library that nobody loads:
# its exports are those of the real one, which install.sh compares with the header.
set -euo pipefail
cd "$(dirname "$0")/../.."
cc=$1
stored=tests/package/abi.xml
for tool in abidiff abidw; do
    command -v $tool >/dev/null || { echo "abi.sh: skipped: no $tool (Debian, Ubuntu: abigail-tools)"; exit 77; }
done
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

sed "s/@EIG_NODE@/$(scripts/stamp --print minor)/" cmake/eigpack.map.in >"$temp/eigpack.map"
grep -lE '^(eig_status|const char \*|int|size_t|void) ?eig_' src/*.c | sed 's/.*/#include "&"/' |
    "$cc" -x c -std=c11 -g -O0 -w -DEIG_BUILDING -fPIC -fvisibility=hidden -I. -Isrc -Iinclude - -x none -shared \
        -Wl,--version-script="$temp/eigpack.map" -o "$temp/libeigpack.so"
abidw --headers-dir include --drop-private-types --exported-interfaces-only --drop-undefined-syms --no-corpus-path --no-comp-dir-path \
    --no-show-locs --no-architecture --no-elf-needed --no-parameter-names "$temp/libeigpack.so" >"$temp/abi.xml"
if [ "${2:-}" = --update ]; then cp "$temp/abi.xml" $stored; fi
abidiff --harmless $stored "$temp/abi.xml" ||
    { echo "abi.sh: the interface is not that of $stored; if it should change: tests/package/abi.sh $cc --update" >&2; exit 1; }
