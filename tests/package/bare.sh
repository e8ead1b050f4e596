#!/usr/bin/env bash
# A release's files, each installed in one line as its users do, in a root where nothing else is, each solving README's first
# problem.  scripts/release calls it by .ci/bare.
#     tests/package/bare.sh FOLDER      FOLDER: the .deb files, wheels and the source tarball
set -euo pipefail
files=$(realpath "$1")
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$(mktemp -d)"
machine=$(dpkg --print-architecture)

# timed WHAT COMMAND...: its output in a file, its seconds on one line.
timed() {
    local what=$1 begin=$SECONDS
    shift
    "$@" >log 2>&1 || { tail -n 30 log; echo "bare.sh: $what failed"; exit 1; }
    echo "$what: $((SECONDS - begin)) s"
}
apt=(apt-get -qq -y --no-install-recommends install)
export DEBIAN_FRONTEND=noninteractive
timed "the lists of packages" apt-get -qq update
ls -l "$files"

# The program.
timed "eigpack-tools, one line" "${apt[@]}" "$files"/eigpack-tools_*_"$machine".deb
eigpack --version
timed "a million 3 x 3 matrices, generated" eigpack generate ensemble -n 3 --batch 1000000 -o A.npy
timed "and solved by the program" eigpack heev A.npy --values w.npy --vectors v.npy
eigpack eigenvalues --iters-timing 1 | grep -q '^PASSED'
[ -s /usr/share/man/man1/eigpack-stebz.1.gz ] && [ -s /usr/share/bash-completion/completions/eigpack ]

# The library, from C by pkg-config and by CMake, and from Fortran.
timed "libeigpack-dev, one line" "${apt[@]}" "$files"/libeigpack0*_"$machine".deb "$files"/libeigpack-dev_*_"$machine".deb
timed "compilers" "${apt[@]}" gcc gfortran libc6-dev pkg-config cmake make
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/README.md" >mine.c
# shellcheck disable=SC2046 # flags are words
cc mine.c -o mine $(pkg-config --cflags --libs eigpack)
./mine
awk '/^```cmake$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/docs/guide/c.md" >CMakeLists.txt
timed "find_package" bash -c 'cmake -B build . && cmake --build build && build/mine'
# shellcheck disable=SC2046
gfortran -O2 /usr/share/eigpack/fortran/eigpack.f90 "$here/bindings/fortran/example.f90" -o example $(pkg-config --cflags --libs eigpack)
timed "Fortran's example, a million 3 x 3 matrices" ./example

# Python: the wheel in a fresh environment.
timed "python3-venv" "${apt[@]}" python3-venv
python3 -m venv venv
timed "pip install the wheel, one line" venv/bin/pip install "$files"/eigpack-*manylinux*_"$(uname -m)".whl
timed "a million 3 x 3 matrices in NumPy" venv/bin/python -c '
import numpy as np, eigpack
a = np.random.default_rng(0).standard_normal((1_000_000, 3, 3))
w, v = eigpack.eigh(a)
full = np.tril(a[:1000]) + np.tril(a[:1000], -1).transpose(0, 2, 1)
assert np.abs(full @ v[:1000] - v[:1000] * w[:1000, None, :]).max() < 1e-13
try:
    eigpack.eigh(a[:2], device="cuda")
except eigpack.DeviceError as error:
    print(error)'
venv/bin/python -c 'import eigpack; print(eigpack.__version__, eigpack.describe("auto"))'

# The source tarball builds with what is here.
tar -xzf "$files"/eigpack-*.src.tar.gz
timed "the source tarball, configured and its library built" bash -c '
    cmake -S eigpack-*/ -B from-source -DEIG_BUILD_TESTS=OFF && cmake --build from-source --parallel "$(nproc)" --target eigpack_static'
echo "every package works"
