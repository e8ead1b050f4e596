#!/bin/bash
# eigpack geev: measures, orders, families over a grid.
#   cli_geev.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# table TOLERANCE WORDS...: the numbers of `out`, in order, are these within the tolerance.
table() {
    local tolerance=$1
    shift
    near <(tr ' ' '\n' <out) "$tolerance" <(printf '%s\n' "$@")
}

# ---------------------------------------------------------------- measures
printf -- '1.5 -2\n2 1.5\n' >rotation.txt
expect 0 '' geev rotation.txt --measure abscissa
check "the abscissa of 1.5 + 2i" table 1e-15 1.5
expect 0 '' geev rotation.txt --measure radius
check "the radius of 1.5 + 2i" table 1e-15 2.5
expect 0 '' geev rotation.txt --measure damping
check "the damping of 1.5 + 2i" table 1e-15 -0.6
printf -- '-2 0 0\n0 -3 -4\n0 4 -3\n' >stable.txt
expect 0 '' geev stable.txt --measure damping
check "the least damping" table 1e-15 0.6
printf -- '0 0\n0 0\n' >zero.txt
expect 0 '' geev zero.txt --measure damping
check "damping at the origin is -1" table 0 -1
expect 0 '' geev zero.txt --measure radius
check "0 without a sign" [ "$(cat out)" = 0 ]
printf 'nan 0\n0 1\n' >nan.txt
expect 1 '1 of 1 matrices failed' geev nan.txt --measure radius --measure-output m.dat
check "the measure of what failed is NaN" [ "$(cat m.dat)" = nan ]
expect 0 '' generate gaussian -n 7 --batch 40 -o batch.npy
for type in f64 f32; do
    expect 0 '' geev batch.npy --type $type
    awk '{ r = sqrt($2 * $2 + $3 * $3) } !($1 in a) || $2 > a[$1] { a[$1] = $2 } r > b[$1] { b[$1] = r }
        !($1 in c) || -$2 / r < c[$1] { c[$1] = -$2 / r }
        END { for (i = 0; i < 40; i++) print i, a[i] >"abscissa"; for (i = 0; i < 40; i++) print i, b[i] >"radius"
              for (i = 0; i < 40; i++) print i, c[i] >"damping" }' OFMT=%.17g CONVFMT=%.17g out
    for measure in abscissa radius damping; do
        expect 0 '' geev batch.npy --type $type --measure $measure
        check "$measure, $type: a line with the number of each matrix" [ "$(awk '$1 == NR - 1 && NF == 2' out | wc -l)" -eq 40 ]
        check "$measure, $type, as from the eigenvalues" \
            near <(awk '{ print $2 }' out) "$([ $type = f64 ] && echo 1e-14 || echo 1e-6)" <(awk '{ print $2 }' $measure)
    done
done
expect 0 '^40 measures of 40 matrices of order 7, ' geev batch.npy --measure radius --measure-output m.npy --values w.npy
check "measures have shape (40,)" grep -aq "'<f8'.*(40,)" m.npy
check "eigenvalues beside them" grep -aq "'<c16'.*(40, 7)" w.npy
expect 0 '' geev batch.npy --measure radius --measure-output m.npy --type f32
check "float measures of float matrices" grep -aq "'<f4'.*(40,)" m.npy
expect 0 '' geev batch.npy --measure radius --measure-output m.dat -q
expect 0 '' geev batch.npy --measure radius --layout M
check "the file has what is printed" cmp m.dat <(awk '{ print $2 }' out)

# ---------------------------------------------------------------- orders
printf -- '-1 1 -15\n1 0 0\n0 1 0\n' >roots.txt
expect 0 '' geev roots.txt --sort real
check "-3, 1 + 2i, 1 - 2i by real part" table 1e-13 -3 0 1 2 1 -2
expect 0 '' geev roots.txt --sort imaginary
check "by imaginary part" table 1e-13 1 -2 -3 0 1 2
expect 0 '' geev roots.txt --sort magnitude
check "by magnitude" table 1e-13 1 2 1 -2 -3 0
# Ties in every first key: 0, -1, +-i, 1, -4, +-4i, 4, which a CPU finds exactly.
printf '%s\n' '0 -4 0 0 0 0 0 0 0' '4 0 0 0 0 0 0 0 0' '0 0 4 0 0 0 0 0 0' '0 0 0 1 0 0 0 0 0' '0 0 0 0 0 0 0 0 0' '0 0 0 0 0 0 -1 0 0' \
    '0 0 0 0 0 1 0 0 0' '0 0 0 0 0 0 0 -1 0' '0 0 0 0 0 0 0 0 -4' >ties.txt
for type in f64 f32; do
    expect 0 '' geev ties.txt --device cpu --sort real --type $type
    check "ties by real part, then |Im|, $type" table 0 -4 0 -1 0 0 0 0 1 0 -1 0 4 0 -4 1 0 4 0
    expect 0 '' geev ties.txt --device cpu --sort imaginary --type $type
    check "ties by imaginary part, then Re, $type" table 0 0 -4 0 -1 -4 0 -1 0 0 0 1 0 4 0 0 1 0 4
    expect 0 '' geev ties.txt --device cpu --sort magnitude --type $type
    check "ties by magnitude, then Re, $type" table 0 0 0 -1 0 0 1 0 -1 1 0 -4 0 0 4 0 -4 4 0
done
# The same over a family, whose points are sorted each for itself.
for sort in real imaginary magnitude; do
    expect 0 '' geev ties.txt --device cpu --sort $sort
    cp out alone
    awk '{ for (i = 1; i <= NF; i++) $i = 0; print }' ties.txt >none.txt
    expect 0 '' geev --device cpu --affine none.txt,ties.txt --grid 1:4:2 --sort $sort
    check "$sort: a family's first point" cmp <(awk '$1 == 1 { print $2, $3 }' out) alone
    check "$sort: its second" cmp <(awk '$1 == 4 { print $2, $3 }' out) <(awk '{ print 4 * $1, 4 * $2 }' alone)
done
printf -- '6 -11 6\n1 0 0\n0 1 0\n' >companion.txt
expect 0 '' geev companion.txt --sort real
check "the roots 1, 2, 3" table 1e-12 1 0 2 0 3 0
expect 0 '' geev batch.npy
cp out unsorted
expect 0 '' geev batch.npy --sort magnitude
check "the same eigenvalues" cmp <(sort unsorted) <(sort out)
check "another order" eval '! cmp -s unsorted out'
check "each matrix for itself" awk '{ r = $2 * $2 + $3 * $3 } $1 == last && r < before * (1 - 1e-12) { bad = 1 }
    { last = $1; before = r } END { exit bad }' out
expect 0 '' geev batch.npy --sort real --values w.dat
expect 0 '' geev batch.npy --sort real
check "files are sorted too" cmp <(tr ' ' '\n' <w.dat) <(awk '{ print $2; print $3 }' out)

# ---------------------------------------------------------------- families
# p1 I + p2 J has the eigenvalues p1 +- i p2.
printf -- '1 0\n0 1\n' >I.txt
printf -- '0 -1\n1 0\n' >J.txt
family=(--affine "zero.txt,I.txt,J.txt" --grid "-1:1:5,0:2:3")
for type in f64 f32; do
    expect 0 '' geev "${family[@]}" --type $type
    check "eigenvalues of a family, $type" awk '{ im = (NR % 2) ? $2 : -$2; e = ($3 - $1)^2 + ($4 - im)^2 } NF != 4 || e > 1e-12 { bad = 1 }
        { p = int((NR - 1) / 2) } $1 != -1 + int(p / 3) / 2 || $2 != p % 3 { bad = 1 } END { exit bad || NR != 30 }' out
    expect 0 '' geev "${family[@]}" --type $type --measure abscissa
    check "abscissa of a family, $type" awk 'NF != 3 || $3 != $1 { bad = 1 } END { exit bad || NR != 15 }' out
    expect 0 '' geev "${family[@]}" --type $type --measure radius
    check "radius of a family, $type" awk '{ d = $3 - sqrt($1 * $1 + $2 * $2) } d * d > 1e-12 { bad = 1 } END { exit bad || NR != 15 }' out
    expect 0 '' geev "${family[@]}" --type $type --measure damping
    check "damping of a family, $type" awk '{ r = sqrt($1 * $1 + $2 * $2); d = $3 - (r > 0 ? -$1 / r : -1) } d * d > 1e-12 { bad = 1 }
        END { exit bad || NR != 15 }' out
done
expect 0 '^15 measures of 15 matrices of order 2, ' geev "${family[@]}" --measure abscissa --measure-output m.npy \
    --values w.npy --info info.npy
check "measures have the shape of the grid" grep -aq "(5, 3)" m.npy
check "a row of eigenvalues for each point" grep -aq "(15, 2)" w.npy
check "an info for each point" grep -aq "(15,)" info.npy
expect 0 '' geev "${family[@]}" --measure abscissa --measure-output m.dat -q
expect 0 '' geev "${family[@]}" --measure abscissa
check "text has a row for each p1" near <(tr ' ' '\n' <m.dat) 0 <(awk '{ print $3 }' out)
check "of three numbers" [ "$(awk 'NF == 3' m.dat | wc -l)" -eq 5 ]
expect 0 '' geev "${family[@]}" --values w.dat --threads 1
expect 0 '' geev "${family[@]}" --sort imaginary
check "sorted points" awk '{ e = $4 - ((NR % 2) ? -$2 : $2) } e * e > 1e-28 { bad = 1 } END { exit bad || NR != 30 }' out
# One file may hold the whole family, a range may be one number, a family may have no parameter range but one point.
expect 0 '' generate random -n 4 --batch 3 -o whole.npy
expect 0 '' geev --affine whole.npy --grid 0:1:3,0.25
check "a parameter that stays" [ "$(awk '$2 == 0.25' out | wc -l)" -eq 12 ]
cp out whole
expect 0 '' geev whole.npy
check "A0 is the first matrix" near <(head -4 whole | awk '{ print $1 + 0 }') 0 <(printf '0\n0\n0\n0\n')
expect 0 '' geev --affine whole.npy --grid 0,0
check "at 0 the family is A0" cmp <(cut -d ' ' -f 3- out) <("$program" geev whole.npy | awk '$1 == 0 { print $2, $3 }')
for measure in abscissa radius damping; do
    "$program" geev whole.npy --measure $measure | awk '$1 == 0 { print $2 }' >one
    expect 0 '' geev --affine whole.npy --grid 0,0 --measure $measure
    check "$measure: the library's and the program's" near <(cut -d ' ' -f 3 out) 1e-14 one
done
expect 0 '' geev --affine whole.npy --grid -1:1:21,1 --measure radius
check "values as numpy.linspace" eval "[ \$(sed -n 4p out | cut -d ' ' -f 1) = -0.69999999999999996 ] && [ \$(sed -n 11p out | cut -d ' ' -f 1) = 0 ]"
expect 0 '' geev --affine zero.txt,I.txt --grid 0:0.9:8
check "the last value is HIGH" [ "$(tail -1 out | cut -d ' ' -f 1)" = 0.90000000000000002 ]
# The companion matrices of s^4 + 2 s^3 + p1 s^2 + p2 s + 1 are stable where p2 > 0 and p1 > p2/2 + 2/p2 (Routh, Hurwitz).
printf '%s\n' '-2 0 0 -1' '1 0 0 0' '0 1 0 0' '0 0 1 0' >A0.txt
printf '%s\n' '0 -1 0 0' '0 0 0 0' '0 0 0 0' '0 0 0 0' >A1.txt
printf '%s\n' '0 0 -1 0' '0 0 0 0' '0 0 0 0' '0 0 0 0' >A2.txt
for measure in abscissa damping; do
    expect 0 '' geev --affine A0.txt,A1.txt,A2.txt --grid 0:8:41,0:8:41 --measure $measure
    check "stable where Routh and Hurwitz say so: $measure" awk -v s="$([ $measure = damping ] && echo 1 || echo -1)" '
        { d = $2 > 0 ? $1 - $2 / 2 - 2 / $2 : -1 } d * d > 1e-6 && (d > 0) != (s * $3 > 0) { bad = 1 } END { exit bad || NR != 1681 }' out
done
# Complex files: p1 i I + p2 J has the eigenvalues i p1 +- i p2.
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 0 1\n2 2 0 1\n' >iI.mtx
for type in '' '--type c64'; do
    # shellcheck disable=SC2086 # words are meant
    expect 0 '' geev --affine zero.txt,iI.mtx,J.txt --grid -1:1:5,0:2:3 --sort imaginary $type
    check "eigenvalues of a complex family $type" awk '{ im = $1 + ((NR % 2) ? -$2 : $2); e = $3 ^ 2 + ($4 - im) ^ 2 }
        NF != 4 || e > 1e-12 { bad = 1 } END { exit bad || NR != 30 }' out
    # shellcheck disable=SC2086
    expect 0 '' geev --affine zero.txt,iI.mtx,J.txt --grid -1:1:5,0:2:3 --measure radius --measure-output m.npy --values w.npy $type
    check "types of a complex family $type" grep -aq "'<f$([ -n "$type" ] && echo 4 || echo 8)'" m.npy
    check "types of its eigenvalues $type" grep -aq "'<c$([ -n "$type" ] && echo 8 || echo 16)'" w.npy
done
# Without --type a family is single where all its files are, in whatever order, and complex where one is.
for type in f32 f64 c64 c128; do
    expect 0 '' generate ensemble -n 2 --type $type -o of_$type.npy
done
while read -r first second real complex; do
    expect 0 '' geev --affine of_$first.npy,of_$second.npy --grid 1 --measure radius --measure-output m.npy --values w.npy -q
    check "measures of a family of $first and $second" grep -aq "'<$real'" m.npy
    check "eigenvalues of a family of $first and $second" grep -aq "'<$complex'" w.npy
done <<'END'
f32 f32 f4 c8
f32 f64 f8 c16
f64 f32 f8 c16
c64 f32 f4 c8
f32 c64 f4 c8
c64 f64 f8 c16
f64 c64 f8 c16
c128 f32 f8 c16
f32 c128 f8 c16
END
expect 0 '' generate ensemble -n 6 --batch 3 --type c128 -o pencil.npy
expect 0 '' geev --affine pencil.npy --grid 0,0
check "at 0 a complex family is A0" cmp <(cut -d ' ' -f 3- out) <("$program" geev pencil.npy | awk '$1 == 0 { print $2, $3 }')
# A(p) that overflows fails alone.
printf -- '1e308 0\n0 1\n' >huge.txt
expect 1 '1 of 3 matrices failed' geev --affine zero.txt,huge.txt --grid 0:2:3 --measure abscissa --measure-output m.dat \
    --info info.dat
check "NaN where it failed" [ "$(tr '\n' ' ' <m.dat)" = "0 1e+308 nan " ]
check "info of what failed" [ "$(tr '\n' ' ' <info.dat)" = "0 0 -1 " ]

# ---------------------------------------------------------------- what is refused, before anything is computed
expect 2 "--measure = 'gain': must be one of abscissa.radius.damping" geev batch.npy --measure gain
expect 2 "--sort = 'up': must be one of real.imaginary.magnitude" geev batch.npy --sort up
expect 2 '--measure-output needs --measure' geev batch.npy --measure-output x.npy
expect 2 'geev takes one file A, or --affine and --grid' geev batch.npy "${family[@]}"
expect 2 '--affine and --grid go together' geev --affine zero.txt,I.txt
expect 2 '--affine and --grid go together' geev batch.npy --grid 0:1:3
expect 2 '--layout does not go with --affine' geev "${family[@]}" --layout E
expect 2 'absent.npy: .*No such file' geev --affine zero.txt,absent.npy --grid 0:1:3
expect 2 'the name of file 2 is empty' geev --affine zero.txt,,I.txt --grid 0:1:3,1
expect 2 'more than 9 files' geev --affine a,b,c,d,e,f,g,h,i,j --grid 0:1:3
expect 2 'roots.txt: its matrices are 3 x 3, those before 2 x 2' geev --affine zero.txt,roots.txt --grid 0:1:3
expect 2 '--affine has 3 matrices and --grid 1 range: need one matrix more' geev --affine zero.txt,I.txt,J.txt --grid 0:1:3
expect 2 '--affine has 2 matrices and --grid 2 ranges' geev --affine zero.txt,I.txt --grid 0:1:3,4
expect 0 '' generate ensemble -n 2 --type c128 -o complex.npy
expect 2 'complex.npy: is complex; real numbers are needed' geev --affine zero.txt,complex.npy --grid 0:1:3 --type f64
printf '1\n2\n' >vector.dat
for grid in 1:0:3 0:1 0:1:1 0:1:x 0:nan:3 0:inf:3 -1e308:1e308:3 ',1' '' '0:1:3,' 0:1:3:4 0:1:3x; do
    expect 2 "--grid = '$grid': range [12] must be LOW:HIGH:COUNT" geev --affine zero.txt,I.txt --grid "$grid"
done
expect 2 'vector.dat: need a square matrix' geev --affine zero.txt,vector.dat --grid 0:1:3
expect 2 'more than 8 parameters' geev --affine zero.txt,I.txt --grid 1,1,1,1,1,1,1,1,1
expect 2 'more than 2147483647 points' geev "${family[@]}" --grid 0:1:100000,0:1:100000
expect 2 'more than 2147483647 points' geev "${family[@]}" --grid 0:1:9223372036854775807,0:1:100000
expect 0 '' generate random -n 64 --batch 2 -o large.npy
expect 2 'a matrix of order 64 at a time needs 17.2 GB, --memory gives' geev --affine large.npy --grid 0:1:2147483647 --measure radius --plot x.svg --memory 4G
expect 2 'draws a measure over one or two parameters, in --grid 3 vary' geev --affine zero.txt,I.txt,J.txt,I.txt \
    --grid 0:1:3,0:1:3,0:1:3 --measure radius --plot x.svg
expect 2 'in --grid 0 vary' geev --affine zero.txt,I.txt --grid 1 --measure radius --plot x.svg
expect 0 '' generate random -n 0 -o none.npy
expect 2 '--measure needs matrices with eigenvalues' geev none.npy --measure radius
expect 1 'nowhere/m.npy: ' geev batch.npy --measure radius --measure-output nowhere/m.npy
expect 1 'nowhere/m.npy: ' geev absent.npy --measure radius --measure-output nowhere/m.npy
expect 2 'pictures are written as SVG' geev absent.npy --plot x.png
expect 2 'are one file: give each output its own' geev batch.npy --measure radius --measure-output x.npy --values ./x.npy
expect 2 'would overwrite the input zero.txt' geev "${family[@]}" --values zero.txt
expect 0 '' geev "${family[@]}" --measure radius --measure-output - --plot radius.svg
check "measures on standard output, and nothing else" [ "$(wc -w <out)" -eq 15 ]
expect 1 'nowhere/p.svg: ' geev batch.npy -q --plot nowhere/p.svg
refuse x.svg x.npy nowhere

# ------------------------------------------------- eigenvectors, condition numbers
# flat FILE: its numbers, one a line.
flat() { tr -s ' \n' '\n' <"$1"; }
printf '3 1\n0 1\n' >upper.txt
expect 0 '^2 eigenvalues of 1 matrix' geev upper.txt --sort real --values w.dat --vectors v.dat --left y.dat --condition s.dat
check "values in order" near <(flat w.dat) 1e-15 <(printf '%s\n' 1 0 3 0)
check "vectors go with them, as columns" near <(flat v.dat) 1e-15 <(printf '%s\n' -0.44721359549995793 0 1 0 0.89442719099991586 0 0 0)
check "left vectors" near <(flat y.dat) 1e-15 <(printf '%s\n' 0 0 0.89442719099991586 0 1 0 0.44721359549995793 0)
check "condition numbers" near <(flat s.dat) 1e-15 <(printf '%s\n' 0.89442719099991586 0.89442719099991586)
# together: of each matrix and eigenvalue a line with all that goes with it.
together() {
    awk -v n=5 'FNR == 1 { file++ }
        NF == 0 { next }
        { row = ++rows[file]; b = file < 3 ? row : int((row - 1) / n) + 1 }
        { for (k = 1; k <= n; k++) line[b, k] = line[b, k] " " (file == 2 ? $k : $(2 * k - 1) " " $(2 * k)) }
        END { for (i in line) print line[i] }' w.dat s.dat v.dat y.dat | sort
}
expect 0 '' generate gaussian -n 5 --batch 3 -o five.npy
outputs=(--values w.dat --condition s.dat --vectors v.dat --left y.dat -q)
expect 0 '' geev five.npy "${outputs[@]}"
together >unsorted
check "fifteen eigenvalues, each with 23 numbers" [ "$(wc -lw <unsorted | xargs)" = "15 345" ]
for sort in real imaginary magnitude; do
    cp w.dat before.dat
    expect 0 '' geev five.npy "${outputs[@]}" --sort $sort
    check "$sort: another order" eval '! cmp -s w.dat before.dat'
    check "$sort: vectors and condition numbers go along" cmp unsorted <(together)
done
expect 0 '' generate gaussian -n 9 --batch 40 -o batch.npy
for type in f32 f64 c64 c128; do
    expect 0 '' geev batch.npy --type $type --values w.npy --vectors v.npy --left y.npy --condition s.npy -q
    expect 0 '' geev batch.npy --type $type --vectors few.npy --memory 100K -q
    check "the same vectors in slices, $type" cmp v.npy few.npy
    expect 0 '' geev batch.npy --type $type --values w.npy --schur t.npy --schur-vectors q.npy --device cpu -q
    expect 0 '' geev batch.npy --type $type --schur few.npy --memory 100K --device cpu -q
    check "the same Schur forms in slices, $type" cmp t.npy few.npy
    letter=${type%%[0-9]*} bytes=$((${type#?} / 8))
    check "shapes and types, $type" eval "grep -aq \"'<$letter$bytes'.*(40, 9, 9)\" t.npy && grep -aq \"'<$letter$bytes'.*(40, 9, 9)\" q.npy"
done
check "shape" eval "grep -aq '(40, 9, 9)' v.npy && grep -aq '(40, 9)' s.npy && grep -aq \"'<c16'\" y.npy"
# A = Q T Q^T of every matrix; T is triangular but for 2 x 2 blocks, whose pairs are the eigenvalues in their order.
for file in five.npy rotation.txt; do
    expect 0 '' geev $file --values w.dat --schur t.dat --schur-vectors q.dat --device cpu -q
    "$program" generate gaussian -n 5 --batch 3 -o a.dat
    [ $file = five.npy ] || cp $file a.dat
    check "Schur forms of $file" awk 'FNR == 1 { file++ } NF == 0 { next }
        { row[file]++; for (k = 1; k <= NF; k++) x[file, row[file], k] = $k } file == 1 { n = NF }
        END { for (b = 0; b < row[1] / n; b++) for (i = 1; i <= n; i++) {
                for (j = 1; j <= n; j++) {
                    sum = x[1, b * n + i, j]; unit = i == j
                    for (k = 1; k <= n; k++) {
                        unit -= x[3, b * n + i, k] * x[3, b * n + j, k]
                        for (l = 1; l <= n; l++) sum -= x[3, b * n + i, k] * x[2, b * n + k, l] * x[3, b * n + j, l]
                    }
                    if (sum ^ 2 > 1e-26 || unit ^ 2 > 1e-26 || (i > j + 1 && x[2, b * n + i, j] != 0)) bad = 1
                }
                one = n == 2 ? x[4, i, 1] : x[4, b + 1, 2 * i - 1]
                if ((one - x[2, b * n + i, i]) ^ 2 > 1e-26) bad = 1
            }
            exit bad || n < 2 }' a.dat t.dat q.dat w.dat
done
expect 0 '' geev five.npy --schur t.dat --measure radius --device cpu
check "measures beside Schur forms" cmp out <("$program" geev five.npy --schur-vectors q.npy --measure radius --device cpu)
for other in --vectors --left --condition; do
    expect 2 ".-${other#--} does not go with --schur$" geev five.npy --schur t.npy $other x.npy
done
expect 2 '.-sort does not go with --schur-vectors$' geev five.npy --schur-vectors q.npy --sort real
refuse x.npy
expect 0 '' geev complex.npy --values w.dat --condition s.dat -q
check "Hermitian matrices have condition numbers of 1" near <(flat s.dat) 1e-14 <(printf '1\n1\n')
expect 2 'complex.npy: is complex; real numbers are needed' geev complex.npy --type f64
expect 2 '.-vectors does not go with --affine' geev --affine zero.txt,zero.txt --grid 0:1:3 --vectors v.npy
expect 2 '.-schur does not go with --affine' geev --affine zero.txt,zero.txt --grid 0:1:3 --schur t.npy
expect 2 '.-condition does not go with --affine' geev --affine zero.txt,zero.txt --grid 0:1:3 --condition v.npy
finish
