#!/usr/bin/env bash
#===- make-wheel.sh - Build and try a wheel of the Python package ---------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: utils/python/make-wheel.sh [PYTHON]      (python3 by default)
#
# Builds a wheel with LLVM inside, bundles the shared libraries that it loads, and
# tries it in a fresh virtual environment. The wheel is in build-wheel/dist. A
# PYTHON from 3.12 makes one wheel for all later versions.
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

python=${1:-python3}
folder=$TANDEM_ROOT/build-wheel
# What the bundled libraries need of the C library (docs/Python.md).
platform=manylinux_2_36_x86_64
# OpenMP's library keeps its name, so that the process of a program that uses
# torch as well, which bundles one of this name, has one pool of threads.
openmp=libgomp.so.1

build_wheel() {
  tandem_install_packages
  tandem_fetch_files
  mkdir -p "$folder"
  [ -s "${XDG_CACHE_HOME:-$HOME/.cache}/tandem/onnx-ml.proto" ] ||
    tandem_die "a wheel needs onnx-ml.proto, to import ONNX files"
  local tag
  tag=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv=$folder/venv-$tag
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary=:all: \
    -r "$TANDEM_ROOT/utils/requirements/wheel.txt"
  rm -rf "$folder"/{plain,repaired,unpacked,dist}
  CMAKE_BUILD_PARALLEL_LEVEL=$TANDEM_JOBS "$venv/bin/pip" wheel -q \
    --disable-pip-version-check --no-deps -w "$folder/plain" "$TANDEM_ROOT"
}

# Adds the libraries that no policy promises to be on every machine.
bundle_libraries() {
  PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --plat "$platform" \
    --exclude "$openmp" -w "$folder/repaired" "$folder"/plain/tandem-*.whl
  "$venv/bin/wheel" unpack -d "$folder/unpacked" "$folder"/repaired/tandem-*.whl
  cp -L "$(clang-22 --print-file-name=$openmp)" \
    "$folder"/unpacked/tandem-*/tandem.libs/
  mkdir -p "$folder/dist"
  "$venv/bin/wheel" pack -d "$folder/dist" "$folder"/unpacked/tandem-*
}

# A user's first minutes: a fresh environment, and a result.
try_wheel() {
  local fresh start
  fresh=$(mktemp -d)
  "$python" -m venv "$fresh/venv"
  start=$(date +%s%N)
  "$fresh/venv/bin/pip" install -q --disable-pip-version-check \
    "$folder"/dist/tandem-*.whl
  (cd "$fresh" && venv/bin/tandem run "$TANDEM_ROOT/test/graphs/chain8.mlir")
  echo "from pip install to the first result: $((($(date +%s%N) - start) / 1000000)) ms"
  rm -rf "$fresh"
}

build_wheel
bundle_libraries
try_wheel
ls -l "$folder"/dist/*.whl
