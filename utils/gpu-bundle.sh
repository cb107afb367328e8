#!/usr/bin/env bash
#===- gpu-bundle.sh - Pack what a machine with a GPU needs -----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: utils/gpu-bundle.sh [--build=DIR] [--folder] OUTPUT
#
# Makes an archive (.tar.xz) of the tools with all libraries but the C library,
# the tests that execute graphs, and utils/gpu-day/run.sh, which runs them. The
# other machine needs Linux, bash, tar, NVIDIA's driver and the libraries of
# CUDA 13 (docs/CUDA.md says where they are looked for); no Python, no compiler.
#
#   --build=DIR  what to pack, built already; by default build-release, which
#                this script builds (utils/setup.sh lists its settings)
#   --folder     OUTPUT is a folder, which is not packed
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
export TANDEM_PRESET=${TANDEM_PRESET:-release}
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

TOOLS="tandem-run tandem-bench tandem-fuzz tandem-opt tandem-translate"
LLVM_TOOLS="FileCheck not split-file"

build="" folder=0 output=""
for argument; do
  case $argument in
  --build=*) build=$(cd "${argument#*=}" && pwd) ;;
  --folder) folder=1 ;;
  -*) tandem_die "no option '$argument' (see the head of $0)" ;;
  *) output=$argument ;;
  esac
done
[ -n "$output" ] || tandem_die "usage: gpu-bundle.sh [--build=DIR] [--folder] OUTPUT"
if [ -z "$build" ]; then
  tandem_setup
  tandem_build $TOOLS
  build=$TANDEM_BUILD
fi

llvm_tools=$(sed -n 's/^config.llvm_tools_dir = r"\(.*\)"$/\1/p' \
  "$build/test/cuda/lit.site.cfg.py")
if [ $folder = 1 ]; then
  root=$output
  mkdir -p "$root"
else
  root=$(mktemp -d)/tandem-gpu
  trap 'rm -rf "$(dirname "$root")"' EXIT
fi

# The C library belongs to the machine.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so'
}

mkdir -p "$root"/{bin,lib,share/tandem,test,tests,utils}
for tool in $TOOLS; do cp "$build/bin/$tool" "$root/bin/"; done
for tool in $LLVM_TOOLS; do cp -L "$llvm_tools/$tool" "$root/bin/"; done
for library in $(libraries_of "$root"/bin/*); do
  cp -L "$library" "$root/lib/"
done
for file in "$root"/bin/* "$root"/lib/*; do
  "$llvm_tools/llvm-strip" --strip-unneeded "$file"
done
cp -r "$TANDEM_ROOT"/test/{Execution,graphs} "$root/test/"
cp -r "$TANDEM_ROOT/test/graphs" "$root/share/tandem/"
cp -r "$TANDEM_ROOT/utils/gpu-specs" "$root/utils/"
cp "$TANDEM_ROOT"/utils/gpu-day/{run.sh,peers.json} "$root/"
python3 "$TANDEM_ROOT/utils/gpu-day/expand-tests.py" "$build/test/cuda" \
  "$root/tests"
git -C "$TANDEM_ROOT" rev-parse HEAD >"$root/commit" 2>/dev/null || true

if [ $folder = 0 ]; then
  XZ_OPT=-T2 tar -C "$(dirname "$root")" -cJf "$output.part" tandem-gpu
  mv "$output.part" "$output"
  du -h "$output"
fi
