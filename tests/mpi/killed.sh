#!/usr/bin/env bash
# A rank is killed in the middle of a collective call: the whole run ends, soon and with a failure.
#     tests/mpi/killed.sh MPIEXEC TEST_MPI_CALLS [DEVICE]
set -euo pipefail
temp=$(mktemp)
trap 'rm -f "$temp"' EXIT
fail() { cat "$temp" >&2; echo "killed.sh: $*" >&2; exit 1; }

status=0 begin=$SECONDS
EIG_TEST_KILLED=1 timeout 60 "$1" -n 3 "$2" "${3:-cpu}" >"$temp" 2>&1 || status=$?
[ $status -ne 0 ] || fail "the run ended as if nothing had happened"
[ $status -ne 124 ] || fail "the run hangs"
[ $((SECONDS - begin)) -lt 40 ] || fail "the run took $((SECONDS - begin)) s to end"
grep -q 'rank 2 will be killed' "$temp" || fail "no rank was killed"
! grep -q 'went on' "$temp" || fail "a rank went on"
