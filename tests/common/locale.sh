#!/bin/sh
# Runs the tests of error sentences, and the program, in a German locale: the system's, or one that is made here.
#     locale.sh TEST_LOCALE [PROGRAM]
set -u
test_locale=$1 program=${2:-} failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if ! locale -a 2>/dev/null | grep -qi '^de_DE\.utf-\?8$' &&
    localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >/dev/null 2>&1; then
    export LOCPATH="$folder"
fi
"$test_locale" || exit $?

# expect TEXT ARGUMENT...: the program's output, or its sentence, holds the text
expect() {
    text=$1
    shift
    LC_ALL=de_DE.UTF-8 "$program" "$@" >"$folder/out" 2>&1
    if ! grep -qF -- "$text" "$folder/out"; then
        echo "eigpack $*: no \"$text\" in:"
        cat "$folder/out"
        failed=1
    fi
}
if [ -n "$program" ]; then
    printf '2.5\n1.5\n' >"$folder/d.dat"
    printf '0\n' >"$folder/e.dat"
    expect 1.5 stebz "$folder/d.dat" "$folder/e.dat" --device cpu
    expect 'reltol = 1.5' stebz "$folder/d.dat" "$folder/e.dat" --device cpu --relative 1.5
    expect "--tolerance = '0,5'" stebz "$folder/d.dat" "$folder/e.dat" --device cpu --tolerance 0,5
fi
exit $failed
