#!/bin/bash
# The program and signals: every phase ends at once, and leaves nothing behind; and the bar of each phase.
#   cli_signals.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# What a busy machine may add to the half second that is promised.
patience=${EIG_PATIENCE:-5}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# catches PROCESS: whether it is the program by now, and catches SIGTERM, the 15th bit of its mask; a busy machine takes its
# time to start one.
catches() { grep -qsx eigpack "/proc/$1/comm" && grep -qs '^SigCgt:.*[4-7c-f]...$' "/proc/$1/status"; }

# What a shell in the background or nohup has ignored stays so: the program is started with signals as they are at first.
fresh=(env "--default-signal=INT,QUIT,HUP")
"${fresh[@]}" true 2>/dev/null || { echo "skipped: this env knows no --default-signal"; exit 77; }

# stop PHASE SIGNALS READY ARGUMENTS...: starts the program, waits until the command READY succeeds, sends the signals;
# it must end by the first, say so, and leave nothing but what was there.
stop() {
    local phase=$1 signals=$2 ready=$3 signal first status start took before after
    shift 3
    before=$(find . -type f | sort)
    touch out err
    "${fresh[@]}" "$program" "$@" >out 2>err </dev/null &
    local id=$!
    for ((k = 0; k < 200; k++)); do
        eval "$ready" && break
        sleep 0.05
    done
    kill -0 $id 2>/dev/null || fail "$phase: it was over before the signal: $(head -c 200 err)"
    start=$(milliseconds)
    first=${signals%% *}
    for signal in $signals; do kill -"$signal" $id 2>/dev/null; done
    wait $id 2>/dev/null
    status=$?
    took=$(($(milliseconds) - start))
    checks=$((checks + 1))
    [ $status -eq $((128 + $(kill -l "$first"))) ] || fail "$phase, $signals: status $status"
    [ $took -lt $((500 + 1000 * patience)) ] || fail "$phase, $signals: ended after $took ms"
    grep -q '^eigpack: stopped' err || fail "$phase, $signals: said '$(head -c 200 err)'"
    after=$(find . -type f | sort)
    [ "$before" = "$after" ] || fail "$phase, $signals: $(diff <(echo "$before") <(echo "$after"))"
}

touch out err
expect 0 '' generate uniform -n 200000 -o d.npy -o e.npy
expect 0 '' generate random -n 30 --batch 20000 -o A.npy
mkfifo pipe
later='catches $id && sleep 0.3'

# ---------------------------------------------------------------- phases
stop "reading" INT "$later" stebz pipe
check "reading: nothing was written" grep -qx 'eigpack: stopped; nothing was written' err
stop "reading" TERM "$later" geev pipe
stop "generating" INT "$later" generate arithmetic -n 6000 -o A.npy # two seconds
stop "generating many" HUP "$later" generate random -n 4 --batch 100000000 -o x.npy
writing='[ -n "$(find . -name "*.tmp")" ]'
for signals in INT TERM HUP QUIT XCPU USR1 USR2 "INT INT" "HUP TERM INT"; do
    stop "writing" "$signals" "$writing" generate uniform -n 6000000 -o x.dat -o y.dat
done
stop "writing .mtx" INT "$writing" generate uniform -n 6000000 -o x.mtx
stop "writing into a pipe" INT "$later" generate uniform -n 200000 -o pipe -o x.npy
stop "computing" HUP "$later" stebz d.npy e.npy --threads 1 -o x.npy
stop "counting" INT "$later" stebz d.npy e.npy --threads 1 --count "$(seq -s, -2 0.0003 2)" # a second
stop "benchmark" INT "$later" bench stebz --n 200000 --type f64 --threads 1 --csv x.csv
stop "Lessig's report" INT "$later" eigenvalues --matrix-size 200000 --threads 1

# What was ignored stays ignored: of nohup SIGHUP, in the background of a shell SIGQUIT and, below, SIGINT.
for signal in HUP QUIT; do
    (trap '' $signal; exec "$program" generate uniform -n 1500000 -o x.dat -o y.dat) >out 2>err &
    id=$!
    for ((k = 0; k < 200; k++)); do
        catches $id && break
        sleep 0.05
    done
    check "still running" kill -$signal $id
    wait $id
    check "SIG$signal stays ignored" [ $? -eq 0 ]
done
sh -c '"$0" generate uniform -n 1500000 -o x.dat -o y.dat & echo $! >id; wait $!; echo $? >status' "$program" >out 2>err &
id=$!
for ((k = 0; k < 200; k++)); do
    [ -s id ] && catches "$(cat id)" && break
    sleep 0.05
done
check "in the background of sh" kill -INT "$(cat id)"
wait $id
check "goes on" [ "$(cat status)" -eq 0 ]
rm -f id status x.dat y.dat

# A limit of processor time ends it like any signal: nothing lies about.
before=$(find . -type f | sort)
(ulimit -S -t 1; exec "${fresh[@]}" "$program" bench stebz --n 200000 --type f64 --threads 1 --csv x.csv) >out 2>err </dev/null
check "a limit of processor time: status" [ $? -eq $((128 + $(kill -l XCPU))) ]
check "a limit of processor time: a sentence" grep -qx 'eigpack: stopped; nothing was written' err
check "a limit of processor time: no file" [ "$before" = "$(find . -type f | sort)" ]

# A closed pipe ends it, without a word.
"$program" stebz d.npy e.npy --count "$(seq -s, 0 20000)" 2>err | head -1 >out
check "a closed pipe: no word" [ ! -s err ]

# ---------------------------------------------------------------- the bar
# segments: what is drawn between two returns, one a line, without the code that erases the rest; a byte a letter.
segments() { grep -av '^Script' term | tr '\r' '\n' | sed "s/$escape\[K//g; s/ä/a/g"; }
# within COLUMNS: a bar that never fills a line.
within() { segments | awk -v most="$1" '/[0-9] %/ { seen = 1 } length($0) >= most { print; bad = 1 } END { exit bad || !seen }'; }
export TERM=xterm
escape=$(printf '\033')
unset NO_COLOR COLUMNS
if script -qec true term >/dev/null 2>&1; then
    expect 0 '' generate uniform -n 400000 -o d4.npy -o e4.npy
    count="$program stebz d4.npy e4.npy --threads 1 --count $(seq -s, -2 0.0003 2) -o x.npy" # two seconds
    long=xäääääääääääääääääää.dat # 20 characters and an ending
    for columns in 20 80; do
        script -qec "stty cols $columns; $program generate uniform -n 4000000 -o x.dat -o $long" term >/dev/null
        check "$columns columns" within $columns
    done
    check "a bar while writing" grep -Eq '\] +[0-9]+ % .*writing x.dat' term
    check "a name is cut between characters" grep -aFq "writing xäääääääääääääääääää$escape" term
    check "no 0 s left" eval "grep -q ' 1 s left' term && ! grep -q ' 0 s left' term"
    script -qec "stty cols 0; COLUMNS=30 $count" term >/dev/null
    check "COLUMNS" within 30
    rm -f term
    script -qfec "stty cols 90; (until grep -q '[0-9] %' term; do sleep 0.1; done; stty cols 40 </dev/tty) & $count" term >/dev/null
    check "a terminal that becomes narrow" eval "segments | awk '/%/ { n = length(\$0); if (n >= 40) wide++; last = n } END { exit !(wide && last < 40) }'"
    for plain in TERM=dumb NO_COLOR=1; do
        script -qec "env $plain $count" term >/dev/null
        check "$plain: plain lines" grep -aEq "^eigpack: [0-9]+ %(, [0-9]+ s left)?.\$" term
        check "$plain: ten at most" [ "$(grep -c '^eigpack: ' term)" -le 10 ]
        check "$plain: nothing else" eval "! grep -v '^Script' term | grep -v '^eigpack: [^$escape]*\$' | grep '[^[:space:]]'"
    done
    script -qec "$program stebz x.dat $long --count 0" term >/dev/null
    check "a bar while reading" grep -Eq '\] +[0-9]+ % .*(counting|converting) x.dat' term
    script -qec "$program generate gaussian -n 100 --batch 6000 -o x.npy" term >/dev/null
    check "a bar while making" grep -Eq '\] +[0-9]+ % .*making gaussian' term
    script -qec "$program generate gaussian -n 100 --batch 3000 -o x.npy -q" term >/dev/null
    check "quiet has no bar" eval "! grep -q '%' term"
else
    echo "no pseudo-terminal here: the progress bar is not checked"
fi

finish
