#!/usr/bin/env bash
# What the pages show is true.  README's blocks, and then those of docs/*.md, run in their order, as a reader would:
# sh blocks in one shell with an empty home; a C block with a main is saved as mine.c and compiled by pkg-config with
# all warnings; a cpp block is saved as mine.cpp, a cmake block as CMakeLists.txt.
#     tests/package/docs.sh BUILD_FOLDER
# The examples lie beside README, as in the repository.  BUILD_FOLDER takes the place of build/release, since a build takes
# minutes; the preset is configured for all that.  It may ask for no other builder than scripts/demo installs on a bare
# machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

fail() { echo "docs.sh: $*" >&2; exit 1; }

unset CMAKE_GENERATOR # README knows nothing of it
mkdir "$temp/home"

# script PAGE: its blocks as one shell script.  A line that fails ends it.
script() {
    awk -v build="$build" -v root="$root" -v temp="$temp" '
        function demand(line) {
            print line
            if (line !~ /\\$/) print "test $? -eq 0 || exit 1"
        }
        function end_c() {
            print "EIG_END"
            if (main) demand("cc -std=c11 -Wall -Wextra -pedantic -Werror mine.c -o mine $(pkg-config --cflags --libs eigpack) -lm && ./mine")
        }
        $0 == "```" { if (language == "c") end_c(); else if (language == "cpp" || language == "cmake") print "EIG_END"; language = ""; next }
        /^```/ {
            language = substr($0, 4)
            main = 0
            if (language == "c") print "cat >mine.c <<\"EIG_END\""
            if (language == "cpp") print "cat >mine.cpp <<\"EIG_END\""
            if (language == "cmake") print "cat >CMakeLists.txt <<\"EIG_END\""
            next
        }
        language == "sh" {
            sub(/^cmake --preset [a-z]+/, "& -S " root " -B " temp "/preset")
            sub(/^cmake --build build\/release/, "& --target help") # no relinking of what other tests run
            gsub("build/release", build)
            demand($0)
        }
        language == "c" && /^int main/ { main = 1 }
        language == "c" || language == "cpp" || language == "cmake" { print }' "$1"
}

: >"$temp/all.sh"
cd "$root"
for page in README.md $(find docs -name "*.md" | LC_ALL=C sort); do
    printf 'mkdir -p %q; cd %q; ln -s %q .\n' "$temp/$page" "$temp/$page" "$root/examples" >>"$temp/all.sh"
    script "$page" >>"$temp/all.sh"
done
lines=$(grep -c '^eigpack\|^cmake\|^cc' "$temp/all.sh") || fail "no block was found"
HOME=$temp/home bash -vx "$temp/all.sh" >"$temp/log" 2>&1 </dev/null ||
    { tail -n 40 "$temp/log" >&2; fail "a line of README or docs fails, see above"; }

mkdir "$temp/bare" # a PATH without make and ninja
ln -s "$(command -v dirname)" "$temp/bare"
# shellcheck disable=SC2016 # for the inner bash
needs=$(PATH=$temp/bare "$BASH" -c 'source "$1/scripts/common.sh"; echo "${build_needs[@]}"' common "$root")
builder=$(basename "$(sed -n 's/^CMAKE_MAKE_PROGRAM:[^=]*=//p' "$temp/preset/CMakeCache.txt")")
[[ "$needs " == *" command ${builder#g} "* ]] || fail "the preset builds with $builder, which scripts/demo does not install"
echo "$lines commands of README and docs ran"
