#!/usr/bin/env bash
# What the pages show is true: every C block with a main compiles against the library and runs, and every line of an
# sh block that begins with "eigpack" runs, page by page in an empty folder.
#     tests/docs.sh BUILD_FOLDER
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

fail() { echo "docs.sh: $*" >&2; exit 1; }

# block LANGUAGE N FILE: the N-th block of the language, counted from 1; nothing when there is none.
block() {
    awk -v fence='```'"$1" -v wanted="$2" '
        inside && $0 == "```" { inside = 0 }
        inside && number == wanted { print }
        $0 == fence { inside = 1; ++number }' "$3"
}

ran=0
cd "$root"
for page in README.md docs/*.md; do
    folder=$temp/$(basename "$page" .md)
    mkdir "$folder"
    for ((n = 1; ; ++n)); do
        block c $n "$page" >"$temp/block.c"
        [ -s "$temp/block.c" ] || break
        grep -q '^int main' "$temp/block.c" || continue
        cc -std=c11 -Wall -Wextra -pedantic -Werror -Iinclude "$temp/block.c" -o "$temp/block" \
            -L"$build" -leigpack -Wl,-rpath,"$build" -lm || fail "$page: C block $n does not compile"
        "$temp/block" >/dev/null || fail "$page: C block $n fails"
        ran=$((ran + 1))
    done
    for ((n = 1; ; ++n)); do
        block sh $n "$page" >"$temp/block.sh"
        [ -s "$temp/block.sh" ] || break
        while read -r line; do
            (cd "$folder" && PATH=$build:$PATH bash -c "$line" >"$temp/log" 2>&1 </dev/null) ||
                { cat "$temp/log" >&2; fail "$page: \"$line\" fails"; }
            ran=$((ran + 1))
        done < <(grep '^eigpack' "$temp/block.sh")
    done
done
[ $ran -gt 0 ] || fail "no block was found"
echo "$ran blocks and lines ran"
