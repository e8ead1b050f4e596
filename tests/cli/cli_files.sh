#!/bin/bash
# The program and its files: standard input and output, pipes, formats known by content, outputs tried before computing,
# and signals.
#   cli_files.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

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

# ---------------------------------------------------------------- Matrix Market's forms
# put NAME FORM LINES...: a .mtx file.
put() { { echo "%%MatrixMarket matrix $2"; printf '%s\n' "${@:3}"; } >"$1"; }
put rotation.mtx 'coordinate real skew-symmetric' '2 2 1' '2 1 1'
expect 0 '' geev rotation.mtx
check "a skew-symmetric matrix" [ "$(tr '\n' ' ' <out)" = "0 1 0 -1 " ]
put path.mtx 'coordinate pattern symmetric' '% a path' '3 3 2' '2 1' '3 2'
expect 0 '' heev path.mtx
check "a pattern" eval "awk '{ printf \"%.4f \", \$1 }' out | sed 's/-0.0000/0.0000/' | grep -qx -- '-1.4142 0.0000 1.4142 '"
expect 0 '' stebz path.mtx
check "a pattern as T" eval "awk '{ printf \"%.4f \", \$1 }' out | sed 's/-0.0000/0.0000/' | grep -qx -- '-1.4142 0.0000 1.4142 '"
put general.mtx 'coordinate integer general' '2 2 2' '1 2 -1' '2 1 1'
expect 0 '' geev general.mtx
check "a general matrix" [ "$(tr '\n' ' ' <out)" = "0 1 0 -1 " ]
put hermitian.mtx 'coordinate complex hermitian' '2 2 1' '2 1 3 4'
expect 0 '' heev hermitian.mtx
check "a Hermitian matrix" eval "awk '{ printf \"%.4f \", \$1 }' out | grep -qx -- '-5.0000 5.0000 '"
expect 0 '' heev hermitian.mtx --uplo U
check "its upper triangle" eval "awk '{ printf \"%.4f \", \$1 }' out | grep -qx -- '-5.0000 5.0000 '"
put symmetric.mtx 'coordinate complex symmetric' '2 2 1' '2 1 3 4'
expect 0 '' geev hermitian.mtx
check "its eigenvalues without symmetry" eval "awk '{ printf \"%.4f\\n\", \$1 }' out | sort -g | tr '\n' ' ' | grep -qx -- '-5.0000 5.0000 '"
expect 2 'symmetric.mtx: is complex symmetric; a Hermitian matrix is needed' heev symmetric.mtx
expect 2 'rotation.mtx: is skew-symmetric; a Hermitian matrix is needed' heev rotation.mtx
expect 2 'rotation.mtx: is skew-symmetric; a symmetric matrix is needed' stebz rotation.mtx

# ---------------------------------------------------------------- batches through pipes
expect 0 '' geev A.npy
cp out whole
for format in "" "--format text" "--format npy"; do
    # shellcheck disable=SC2086 # words are meant
    "$program" generate random -n 4 --batch 3 -o - $format | "$program" geev - >out 2>err
    check "a batch through a pipe $format" cmp out whole
done
expect 0 '' generate random -n 4 --batch 3 -o - --format npy
check "the same bytes as in a file" cmp out A.npy
expect 0 '' geev A.npy --values w.npy -q
expect 0 '' geev A.npy --format npy
check "what is printed, as .npy" cmp out w.npy
expect 0 '' geev A.npy --measure radius --measure-output r.npy -q
expect 0 '' geev A.npy --measure radius --format npy
check "measures as .npy" cmp out r.npy
for command in "heev A.npy" "stemr d.npy e.npy" "stebz d.npy e.npy"; do
    # shellcheck disable=SC2086
    expect 0 '' $command --device cpu -o w.npy -q
    # shellcheck disable=SC2086
    expect 0 '' $command --device cpu --format npy
    check "$command as .npy" cmp out w.npy
done
expect 2 "format = 'mat': must be one of text.npy" geev A.npy --format mat
expect 2 'goes to standard output as .mtx: give no --format' generate uniform -n 4 -o - --format npy

# ---------------------------------------------------------------- what a terminal would obey
evil=$(printf 'a\033[31m\nb\302\233.npy')
expect 2 '^eigpack: a\\x1b\[31m\\x0ab\\xc2\\x9b.npy: cannot be opened' geev "$evil"
expect 2 '^eigpack: unknown command .a\\x1b' "$evil"
expect 2 '^eigpack: unknown device .*\\x1b' geev A.npy --device "$evil"
printf '\223NUMPY\1\0v\0%-117s\n' "$(printf "{'descr': '<\0335', 'fortran_order': False, 'shape': (2,), }")" >evil.npy
expect 2 'has numbers of type \\x1b5' geev evil.npy

# ---------------------------------------------------------------- standard output
expect 0 '' stebz W.mtx --range 1:3
cp out whole
expect 0 '' stebz W.mtx --range 1:3 -o -
check "-o - is what is printed" cmp out whole
expect 0 '' stebz W.mtx --range 1:3 -o /dev/stdout
check "-o /dev/stdout is what is printed" cmp out whole
"$program" stebz W.mtx --range 1:3 -o /dev/stdout | cat >out
check "/dev/stdout, a pipe" cmp out whole
check "/dev/stdout is as it was" [ -L /dev/stdout ]
"$program" stebz W.mtx --range 1:3 -q -o >(cat >out2)
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s out2 ] || sleep 0.2; done
check "a pipe by name" cmp out2 whole
"$program" generate wilkinson -n 21 -o - | "$program" stebz - --range 1:3 >out
check "from program to program" cmp out whole
expect 0 '' generate cyclic -n 3 -o -
check "a text matrix on standard output" [ "$(wc -l <out)" -eq 3 ]
expect 0 '' stebz W.mtx --range 1:2 --enclosures -
check "enclosures alone on standard output" [ "$(awk 'NF == 2' out | wc -l)" -eq 2 ]
expect 0 '' geev A.npy --info -
check "info alone on standard output" [ "$(tr '\n' ' ' <out)" = "0 0 0 " ]
expect 0 '' stebz W.mtx -o w.npy -q
"$program" stebz W.mtx -o - --reference w.npy >out 2>err
check "the verdict leaves standard output to the numbers" [ "$(wc -l <out)" -eq 21 ]
check "the verdict" grep -q PASSED err
if [ -w /dev/full ]; then
    "$program" stebz W.mtx -o - >/dev/full 2>err
    check "a full standard output: status 1" [ $? -eq 1 ]
    check "a full standard output: one sentence" grep -qx 'eigpack: standard output: cannot be written: No space left on device' err
fi
# All outputs of a run appear, or none: whichever of them finds the disk full.
expect 0 '' generate ensemble -n 6 --batch 3 -o full.npy
full='/dev/full: cannot be written: No space left on device$'
if [ -w /dev/full ]; then
    expect 1 "$full" heev full.npy -q --values fw.npy --vectors /dev/full
    expect 1 "$full" heev full.npy -q --values fw.npy --info /dev/full
    expect 1 "$full" heev full.npy -q --values /dev/full --vectors fw.npy
    expect 1 "$full" stebz W.mtx -q -o fw.npy --info /dev/full
    expect 1 "$full" stemr W.mtx -q -o fw.npy --vectors fv.npy --residuals /dev/full
    refuse fw.npy fv.npy
else
    echo "no /dev/full here: a full disk is not tried"
fi
printf -- '-0 0\n0 -0\n' >zeros.txt
expect 0 '' geev zeros.txt
check "-0 is written as 0" eval "! grep -q -- '-0' out"
# Eigenvalues of x x' that underflow: those of either sign are 0.
awk 'BEGIN { for (b = 1; b < 30; b++) { for (i = 1; i < 5; i++) { for (j = 1; j < 5; j++)
    printf "%.17fe-310 ", sin(b * i) * sin(b * j); print "" } print "" } }' >underflow.txt
for method in auto jacobi tridiagonal reference; do
    expect 0 '' heev underflow.txt --method $method
    check "heev, $method: some eigenvalues are 0, none is -0" eval "grep -q ' 0\$' out && ! grep -q -- ' -0\$' out"
done

# ---------------------------------------------------------------- outputs before computing
# A computation of a minute or more: what is refused is refused before it.
expect 0 '' generate glued -n 300000 -o long_d.npy -o long_e.npy
long="long_d.npy long_e.npy --threads 1"
SECONDS=0
# shellcheck disable=SC2086 # words are meant
{
    expect 1 'nowhere/w.npy: cannot be written: No such file' stebz $long -o nowhere/w.npy
    expect 1 'nowhere/b.npy: cannot be written: No such file' stebz $long --enclosures nowhere/b.npy
    expect 1 'nowhere/i.npy: cannot be written: No such file' stebz $long --info nowhere/i.npy
    expect 1 'nowhere/p.svg: cannot be written: No such file' stebz $long --plot nowhere/p.svg
    expect 2 'p.png: pictures are written as SVG; name it .svg' stebz $long --plot p.png
    expect 2 '--output w.npy and --enclosures ./w.npy are one file' stebz $long -o w.npy --enclosures ./w.npy
    expect 2 '--output ./new and --plot new are one file' stebz $long -o ./new --plot new
    expect 2 '--output - and --info /dev/stdout are one file' stebz $long -o - --info /dev/stdout
    expect 2 '--output ./long_e.npy would overwrite the input long_e.npy' stebz $long -o ./long_e.npy
    expect 2 '--enclosures w.npy would overwrite the input w.npy' stebz $long --enclosures w.npy --reference w.npy
    expect 2 'standard input can be read once only' stebz - - -o x
    expect 2 'absent.dat: cannot be opened' stebz $long --reference absent.dat
    expect 2 'w.npy: 21 values, but there are 300000 eigenvalues to compare' stebz $long --reference w.npy
    expect 2 '--output is given twice, x.npy and y.npy: give it once' stebz $long -o x.npy -o y.npy
    expect 2 '--plot is given twice' stebz $long --plot x.svg --plot y.svg
    expect 2 '--output is given twice' stemr $long -o x.npy -o x.npy
}
"$program" stebz W.mtx -o - --info same.txt >same.txt 2>err
check "standard output and an output are one file" grep -q -- '--output - and --info same.txt are one file' err
expect 1 'nowhere/w.dat: ' eigenvalues --matrix-size 200000 --filename-result nowhere/w.dat
expect 2 'standard output has the report already' eigenvalues --matrix-size 200000 --filename-result -
expect 1 'nowhere/A.npy: ' generate arithmetic -n 3000 -o nowhere/A.npy
expect 2 '--output x.npy and --output .//x.npy are one file' generate uniform -n 100000000 -o x.npy -o .//x.npy
expect 1 'nowhere/t.csv: ' bench stebz --n 100000 --csv nowhere/t.csv
check "all refused at once, not after $SECONDS s" [ $SECONDS -lt "${EIG_PATIENCE:-20}" ]
expect 1 'A.mtx: cannot be written: Matrix Market holds no array of rank 3' generate random --batch 2 -o A.mtx
expect 0 '' generate random -n 4 --batch 3 -o A.npy
expect 1 'nowhere/w.npy: ' geev A.npy --values nowhere/w.npy
expect 2 '--output is given twice' geev A.npy -o x.npy -o y.npy
expect 2 '--values is given twice' heev A.npy --values x.npy --values y.npy
expect 1 'nowhere/i.npy: ' geev A.npy --info nowhere/i.npy
expect 2 '--values w and --info w are one file' geev A.npy --values w --info w
expect 2 '--output A.npy would overwrite the input A.npy' geev A.npy -o A.npy
expect 2 'are the same option' geev A.npy -o w.npy --values v.npy
expect 0 '^12 eigenvalues of 3 matrices' geev A.npy -o w.npy
expect 0 '' geev A.npy --values v.npy -q
check "-o is --values" cmp w.npy v.npy
refuse x x.npy p.png new nowhere A.mtx i.npy
ln -s made dangling
expect 0 '' stebz W.mtx -q -o dangling
check "a dangling link is followed" [ -f made ]
check "and stays a link" [ -L dangling ]
echo precious >target
ln -s target link
expect 0 '' stebz W.mtx -q -o link
check "a link's target is replaced" cmp target made

# ---------------------------------------------------------------- all outputs or none
# limited KILOBYTES ARGUMENTS...: no file may be larger.
limited() {
    (ulimit -f "$1"; exec "$program" "${@:2}") >out 2>err
    check "$*: status 1" [ $? -eq 1 ]
    check "$*: one sentence" grep -Eq '^eigpack: .*File too large' err
    refuse x.npy x.mtx y.mtx x.svg
}
expect 0 '' generate uniform -n 300 -o d3.npy -o e3.npy
limited 4 stebz d3.npy e3.npy -o x.npy --plot x.svg
limited 8 stebz d3.npy e3.npy -o x.mtx --enclosures y.mtx
limited 1 stemr d3.npy e3.npy --range 1:100 --device cpu -o x.npy --plot x.svg
echo precious >x.npy
(ulimit -f 4; exec "$program" stebz d3.npy e3.npy -o x.npy --plot x.svg) >out 2>err
check "what was there stays" grep -qx precious x.npy
rm x.npy

# ---------------------------------------------------------------- batches of tridiagonal matrices
expect 0 '' generate uniform -n 40 --batch 3 --seed 5 -o bd.npy -o be.npy
expect 0 '' stebz bd.npy be.npy
cp out rows
check "a row a matrix" [ "$(awk 'NF == 40' rows | wc -l)" -eq 3 ]
for b in 1 2 3; do
    expect 0 '' generate uniform -n 40 --seed $((4 + b)) -o d1.npy -o e1.npy
    expect 0 '' stebz d1.npy e1.npy
    tr ' ' '\n' <<<"$(sed -n ${b}p rows)" >row
    check "matrix $b of the batch" cmp out row
done
expect 0 '^120 eigenvalues of 3 matrices of order 40, ' stebz bd.npy be.npy -o bw.npy --enclosures bb.npy --info bi.npy --plot b.svg
check "shape (3, 40)" grep -aq "(3, 40)" bw.npy
check "shape (3, 40, 2)" grep -aq "(3, 40, 2)" bb.npy
check "info of shape (3,)" grep -aq "'<i4'.*(3,)" bi.npy
check "a picture" [ "$(tail -1 b.svg)" = '</svg>' ]
expect 0 '' stebz bd.npy be.npy --range 2:3
check "a range of each" cmp out <(cut -d' ' -f2,3 rows)
expect 0 PASSED stebz bd.npy be.npy --range 2:3 -q --reference bw.npy
expect 0 PASSED stebz bd.npy be.npy -q --type f32 --reference bw.npy
awk 'NR == 2 { $7 += 1e-6 } { print }' OFMT=%.17g CONVFMT=%.17g rows >wrong.dat
expect 1 '\(eigenvalue 47\), allowed' stebz bd.npy be.npy -q --reference wrong.dat
expect 0 '' stebz bd.npy be.npy --count 0,inf
check "counts of each" [ "$(awk '$2 == 40 && $1 > 0 && $1 < 40' out | wc -l)" -eq 3 ]
expect 0 '' generate uniform -n 40 --batch 3 --seed 5 -o bd.dat -o be.dat
expect 0 '' stebz bd.dat be.dat
check "a batch as text" cmp out rows
expect 0 '' generate uniform -n 1 --batch 3 -o bd1.npy -o be1.npy
expect 0 '' stebz bd1.npy be1.npy
check "order 1" [ "$(wc -l <out)" -eq 3 ]
check "off-diagonals of shape (3, 0)" grep -aq "(3, 0)" be1.npy
expect 0 '' generate uniform -n 0 --batch 3 -o bd0.npy -o be0.npy
expect 0 '' stebz bd0.npy be0.npy -q -o bw0.npy
check "order 0: shape (3, 0)" grep -aq "(3, 0)" bw0.npy
expect 0 '' generate null -n 0 --batch 3 -o A0.npy
expect 0 '' geev A0.npy -q -o w0.npy
check "order 0: shape (3, 0)" grep -aq "(3, 0)" w0.npy
printf '1 2 3\n4 5 nan\n' >nan_d.dat
printf '1 1\n1 1\n' >nan_e.dat
expect 1 '^eigpack: 1 of 2 matrices failed .*NaN: number 1, counted from 0$' stebz nan_d.dat nan_e.dat -q -o nan_w.dat --info nan_i.dat
check "the other one is solved" [ "$(grep -c nan nan_w.dat)" -eq 1 ]
check "info tells which" [ "$(tr '\n' ' ' <nan_i.dat)" = "0 -1 " ]
printf '%s 0\n0 1\n\n' 1 nan nan 1 inf nan >nan_a.dat
for command in heev geev; do
    expect 1 '^eigpack: 4 of 6 matrices failed .*NaN: numbers 1, 2, 4, ..., counted from 0$' "$command" nan_a.dat
done
printf '%s 0\n0 1\n\n' 1 nan nan >nan_a.dat
expect 1 'NaN: numbers 1, 2, counted from 0$' heev nan_a.dat
# A number that float32 does not hold, at each place: named by its place among the matrices' own numbers, padding apart.
# ones FILE ROWS COLUMNS PLACES...: ones, but 1e300 at the places.
ones() {
    local file=$1 rows=$2 columns=$3 k
    shift 3
    {
        printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($rows, $columns), }"
        for ((k = 0; k < rows * columns; k++)); do
            if [[ " $* " == *" $k "* ]]; then printf '\234\165\0\210\074\344\067\176'; else printf '\0\0\0\0\0\0\360\077'; fi
        done
    } >"$file"
}
for rows in 1 2 3; do
    ones fd.npy $rows 3
    ones fe.npy $rows 2
    for ((place = 0; place < 3 * rows; place++)); do
        ones beyond.npy $rows 3 $place
        expect 2 "^eigpack: d\[$place\] = 1e\+300 is beyond float32: use --type f64$" stebz beyond.npy fe.npy --type f32
    done
    for ((place = 0; place < 2 * rows; place++)); do
        ones beyond.npy $rows 2 $place
        expect 2 "^eigpack: e\[$place\] = 1e\+300 is beyond float32: use --type f64$" stebz fd.npy beyond.npy --type f32
        ones beyond.npy $rows 3 $((place / 2 * 3 + 1 + place % 2)) 0 3 6
        expect 2 "^eigpack: e\[$place\] = 1e\+300 is beyond float32: use --type f64$" stebz fd.npy beyond.npy --type f32
    done
    expect 0 '' stebz fd.npy fe.npy --type f32
    cp out unpadded
    ones fe.npy $rows 3 0 3 6
    expect 0 '' stebz fd.npy fe.npy --type f32
    check "$rows matrices: the padding is not looked at" cmp out unpadded
done
for place in 0 1; do
    printf '1 1 1\n' >fd.dat
    printf '7\n%s\n%s\n' "$([ $place = 0 ] && echo nan || echo 1)" nan >beyond.dat
    expect 1 "^eigpack: e\[$place\] is nan: the matrix must be finite$" stebz fd.dat beyond.dat
done
expect 2 'absent.npy: cannot be opened' stebz bd.npy be.npy --reference absent.npy
expect 2 'd.npy: 21 values, but there are 3 x 40 eigenvalues' stebz bd.npy be.npy --reference d.npy
expect 2 'interval is for one matrix' stebz bd.npy be.npy --interval 0,1
expect 2 'be.npy: holds 3 x 39 off-diagonal entries, which do not go with 1 x 21 ' stebz d.npy be.npy
expect 1 'b.mtx: .*rank 3' stebz bd.npy be.npy --enclosures b.mtx
expect 2 'bd.npy: holds the diagonals of 3 matrices' eigenvalues --diagonal bd.npy --superdiagonal be.npy

# ---------------------------------------------------------------- device and times
# A device that is not there is told before the input is read.
for command in heev geev stebz stemr; do expect 2 '^eigpack: unknown device "gpu"' "$command" absent.npy --device gpu; done
expect 2 '^eigpack: unknown device "gpu"' eigenvalues --diagonal absent.npy --superdiagonal absent.npy --device gpu
# The road of the threads that computed.
expect 0 '' generate random -n 4 --batch 100000 -o many.npy
for command in heev geev; do
    "$program" "$command" many.npy --timing --threads 2 --values w.npy >out 2>err
    check "$command --timing names a path" grep -q 'path "[a-z]' err
done

# ---------------------------------------------------------------- help and kinds
for command in info eigenvalues stebz geev generate bench; do
    expect 0 "" "$command" --help
    cp out text
    expect 0 "" help "$command"
    check "help $command" cmp out text
    check "help $command tells of standard input" grep -q -- '- is standard input' text
done
expect 0 '^usage: eigpack COMMAND' help
expect 2 "unknown command 'frob'" help frob
expect 0 'geev f64 n = 5 x 2 .* auto ring .* ok' bench geev --n 5 --batch 2 --type f64 --budget 0.001 --kind ring
expect 0 'ok' bench stebz --n 5 --batch 2 --budget 0.001 --kind zero
expect 2 "kind 'uniform': geev takes full matrices" bench geev --n 5 --kind uniform
expect 2 "kind 'ring': stebz takes tridiagonal matrices" bench stebz --n 5 --kind ring
expect 2 "unknown kind 'frob'; see eigpack generate --list" bench geev --n 5 --kind frob

finish
