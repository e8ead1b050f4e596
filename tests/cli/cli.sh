#!/bin/bash
# The program: every command, its exit statuses and sentences, files whole or absent.
#   cli.sh PROGRAM DATA_FOLDER
# Works in a temporary folder; needs no network.  Prints a line for each failed check and exits with 1 if any failed.
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# ---------------------------------------------------------------- the command line
"$program" >out 2>err
check "no command: status 2" [ $? -eq 2 ]
check "no command: usage on stderr" grep -q '^usage:' err
expect 0 '^usage: eigpack COMMAND' --help
for word in --version -V version; do expect 0 '^eigpack [0-9]+\.[0-9]+\.[0-9]+$' $word; done
for word in help version --help; do expect 0 '^usage: eigpack COMMAND' help $word; done
expect 2 "unknown command 'frobnicate'; see eigpack --help" frobnicate
for slip in stbez=stebz gev=geev hevv=heev infoo=info Stemr=stemr benhc=bench verison=version; do
    expect 2 "unknown command '${slip%=*}'; did you mean '${slip#*=}'\? See eigpack --help" "${slip%=*}"
    expect 2 "unknown command '${slip%=*}'; did you mean '${slip#*=}'\? See eigpack --help" help "${slip%=*}"
done
for command in info eigenvalues stebz stemr generate bench; do
    expect 0 "usage: eigpack $command" "$command" --help
    check "$command --help has examples" grep -q "^  eigpack $command" out
    check "$command --help tells --device" grep -q -- '--device' out
    expect 2 "unknown option --frobnicate; see eigpack $command --help" "$command" --frobnicate=3
    expect 2 "unknown option -Z; see eigpack $command --help" "$command" -Z
    expect 2 "--threads needs a value" "$command" --threads
    expect 2 "--quiet takes no value" "$command" --quiet=yes
done
expect 2 'unknown option --rnage; did you mean --range\? See eigpack stebz --help' stebz --rnage=1:2
expect 2 'unknown option --vectros; did you mean --vectors\? See eigpack heev --help' heev --vectros v.npy
expect 2 '--v is ambiguous: --values, --vectors; see eigpack stemr --help' stemr --v x
expect 2 'unknown option --; see eigpack stebz --help' stebz --=3
expect 0 '^cpu +cpu ' info

# A wrong OMP_NUM_THREADS is told once, in the program's words, also where it starts itself again.
if [ "$(OMP_NUM_THREADS=1 "$program" info | sed -n 's/^cpu .*, \([0-9]*\) thread.*/\1/p')" = 1 ]; then
    for bad in abc 0 -3 2x 1,,2 99999999999999999999 $'\e[31m'; do
        for wait in OMP_WAIT_POLICY=passive -uOMP_WAIT_POLICY; do
            env -u GOMP_SPINCOUNT $wait OMP_NUM_THREADS="$bad" "$program" eigenvalues --matrix-size 20 --iters-timing 1 \
                --filename-result w.dat >out 2>err
            check "OMP_NUM_THREADS=$bad: status" [ $? -eq 0 ]
            check "OMP_NUM_THREADS=$bad: one sentence" eval "[ \$(wc -l <err) -eq 1 ] && grep -q '^eigpack: OMP_NUM_THREADS = .* is ignored' err"
            check "OMP_NUM_THREADS=$bad: no control bytes" eval "! grep -q '[[:cntrl:]]' err"
        done
    done
    for good in '' 2 ' 3 , 2 ' 4,2,1; do
        OMP_NUM_THREADS=$good "$program" info >out 2>err
        check "OMP_NUM_THREADS='$good': no word" [ ! -s err ]
    done
    check "the first of a list" eval "OMP_NUM_THREADS='3,2' '$program' info | grep -q '^cpu .*3 threads'"
fi
expect 2 "info takes no files" info file
expect 2 "unknown device \"abacus\"" eigenvalues --device abacus
expect 2 "unknown device \"cuda:0,x\"" eigenvalues --device cuda:0,x
expect 2 "--threads = '-1': must be an integer from 0" eigenvalues --threads -1
expect 1 "(cuda:77|no CUDA|no NVIDIA driver)" eigenvalues --device cuda:77

# ---------------------------------------------------------------- generate
expect 0 '^  wilkinson ' generate --list
expect 0 '' generate wilkinson -n 21 -o W.mtx
for kind in $("$program" generate --list | awk '/^nonsymmetric/ { exit } /^  / { print $1 }'); do
    for n in 0 1 2 5; do
        expect 0 '' generate "$kind" -n $n -o d.npy -o e.npy
        expect 0 '' stebz d.npy e.npy -o w.dat -q
        check "$kind: $n eigenvalues" [ "$(wc -w <w.dat)" -eq $n ]
    done
done
expect 0 '' generate uniform -n 300 --seed 5 -o d.npy -o e.npy
expect 0 '' generate -o d5.npy --output=e5.npy uniform --size=300 --seed=5
check "same seed, same bytes" cmp d.npy d5.npy
check "same seed, same bytes" cmp e.npy e5.npy
expect 0 '' generate uniform -n 300 --seed 6 -o d6.npy -o e6.npy
check "another seed, other bytes" eval '! cmp -s d.npy d6.npy'
expect 0 '' generate uniform -n 10 --batch 3 -o db.npy -o eb.npy
check "a batch has rank 2" grep -q "(3, 9)" eb.npy
expect 0 '' generate wilkinson -n 100 --block 21 --glue 1e-7 -o glued.mtx
expect 0 '' generate glued -n 100 -o glued7.mtx
check "wilkinson glued by 1e-7 is glued" cmp -s glued.mtx glued7.mtx
expect 0 '' generate latms3 -n 40 --condition 100 -o latms.mtx
expect 0 '' stebz latms.mtx -o latms.txt
check "latms3 has the condition asked for" awk 'NR == 1 { low = $1 } END { exit !(low > 0.00999999 && low < 0.01000001 && $1 > 0.9999999) }' latms.txt
expect 2 'uniform takes no --condition' generate uniform -n 4 --condition 10 -o x.mtx
expect 2 "finite number >= 1" generate latms1 -n 4 --condition 0.5 -o x.mtx
expect 2 'belong together' generate uniform -n 4 --glue 1e-3 -o x.mtx
expect 2 'belong together' generate uniform -n 4 --block 2 -o x.mtx
expect 2 'random is not tridiagonal' generate random -n 4 --block 2 --glue 0 -o x.npy
expect 2 "must be an integer >= 1" generate uniform -n 4 --block 0 --glue 0 -o x.mtx
expect 2 "unknown kind 'frobnicate'; see eigpack generate --list" generate frobnicate -o x.mtx
expect 2 "generate takes one KIND" generate -o x.mtx
expect 2 "needs -o D -o E" generate uniform -n 5
expect 2 "needs -o D -o E" generate uniform -n 5 -o x.npy
expect 2 "needs -o D -o E" generate uniform -n 5 -o a.npy -o b.npy -o c.npy
expect 2 "--size = 'ten': must be an integer >= 0" generate uniform -n ten -o x.mtx
expect 2 "--size = '-3'" generate uniform -n -3 -o x.mtx
expect 2 "--seed = '99999999999999999999': must be an integer >= 0" generate uniform -n 4 --seed 99999999999999999999 -o x.mtx
expect 2 "batch must be 1" generate uniform -n 5 --batch 2 -o x.mtx
expect 1 "." generate uniform -n 5 -o nowhere/x.mtx
refuse x.mtx x.npy a.npy nowhere

# ---------------------------------------------------------------- stebz
# The two largest eigenvalues of Wilkinson's W21+, famous for lying close together.
printf '10.746194182903393\n10.746194182903322\n' | sort -g >w21
expect 0 '' stebz W.mtx --range 20:21
check "W21+" near out 4e-15 w21
expect 0 '' stebz --range=20:21 W.mtx --method interval-tree
check "W21+, interval tree" near out 4e-15 w21
expect 0 '' stebz W.mtx --type f32 --range 20:21
check "W21+, f32" near out 4e-6 w21
check "f32 has 9 digits" grep -Eqx '10\.[0-9]{5,7}' out
expect 0 '' stebz W.mtx --interval 10,11
check "an interval" near out 4e-15 w21
expect 0 '' stebz W.mtx --interval -inf,-100
check "an empty interval" [ ! -s out ]
expect 0 '' stebz W.mtx --count -100,0,10.5,inf
check "counts" [ "$(tr '\n' ' ' <out)" = "0 1 19 21 " ]
expect 0 '' stebz W.mtx --count 10.5 --type f32 -o count.dat
check "count in a file" [ "$(cat count.dat)" = 19 ]

expect 0 '' stebz d.npy e.npy
cp out all
check "300 lines" [ "$(wc -l <all)" -eq 300 ]
check "ascending" sort -gc all
expect 0 '^300 of 300 eigenvalues in .* ms$' stebz -o w.dat d.npy --threads 1 e.npy
check "the least and the largest are told" grep -q " in \[$(printf '%.9g, %.9g' "$(head -n 1 all)" "$(tail -n 1 all)")\], " err
check "text output is what is printed" cmp all w.dat
expect 0 '' stebz d.npy e.npy --threads=2 -q -o w2.dat
check "quiet" [ ! -s out ]
check "same bits for 1 and 2 threads" cmp w.dat w2.dat
expect 0 '' stebz d.npy e.npy -q -o w.npy
expect 0 'PASSED' stebz d.npy e.npy -q --reference w.npy
expect 0 'PASSED' stebz d.npy e.npy --reference w.dat -o again.dat
expect 0 'PASSED' stebz d.npy e.npy --type f32 -q --reference w.npy
expect 0 'PASSED' stebz d.npy e.npy -q --range 7:9 --reference w.npy
expect 0 'PASSED' stebz d.npy e.npy -q --method interval-tree --tolerance 1e-9 --reference w.npy
awk 'NR == 200 { $1 += 1e-6 } { printf "%.17g\n", $1 }' w.dat >wrong.dat
expect 1 'difference from the reference: 1e-06 \(eigenvalue 200\), allowed' stebz d.npy e.npy -q --reference wrong.dat
sed -n 100,250p wrong.dat >wrong-part.dat
for reference in wrong.dat wrong-part.dat; do # of all, and of the range
    expect 1 'difference from the reference: 1e-06 \(eigenvalue 200\), allowed' stebz d.npy e.npy -q --range 100:250 --reference $reference
done
expect 1 'difference from the reference: 1e-06 \(eigenvalue 200\), allowed' stebz d.npy e.npy -q --reference wrong.dat
check "FAILED is said" grep -qx 'FAILED.' err
check "and standard output has the eigenvalues" cmp out all
expect 0 'PASSED' stebz d.npy e.npy -q --tolerance 1e-5 --reference wrong.dat
head -7 w.dat >short.dat
expect 2 'short.dat: 7 values, but there are 300 eigenvalues to compare' stebz d.npy e.npy -q --reference short.dat

expect 0 '' stebz d.npy e.npy -q --enclosures b.dat
check "enclosures hold the eigenvalues" eval "paste b.dat w.dat |
    awk 'NF != 3 || \$1 > \$3 || \$3 > \$2 || \$2 - \$1 > 1e-14 { bad = 1 } END { exit bad || NR != 300 }'"
expect 0 '' stebz d.npy e.npy -q --enclosures b.npy
check "enclosures have shape (m, 2)" grep -q "(300, 2)" b.npy
expect 0 '' stebz d.npy e.npy -q --plot 'p&<.svg'
check "the picture is whole" [ "$(tail -1 'p&<.svg')" = '</svg>' ]
if type xmllint >/dev/null 2>&1; then check "the picture is XML" xmllint --noout 'p&<.svg'; fi
expect 0 '' stebz W.mtx -q --interval 50,60 --plot empty.svg
check "a picture without eigenvalues" [ "$(tail -1 empty.svg)" = '</svg>' ]
"$program" stebz d.npy e.npy -q --timing >out 2>err
check "--timing tells the stages" grep -Eq 'read .* solve .* write .* ms' err
if "$program" info | grep -q 'no matio'; then
    expect 1 'mat' stebz d.npy e.npy -q -o w.mat
else
    expect 0 '' stebz d.npy e.npy -q -o w.mat
    expect 0 'PASSED' stebz d.npy e.npy -q --reference w.mat
fi

expect 2 'stebz takes the files D E' stebz
expect 2 'stebz takes the files D E' stebz d.npy e.npy w.npy
for command in stebz stemr; do
    expect 2 "--range 0:5: eigenvalues are numbered from 1" $command d.npy e.npy --range 0:5
    expect 2 "--range 7:5: the first number is larger than the last" $command d.npy e.npy --range 7:5
    expect 2 "--range 7:301: there are only 300 eigenvalues" $command d.npy e.npy --range 7:301
    expect 2 "--interval 1,-1: the first number must be less than the second" $command d.npy e.npy --interval 1,-1
done
expect 2 "--range = '5': must be two integers, FIRST:LAST" stebz d.npy e.npy --range 5
expect 2 "--interval = '0,nan': must be two numbers" stebz d.npy e.npy --interval 0,nan
expect 2 "--range and --interval exclude" stebz d.npy e.npy --range 1:2 --interval 0,1
expect 2 "--tolerance = '-1': must be a finite number >= 0" stebz d.npy e.npy --tolerance -1
expect 2 "--tolerance = 'nan'" stebz d.npy e.npy --tolerance nan
expect 2 "reltol = 2" stebz d.npy e.npy --relative 2
expect 2 "--type = 'f16': must be one of f32|f64" stebz d.npy e.npy --type f16
expect 2 "--method = 'luck': must be one of multisection|interval-tree" stebz d.npy e.npy --method luck
expect 2 "--method = 'multi': must be one of multisection" stebz d.npy e.npy --method multi
expect 2 "--count = '1,two': must be numbers" stebz d.npy e.npy --count 1,two
expect 2 "--count computes no eigenvalues" stebz d.npy e.npy --count 1 --plot x.svg
expect 0 '' generate huge -n 9 -o huge_d.dat -o huge_e.dat
expect 2 'd\[[0-9]\] = .* is beyond float32: use --type f64' stebz huge_d.dat huge_e.dat --type f32
refuse x.svg

# ---------------------------------------------------------------- stemr
expect 0 '' stemr W.mtx --range 20:21 --device cpu
check "W21+ by stemr" near out 4e-15 w21
expect 0 '' stemr W.mtx --interval 10,11 --type f32 --device cpu
check "W21+ by stemr, f32" near out 4e-6 w21
expect 0 '^21 of 21 eigenpairs, .* ms$' stemr W.mtx --device cpu --values w.npy --vectors v.npy --info i.npy --residuals r.dat
check "shape of the vectors" grep -q "(21, 21)" v.npy
check "21 residuals" [ "$(wc -l <r.dat)" -eq 21 ]
expect 0 '' stemr W.mtx --device cpu -q --values w.npy --residuals alone.dat
check "residuals without vectors in a file" cmp alone.dat r.dat
# More vectors than are written at a time.
expect 0 '' generate 121 -n 1100 -o many.mtx
expect 0 '' stemr many.mtx --device cpu -q --vectors many.dat --values many-w.dat
expect 0 '' stemr many.mtx --device cpu -q --vectors few.dat --values many-w.dat --range 1:3
awk '{ print $1, $2, $3 }' many.dat >first.dat
awk '{ print $1, $2, $3 }' few.dat | cmp -s - first.dat && same=yes || same=no
check "vectors in parts are those of a range" [ $same = yes ]
rm -f many.dat
"$program" stemr W.mtx --device cpu -q --stats >out 2>err
check "--stats tells of clusters" grep -Eq 'clusters 2 \(largest 2\)' err
expect 0 '' stebz W.mtx -q -o sb.dat
expect 0 '' stemr W.mtx --device cpu -q -o sr.dat
check "the values of stebz" near sr.dat 1e-14 sb.dat
expect 0 '^4 of 300 eigenpairs' stemr d.npy e.npy --range 7:10 --device cpu --vectors part.npy
check "shape of a part" grep -q "(300, 4)" part.npy
expect 0 '' stemr d.npy e.npy --device cpu --method reference --range 1:3
expect 0 '' stemr d.npy e.npy --device cpu --method mrrr --range 1:3
expect 0 '' generate glued -n 210 -o gd.npy -o ge.npy
"$program" stemr gd.npy ge.npy --device cpu -q --values gw.dat --residuals gr.dat --info gi.dat --stats 2>err
check "residuals are rounding errors, and stats tell the largest" \
    awk -v told="$(sed -n 's/^largest residual \([^,]*\),.*/\1/p' err)" '$1 > most { most = $1 } $1 < 0 { bad = 1 }
        END { exit bad || NR != 210 || !(most > 1e-17 && most < 1e-13) || most > 1.01 * told || most < 0.99 * told }' gr.dat
check "info of each pair" [ "$(wc -l <gi.dat) $(sort -u gi.dat)" = "210 0" ]
# Every number stands behind its name: a representation of T and of each cluster, 16 shifts for each; the plain method has no tree.
check "stats of the tree" awk -F '[^0-9]+' 'NR == 1 { good = $2 == 1 && $3 == $5 + 1 && $4 == 1 && $5 > $6 && $6 > 2 && $7 == 16 * $5 }
    NR == 2 { good = good && $2 == 0 && $3 == 0 && $4 == 0 } END { exit !good }' err
"$program" stemr gd.npy ge.npy --device cpu -q --method reference --stats >out 2>err
check "stats of the plain method" eval "head -n 2 err | tr '\n' ' ' | grep -Eqx 'blocks 1, representations 1, depth 0, clusters 0 \(largest 0\), shifts tried 0 without a representation 0, skew 0, inverse iterations [1-9][0-9]* '"
expect 2 "exclude each other" stemr W.mtx --range 1:2 --interval 0,1
expect 2 "stemr takes one matrix" stemr db.npy eb.npy
expect 2 "stemr takes the files D E" stemr

# ---------------------------------------------------------------- geev
expect 0 '' generate cyclic -n 4 -o cyclic.npy
expect 0 '' geev cyclic.npy
check "the roots of 1" eval "awk '{ printf \"%.3f %.3f\n\", \$1 + 0, \$2 + 0 }' out | sed 's/-0\.000/0.000/' | sort | tr '\n' ' ' |
    grep -qx -- '-1.000 0.000 0.000 -1.000 0.000 1.000 1.000 0.000 '"
expect 0 '' generate random -n 7 --batch 3 -o batch.npy
expect 0 '^21 eigenvalues of 3 matrices of order 7, ' geev batch.npy --values w.npy --info info.npy --device cpu
check "complex128 of shape (3, 7)" grep -aq "'<c16'.*(3, 7)" w.npy
check "int32 of shape (3,)" grep -aq "'<i4'.*(3,)" info.npy
expect 0 '' geev batch.npy --values w1.npy --threads 1 --method mwb --threads-per-matrix 4 --device cpu
check "the same for any number of threads" cmp w.npy w1.npy
expect 0 '' geev batch.npy --values w32.txt --type f32 --no-balance
check "a line of text for each matrix" [ "$(awk 'NF == 14' w32.txt | wc -l)" -eq 3 ]
# kinds HEADING: the names below a heading of the list.
kinds() { "$program" generate --list | awk -v heading="$1" '/^[a-z]/ { ours = index($0, heading) == 1 } /^  / && ours { print $1 }'; }
for kind in $(kinds nonsymmetric); do
    expect 0 '' generate "$kind" -n 5 --batch 3 -o kind.npy
    expect 0 '^15 eigenvalues of 3 matrices' geev kind.npy --values w.npy
done
for kind in $(kinds 'real symmetric'); do
    expect 0 '' generate "$kind" -n 4 --batch 3 -o kind.npy
    expect 0 '^12 eigenvalues of 3 matrices' geev kind.npy --values w.npy
    expect 0 '' generate "$kind" -n 4 --batch 3 --type c64 -o kind.npy
    check "$kind: complex64 of shape (3, 4, 4)" grep -aq "'<c8'.*(3, 4, 4)" kind.npy
done
expect 0 '' generate ring -n 6 -o ring.npy
expect 0 '' geev ring.npy
check "a ring" eval "awk '{ printf \"%.3f %g\\n\", \$1, \$2 }' out | sort -g | tr '\n' ' ' | grep -qx -- '-2.000 0 -1.000 0 -1.000 0 1.000 0 1.000 0 2.000 0 '"
expect 0 '' generate ensemble -n 5 --seed 3 --type c128 -o one.npy
check "complex128 of shape (5, 5)" grep -aq "'<c16'.*(5, 5)" one.npy
expect 0 '' generate ensemble -n 5 --seed 2 --batch 2 --type c128 -o two.npy
check "matrix b takes seed + b" cmp <(tail -c 400 one.npy) <(tail -c 400 two.npy)
expect 0 '' geev one.npy
check "eigenvalues of a complex matrix" eval "awk 'NF == 2' out | wc -l | grep -qx 5"
expect 2 'random is a real kind: --type must be f32 or f64' generate random -n 3 --type c64 -o x.npy
expect 2 'graded-full has numbers beyond f32: use --type f64' generate graded-full -n 9 --type f32 -o x.npy
expect 2 'huge has numbers beyond f32' generate huge -n 9 --type f32 -o x.npy -o y.npy
expect 2 "must be one of f32.f64.c64.c128" generate min -n 3 --type f16 -o x.npy
refuse x.npy y.npy
printf '1 2 3\n4 5\n' >flat.txt
expect 2 'flat.txt: need a square matrix: line 2 has 2 numbers, line 1 has 3$' geev flat.txt
printf '# a comment\n1 2\n\n3\n' >ragged.txt
expect 2 'ragged.txt: need a square matrix: line 4 has 1 number, line 2 has 2$' geev ragged.txt
expect 2 'ragged.txt: need a square matrix: line 4 has 1 number, line 2 has 2$' geev --affine ragged.txt,ragged.txt --grid 1
expect 2 'batch.npy: expected square matrices, got 3 x 7' geev batch.npy --layout E
expect 2 'w.npy: expected square matrices, got 3 x [0-9]+' geev w.npy
expect 2 'geev takes one file A' geev
expect 2 'threads-per-matrix' geev batch.npy --threads-per-matrix 33
expect 2 'needs one -o A.npy' generate random -n 3

# ---------------------------------------------------------------- heev
printf '2 7 7\n1 2 7\n0 1 2\n' >second.txt
expect 0 '' heev second.txt
check "2 - sqrt 2, 2, 2 + sqrt 2" eval "awk '{ printf \"%.6f \", \$1 }' out | grep -qx '0.585786 2.000000 3.414214 '"
printf '2 1 0\n7 2 1\n7 7 2\n' >upper.txt
expect 0 '' heev upper.txt --uplo U
check "the same by the upper triangle" eval "awk '{ printf \"%.6f \", \$1 }' out | grep -qx '0.585786 2.000000 3.414214 '"
for method in auto jacobi tridiagonal reference; do
    expect 0 '' generate ensemble -n 6 --batch 3 --type c128 -o hermitian.npy
    expect 0 '^18 eigenpairs of 3 matrices of order 6, ' heev hermitian.npy --values w.npy --vectors v.npy --info info.npy --method $method --device cpu
    check "float64 of shape (3, 6)" grep -aq "'<f8'.*(3, 6)" w.npy
    check "complex128 of shape (3, 6, 6)" grep -aq "'<c16'.*(3, 6, 6)" v.npy
    check "int32 of shape (3,)" grep -aq "'<i4'.*(3,)" info.npy
done
for type in f32 f64 c64 c128; do
    expect 0 '' generate ring -n 5 --batch 2 --type $type -o ring.npy
    expect 0 '^10 eigenvalues of 2 matrices' heev ring.npy --values w.txt --device cpu
    check "two rows of five" [ "$(awk 'NF == 5' w.txt | wc -l)" -eq 2 ]
done
# Row-major arrays: the complex eigenvectors are those of A, not of its conjugate.
if python3 -c 'import numpy' 2>/dev/null; then
    expect 0 '' heev hermitian.npy --values w.npy --vectors v.npy --device cpu
    check "A v = v w" python3 -c 'import numpy as np
a, w, v = (np.load(f) for f in ("hermitian.npy", "w.npy", "v.npy"))
assert abs(a @ v - v * w[:, None, :]).max() < 1e-13 * abs(a).max()'
fi
printf 'nan 0\n0 1\n' >nan.txt
expect 1 '1 of 1 matrices failed' heev nan.txt
expect 2 'heev takes one file A' heev
expect 2 'must be one of L.U' heev second.txt --uplo X
expect 0 '' generate ensemble -n 20 --batch 3 -o sweep.npy
expect 1 '^eigpack: 3 of 3 matrices failed' heev sweep.npy -q --method jacobi --max-sweeps 1 -o sweep.dat --info sweep_i.dat
check "info counts what has not converged" awk '$1 < 1 || $1 > 20 { bad = 1 } END { exit bad || NR != 3 }' sweep_i.dat
check "those are the last of their rows" [ "$(awk '{ print $20 }' sweep.dat | sort -u)" = nan ]
expect 0 '' heev sweep.npy -q --method jacobi --max-sweeps 30 -o sweep.dat
# More matrices than few, which a GPU solves by other kernels: each option does what it does with few.
expect 0 '' generate ensemble -n 9 --batch 140 -o crowd.npy
expect 0 '' generate ensemble -n 9 --batch 3 -o few.npy
for options in '' --relative '--uplo U' '--method jacobi' '--method tridiagonal' '--method reference' '--max-sweeps 40' '--type f32'; do
    # shellcheck disable=SC2086 # words on purpose
    expect 0 '' heev few.npy --device cpu $options
    cp out few.out
    # shellcheck disable=SC2086
    expect 0 '' heev crowd.npy --device cpu $options
    check "heev $options: many matrices as few" cmp <(head -n 27 out) few.out
done
expect 2 'relative = 1 with method' heev second.txt --relative --method tridiagonal
expect 2 'complex' heev hermitian.npy --type f64
expect 2 'need a square matrix' heev flat.txt

# ---------------------------------------------------------------- data and talk
# Standard output has the data, with --quiet too; a summary of what went to files is on stderr, without --quiet.
for command in "stebz W.mtx" "stemr W.mtx" "stebz W.mtx --count 0,1" "stebz d.npy e.npy --reference w.dat" \
    "geev batch.npy" "geev batch.npy --measure radius" "heev batch.npy" "stebz db.npy eb.npy"; do
    # shellcheck disable=SC2086 # words are meant
    {
        "$program" $command --device cpu >plain 2>err
        "$program" $command --device cpu -q >out 2>err
    }
    check "quiet prints what is printed without: $command" cmp out plain
    check "and something: $command" [ -s out ]
done
for command in "stebz W.mtx -o x.npy" "stebz db.npy eb.npy -o x.npy" "stemr W.mtx --vectors x.npy" \
    "stemr W.mtx --info x.npy" "heev batch.npy --values x.npy" "geev batch.npy --info x.npy"; do
    # shellcheck disable=SC2086
    "$program" $command --device cpu >out 2>err
    check "nothing on standard output: $command" [ ! -s out ]
    check "a summary on stderr: $command" [ "$(wc -l <err)" -eq 1 ]
    # shellcheck disable=SC2086
    "$program" $command --device cpu -q >out 2>err
    check "and with --quiet nothing: $command" eval '[ ! -s out ] && [ ! -s err ]'
done
rm x.npy
expect 0 '' geev batch.npy --measure radius --values w.npy -q
check "a measure that no file takes is printed" [ "$(wc -l <out)" -eq 3 ]
expect 2 '^eigpack: --measure: standard output is taken' geev batch.npy --measure radius --info -

# ---------------------------------------------------------------- unreadable input
: >empty.dat
printf '1\n2\nthree\n' >word.dat
printf '1\n2\n3\n' >three.dat
printf '1\n' >one.dat
head -c 200 d.npy >cut.npy
head -c 20 d.npy >cut2.npy
head -5 W.mtx >cut.mtx
sed 's/^21 21 /21 20 /' W.mtx >rectangle.mtx
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 1\n3 1 5\n' >full.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 5\n2 1 4\n' >unsymmetric.mtx
expect 2 'absent.dat: .*No such file' stebz absent.dat one.dat
expect 2 'empty.dat: ' stebz empty.dat one.dat
expect 2 'word.dat: .*three' stebz word.dat one.dat
expect 2 '(three|one).dat' stebz three.dat one.dat
expect 2 'cut.npy: ' stebz cut.npy e.npy
expect 2 'cut2.npy: ' stebz cut2.npy e.npy
expect 2 'eb.npy: ' stebz d.npy eb.npy
expect 2 'cut.mtx: ' stebz cut.mtx
expect 2 'rectangle.mtx: ' stebz rectangle.mtx
expect 2 'full.mtx: ' stebz full.mtx
expect 2 'unsymmetric.mtx: ' stebz unsymmetric.mtx
expect 2 '\.: ' stebz . one.dat
printf '1\nnan\n3\n' >nan.dat
printf '1\n2\n' >two.dat
expect 1 'd\[1\]' stebz nan.dat two.dat
printf '1\ninf\n' >inf.dat
expect 1 'e\[1\]' stebz three.dat inf.dat

# ---------------------------------------------------------------- outputs that cannot be written
expect 1 'nowhere/w.dat: ' stebz d.npy e.npy -o nowhere/w.dat
expect 1 'nowhere/p.svg: ' stebz d.npy e.npy -q --plot nowhere/p.svg
mkdir occupied.npy
expect 1 'occupied.npy: ' stebz d.npy e.npy -o occupied.npy
rmdir occupied.npy
expect 0 '' generate uniform -n 20000 -o big_d.npy -o big_e.npy
echo precious >kept.dat
(ulimit -f 16; exec "$program" stebz big_d.npy big_e.npy --range 1:9999 -o kept.dat) >out 2>err
check "a full disk: status 1" [ $? -eq 1 ]
check "a full disk: one sentence" grep -Eq '^eigpack: kept.dat: ' err
check "a full disk: the old file is as it was" [ "$(cat kept.dat)" = precious ]
(ulimit -f 16; exec "$program" generate uniform -n 20000 -o x.npy -o y.npy) >out 2>err
check "a full disk: status 1" [ $? -eq 1 ]
refuse x.npy y.npy
if [ -w /dev/full ]; then
    "$program" stebz d.npy e.npy >/dev/full 2>err
    check "a full standard output: status 1" [ $? -eq 1 ]
    check "a full standard output: one sentence" grep -qx 'eigpack: standard output: cannot be written: No space left on device' err
fi

# ---------------------------------------------------------------- eigenvalues
cat >report <<'END'
Matrix size: 2048 x 2048
Precision: 0.000010
Iterations timing: 3
Result filename: 'eigenvalues.dat'
Gerschgorin interval: NUMBER / NUMBER
Average time step 1: NUMBER ms
Average time step 2, one intervals: NUMBER ms
Average time step 2, mult intervals: NUMBER ms
Average time TOTAL: NUMBER ms

PASSED.
END
for more in "" "--method interval-tree" "--type f64"; do
    expect 0 '^PASSED\.$' eigenvalues --iters-timing=3 $more
    sed -E 's/-?[0-9]+\.[0-9]{6}( ms| \/|$)/NUMBER\1/g; s/Precision: NUMBER/Precision: 0.000010/' out >plain
    check "the report$more" cmp plain report
done
refuse eigenvalues.dat
expect 0 '^Iterations timing: 100$' eigenvalues
began=$(date +%s%N)
expect 0 PASSED eigenvalues --device cpu --iters-timing 200 --matrix-size 100
check "times are those of one iteration" awk -v ns="$(($(date +%s%N) - began))" '/TOTAL/ { mean = $4 } END { exit !(mean > 0 && 200 * mean <= ns / 1e6) }' out
for more in "" "--method interval-tree" "--method reference"; do
    expect 0 PASSED eigenvalues --device cpu --iters-timing 20 --matrix-size 100 $more
    check "the steps are no longer than all$more" awk '/Average time step/ { steps += $(NF - 1) } /TOTAL/ { all = $4 } END { exit !(steps > 0 && steps <= all + 3e-6) }' out
done
expect 0 '^Precision: 0.001000$' eigenvalues --iters-timing 1 --precision=0.001 --matrix-size=4096
check "the random matrix tells its seed" grep -q 'seed 1$' out
check "the result file" [ "$(wc -l <eigenvalues.dat)" -eq 4096 ]
expect 0 PASSED eigenvalues --iters-timing 1 --matrix-size 2048 --type f64 --precision 0 --filename-result same.dat
check "seed 1 is the shipped matrix" near same.dat 1e-14 "$data/reference.dat"
expect 0 PASSED eigenvalues --iters-timing 1 --matrix-size 64 --seed 9 --filename-result r.npy
check "float32 results of a float32 run" grep -q "<f4" r.npy

# The layout of the report's own files: numbers on one line, 6 digits, a padding before the off-diagonal.
six() { awk '{ printf "%.6g ", $1 } END { print "" }'; }
six <"$data/diagonal.dat" >d6.dat
(echo 0; cat "$data/superdiagonal.dat") | six >e6.dat
six <"$data/reference.dat" >r6.dat
expect 0 PASSED eigenvalues --iters-timing 1 --diagonal d6.dat --superdiagonal e6.dat --reference r6.dat
expect 0 PASSED eigenvalues --iters-timing 1 --diagonal d6.dat --superdiagonal e6.dat
awk 'NR == 7 { $1 += 1e-4 } { printf "%.17g\n", $1 }' "$data/reference.dat" >r7.dat
expect 1 'Eigenvalue 7 differs from the reference by' eigenvalues --iters-timing 1 --reference r7.dat
check "FAILED is said" grep -qx 'FAILED.' out
expect 2 'short.dat: 7 values, but the matrix has 2048' eigenvalues --reference short.dat
expect 2 'absent.dat: ' eigenvalues --reference absent.dat
expect 2 '--diagonal and --superdiagonal go together' eigenvalues --diagonal d6.dat
expect 2 'give no --diagonal' eigenvalues --matrix-size 5 --diagonal d6.dat --superdiagonal e6.dat
expect 2 "--matrix-size = '0'" eigenvalues --matrix-size 0
expect 2 "--iters-timing = '0'" eigenvalues --iters-timing 0
expect 2 "--precision = '-1'" eigenvalues --precision -1
expect 2 'takes its files by options' eigenvalues d6.dat
expect 1 'nowhere/w.dat' eigenvalues --iters-timing 1 --matrix-size 9 --filename-result nowhere/w.dat

# ---------------------------------------------------------------- Hermitian kinds
for kind in hermitian01 tensor covariance hofstadter laplacian eye clustered graded-definite rank-one zeros; do
    for type in f64 c128; do
        expect 0 '' generate $kind -n 3 --batch 2 --type $type -o kind.npy
        expect 0 '' heev kind.npy
        check "six eigenvalues of $kind, $type" [ "$(wc -l <out)" -eq 6 ]
    done
done
expect 0 '' generate eye -n 2 --batch 2 --type c64 -o kind.npy
expect 0 '' heev kind.npy
check "the identity's" [ "$(tr '\n' ' ' <out)" = '0 1 0 1 1 1 1 1 ' ]

# ---------------------------------------------------------------- bench
expect 0 '^stebz f64 n = 64 .*multisection .* ms .* ok' bench stebz --n 64,100 --csv t.csv --budget 0.01
check "a row for each type and order" [ "$(wc -l <t.csv)" -eq 5 ]
columns=family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit
check "the columns" [ "$(head -1 t.csv)" = "$columns" ]
check "16 fields a row" awk -F, 'NR > 1 { gsub(/"[^"]*"/, "x"); if (split($0, f, ",") != 16) bad = 1 } END { exit bad }' t.csv
expect 0 'n = 32 x 5 .*interval-tree glued .* ok' bench stebz --n 32 --batch 5 --kind glued --method interval-tree \
    --type f32 --tolerance 1e-5 --budget 0.01
"$program" bench stebz --n 300 --type f64 --rivals --budget 0.01 >out 2>err
check "rivals: status 0" [ $? -eq 0 ]
if "$program" info | grep -q '^rivals *none'; then check "says that there are no rivals" grep -q 'no LAPACK' err
else check "both rivals" [ "$(grep -Ec 'ok  dst(ebz|erf) ' out)" -eq 2 ]; fi
expect 0 '^geev f64 n = 6 x 50 .* ok' bench geev --n 6 --batch 50 --type f64 --budget 0.01 --csv geev.csv
check "a row of geev" grep -q '^geev,f64,6,50,' geev.csv
expect 0 'ok' bench geev --n 6 --batch 50 --budget 0.01 --rivals --kind gaussian
for type in f32 f64 c64 c128; do
    expect 0 "^heev $type n = 6 x 50 .* auto .* ok" bench heev --n 6 --batch 50 --type $type --budget 0.01 --csv heev.csv
    check "a row for $type" grep -q "^heev,$type,6,50,cpu.*,ok," heev.csv
    expect 0 '^heev .* jacobi ring values .* ok' bench heev --n 7,40 --batch 9 --type $type --budget 0.01 --values-only --method jacobi --kind ring
done
expect 0 '^heev-tune f64 n = 3 .* jacobi .* ok  tridiagonal .*x$' bench heev --tune --n 3,9 --quick --type f64 --budget 0.01
check "the table of auto" grep -q '^f64: Jacobi is faster up to n = [039] with vectors, [039] without$' out
"$program" bench heev --n 20 --batch 9 --rivals --budget 0.01 >out 2>err
check "LAPACK as heev's rival, or a sentence about it" grep -q 'no LAPACK library found\|zheevd .*x$' out err
expect 2 'no-such.so: no LAPACK library' bench heev --n 4 --lapack no-such.so
expect 2 "heev takes Hermitian matrices" bench heev --n 5 --kind uniform
expect 2 'bench takes one FAMILY' bench
expect 2 "unknown family 'frob'" bench frob
expect 2 "--n = '5,x': must be integers" bench stebz --n 5,x
expect 1 'nowhere/t.csv' bench stebz --n 8 --budget 0.01 --csv nowhere/t.csv

# ---------------------------------------------------------------- Ctrl-C and the progress bar
expect 0 '' generate uniform -n 150000 -o big_d.npy -o big_e.npy
for signal in INT TERM; do
    # Seconds of the processor, not of the clock: others may share the machine.
    {
        TIMEFORMAT=%U
        time timeout --foreground --preserve-status -s $signal 1 "$program" stebz big_d.npy big_e.npy -o big.npy \
            --threads 1 >out 2>err
    } 2>used
    status=$?
    check "$signal: status 128 + number, got $status" [ $status -eq $((128 + $(kill -l $signal))) ]
    check "$signal: at once, not after the 10 or more seconds of the whole run" \
        awk -v most="${EIG_PATIENCE:-5}" '{ exit $1 >= most }' used
    check "$signal: says so" grep -qx 'eigpack: stopped; nothing was written' err
    refuse big.npy
done
if script -qec true term >/dev/null 2>&1; then
    script -qec "timeout --foreground -s INT 2 $program stebz big_d.npy big_e.npy -q --threads 1 -o big.npy" term >/dev/null
    check "quiet has no bar" eval "! grep -q '%' term"
    expect 0 '' generate uniform -n 70000 -o half_d.npy -o half_e.npy
    script -qec "timeout --foreground -s INT 8 $program stebz half_d.npy half_e.npy --threads 1 -o big.npy" term >/dev/null
    rm -f big.npy
    check "a bar on a terminal" grep -Eq '\[#* *\] +[0-9]+ %' term
    refuse big.npy
else
    echo "no pseudo-terminal here: the progress bar is not checked"
fi

# ---------------------------------------------------------------- options that go to the library
# d and e times 1000, so that an absolute tolerance is another one than a relative; alone and as a batch of two.
for ((k = 1; k <= 60; k++)); do echo $((k * k * 1000)); done >wide_d.dat
for ((k = 1; k < 60; k++)); do echo 1000; done >wide_e.dat
for f in wide_d wide_e; do for b in 1 2; do echo "$(tr '\n' ' ' <$f.dat)"; done >${f}2.dat; done
# widths LEAST MOST RELATIVE: the widest of the enclosures b.dat is LEAST to MOST wide, or where RELATIVE is 1 that times its ends.
widths() {
    awk -v least="$1" -v most="$2" -v relative="$3" 'NF == 2 {
        w = ($2 - $1) / (relative ? ($2 > -$1 ? $2 : -$1) : 1); widest = w > widest ? w : widest; rows++ }
        END { exit !(rows % 60 == 0 && rows > 0 && widest >= least && widest <= most) }' b.dat
}
for files in "wide_d.dat wide_e.dat" "wide_d2.dat wide_e2.dat"; do
    for method in multisection interval-tree reference; do
        # shellcheck disable=SC2086 # two words
        for option in "--tolerance 0.01 1e-7 0.01 0" "--relative 1e-4 1e-9 1e-4 1"; do
            read -r name value least most relative <<<"$option"
            expect 0 '' stebz $files -q --device cpu --method $method "$name" "$value" --enclosures b.dat
            check "$name $value, $method, $files" widths "$least" "$most" "$relative"
        done
    done
done
for method in multisection,brackets interval-tree,one-intervals reference,bisection; do
    "$program" stebz wide_d.dat wide_e.dat -q --device cpu --timing --method ${method%,*} -o w.dat 2>err
    check "the passes of ${method%,*}" grep -q "${method#*,} [0-9.]*[,)]" err
done
printf '0.1 7 0 0\n0 0.2 0 0\n0.3 1 0.7 11\n1e-9 3 0 0.9\n' >permuted.txt
expect 0 '' geev permuted.txt --sort real --device cpu
check "balanced, a permuted triangle's diagonal" cmp <(awk '{ print $1, $2 }' out) <(printf '%s 0\n' 0.10000000000000001 0.20000000000000001 0.69999999999999996 0.90000000000000002)
expect 0 '' geev permuted.txt --sort real --no-balance --device cpu
check "not balanced, nearly that" near <(awk '{ print $1 }' out) 1e-6 <(printf '%s\n' 0.1 0.2 0.7 0.9)
check "but not to the bit" eval "! grep -qx '0.90000000000000002 0' out"
printf '1 5e-17\n5e-17 1e-32\n' >definite.txt
expect 0 '' heev definite.txt --relative --device cpu
check "--relative" near <(tr ' ' '\n' <out) 1e-46 <(printf '7.5e-33\n1\n')
expect 0 '' heev definite.txt --device cpu
check "without it" eval "! grep -q '^7\.[45]' out"
# The type is the file's, if no --type says otherwise; of stebz and stemr f64.
for type in f32,f4,c64,c8 f64,f8,c128,c16; do
    IFS=, read -r real as_real complex as_complex <<<"$type"
    expect 0 '' generate gaussian -n 3 --batch 2 --type "$real" -o A.npy
    expect 0 '' geev A.npy -q --values w.npy --measure radius --measure-output m.npy
    check "geev of $real" eval "grep -aq \"'<$as_complex'\" w.npy && grep -aq \"'<$as_real'\" m.npy"
    for of in $real,$as_real $complex,$as_complex; do
        expect 0 '' generate hermitian -n 3 --batch 2 --type "${of%,*}" -o A.npy
        expect 0 '' heev A.npy -q --values w.npy --vectors v.npy
        check "heev of ${of%,*}" eval "grep -aq \"'<$as_real'\" w.npy && grep -aq \"'<${of#*,}'\" v.npy"
    done
    expect 0 '' generate uniform -n 5 --type "$real" -o d5.npy -o e5.npy
    for command in stebz stemr; do
        expect 0 '' $command d5.npy e5.npy -q --device cpu -o w.npy
        check "$command of $real" grep -aq "'<f8'" w.npy
    done
done

finish
