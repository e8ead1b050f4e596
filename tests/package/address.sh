#!/usr/bin/env bash
# packaging/address is the one place of the addresses: a copy of the sources where it is set says the new ones after scripts/stamp, and
# nothing else; where it is unset again, no file names an address.
#     tests/package/address.sh ROOT
set -euo pipefail
root=$1
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
fail() { echo "address.sh: $*" >&2; exit 1; }

cd "$root"
tar -cf - scripts packaging/address include docs/accuracy docs/guide docs/start README.md CITATION.cff bindings/octave/DESCRIPTION \
    CHANGELOG.md bindings/julia/Project.toml bindings/python/eigpack/_extension.py tests/package | tar -xf - -C "$temp"
cd "$temp"
cp -r . ../"$(basename "$temp").first"
trap 'rm -rf "$temp" "$temp.first"' EXIT
sed -i -e 's|^home .*|home       https://eig.test|' -e 's|^repository .*|repository https://git.eig.test/eig|' packaging/address
! scripts/stamp --check 2>/dev/null || fail "--check passes where the address was changed"
scripts/stamp >/dev/null
scripts/stamp --check
for file in README.md CITATION.cff docs/accuracy/cite.md bindings/octave/DESCRIPTION; do
    grep -q 'https://eig\.test' $file || fail "$file does not name the address"
done
grep -q 'https://git\.eig\.test' CITATION.cff || fail "CITATION.cff does not name the repository"
steps=$(scripts/release --steps)
[[ $steps != *"are not set"* ]] || fail "scripts/release still asks for the addresses"
[ "$(scripts/stamp --print link repository)" = https://git.eig.test/eig ] || fail "--print link repository"
cp "$temp.first/packaging/address" packaging/address
scripts/stamp >/dev/null
steps=$(scripts/release --steps)
[[ $steps == *"  1. the addresses are not set"* ]] || [ -n "$(scripts/stamp --print link home)" ] || fail "scripts/release does not begin with the addresses"
diff -r "$temp.first" . || fail "not as before"
if [ -z "$(scripts/stamp --print link home)" ] && grep -rn --exclude-dir=scripts --exclude-dir=tests 'example\.org' . | grep -v '^./packaging/address'; then
    fail "these name an address that is not set"
fi
