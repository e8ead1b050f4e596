#!/bin/sh
# The program tells libgomp to spin only briefly, and leaves alone what the user says about it.  77: no /proc here.
#     spin.sh PROGRAM
set -u
program=$1 failed=0
[ -r /proc/self/environ ] || { echo "skipped: no /proc/self/environ here"; exit 77; }
unset GOMP_SPINCOUNT OMP_WAIT_POLICY

# expect NAME=VALUE [NAME=VALUE]: the environment of a run that is started with the second one
expect() {
    env ${2:+"$2"} "$program" bench stebz --device cpu --n 200000 --budget 60 >/dev/null 2>&1 &
    run=$!
    found=no
    turn=0
    while [ $((turn += 1)) -le 50 ]; do
        sleep 0.1
        if tr '\0' '\n' <"/proc/$run/environ" 2>/dev/null | grep -qx "$1"; then found=yes; break; fi
    done
    if [ "$found" = yes ] && [ -n "${2:-}" ] && [ "$1" = "$2" ]; then
        sleep 0.5
        if tr '\0' '\n' <"/proc/$run/environ" | grep '^GOMP_SPINCOUNT=' | grep -qvx "$1"; then found=no; fi
    fi
    [ "$(cat /proc/$run/comm)" = "$(basename "$program")" ] || { echo "the process has another name"; failed=1; }
    kill -KILL "$run"
    wait "$run" 2>/dev/null
    if [ "$found" = no ]; then echo "not in the environment of the run: $1 ${2:+(started with $2)}"; failed=1; fi
}
expect GOMP_SPINCOUNT=4000
expect GOMP_SPINCOUNT=17 GOMP_SPINCOUNT=17
expect OMP_WAIT_POLICY=active OMP_WAIT_POLICY=active
exit $failed
