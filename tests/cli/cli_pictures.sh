#!/bin/bash
# The pictures of the program: whole, with numbers where numbers belong, bars and borders in their places.
#   cli_pictures.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

# picture FILE: whole, well-formed, and every number in it is one; of the words, too, where a minus is no hyphen.
picture() {
    check "$1 is whole" [ "$(tail -1 "$1")" = '</svg>' ]
    check "$1 has numbers only" eval "! grep -Eio '.{20}(nan|inf).*' $1"
    check "$1 has no hyphens for minus signs" eval "! grep -o '>[^<]*-[0-9][^<]*<' $1"
    check "$1 is UTF-8" iconv -f UTF-8 -t UTF-8 "$1"
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
# Spectra at the ends of what numbers hold: no picture of any kind has room for infinities.
while read -r values; do
    tr ' ' '\n' <<<"$values" >d.dat
    yes 0 | head -$(($(wc -l <d.dat) - 1)) >e.dat
    for type in f64 f32; do
        [ $type = f64 ] || awk '{ exit $1 > 3e38 || $1 < -3e38 }' d.dat || continue
        expect 0 '' stebz d.dat e.dat -q --type $type --plot extreme.svg
        picture extreme.svg
        check "$values: the ticks lie in the frame" eval "rug extreme.svg | awk '\$1 < 92 || \$1 > 740 { bad = 1 } END { exit bad || !NR }'"
        expect 0 '' stemr d.dat e.dat --device cpu -q --type $type --plot extreme.svg
        picture extreme.svg
    done
done <<'END'
1e308 -1e308 0 0
1.79e308 -1.79e308
1.79e308 -1.79e308 1 2 3 4 5 6 7 8 9 10 11 12
1.79e308 1.78e308 1.5e308 -1
1.7976931348623157e308
-1.7976931348623157e308 -1.7976931348623155e308
3.4e38 -3.4e38 0
5e-324 0
5e-324 -5e-324 1e-323 2e-323
1e-310 -1e-310 3e-310
1e-300 -1e-300 3e-297 4e-297
1 1.0000000000000002 1.0000000000000004
1e300 1 1e-300 -1e-300 -1e300
-0 0 0
END
# The title has the file's name: as it is, cut in the midst of a character, of another encoding.
expect 0 '' generate uniform -n 5 -o T.mtx
for name in 'ä<&>.mtx' "x$(printf 'ä%.0s' {1..120}).mtx" $'\xe4\xed\xa0\x80\xef\xbf\xbf\xf0\x80\x80\x80.mtx'; do
    cp T.mtx "$name"
    expect 0 '' stebz "$name" -q --plot name.svg
    picture name.svg
    rm "$name"
    check "a title of name.svg" eval "grep -q '\(ä&lt;&amp;>.mtx\|xäää.*?\|???.*.mtx\): 5 eigenvalues' name.svg"
done

# ---------------------------------------------------------------- trees of representations
# clusters ARGUMENTS: how many a call of stemr tells of.
clusters() { "$program" stemr "$@" --device cpu -q --stats 2>&1 >/dev/null | grep -o 'clusters [0-9]*' | tr -dc 0-9; }
boxes() { grep -c '<rect class="\(cluster\|bad\)"' "$1"; }
for kind in glued wilkinson 121 graded blocks2 huge small tiny zero; do
    expect 0 '' generate $kind -n 126 -o T.mtx
    expect 0 '' stemr T.mtx --device cpu -q --plot tree.svg
    picture tree.svg
    has tree.svg 'T.mtx: n = 126, f64, 126 eigenvalues'
    check "$kind: a box for each cluster" [ "$(boxes tree.svg)" -eq "$(clusters T.mtx)" ]
    check "$kind: one root" [ "$(grep -c 'class="root"' tree.svg)" -eq 1 ]
done
expect 0 '' generate glued -n 126 -o T.mtx
expect 0 '' stemr T.mtx --device cpu -q --range 100:126 --type f32 --plot part.svg
picture part.svg
has part.svg 'T.mtx: n = 126, f32, 27 eigenvalues'
check "a part of the tree" eval "[ $(boxes part.svg) -lt $(clusters T.mtx) ]"
# words_crossed FILE: words of a tree between the ends of a line, from the left of the boxes on.
words_crossed() {
    awk 'function number(name) { return match($0, name "=\"[0-9.]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0 : -1 }
        /<text/ { if (number(" x") >= 92 && number(" y") > 70) word[++words] = number(" y") }
        /stroke="#888"/ { while (match($0, /M[0-9.]+ [0-9]+L[0-9.]+ [0-9]+/)) {
                split(substr($0, RSTART + 1, RLENGTH - 1), at, /[ L]/)
                from[++lines] = at[2]; upto[lines] = at[4]
                $0 = substr($0, RSTART + RLENGTH)
            } }
        END { for (w in word) for (l in from) if (word[w] > from[l] && word[w] - 8 < upto[l]) bad++; print bad + 0, lines + 0 }' "$1"
}
for kind in glued wilkinson graded; do
    expect 0 '' generate $kind -n 126 -o T.mtx
    expect 0 '' stemr T.mtx --device cpu -q --plot tree.svg
    check "$kind: no line crosses words" [ "$(words_crossed tree.svg)" = "0 $(boxes tree.svg)" ]
done
expect 0 '' generate 121 -n 5 -o T.mtx
expect 0 '' stemr T.mtx --device cpu -q --plot five.svg
check "five ticks" [ "$(grep 'class="singles"' five.svg | grep -o M | wc -l)" -eq 5 ]
has five.svg '1 block, 0 clusters'
for n in 0 1; do
    expect 0 '' generate uniform -n $n -o d.npy -o e.npy
    expect 0 '' stemr d.npy e.npy --device cpu -q --plot few.svg
    picture few.svg
done
expect 2 'SVG' stemr T.mtx --plot tree.png

# ---------------------------------------------------------------- pictures of the complex plane
expect 0 '' generate random -n 0 -o none.npy
printf '0 0\n0 0\n' >zero.txt
printf '1 0\n0 1\n' >I.txt
printf '0 -1\n1 0\n' >J.txt
printf '1e308 0\n0 1\n' >huge.txt
expect 0 '' generate cyclic -n 12 -o cyclic.npy
expect 0 '' geev cyclic.npy -q --plot cyclic.svg
picture cyclic.svg
check "a dot for each eigenvalue" [ "$(grep -o 'h0' cyclic.svg | wc -l)" -eq 12 ]
for part in real-axis imaginary-axis unit-circle '>real part<' '>imaginary part<' '>0.5<' 'cyclic.npy: n = 12'; do has cyclic.svg "$part"; done
# The circle goes through the first root of 1, i: the dot of the largest imaginary part.
check "the roots of 1 lie on the circle" eval "grep -o 'M[0-9.]* [0-9.]*h0' cyclic.svg | tr -d Mh | awk -v cx=\$(grep -o 'cx=\"[0-9.]*' cyclic.svg | cut -c 5-) \
    -v cy=\$(grep -o 'cy=\"[0-9.]*' cyclic.svg | cut -c 5-) -v r=\$(grep -o 'rx=\"[0-9.]*' cyclic.svg | cut -c 5-) \
    '{ sub(/0\$/, \"\", \$2); d = sqrt((\$1 - cx)^2 + (\$2 - cy)^2) - r } d > 0.2 || d < -0.2 { bad = 1 } END { exit bad || NR != 12 }'"
expect 0 '' generate gaussian -n 30 --batch 400 -o many.npy
expect 0 '' geev many.npy -q --plot many.svg
picture many.svg
for part in '>eigenvalues per unit area<' real-axis 'many.npy: 400 matrices, n = 30'; do has many.svg "$part"; done
check "the real axis is the middle of a row" eval "grep -o 'v[0-9.]*H' many.svg | head -1 | tr -d vH |
    awk '{ rows = int(440 / \$1 + 0.5) } END { exit rows % 2 == 0 || rows < 50 }'"
check "shades in place of dots" eval "! grep -q h0 many.svg && [ $(wc -c <many.svg) -lt 200000 ]"
printf -- '1000 -1\n1 1000\n' >far.txt
expect 0 '' geev far.txt -q --plot far.svg
picture far.svg
for part in unit-circle imaginary-axis; do lacks far.svg $part; done
# Points and shades at the ends of what numbers hold: diag(x, y), or the eigenvalues x +- i y, or 20,002 of both.
while read -r x y; do
    for matrix in "$x 0 0 $y" "0 $y -$y 0" "$x $y -$y $x"; do
        printf '%s %s\n%s %s\n' $matrix >extreme.txt
        "$program" geev extreme.txt -q --plot extreme.svg >out 2>err </dev/null # some overflow on the way, and fail
        picture extreme.svg
    done
    "$program" geev --affine zero.txt,I.txt,J.txt --grid "-$x:$x:101,-$y:$y:100" -q --plot extreme.svg >out 2>err </dev/null
    picture extreme.svg
    for measure in abscissa radius damping; do
        for grid in "-$x:$x:5,0:$y:4" "$x,0:$y:4" "-$x:$x:5,$y"; do
            "$program" geev --affine zero.txt,I.txt,J.txt --grid "$grid" --measure $measure -q --plot extreme.svg >out 2>err </dev/null
            picture extreme.svg
        done
    done
done <<'END'
8e307 8e307
8.9e307 1e-300
1e160 1e155
1e-160 1e-155
1e-320 1e-310
1e-323 1e-323
1 1e-200
END
for kind in null frank graded-full triangular jordan; do
    expect 0 '' generate $kind -n 5 --batch 3 -o kind.npy
    expect 0 '' geev kind.npy -q --plot kind.svg
    picture kind.svg
done
expect 0 '' geev none.npy -q --plot none.svg
picture none.svg
expect 1 '1 of 3 matrices failed' geev --affine zero.txt,huge.txt --grid 0:2:3 -q --plot failed.svg
picture failed.svg
has failed.svg '1 failed'
expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid -1:1:5,0:2:3 --plot family.svg -q
check "without a measure, the eigenvalues of all points" [ "$(grep -o h0 family.svg | wc -l)" -eq 30 ]

# ---------------------------------------------------------------- pictures over parameters
for measure in abscissa radius damping; do
    expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid -1:1:41,0:2:31 --measure $measure --plot over.svg -q
    picture over.svg
    for part in '>p1<' '>p2<' '>stable<' '>unstable<' 'class="border"' '>−1<' '>1.5<'; do has over.svg "$part"; done
done
# The border of p1 I + p2 J is p1 = 0, here between the columns 20 and 21 of 40: one line in the middle of the frame.
expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid -1:1:40,0:2:31 --measure abscissa --plot over.svg -q
check "the border lies where it belongs" eval "grep 'class=\"border\"' over.svg | grep -o 'M[0-9.]*' | sort -u | grep -qx M330"
check "along all rows" [ "$(grep 'class="border"' over.svg | grep -o 'v' | wc -l)" -eq 31 ]
expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid -1:1:41,0:2:31 --measure abscissa --plot over.svg -q
check "the border itself is not stable" eval "grep 'class=\"border\"' over.svg | grep -o 'M[0-9.]*' | sort -u | grep -qx M324.15"
expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid -1:1:41,0.5 --measure abscissa --plot curve.svg -q
picture curve.svg
for part in 'class="curve"' 'class="border"' '>p1<' '; p2 = 0.5'; do has curve.svg "$part"; done
lacks curve.svg '>p2<'
expect 1 'failed' geev --affine zero.txt,huge.txt,I.txt --grid 0:2:3,0:1:2 --measure abscissa --plot failed.svg -q
picture failed.svg
has failed.svg '>failed<'
expect 0 '' geev --affine zero.txt,zero.txt,zero.txt --grid 0:2:3,0:1:2 --measure radius --plot flat.svg -q
picture flat.svg
expect 0 '' geev --affine zero.txt,I.txt,J.txt --grid 0:2:2000,0:1:3 --measure radius --plot fine.svg -q
check "a fine grid has a small picture" [ "$(wc -c <fine.svg)" -lt 100000 ]

finish
