#!/usr/bin/env bash
# The static library defines no global name that does not begin with eig_: a program's own names stay its own.  Weak
# names (V, W, u) are those of C++ templates in CUDA's headers, and a name with a dot in front is OpenMP's: a program may
# have the same ones.  The shared library shows the functions that its header declares, all of the version's node, and no other.
#     tests/package/exports.sh LIBEIGPACK.A
#     tests/package/exports.sh LIBEIGPACK.SO HEADER NODE
set -euo pipefail
export LC_ALL=C
if [ $# -eq 3 ]; then
    shown=$(nm -D --defined-only "$1" | awk -v node="$3" '$3 != node { print $3 }' | sort)
    diff <(sed -n 's/^EIG_API [^(]*\b\(eig_[a-z0-9_]*\)(.*/\1/p' "$2" | sed "s/$/@@$3/" | sort) - <<<"$shown" >&2 ||
        { echo "exports.sh: $1 does not show what $2 declares (< declared, > shown)" >&2; exit 1; }
    exit 0
fi
others=$(nm -g --defined-only "$1" | awk 'NF == 3 && $2 !~ /[VWu]/ && $3 !~ /^(eig_|\.)/ { print $2, $3 }' | sort -u)
[ -z "$others" ] && exit 0
echo "exports.sh: $1 also defines:" >&2
echo "$others" >&2
exit 1
