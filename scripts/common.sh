# shellcheck shell=bash
# Shared by scripts/demo, scripts/test and .ci/run: the packages they need, nvcc, and a quiet cmake.  Sourced by bash;
# it defines $root, the repository, and makes it the current folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit

die() { echo "$(basename "$0"): $*" >&2; exit 1; }

# quietly WHAT COMMAND...: shows the command's output only when it fails.
quietly() {
    local what=$1 log status=0
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        cat "$log" >&2
        rm -f "$log"
        die "$what failed (exit status $status)"
    fi
    rm -f "$log"
}

have_command() { command -v "$1" >/dev/null 2>&1; }
have_nvcc() {
    have_command nvcc && return
    [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
}
have_library() { /sbin/ldconfig -p 2>/dev/null | grep -F "$1" >/dev/null; }
have_header() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }

# What is needed, as "PACKAGE command|header|library NAME"; packages by their Debian names.  gcc without the
# recommended packages comes without the C library's headers: therefore libc6-dev.
# `cmake --preset` builds with make; scripts/ take ninja where it is, and do without make then.
build_needs=("gcc command cc" "libc6-dev header stdlib.h" "cmake command cmake")
test_needs=("libcmocka-dev header cmocka.h" "python3 command python3")
# What is only better to have: .mat files, rivals to compare with, README's way to compile, and users in C++ to test.
build_wants=("libmatio-dev header matio.h" "libopenblas0 library liblapack.so.3" "pkg-config command pkg-config")
test_wants=("g++ command c++")
# What the Python package is tested with.
python_wants=("python3-venv venv here" "python3-dev python_headers here")
have_venv() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }
have_python_headers() { python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' >/dev/null 2>&1; }
if have_command ninja; then build_wants+=("make command make"); else build_needs+=("make command make"); fi

# missing_of WANT...: the packages among them that are not here.
missing_of() {
    local want package kind name
    for want in "$@"; do
        read -r package kind name <<<"$want"
        "have_$kind" "$name" || echo "$package"
    done
}

# install_packages PACKAGE...: by apt, as root or through sudo.  False where that is not possible.
install_packages() {
    local as_root=() log
    have_command apt-get || return 1
    if [ "$(id -u)" -ne 0 ]; then
        have_command sudo || return 1
        as_root=(sudo)
    fi
    echo "installing $*"
    log=$(mktemp)
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    if "${apt[@]}" update >"$log" 2>&1 && "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    grep '^E:' "$log" | head -n 3 >&2
    rm -f "$log"
    return 1
}

# apt_mirror: where apt gets this release's packages from.
apt_mirror() { apt-get indextargets --format '$(REPO_URI)' "Codename: $(. /etc/os-release && echo "$VERSION_CODENAME")" 2>/dev/null | sort -u | head -n 1; }

# unpack_packages FOLDER RELEASE ARCH PACKAGES [PATTERN]: PACKAGES, with commas, and what they depend on are fetched, and unpacked into FOLDER
# without being installed: those alone whose file's name is like PATTERN.
unpack_packages() {
    local folder=$1 release=$2 arch=$3 packages=$4 pattern=${5:-*} file
    rm -rf "$folder.tmp" "$folder"
    mkdir -p "$folder.tmp/unpacked"
    quietly "fetching $packages of $release" debootstrap --arch="$arch" --variant=minbase --no-check-gpg --download-only --include="$packages" \
        "$release" "$folder.tmp/fetched" "$(apt_mirror)"
    for file in "$folder.tmp"/fetched/var/cache/apt/archives/$pattern.deb; do dpkg-deb -x "$file" "$folder.tmp/unpacked"; done
    mv "$folder.tmp/unpacked" "$folder"
    rm -rf "$folder.tmp"
}

# install_missing NEEDS WANTS (names of arrays): installs what is missing of both; does not go on without the needs.
install_missing() {
    local -n needed=$1 wanted=$2
    local missing optional
    # shellcheck disable=SC2207 # words on purpose
    missing=($(missing_of "${needed[@]}")) optional=($(missing_of "${wanted[@]}"))
    [ $((${#missing[@]} + ${#optional[@]})) -gt 0 ] || return 0
    install_packages "${missing[@]}" "${optional[@]}" && return 0
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}" ||
        die "cannot install ${missing[*]}: have these packages installed by the system's administrator, then run this again"
    [ ${#optional[@]} -eq 0 ] || echo "going on without ${optional[*]}, which could not be installed"
}

# configure FOLDER CMAKE_ARGUMENTS...: with CUDA where nvcc is and a GPU answers, for this GPU alone; with ninja rather than make.
# EIG_CMAKE_ARGS in the environment adds arguments, e.g. -DEIG_CUDA=ON.
configure() {
    local folder=$1 arguments=() capability
    shift
    if [ ! -f "$folder/CMakeCache.txt" ] && have_command ninja; then arguments+=(-G Ninja); fi
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || true
    if [ -n "$capability" ] && have_nvcc; then
        arguments+=("-DCMAKE_CUDA_ARCHITECTURES=$capability")
    else
        arguments+=(-DEIG_CUDA=OFF)
    fi
    # shellcheck disable=SC2206 # words on purpose
    arguments+=("$@" ${EIG_CMAKE_ARGS:-})
    have_nvcc || true
    quietly "configuring $folder" cmake -S "$root" -B "$folder" "${arguments[@]}"
}

# show_progress: of the lines that ninja ("[12/345] ...") or make ("[ 12%] ...") writes, how much is done: in place, on a
# terminal alone.
show_progress() {
    local line percent last=''
    if [ ! -t 1 ] || [ "${TERM:-dumb}" = dumb ]; then cat >/dev/null; return; fi
    while read -r line; do
        [[ $line =~ ^\[\ *([0-9]+)(%|/([0-9]+))\] ]] || continue
        percent=${BASH_REMATCH[1]}
        [ -z "${BASH_REMATCH[3]}" ] || percent=$((100 * percent / BASH_REMATCH[3]))
        [ "$percent" = "$last" ] || printf '\r%3d %%' "$percent"
        last=$percent
    done
    printf '\r\033[K'
}

# probe: processor seconds that one file takes here, the unit of build_time.
probe() {
    local object TIMEFORMAT=%U
    object=$(mktemp)
    { time cc -O3 -std=c11 -DEIG_BUILDING -DEIG_TYPE=z -Isrc -Isrc/numerics -Isrc/cpu -Iinclude -c src/cpu/geev/geev_repair.c -o "$object" >/dev/null 2>&1; } 2>&1
    rm -f "$object"
}

# build_time FOLDER: how long a first build takes: so many times the file of `probe`, as measured with gcc 12 (with nvcc: for one
# GPU), shared by the cores, of which other programs keep some busy.
build_time() {
    local files=135 load=0
    if grep -q '^EIG_DISPATCH:[A-Z]*=ON' "$1/CMakeCache.txt"; then files=320; fi
    if grep -q '^EIG_BUILD_TESTS:[A-Z]*=ON' "$1/CMakeCache.txt"; then files=$((files + 120)); fi
    if grep -q '^CMAKE_CUDA_COMPILER:' "$1/CMakeCache.txt"; then files=$((files + 1050)); fi
    [ ! -r /proc/loadavg ] || read -r load _ </proc/loadavg
    LC_ALL=C awk -v files="$files" -v one="$(probe)" -v load="$load" -v cores="$(nproc)" 'BEGIN {
        minutes = int(1 + files * one * (cores + load) / (cores * cores) / 60)
        print minutes == 1 ? "about a minute" : "about " minutes " minutes" (load > cores / 2 ? ", as other programs keep cores busy" : "")
    }'
}

# compile FOLDER: says how long that may take, and on a terminal how far it is.
compile() {
    local folder=$1 log status=0 expected='' begin=$SECONDS
    [ -f "$folder/libeigpack.a" ] || expected=", $(build_time "$folder")"
    echo "building $folder$expected"
    log=$(mktemp)
    (set -o pipefail; cmake --build "$folder" --parallel "$(nproc)" 2>&1 | tee "$log" | show_progress) || status=$?
    if [ $status -ne 0 ]; then
        cat "$log" >&2
        rm -f "$log"
        die "building $folder failed (exit status $status)"
    fi
    rm -f "$log"
    [ -z "$expected" ] || echo "built $folder in $((SECONDS - begin)) s"
}
