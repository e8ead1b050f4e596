#!/usr/bin/env bash
# Installs a build into a fresh prefix and uses it as a stranger would: by find_package and by pkg-config, shared and
# static, from C11, C++17 and C++20, and with the options of an older and of a newer header; then compares the symbols of the
# shared library with the functions of the header.
#     tests/package/install.sh BUILD_FOLDER
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# The static library needs the OpenMP of the compiler that built it; the generator is one that works here.
cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }
cc=$(cached CMAKE_C_COMPILER)

fail() { echo "install.sh: $*" >&2; exit 1; }

# What was installed can be removed, and nothing else.
cmake --install "$build" --prefix "$temp/gone" >/dev/null
: >"$temp/gone/include/kept.h"
cmake -DMANIFEST="$build/install_manifest.txt" -P "$tests/../../cmake/uninstall.cmake" >/dev/null 2>&1 || fail "uninstall failed"
[ "$(find "$temp/gone" ! -type d)" = "$temp/gone/include/kept.h" ] || fail "uninstall left, or took, $(find "$temp/gone" ! -type d)"

# Installed under one name, used under another: nothing may remember where it was installed.
cmake --install "$build" --prefix "$temp/first" >/dev/null
mv "$temp/first" "$temp/prefix"
prefix=$temp/prefix
library=$(find "$prefix" -name libeigpack.so) && [ -n "$library" ] || fail "no shared library was installed"
libdir=$(dirname "$library")

# find_package
cmake -S "$tests/consumer" -B "$temp/consumer" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" >"$temp/log" 2>&1 &&
    cmake --build "$temp/consumer" >>"$temp/log" 2>&1 || { cat "$temp/log" >&2; fail "find_package(eigpack) failed"; }
for program in c_eigpack c_static cxx_eigpack cxx_static face_17 face_20; do
    "$temp/consumer/$program" || fail "$program failed"
done
readelf -d "$temp/consumer/c_static" | grep -q 'NEEDED.*eigpack' && fail "c_static needs the shared library"
readelf -d "$temp/consumer/c_eigpack" | grep -q 'NEEDED.*libeigpack\.so\.0\.[0-9]*\]' || fail "c_eigpack: wrong soname"

# pkg-config
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    version=$(pkg-config --modversion eigpack | awk -F. '{ print 10000 * $1 + 100 * $2 + $3 }')
    # The flags are words on purpose: no quotes around them.
    # shellcheck disable=SC2046
    "$cc" -std=c11 -DPACKAGE_VERSION="$version" "$tests/consumer/consumer.c" -o "$temp/pc_shared" \
        $(pkg-config --cflags --libs eigpack) -lm
    "$temp/pc_shared" || fail "the program built by pkg-config failed"
    # shellcheck disable=SC2046
    "$cc" -std=c11 -DPACKAGE_VERSION="$version" "$tests/consumer/consumer.c" -o "$temp/pc_static" \
        $(pkg-config --static --cflags --libs eigpack | sed 's/-leigpack/-l:libeigpack.a/')
    "$temp/pc_static" || fail "the program built by pkg-config --static failed"
fi

# The options of callers that were compiled with another eigpack.h: an older one, whose structures lack their last
# fields, and a newer one, with two more.
include=$prefix/include/eigpack.h
mkdir -p "$temp/older" "$temp/newer"
sed -e '/^typedef struct eig_.*_options/,/^}/{/int same_bits_in_batches;/{:more
/\*\//d;N;b more
};/int reserved;/d;/double reltol;/d}' \
    -e 's/0, 0, 0\.0, 0\.0, 0\.0, 0\.0, 0, 0/0, 0, 0.0, 0.0, 0.0/' \
    -e 's/NULL, 0, 0, 0, 0, 0/NULL, 0, 0, 0/' -e 's/0\.0, 0\.0, 0, 0\.0, 0, 0, 0, 0/0.0, 0.0, 0, 0.0, 0, 0/' \
    -e '/^typedef struct eig_geev_options/,/^}/{/int no_certificate;/d;/int row_major;/d}' \
    -e 's/EIG_GEEV_AUTO, 0, 0, 0, 0, 0, 0, 0, 0/EIG_GEEV_AUTO, 0, 0, 0, 0/' "$include" >"$temp/older/eigpack.h"
sed -e '/^typedef struct eig_stebz_options/,/^}/s/^ *int reserved;/& double later; int64_t much_later;/' \
    -e '/^typedef struct eig_geev_options/,/^}/s/^ *int reserved;/& double later; int much_later;/' "$include" >"$temp/newer/eigpack.h"
: >"$temp/sizes"
for header in older this newer; do
    folder=$temp/$header
    [ $header != this ] || folder=$prefix/include
    name=$(echo $header | tr '[:lower:]' '[:upper:]')
    flags=("-D$name" "-I$folder" "$tests/consumer/options.c" "-L$libdir" -leigpack -lm -o)
    "$cc" -std=c11 "${flags[@]}" "$temp/$header.c11"
    c++ -x c++ -std=c++17 "${flags[@]}" "$temp/$header.cxx17"
    for program in "$temp/$header.c11" "$temp/$header.cxx17"; do
        LD_LIBRARY_PATH=$libdir "$program" >>"$temp/sizes" || fail "$(basename "$program"): the options misunderstand"
    done
done
# Two lines a header, older before this before newer: both structures must have grown, or nothing was tested.
awk 'NR % 2 && NR > 1 && !($1 > stebz && $2 > geev) { bad = 1 } { stebz = $1; geev = $2 } END { exit bad || NR != 6 }' \
    "$temp/sizes" || { cat "$temp/sizes" >&2; fail "the older and newer headers are not made as they should be"; }

# The program and its data
if [ -x "$prefix/bin/eigpack" ]; then
    for file in man/man1/eigpack.1 man/man1/eigpack-stebz.1 bash-completion/completions/eigpack zsh/site-functions/_eigpack fish/vendor_completions.d/eigpack.fish; do
        [ -s "$prefix/share/$file" ] || [ ! -d "$build/pages" ] || fail "no share/$file was installed"
    done
    "$prefix/bin/eigpack" eigenvalues --iters-timing 1 --filename-result "$temp/result.dat" >"$temp/log" 2>&1 &&
        grep -q '^PASSED' "$temp/log" || { cat "$temp/log" >&2; fail "the installed program does not find its data"; }
fi

# A program that was linked with another minor version does not start with this library: the file's name and the symbols' node.
minor=$("$tests/../../scripts/stamp" --print minor)
readelf -d "$library" | grep -q "SONAME.*\[libeigpack\.so\.$minor\]" || fail "the library's SONAME is not libeigpack.so.$minor"
"$tests/exports.sh" "$library" "$include" "EIGPACK_$minor"
