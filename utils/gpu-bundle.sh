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
#   --build=DIR  what to pack, built already; by default build-bundle, which
#                this script builds (utils/setup.sh lists its settings)
#   --folder     OUTPUT is a folder, which is not packed: a new or empty one, or
#                one with an earlier bundle, which is replaced
#
# Of LLVM and MLIR the archive has what the tools use: a library linked of LLVM's
# archives, a quarter of the shared ones. Where there are no archives, it has the
# shared ones.
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
export TANDEM_PRESET=${TANDEM_PRESET:-bundle}
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
# What is not a bundle's stays as it is.
if [ $folder = 1 ] && [ -n "$(ls -A "$output" 2>/dev/null)" ] &&
  ! { [ -e "$output/bin/tandem-run" ] && [ -e "$output/run.sh" ]; }; then
  tandem_die "'$output' has other files than a bundle's; name a new folder"
fi
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

link="$llvm_tools/clang++ -shared -fuse-ld=lld -Wl,-s"

# symbols_of OPTION FILE...: names in the files' tables of dynamic symbols.
symbols_of() {
  "$llvm_tools/llvm-nm" -D --format=posix --quiet "$@" |
    awk 'NF > 1 { sub(/@.*/, "", $1); print $1 }' | sort -u
}

# empty_library NAME: puts a library without symbols into lib/.
empty_library() {
  $link -x c -Wl,-soname,"$1" /dev/null -o "$root/lib/$1"
}

# lean_llvm LLVM MLIR: puts into lib/, in place of these shared libraries, one
# that has only what bin/ uses of them, and an empty one. Fails where LLVM's
# archives are not installed.
lean_llvm() {
  local llvm=$1 mlir=$2 work archives
  archives=$("$llvm_tools/llvm-config" --libdir)
  ls "$archives"/libLLVMCore.a "$archives"/libMLIRIR.a >/dev/null 2>&1 || return
  work=$(mktemp -d)
  symbols_of --defined-only "$root/lib/$llvm" "$root/lib/$mlir" >"$work/defined"
  # What bin/ defines, too, has to be one with the libraries': identities of
  # types, say. Some of it, such as instances of templates, this library then
  # does not have.
  {
    echo "LLVM_${llvm#libLLVM.so.} { global:"
    symbols_of "$root"/bin/* | comm -12 - "$work/defined" | sed 's/.*/"&";/'
    echo "local: *; };"
  } >"$work/version"
  symbols_of --undefined-only "$root"/bin/* | comm -12 - "$work/defined" |
    sed 's/^/-u /' >"$work/needed"
  ls "$archives"/libMLIR*.a "$archives"/libLLVM*.a |
    grep -vE 'CAPI|Test|MlirOptMain|BOLT|Exegesis' >"$work/archives"
  $link -Wl,-soname,"$llvm" -Wl,--version-script="$work/version" \
    -Wl,--undefined-version -Wl,--gc-sections -Wl,@"$work/needed" \
    -Wl,--start-group @"$work/archives" -Wl,--end-group \
    -l:libzstd.so.1 -l:libz.so.1 -lpthread -o "$work/$llvm" &&
    mv "$work/$llvm" "$root/lib/" && empty_library "$mlir" && rm -rf "$work"
}

# Removes from lib/ what nothing in bin/ needs, and empties what is needed by
# name alone.
drop_unused() {
  local needed undefined library
  needed=$(LD_LIBRARY_PATH=$root/lib libraries_of "$root"/bin/*)
  undefined=$(symbols_of --undefined-only "$root"/bin/* "$root"/lib/*)
  for library in "$root"/lib/*; do
    if ! grep -qF "/${library##*/}" <<<"$needed"; then
      rm "$library"
    elif [ -z "$(symbols_of --defined-only "$library" |
      comm -12 - <(echo "$undefined"))" ]; then
      empty_library "${library##*/}"
    fi
  done
}

rm -rf "$root"/{bin,lib,share,test,tests,utils} # Of an earlier bundle.
mkdir -p "$root"/{bin,lib,share/tandem,test,tests,utils}
for tool in $TOOLS; do cp "$build/bin/$tool" "$root/bin/"; done
for tool in $LLVM_TOOLS; do cp -L "$llvm_tools/$tool" "$root/bin/"; done
for library in $(libraries_of "$root"/bin/*); do
  cp -L "$library" "$root/lib/"
done
llvm=$(cd "$root/lib" && ls libLLVM.so.* 2>/dev/null || true)
mlir=$(cd "$root/lib" && ls libMLIR.so.* 2>/dev/null || true)
if [ -n "$llvm" ] && [ -n "$mlir" ] && lean_llvm "$llvm" "$mlir"; then
  drop_unused
fi
for file in "$root"/bin/* "$root"/lib/*; do
  "$llvm_tools/llvm-strip" --strip-unneeded "$file"
done
cp -r "$TANDEM_ROOT"/test/{Execution,graphs} "$root/test/"
cp -r "$TANDEM_ROOT/test/graphs" "$root/share/tandem/"
cp "$build"/share/tandem/graphs/*.outline.mlir "$root/share/tandem/graphs/"
cp -r "$TANDEM_ROOT/utils/gpu-specs" "$root/utils/"
cp "$TANDEM_ROOT"/utils/gpu-day/{run.sh,peers*.json,measure-peers.py} "$root/"
python3 "$TANDEM_ROOT/utils/gpu-day/expand-tests.py" "$build/test/cuda" \
  "$root/tests"
git -C "$TANDEM_ROOT" rev-parse HEAD >"$root/commit" 2>/dev/null || true

if [ $folder = 0 ]; then
  XZ_OPT=-T2 tar -C "$(dirname "$root")" -cJf "$output.part" tandem-gpu
  mv "$output.part" "$output"
  du -h "$output"
fi
