#!/bin/bash
# What the program says, and with which exit status, where the library misses what it promises (support/misses.c).
#   cli_misses.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

expect 0 '' generate uniform -n 30 -o d.npy -o e.npy
expect 0 '' stemr d.npy e.npy -q --vectors v.npy --info i.dat
check "info of 30 good pairs" [ "$(sort -u i.dat)" = 0 ]

export EIG_MISS=info
miss='^eigpack: 1 of 30 eigenpairs miss the accuracy promised$'
expect 1 "$miss" stemr d.npy e.npy
check "the values are printed all the same" [ "$(wc -l <out)" -eq 30 ]
expect 1 "$miss" stemr d.npy e.npy -q --values w.dat --vectors v.npy --info i.dat
check "so are the files" [ "$(wc -l <w.dat) $(sort i.dat | tr -d '\n')" = "30 $(printf '0%.0s' {1..29})1" ]

# Vectors that could not be certified, alone and beside a matrix that is not finite.
export EIG_MISS=vectors
printf '1 2\n3 4\n\n5 6\n7 8\n\nnan 1\n1 1\n' >three.txt
head -n 5 three.txt >two.txt
vectors='with good eigenvalues, but a vector within the bound was not found'
expect 1 "^eigpack: 1 of 2 matrices failed \\(eigenvalues are good, but a vector within the bound was not found\\): their vectors are NaN: number 0, counted from 0$" \
    geev two.txt -q --vectors v.npy --info i.dat
check "info n + 1" [ "$(tr '\n' ' ' <i.dat)" = "3 0 " ]
expect 1 "^eigpack: 2 of 3 matrices failed \\(not finite, or no convergence; 1 $vectors\\): .*: numbers 0, 2, counted from 0$" \
    geev three.txt -q --vectors v.npy

# Every answer of a bench is checked, and the seed's program compares.
export EIG_MISS=values
for family in stebz stemr heev geev; do
    "$program" bench $family --n 12 --budget 0.001 --type f64 >out 2>err
    status=$?
    check "bench $family: status 1, got $status" [ $status -eq 1 ]
    check "bench $family says so" grep -q "FAIL$" out
done
for batch in "heev --n 6" "geev --n 6"; do
    # shellcheck disable=SC2086 # words are meant
    "$program" bench $batch --batch 9 --budget 0.001 --type f32 >out 2>err
    status=$?
    check "bench $batch --batch 9: status 1, got $status" [ $status -eq 1 ]
done
"$program" eigenvalues --iters-timing 1 --diagonal "$data/diagonal.dat" --superdiagonal "$data/superdiagonal.dat" --reference "$data/reference.dat" >out 2>err
status=$?
check "eigenvalues: status 1, got $status" [ $status -eq 1 ]
check "eigenvalues says FAILED" grep -q FAILED out err
expect 1 'difference from the reference' stebz d.npy e.npy -q --reference <(EIG_MISS='' "$program" stebz d.npy e.npy)

finish
