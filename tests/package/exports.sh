#!/usr/bin/env bash
# The static library defines no global name that does not begin with eig_: a program's own names stay its own.  Weak
# names (V, W, u) are those of C++ templates in CUDA's headers, and a name with a dot in front is OpenMP's: a program may
# have the same ones.
#     tests/package/exports.sh LIBEIGPACK.A
set -euo pipefail
others=$(nm -g --defined-only "$1" | awk 'NF == 3 && $2 !~ /[VWu]/ && $3 !~ /^(eig_|\.)/ { print $2, $3 }' | LC_ALL=C sort -u)
[ -z "$others" ] && exit 0
echo "exports.sh: $1 also defines:" >&2
echo "$others" >&2
exit 1
