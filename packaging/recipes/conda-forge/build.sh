#!/usr/bin/env bash
set -euo pipefail
# shellcheck disable=SC2086 # conda's arguments are words
cmake -S . -B build -G Ninja ${CMAKE_ARGS} -DEIG_CUDA=OFF -DEIG_MPI=OFF -DEIG_BUILD_TESTS=OFF -DEIG_COMMIT="v${PKG_VERSION}"
cmake --build build --parallel "${CPU_COUNT}"
cmake --install build
