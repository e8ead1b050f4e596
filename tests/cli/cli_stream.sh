#!/bin/bash
# The program and files larger than the memory it may use: same files as in one piece, memory within its limit, errors
# and signals in the middle.
#   cli_stream.sh PROGRAM DATA_FOLDER PEAK
peak=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# A MB for each part: 10 and more parts.  Without --memory they are one part.
little="--memory 1M"

# same NAME OUTPUTS ARGUMENTS...: the outputs, files a.npy, b.npy, ..., are the same in slices as in one piece; status,
# summary and sentence too.  An output is named by its option: "--values=a.npy".
same() {
    local name=$1 files status
    shift
    files=$(grep -o '[a-z]*\.\(npy\|dat\|mtx\|mat\)' <<<"$(printf '%s\n' "$@" | grep -- '--[a-z-]*=')")
    "$program" "$@" >whole.out 2>whole.err </dev/null
    status=$?
    for file in $files; do mv "$file" "whole.$file"; done
    # shellcheck disable=SC2086 # words are meant
    "$program" "$1" $little "${@:2}" >out 2>err </dev/null
    check "$name: status" [ $? -eq $status ]
    check "$name: what is said" cmp <(sed 's/, [0-9.]* ms$//' err) <(sed 's/, [0-9.]* ms$//' whole.err)
    check "$name: what is printed" cmp out whole.out
    for file in $files; do # the head of a .mat file tells the second in which it was written
        check "$name: $file" cmp --ignore-initial="$([ "${file##*.}" = mat ] && echo 128 || echo 0)" "$file" "whole.$file"
    done
    # shellcheck disable=SC2086
    rm -f $files whole.*
}

# ---------------------------------------------------------------- same files
expect 0 '' generate ensemble -n 9 --batch 9001 --type c128 -o H.npy
expect 0 '' generate gaussian -n 12 --batch 9001 -o A.npy
expect 0 '' generate uniform -n 60 --batch 9001 -o d.npy -o e.npy
same "heev" heev H.npy --values=a.npy --vectors=b.npy --info=c.npy
same "heev as text" heev H.npy --values=a.dat --vectors=b.npy --info=c.dat
same "heev as c64" heev H.npy --type c64 --values=a.npy --vectors=b.npy
same "heev printed" heev H.npy
same "heev of a real file" heev A.npy --type c128 --values=a.npy
same "geev" geev A.npy --values=a.npy --info=b.npy --measure radius --measure-output=c.npy --sort magnitude
same "geev printed" geev A.npy --measure damping
same "geev as f32" geev A.npy --type f32 --values=a.npy
same "stebz" stebz d.npy e.npy --output=a.npy --enclosures=b.npy --info=c.npy
same "stebz as text" stebz d.npy e.npy --range 2:4 --output=a.dat
same "stebz printed" stebz d.npy e.npy --range 60:60 --type f32
same "stebz --count" stebz d.npy e.npy --count 0,0.5 --output=a.npy
# Several threads take slices through all stages by themselves, one does not.
for threads in 2 3 7; do
    same "heev, $threads threads" heev H.npy --values=a.npy --vectors=b.npy --info=c.npy --threads $threads
    same "heev as text, $threads threads" heev H.npy --values=a.dat --vectors=b.npy --threads $threads
    same "geev printed, $threads threads" geev A.npy --measure damping --threads $threads
    same "stebz, $threads threads" stebz d.npy e.npy --output=a.npy --enclosures=b.npy --threads $threads
done
# A padding in front of each row of e is left out.
expect 0 '' generate uniform -n 60 --batch 301 -o d2.npy -o e2.npy
expect 0 '' generate uniform -n 60 --batch 301 -o d2.dat -o e2.dat
sed 's/^/7 /' e2.dat >padded.dat
expect 0 '' stebz d2.npy e2.npy -q -o a.npy
expect 0 '' stebz d2.npy padded.dat -q -o b.npy --memory 1M
check "a padding" cmp a.npy b.npy
expect 0 '' generate random -n 9 --batch 2 -o F.npy
same "a family over a large grid" geev --affine F.npy --grid 0:1:30001 --values=a.npy --info=b.npy \
    --measure abscissa --measure-output=c.npy
same "a family printed" geev --affine F.npy --grid 0:1:10001
"$program" geev A.npy -q --plot whole.svg
# shellcheck disable=SC2086
"$program" geev A.npy -q --plot parts.svg --memory 8M
check "a picture" cmp whole.svg parts.svg
expect 0 '' stebz d.npy e.npy -q -o w.npy
expect 0 PASSED stebz d.npy e.npy -q --reference w.npy --memory 20M

# The batch in the middle or at the end of the shape, and numbers of the other byte order: by other headers, of the same
# length.
expect 0 '' generate gaussian -n 30 --batch 4000 -o M.npy
sed 's/(4000, 30, 30)/(30, 4000, 30)/' M.npy >R.npy
sed 's/(4000, 30, 30)/(30, 30, 4000)/' M.npy >E.npy
sed 's/<f8/>f4/; s/(4000, 30, 30)/(8000, 30, 30)/' M.npy >swapped.npy
sed "s/<f8/<i4/; s/(4000, 30, 30)/(8000, 30, 30)/" M.npy >integers.npy
same "layout R" geev R.npy --layout R --values=a.npy
same "layout E" geev E.npy --layout E --values=a.npy
same "the other byte order" geev swapped.npy --values=a.npy --info=b.npy
same "integers" geev integers.npy --values=a.npy
sed "s/'fortran_order': False, /'fortran_order': True,  /; s/(4000, 30, 30)/(30, 30, 4000)/" M.npy >fortran.npy
same "Fortran's order, held whole" geev fortran.npy --layout E --values=a.npy --memory 80M
# These are the transposes of the matrices of M.npy, whose eigenvalues are the same, if not their bits.
expect 0 '' geev fortran.npy --layout E --measure radius --measure-output a.dat -q --memory 80M
expect 0 '' geev M.npy --measure radius --measure-output b.dat -q
check "layout E is what it says" near a.dat 1e-10 b.dat
rm fortran.npy M.npy R.npy E.npy swapped.npy integers.npy

# ---------------------------------------------------------------- forms that are held whole
if ! "$program" info | grep -q 'no matio'; then
    same "to .mat" heev A.npy --values=a.mat --vectors=b.npy --memory 40M
    expect 0 '' heev A.npy --values a.mat -q
    check "a .mat holds numbers" [ "$(wc -c <a.mat)" -gt $((8 * 12 * 9001)) ]
fi
same "to .mtx" stebz d.npy e.npy --output=a.mtx --memory 40M
expect 0 '' stebz d.npy e.npy -q --output a.mtx
check "a .mtx holds numbers" [ "$(wc -l <a.mtx)" -gt 540000 ]
expect 0 '' heev H.npy --values a.npy --vectors b.npy -q
"$program" heev - --values c.npy --vectors d2.npy --memory 20M -q <H.npy
check "from a pipe" cmp a.npy c.npy
check "from a pipe, vectors" cmp b.npy d2.npy
# shellcheck disable=SC2086
"$program" heev H.npy --values /dev/stdout --vectors d2.npy $little >c.dat
expect 0 '' heev H.npy --values w.dat -q
check "to a pipe" cmp c.dat w.dat
mkfifo one two
(cat one >c.dat; cat two >i.dat) &
expect 0 '' heev H.npy --values one --info two --memory 20M -q
wait
check "to two pipes, read one after the other" cmp c.dat w.dat
check "info of all" [ "$(wc -l <i.dat)" -eq 9001 ]

# ---------------------------------------------------------------- memory
# The peak of a run in slices, less that of a run on next to nothing, is within --memory.
expect 0 '' generate ensemble -n 8 --batch 60000 --type c128 -o large.npy
expect 0 '' generate ensemble -n 8 --batch 2 --type c128 -o tiny.npy
slack=${EIG_MEMORY_SLACK:-0}
check "tiny" "$peak" tiny.peak "$program" heev tiny.npy --values a.npy --vectors b.npy -q --threads 2
for megabytes in 4 16; do
    check "large" "$peak" large.peak "$program" heev large.npy --values a.npy --vectors b.npy -q --threads 2 \
        --memory ${megabytes}M
    check "a file of 61 MB and twice as much out, in $megabytes MB: $(cat large.peak) KiB, $(cat tiny.peak) for nothing" \
        [ "$(cat large.peak)" -le $(($(cat tiny.peak) + 1024 * (megabytes + slack))) ]
done
expect 2 'a matrix of order 12 at a time needs .* KB, --memory gives 1.02 KB: give more' geev A.npy --values x.npy --memory 1K
expect 2 "memory = '0': must be a size such as 500M or 8G" geev A.npy --memory 0
expect 2 'must be a size' geev A.npy --memory 5X
expect 2 'must be a size' geev A.npy --memory 5MM
expect 0 '' heev tiny.npy -q --values x.npy --memory 0.5G
rm x.npy

# ---------------------------------------------------------------- less memory than is needed
# empty NAME SHAPE: a .npy file of float64 without a number.
empty() { printf '\223NUMPY\1\0v\0%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($2), }" >"$1"; }

# within KILOBYTES STATUS PATTERN ARGUMENTS...: the program with so much memory; nothing may be left of x.npy or x.mat.
within() {
    local kilobytes=$1 status=$2 pattern=$3 got
    shift 3
    (ulimit -v "$kilobytes"; exec "$program" "$@") >out 2>err
    got=$?
    check "status $got, not $status, in $kilobytes KB: $*: $(head -c 300 err)" [ $got -eq "$status" ]
    [ -z "$pattern" ] || check "no match of '$pattern': $*: $(head -c 300 err)" grep -Eqx -- "eigpack: $pattern" err
    refuse x.npy x.mat
}
# A sanitizer takes more than these limits for itself.
if [ "$slack" -eq 0 ]; then
    within 131072 0 '' generate random -n 64 --batch 5000 -o made.npy
    check "a file of 164 MB" [ "$(wc -c <made.npy)" -eq $((128 + 8 * 64 * 64 * 5000)) ]
    within 131072 0 '' generate uniform -n 3000 --batch 4000 -o made.npy -o made2.npy
    rm made.npy made2.npy
    free='[0-9.]* [MK]B are free'
    within 131072 1 "A.mat: needs .* of memory, $free: a .npy file is written in slices|.*without matio.*" \
        generate random -n 64 --batch 5000 -o A.mat
    within 131072 1 "a matrix of order 9000: needs 1.3 GB, $free" generate random -n 9000 -o x.npy
    expect 0 '' generate uniform -n 20000 -o long_d.npy -o long_e.npy
    within 400000 1 "20000 eigenvectors of order 20000: needs 3.[0-9]* GB, $free: try --range" \
        stemr long_d.npy long_e.npy --vectors x.npy --threads 2 --device cpu
    within 400000 0 '' stemr long_d.npy long_e.npy --vectors few.npy --range 1:9 --threads 2 --device cpu
    # 144 MB of zeros that take no room on a disk.
    empty zeros.npy "2000000, 3, 3"
    truncate -s $((128 + 8 * 9 * 2000000)) zeros.npy
    within 250000 1 "x.mat: needs 288 MB of memory, $free: a .npy file is written in slices|.*without matio.*" \
        geev zeros.npy --values x.mat --threads 2 --device cpu
    within 250000 0 '' geev zeros.npy --values few.npy --threads 2 --device cpu
    empty head.npy "20000000, 3, 3"
    within 250000 2 "standard input: needs 1.44 GB of memory, $free: a file by the name of .npy is read in slices" \
        heev - --values x.npy --threads 2 --device cpu < <(cat head.npy; head -c 300000 /dev/zero)
    within 250000 0 '' heev - --values few.npy --threads 2 --device cpu < <(cat zeros.npy)
    rm zeros.npy few.npy
fi

# ---------------------------------------------------------------- errors in the middle
head -c 1000000 A.npy >short.npy
expect 2 'short.npy: is truncated: 999872 bytes of numbers where its header needs 10369152' geev short.npy --values x.npy
(cat A.npy; echo) >long.npy
expect 2 'long.npy: has 1 bytes after its array' geev long.npy --values x.npy
refuse x.npy
# A NaN somewhere in part 7: that matrix fails, the others do not.
cp A.npy nan.npy
printf '\377\377\377\377\377\377\377\377' | dd of=nan.npy bs=1 seek=$((128 + 8 * (144 * 6000 + 5))) conv=notrunc 2>/dev/null
same "a NaN" geev nan.npy --values=a.npy --info=b.npy
expect 1 '^eigpack: 1 of 9001 matrices failed' geev nan.npy --values x.npy --info i.dat --memory 1M
check "info tells which" [ "$(grep -n -x -- -1 i.dat)" = "6001:-1" ]
rm -f x.npy
# A number that float32 does not hold, in a part far behind: refused, and nothing is left.
cp d.npy beyond.npy
printf '\0\0\0\0\0\0\360\177' | dd of=beyond.npy bs=1 seek=$((128 + 8 * 500000)) conv=notrunc 2>/dev/null
expect 1 '1 of 9001 matrices failed' stebz beyond.npy e.npy --type f32 -o x.npy --memory 1M
printf '\0\0\0\0\0\0\0\177' | dd of=beyond.npy bs=1 seek=$((128 + 8 * 500000)) conv=notrunc 2>/dev/null
rm x.npy
expect 2 'd\[500000\] = .* is beyond float32: use --type f64' stebz beyond.npy e.npy --type f32 -o x.npy --memory 1M
refuse x.npy
# A full disk: where its space can be reserved, at once; else while it is written.
(ulimit -f 500; "$program" geev A.npy --values x.npy --memory 1M >out 2>err)
check "a file-size limit: status 1" [ $? -eq 1 ]
check "a file-size limit: one sentence" grep -qx 'eigpack: x.npy: cannot be written: File too large' err
(ulimit -f 500; "$program" geev A.npy --values x.dat --info i2.npy --memory 1M >out 2>err)
check "text: status 1" [ $? -eq 1 ]
check "text: one sentence" grep -qx 'eigpack: x.dat: cannot be written: File too large' err
refuse x.npy x.dat i2.npy
if [ -w /dev/full ]; then
    expect 1 '/dev/full: cannot be written: No space left' geev A.npy --values /dev/full --info i2.npy --memory 1M
    refuse i2.npy
fi
# What was there stays until all is done.
echo precious >kept.npy
expect 2 'beyond float32' stebz beyond.npy e.npy --type f32 -o kept.npy --memory 1M
check "an older file stays" grep -qx precious kept.npy
# A file that is cut while it is read.
cp H.npy cut.npy
"$program" heev cut.npy --values x.npy --method reference --threads 1 --memory 300K >out 2>err &
id=$!
while kill -0 $id 2>/dev/null && [ -z "$(find . -name '*.tmp')" ]; do sleep 0.01; done
truncate -s 1000000 cut.npy
wait $id
status=$?
check "cut while it is read: status 2 ($status)" [ $status -eq 2 ]
check "cut while it is read: one sentence" grep -qx 'eigpack: cut.npy: was cut short while it was read' err
refuse x.npy

# ---------------------------------------------------------------- signals
# In every phase, at odd moments: nothing is left behind, and the sentence is right.
expect 0 '' generate ensemble -n 8 --batch 100000 --type c128 -o large.npy
for delay in 0 0.02 0.05 0.1 0.2 0.3; do
    rm -f a.npy b.npy
    "$program" heev large.npy --values a.npy --vectors b.npy --memory 3M >out 2>err &
    id=$!
    while kill -0 $id 2>/dev/null && [ -z "$(find . -name '*.tmp')" ]; do sleep 0.01; done
    sleep $delay
    kill -INT $id 2>/dev/null
    wait $id
    status=$?
    [ $status -ne 0 ] || continue
    check "Ctrl-C after $delay s: status $status" [ $status -eq 130 ]
    check "Ctrl-C after $delay s: sentence" grep -q '^eigpack: stopped' err
    [ -e a.npy ] || refuse a.npy b.npy
done

# ---------------------------------------------------------------- nothing
empty none.npy "0, 4, 4"
expect 0 '' geev none.npy --values a.npy -q
check "batch 0: shape (0, 4)" grep -aq "(0, 4)" a.npy
expect 0 '' heev none.npy --values a.npy --vectors b.npy -q
check "batch 0: vectors" grep -aq "(0, 4, 4)" b.npy
empty nd.npy "0, 4"
empty ne.npy "0, 3"
expect 0 '^0 eigenvalues of 0 matrices of order 4' stebz nd.npy ne.npy -o a.npy
check "batch 0: tridiagonal" grep -aq "(0, 4)" a.npy

# ---------------------------------------------------------------- one bar over all parts
if script -qec true term >/dev/null 2>&1; then
    script -qec "$program heev large.npy --method reference --values a.npy --memory 2M --threads 1" term >/dev/null
    check "one bar" awk -v RS='\r' 'match($0, /\] +[0-9]+ %/) { p = substr($0, RSTART + 1, RLENGTH - 3) + 0; if (p < last) bad = 1; last = p; seen++ } END { exit bad || seen < 2 }' term
fi

# ---------------------------------------------------------------- generated batches, in slices
# last BYTES ARGUMENTS...: the end of each file that is generated.
last() {
    "$program" generate "${@:2}" >/dev/null 2>err || fail "generate ${*:2}: $(head -c 300 err)"
    tail -q -c "$1" g*.npy | cksum
}
# sliced BYTES BATCH ARGUMENTS...: of a random kind the last matrix, slices on, is that of its own seed.
sliced() {
    local bytes=$1 batch=$2
    shift 2
    [ "$(last "$bytes" "$@")" != "$(last "$bytes" "$@" --seed 2)" ] || return 0
    random=$((random + 1))
    check "generate $*: the last of $batch" [ "$(last "$bytes" "$@" --batch "$batch" --seed 4)" = "$(last "$bytes" "$@" --seed $((3 + batch)))" ]
}
# kinds HEADING: the names below a heading of the list.
kinds() { "$program" generate --list | awk -v heading="$1" '/^[a-z]/ { ours = index($0, heading) == 1 } /^  / && ours { print $1 }'; }
random=0
for kind in $(kinds nonsymmetric | grep -v closed-loop); do sliced 2048 4200 "$kind" -n 16 -o g.npy; done
for kind in $(kinds 'real symmetric'); do sliced 2048 4200 "$kind" -n 16 --type c64 -o g.npy; done
check "the random kinds of full matrices are many" [ $random -ge 20 ]
rm g.npy
for kind in uniform latms5; do sliced 120 34000 $kind -n 16 -o g1.npy -o g2.npy; done
check "and two tridiagonal ones" [ $random -ge 22 ]
rm g1.npy g2.npy

# A matrix that fails in an early slice is not forgotten.
"$program" generate random -n 8 --batch 20000 -o early.npy -q
printf '\377\377\377\377\377\377\377\377' | dd of=early.npy bs=1 seek=$((128 + 5 * 512)) conv=notrunc 2>/dev/null
for family in heev geev; do
    expect 1 '1 of 20000 matrices failed .*: number 5, counted' $family early.npy --values w.npy $little
done
rm early.npy w.npy

finish
