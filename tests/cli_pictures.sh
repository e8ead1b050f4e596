#!/bin/bash
# The pictures of the program: whole, with numbers where numbers belong, bars and borders in their places.
#   cli_pictures.sh PROGRAM DATA_FOLDER
# shellcheck source=support/checks.sh
. "$(dirname "$0")/support/checks.sh" "$1" "$2"

# picture FILE: whole, well-formed, and every number in it is one.
picture() {
    check "$1 is whole" [ "$(tail -1 "$1")" = '</svg>' ]
    check "$1 has numbers only" eval "! grep -Eqi '[^a-z](nan|inf)[^a-z]' $1"
    if type xmllint >/dev/null 2>&1; then check "$1 is XML" xmllint --noout "$1"; fi
}
has() { check "$1 has $2" grep -q -- "$2" "$1"; }
lacks() { check "$1 has no $2" eval "! grep -q -- '$2' '$1'"; }

# ---------------------------------------------------------------- pictures of real spectra
# bar FILE: the outline of the bars, one number a line: x, baseline, then height and x in turn.
bar() { grep '#9ec5e8' "$1" | grep -o ' d="[^"]*' | tr -c '0-9.\n' '\n' | grep . ; }
rug() { grep '#b03a2e' "$1" | grep -o 'M[0-9.]*' | tr -d M; }
for value in 2 -7.25 0 1e-300 -1e300; do
    yes -- "$value" | head -8 >d.dat
    yes 0 | head -7 >e.dat
    expect 0 '' stebz d.dat e.dat -q --plot equal.svg
    picture equal.svg
    check "eight times $value: a narrow bar around the tick" eval "awk -v at=\$(rug equal.svg) \
        'NR == 1 { left = \$1 } END { exit !(left < at && left > at - 5) }' <(bar equal.svg)"
    has equal.svg '>8<'
done
# Regular spectra are flat, whatever the number of bars: every height is the same.
for n in 2 3 7 11 12 31 100 101 400; do
    seq 0 0.1 "$(awk -v n=$n 'BEGIN { print (n - 1) / 10 }')" | head -$n >d.dat
    yes 0 | head -$((n - 1)) >e.dat
    expect 0 '' stebz d.dat e.dat -q --plot even.svg
    picture even.svg
    check "$n eigenvalues at equal distances: no gap" [ "$(grep '#9ec5e8' even.svg | grep -o 'V[0-9.]*' | sort -u | wc -l)" -eq 2 ]
done
printf '%s\n' 0 1 1 9 10 >d.dat
printf '%s\n' 0 0 0 0 >e.dat
expect 0 '' stebz d.dat e.dat -q --plot gap.svg
check "a true gap stays" [ "$(grep '#9ec5e8' gap.svg | grep -o 'V290' | wc -l)" -ge 2 ]
for kind in huge small tiny graded zero identity; do
    expect 0 '' generate $kind -n 40 -o d.npy -o e.npy
    expect 0 '' stebz d.npy e.npy -q --plot kind.svg
    picture kind.svg
done

finish
