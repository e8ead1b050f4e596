#!/bin/bash
# The program and its files: standard input and output, pipes, formats known by content, outputs tried before computing,
# and signals.
#   cli_files.sh PROGRAM DATA_FOLDER
# shellcheck source=support/checks.sh
. "$(dirname "$0")/support/checks.sh" "$1" "$2"

# feed FILE STATUS PATTERN ARGUMENTS...: as `expect`, with the file as standard input through a pipe.
feed() {
    local file=$1 status=$2 pattern=$3 got
    shift 3
    cat "$file" | "$program" "$@" >out 2>err
    got=${PIPESTATUS[1]}
    checks=$((checks + 1))
    [ "$got" -eq "$status" ] || fail "status $got, not $status: eigpack $* <$file: $(head -c 300 err)"
    [ -z "$pattern" ] || grep -Eq -- "$pattern" out err || fail "no match of '$pattern': eigpack $* <$file: $(head -c 300 out err)"
}

# ---------------------------------------------------------------- inputs
expect 0 '' generate wilkinson -n 21 -o W.mtx
expect 0 '' generate uniform -n 21 -o d.npy -o e.npy
expect 0 '' generate random -n 4 --batch 3 -o A.npy
expect 0 '' stebz W.mtx
cp out whole
feed W.mtx 0 '' stebz -
check "a .mtx from standard input" cmp out whole
expect 0 '' stebz <(cat W.mtx)
check "a .mtx from a pipe" cmp out whole
cp W.mtx W.txt
expect 0 '' stebz W.txt
check "a .mtx of another name" cmp out whole
expect 0 '' stebz d.npy e.npy
cp out whole
feed d.npy 0 '' stebz - e.npy
check "d from standard input" cmp out whole
expect 0 '' stebz <(cat d.npy) <(cat e.npy)
check "d and e from pipes" cmp out whole
mkfifo fifo.npy
cat e.npy >fifo.npy &
expect 0 '' stebz d.npy fifo.npy
check "e from a named pipe" cmp out whole
expect 0 '' geev A.npy
cp out whole
feed A.npy 0 '' geev -
check "A from standard input" cmp out whole
if ! "$program" info | grep -q 'no matio'; then
    expect 0 '' generate random -n 4 --batch 3 -o A.mat
    feed A.mat 0 '' geev -
    check "a .mat from standard input" cmp out whole
    expect 0 '' geev <(cat A.mat)
    check "a .mat from a pipe" cmp out whole
fi
printf '\357\273\277# a rotation\n0, -1\n1, 0\n' >rotation.csv
expect 0 '' geev rotation.csv
check "a text matrix with a comment, commas and a mark" [ "$(tr '\n' ' ' <out)" = "0 1 0 -1 " ]
printf '7\n' >seven
expect 0 '^7 0$' geev seven
printf '1, 2, # d\n3\n' >d.csv
printf '# no off-diagonal\n0,0\n' >e.csv
expect 0 '' stebz d.csv e.csv
check "d and e with commas and comments" [ "$(awk '{ printf "%.9f ", $1 }' out)" = "1.000000000 2.000000000 3.000000000 " ]
feed /dev/null 2 '^eigpack: standard input: is empty$' geev -

finish
