# shellcheck shell=bash
# What the tests of the program share: a folder of their own, and checks.  To be sourced:
#   . checks.sh PROGRAM DATA_FOLDER
# A test ends with `finish`, which exits with 1 if any check failed.
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
data=$(cd "$2" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LC_ALL=C
failed=0
checks=0

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
    [ "${CMOCKA_TEST_ABORT:-}" != 1 ] || exit 1 # tests/faults/run: one failure says all
}

# said: what is on stderr besides the summary, one line that tells of outputs.
said() { grep -Ev '^[0-9]+ (of [0-9]+ )?(eigen|measures).*( ms|, cpu.*)$' err; }

# expect STATUS PATTERN ARGUMENTS...: runs the program, leaves `out` and `err`.  The status must be STATUS; stdout and
# stderr together must match PATTERN, if it is not empty.  A failure says one sentence; success nothing but a summary.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$program" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ $got -eq "$status" ] || fail "status $got, not $status: eigpack $*: $(head -c 300 err)"
    [ -z "$pattern" ] || grep -Eq -- "$pattern" out err || fail "no match of '$pattern': eigpack $*: $(head -c 300 out err)"
    if [ "$status" -ge 1 ] && ! grep -q "FAILED" out err; then
        [ "$(said | wc -l)" -eq 1 ] && said | grep -q '^eigpack: ' || fail "not one sentence: eigpack $*: $(head -c 300 err)"
    elif [ "$status" -eq 0 ] && [ -n "$(said)" ]; then
        grep -q PASSED err || fail "stderr is not empty: eigpack $*: $(head -c 300 err)"
    fi
}

# check NAME COMMAND...: the command must succeed.
check() {
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" >check.out 2>&1 || fail "$name: $(head -c 300 check.out)"
}

# refuse FILES...: none of them may exist.
refuse() {
    local file
    checks=$((checks + 1))
    for file in "$@"; do [ ! -e "$file" ] || fail "$file was left behind"; done
    [ -z "$(find . -name '*.tmp*' -o -name '.*.??????')" ] || fail "a temporary file was left behind"
}

# near FILE TOLERANCE FILE: the same count of numbers, each within the tolerance.
near() {
    paste "$1" "$3" | awk -v t="$2" 'NF != 2 || $1 - $2 > t || $2 - $1 > t { print; bad = 1 } END { exit bad || !NR }'
}

# finish: the number of checks, and the exit status.
finish() {
    echo "$checks checks, $failed failed"
    [ $failed -eq 0 ]
}
