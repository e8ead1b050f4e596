#!/usr/bin/env bash
# The record of the last run on a GPU: what scripts/gpu-run --check takes and refuses, and when scripts/test-gpu writes it.  In a folder
# of its own, with a few sources, and with programs that play the GPU and the tests.
#     gpu_run.sh SOURCE
set -euo pipefail
source_tree=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{scripts,tests,bin,build/tests,src/cuda/heev,src/numerics,include}
cp "$source_tree"/scripts/{common.sh,gpu-run,test-gpu} "$tree/scripts/"
cd "$tree"
for file in src/a.c src/a.h src/cuda/heev/b.cu src/numerics/c.inc include/d.h; do echo "$file" >"$file"; done
record=tests/gpu-run.txt failed=0

# expect STATUS TEXT COMMAND...: its exit status, and what its output holds.
expect() {
    local want=$1 text=$2 status=0
    shift 2
    "$@" >out 2>&1 || status=$?
    [ $status -eq "$want" ] && grep -qF -- "$text" out && return
    echo "line ${BASH_LINENO[0]}: $*: exit status $status, not $want, or no \"$text\" in:"
    cat out
    failed=1
}

# spoiled EXPRESSION: the record, as changed by sed.
spoiled() { sed "$1" "$record" >spoiled.txt; }

# program NAME TEXT: a command of this text.
program() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

# What a machine with a GPU has.
export PATH=$tree/bin:$PATH
program bin/nvidia-smi 'case $1 in -L) echo "GPU 0: Some Card" ;; *) echo "Some Card, 555.1" ;; esac'
program bin/mpirun 'exit 1'
program bin/python3 'exit 1'
program bin/git 'exit 1'
cd build/tests
program bits 'exit 0'
program test_cuda 'exit 0'
program test_heev '[ ! -e '"$tree"'/fault ]'
program test_random 'echo "$*" >>'"$tree"'/random'
program test_second 'echo "needs two GPUs"; exit 77'
cd "$tree"
printf '%s\n' 'device test_heev' 'device test_random' 'cuda test_cuda' 'second test_second' 'toolkit 13.1' >build/tests/gpu.txt
scripts/gpu-run --hash >build/tests/gpu-hash.txt

expect 1 'run scripts/test-gpu' scripts/gpu-run --check
expect 0 '' scripts/test-gpu --part checks results build
[ ! -e "$record" ] || { echo "a partial run wrote the record"; failed=1; }
expect 0 '' scripts/test-gpu --part tests results build
expect 0 'test_second' cat "$record"
expect 0 'skipped: needs two GPUs' cat "$record"
expect 0 'card Some Card, driver 555.1' cat "$record"
expect 0 'cuda 13.1' cat "$record"
expect 0 "$(sed -n 's/first seed of test_random_new /cuda 75s /p' "$record")" cat random
cmp "$record" results/gpu-run.txt || failed=1
expect 0 '8 tests, 5 ok, 3 skipped, 0 failed' scripts/gpu-run --check

# A record of other sources: changed, new or renamed; build folders and other sources do not count.
echo more >>src/cuda/heev/b.cu
expect 1 'is of other sources' scripts/gpu-run --check
expect 1 'built from other sources' scripts/test-gpu --part tests results build
echo src/cuda/heev/b.cu >src/cuda/heev/b.cu
touch src/a.c build/new.c scripts/new
expect 0 '0 failed' scripts/gpu-run --check
mv src/a.h src/e.h
expect 1 'is of other sources' scripts/gpu-run --check
mv src/e.h src/a.h
touch include/new.h
expect 1 'is of other sources' scripts/gpu-run --check
rm include/new.h

# A test that failed, a record that lacks tests or its end, and one without random matrices.
spoiled 's/ ok$/ FAILED (1)/'
expect 1 'failed on a GPU: bits test_cuda' scripts/gpu-run --check spoiled.txt
spoiled '/^test test_heev /d'
expect 1 'not that of a whole run' scripts/gpu-run --check spoiled.txt
spoiled '/^end/d'
expect 1 'not that of a whole run' scripts/gpu-run --check spoiled.txt
spoiled '/^test test_random_new /d; s/^end 8 tests, 5/end 7 tests, 4/'
expect 1 'not that of a whole run' scripts/gpu-run --check spoiled.txt
touch fault
expect 1 'FAILED (1)' scripts/test-gpu --part tests results build
expect 1 'failed on a GPU: test_heev:' scripts/gpu-run --check

# No GPU: the record stays; a sentence instead of a run.
cp "$record" before.txt
program build/tests/test_cuda 'echo "no GPU"; exit 77'
expect 77 'no GPU' scripts/test-gpu --part tests results build
cmp "$record" before.txt || failed=1
echo 'not run: no GPU was at hand' >"$record"
expect 77 'not run: no GPU was at hand' scripts/gpu-run --check
exit $failed
