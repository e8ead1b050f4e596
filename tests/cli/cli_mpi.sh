#!/bin/bash
# The program under mpirun: the files of one process from any number of ranks; errors said once; ranks killed; a disk that
# is full for one of them.
#   cli_mpi.sh PROGRAM DATA_FOLDER MPIEXEC [DEVICE]
# With a device: the files of one process alone, by three ranks, all on this device.
# EIG_TEST_HOSTS names a library by which ranks believe to be on several hosts, two on each.
mpiexec=$3 device=${4:-} under=()
[ -z "${EIG_TEST_HOSTS:-}" ] || under=(env "LD_PRELOAD=$EIG_TEST_HOSTS" EIG_TEST_HOST=2)
open_mpi=$("$mpiexec" --version 2>&1 | grep -q 'Open MPI\|OpenRTE' && echo yes)
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# ranks COUNT ARGUMENTS...: the program on that many ranks; leaves `out`, and in `err` the program's own lines.
ranks() {
    local count=$1 status
    shift
    timeout -k 5 100 "$mpiexec" -n "$count" "${under[@]}" "$program" "$@" >out 2>all.err </dev/null
    status=$?
    grep '^eigpack: ' all.err >err
    return $status
}

summary() { grep -E '^[0-9]+ (of [0-9]+ )?(eigen|measures)' "$1" | sed 's/, c[pu][ud].*//'; }

# same RANKS ARGUMENTS...: outputs, written "--values=a.npy", are those of one process; so are status, sentence and what is
# printed, but for the device and the time in a summary, and for which matrices have failed: each rank knows its own alone.
same() {
    local count=$1 files status file
    shift
    [ -z "$device" ] || set -- "$@" --device "$device"
    files=$(sed -En 's/^--[a-z-]+=([a-z]+\.(npy|txt|mtx))$/\1/p' <<<"$(printf '%s\n' "$@")")
    rm -f $files
    "$program" "$@" >whole.out 2>whole.err </dev/null
    status=$?
    for file in $files; do mv "$file" "whole.$file"; done
    ranks "$count" "$@"
    check "$count ranks, $1: status" [ $? -eq $status ]
    check "$count ranks, $1: sentence" cmp err <(grep '^eigpack: ' whole.err | sed -E 's/: numbers? [0-9, .]*counted from 0$//')
    check "$count ranks, $1: summary" cmp <(summary all.err) <(summary whole.err)
    check "$count ranks, $1: what is printed" cmp out whole.out
    for file in $files; do check "$count ranks, $*: $file" cmp "$file" "whole.$file"; done
}

# refused RANKS STATUS SENTENCE ARGUMENTS...: one sentence, nothing on standard output, and no file.
refused() {
    local count=$1 status=$2 pattern=$3 got
    shift 3
    ranks "$count" "$@"
    got=$?
    checks=$((checks + 1))
    [ $got -eq "$status" ] || fail "status $got, not $status: $*: $(head -c 600 all.err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one sentence: $*: $(head -c 600 all.err)"
    grep -Eq -- "$pattern" err || fail "no match of '$pattern': $*: $(head -c 600 all.err)"
    [ ! -s out ] || fail "on standard output: $*: $(head -c 300 out)"
    refuse x.npy y.npy
}

# empty NAME SHAPE: a .npy file of float64 without a number.
empty() { printf '\223NUMPY\1\0v\0%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($2), }" >"$1"; }

expect 0 '' generate ensemble -n 6 --batch 1001 --type c128 -o H.npy
expect 0 '' generate gaussian -n 7 --batch 1001 -o A.npy
expect 0 '' generate gaussian -n 7 --batch 3 -o few.npy
expect 0 '' generate uniform -n 20 --batch 1001 -o bd.npy -o be.npy
expect 0 '' generate glued -n 210 -o d.npy -o e.npy
expect 0 '' generate uniform -n 2 -o d2.npy -o e2.npy
expect 0 '' generate ensemble -n 30 --batch 3000 --type c128 -o large.npy
empty none.npy "0, 4, 4"
empty order0.npy "5, 0, 0"
empty d0.npy "0,"
cp A.npy nan.npy
printf '\377\377\377\377\377\377\377\377' | dd of=nan.npy bs=1 seek=$((128 + 8 * (49 * 900 + 5))) conv=notrunc 2>/dev/null

# ---------------------------------------------------------------- the files of one process
counts='1 2 3 5'
[ -z "$device" ] || counts=3
for count in $counts; do
    same $count heev H.npy --values=a.npy --vectors=b.npy --info=c.npy
    same $count geev A.npy --values=a.npy --measure abscissa --measure-output=b.npy --memory 30K
    same $count stebz bd.npy be.npy --output=a.npy --enclosures=b.npy --info=c.npy
    same $count stebz d.npy e.npy --output=a.npy --enclosures=b.npy --info=c.npy
    same $count stemr d.npy e.npy --values=a.npy --vectors=b.npy --residuals=c.npy --info=i.npy
done
if [ -n "$device" ]; then
    finish
    exit
fi
same 3 stebz d.npy e.npy --range 17:101 --output=a.npy --type f32
same 3 stemr d.npy e.npy --range 17:101 --values=a.npy --vectors=b.npy
same 3 geev A.npy --values=a.npy --layout M --sort real --type f32
same 2 geev --affine few.npy --grid 0:1:101,0:1:7 --values=a.npy --measure radius --measure-output=b.npy
same 5 heev few.npy --values=a.npy --vectors=b.npy
same 5 stebz d2.npy e2.npy --output=a.npy
same 5 stemr d2.npy e2.npy --values=a.npy --vectors=b.npy
same 3 heev none.npy --values=a.npy --vectors=b.npy --info=c.npy
same 3 geev order0.npy --values=a.npy
same 3 stebz d0.npy d0.npy --output=a.npy
same 3 stemr d0.npy d0.npy --values=a.npy --vectors=b.npy
same 3 geev nan.npy --values=a.npy --info=b.npy

# Ranges of values: their ends are eigenvalues, or beyond all; what is found has ranks without a part.
"$program" stebz d.npy e.npy -o - >w.txt
low=$(sed -n 31p w.txt) high=$(sed -n 177p w.txt)
for interval in "$low,$high" "-inf,$low" "3.9,inf" "20,30" "2.9610588841857250,2.9610588841857256"; do
    same 3 stebz d.npy e.npy --interval "$interval" --output=a.npy --enclosures=b.npy --info=c.npy
    same 5 stemr d.npy e.npy --interval "$interval" --values=a.npy --vectors=b.npy --info=i.npy
done
same 3 stemr d.npy e.npy --interval "$low,$high" --values=a.npy --vectors=b.npy --type f32
same 3 stebz d.npy e.npy --interval "$low,$high" --output=a.npy --type f32
same 3 stebz d0.npy d0.npy --interval 0,1 --output=a.npy

# ---------------------------------------------------------------- what rank 0 holds whole: text, other forms, what is printed
same 2 heev H.npy
same 3 geev A.npy --memory 30K
same 2 geev A.npy --measure damping
same 3 stebz d.npy e.npy
same 2 stebz bd.npy be.npy --range 2:3
same 5 stemr d.npy e.npy
same 3 stebz d.npy e.npy --count -1,0,1,2.5,3,-inf,inf
same 2 stebz bd.npy be.npy --count 0.5,1
same 3 heev H.npy --values=a.txt --info=b.txt --memory 200K
same 2 stebz bd.npy be.npy --output=a.txt --enclosures=b.npy
same 3 stebz d.npy e.npy --output=a.mtx --enclosures=b.txt
for count in 2 5; do same $count stemr d.npy e.npy --range 17:101 --values=a.txt --vectors=b.txt --residuals=c.mtx; done
same 5 heev few.npy
same 5 geev few.npy --values=a.txt
same 2 geev --affine few.npy --grid 0:1:11,0:1:7 --measure radius
same 3 stebz d.npy e.npy --interval 1,2
same 3 stemr d.npy e.npy --interval 1,2
same 3 stebz d.npy e.npy --count 1,2 --output=a.npy
same 3 stebz d0.npy d0.npy
same 3 heev H.npy --values - --type c64
same 3 geev nan.npy
ranks 3 stemr d.npy e.npy --values - --vectors x.npy
check "values to standard output, vectors to a file" cmp out <("$program" stemr d.npy e.npy)
rm x.npy

# The work of all ranks, whose cuts meet no cluster of this matrix; each has a representation of the whole besides.
numbers() { grep -Eo '[0-9][0-9.e+-]*' "$1" | head -n 9 | tr '\n' ' '; }
"$program" stemr d.npy e.npy --stats -q >out 2>whole.err
"$mpiexec" -n 3 "$program" stemr d.npy e.npy --stats -q >out 2>err </dev/null
read -ra whole <<<"$(numbers whole.err)"
whole[1]=$((whole[1] + 2))
check "statistics of all ranks" [ "$(numbers err)" = "${whole[*]} " ]
check "statistics, once" [ "$(grep -c '^blocks' err)" -eq 1 ]
check "the largest residual" [ "$(grep -o 'largest residual [^,]*' err)" = "$(grep -o 'largest residual [^,]*' whole.err)" ]
ranks 2 heev H.npy --values x.npy -q
check "quiet" [ ! -s out ]
check "quiet: nothing is said" [ -z "$(summary all.err)" ]
rm x.npy

# ---------------------------------------------------------------- refused, once
refused 3 2 'unknown option --frob' heev H.npy --frob
refused 3 2 'absent.npy: cannot be opened: No such file' heev absent.npy --values x.npy
refused 3 2 '--plot is for one process' geev A.npy --values x.npy --plot x.svg
refused 3 2 '--reference is for one process' stebz d.npy e.npy -o x.npy --reference w.txt
refused 3 2 '--interval 1,0: the first number must be less' stemr d.npy e.npy --values x.npy --interval 1,0
refused 3 1 'nowhere/w.txt: cannot be written' heev H.npy --values nowhere/w.txt
refused 3 2 '--range 5:4: the first number is larger than the last' stebz d.npy e.npy -o x.npy --range 5:4
refused 3 1 'nowhere/w.npy: cannot be written' heev H.npy --values nowhere/w.npy
refused 3 2 'generate is for one process' generate random -n 3 -o x.npy
head -c 2000 A.npy >short.npy
refused 3 2 'short.npy: is truncated' geev short.npy --values x.npy
ranks 3 heev --help
check "help, once" [ "$(grep -c '^usage: eigpack heev' out)" -eq 1 ]
ranks 3 --version
check "the version, once" [ "$(wc -l <out)" -eq 1 ]

# ---------------------------------------------------------------- one rank alone
# alone RANK COMMAND...: a program that has the command run before it on one rank.
alone() {
    printf '#!/bin/bash\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n[ "$rank" -ne %s ] || { %s; }\nexec "%s" "$@"\n' "$1" "$2" "$whole_program" >alone
    chmod +x alone
}
whole_program=$program
program=$folder/alone
# The last rank's part lies behind the limit, which leaves room for the memory that ranks share through files.
alone 2 'ulimit -f 12000'
refused 3 1 'rank 2: [xy].npy: cannot be written: File too large' heev large.npy --values y.npy --vectors x.npy
alone 1 'cd /'
refused 3 2 'rank 1: A.npy: cannot be opened' geev A.npy --values "$folder/x.npy"
alone 1 'exit 3'
timeout -k 5 60 "$mpiexec" -n 3 "$program" heev H.npy --values x.npy >out 2>&1
check "a rank that never begins" [ $? -ne 0 ]
refuse x.npy
program=$whole_program

# A disk that is full, for all.
small=$(mktemp -d)
if mount -t tmpfs -o size=256k none "$small" 2>/dev/null; then
    refused 3 1 '[xy].npy: cannot be written: No space left' heev H.npy --values "$small/x.npy" --vectors "$small/y.npy"
    check "nothing is left there" [ -z "$(ls -A "$small")" ]
    umount "$small"
fi
rmdir "$small"

# ---------------------------------------------------------------- killed
for victim in 0 1 2; do
    for signal in KILL TERM; do
        rm -f pid.*
        printf '#!/bin/bash\necho $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexec "%s" "$@"\n' "$program" >named
        chmod +x named
        timeout -k 5 60 "$mpiexec" -n 3 ./named heev large.npy --values x.npy --vectors y.npy --method reference --memory 2M \
            >out 2>err &
        id=$!
        for _ in $(seq 200); do
            [ -z "$(find . -name '*.tmp')" ] || break
            sleep 0.05
        done
        sleep 0.2
        check "rank $victim is there" kill -$signal "$(cat pid.$victim)"
        wait $id
        check "rank $victim killed by $signal: status" [ $? -ne 0 ]
        for _ in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(find . -name '*.tmp')" ] || sleep 0.2; done
        # MPICH kills the other ranks by SIGKILL, and nobody is left to remove the temporary files.
        [ "$open_mpi" = yes ] || rm -f .*.tmp
        refuse x.npy y.npy
    done
done

# ---------------------------------------------------------------- a signal to mpirun
# MPI's end takes a while after all is written.  MPICH's mpirun kills the ranks by SIGKILL.
for signal in TERM INT; do
    [ "$open_mpi" = yes ] || continue
    rm -f x.npy y.npy
    env --default-signal=INT "$mpiexec" -n 3 "$program" heev large.npy --values x.npy --vectors y.npy >out 2>err &
    id=$!
    for _ in $(seq 2000); do
        [ ! -e x.npy ] || [ ! -e y.npy ] || break
        sleep 0.01
    done
    kill -$signal $id
    wait $id
    status=$?
    check "$signal to mpirun at the end: a sentence" eval "[ $status -eq 0 ] || [ \$(grep -c '^eigpack: stopped; everything was written' err) -eq 1 ]"
done

# ---------------------------------------------------------------- one bar
# With vectors, so that the work lasts well beyond the half second before which no bar is drawn.
"$mpiexec" -n 3 "$program" heev large.npy --values x.npy --vectors y.npy --method reference --memory 2M --progress >out 2>err
check "one bar, which only grows" awk -v RS='\r' 'match($0, /\] +[0-9]+ %/) { p = substr($0, RSTART + 1, RLENGTH - 3) + 0; if (p < last) bad = 1; last = p; seen++ } END { exit bad || seen < 2 }' err

finish
