#!/usr/bin/env bash
#===- tsan.sh - The runtime's tests under ThreadSanitizer -----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: utils/tsan.sh
#
# ThreadSanitizer sees no synchronization in a library that is not built with
# it: the tests run with a oneTBB that is, of Debian's own source package (for
# which a deb-src line is needed, and dpkg-dev), built under build-tsan/.
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
export TANDEM_PRESET=tsan
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

tandem_setup
tandem_build RuntimeTests TieringTests
sources=$TANDEM_BUILD/onetbb
libraries=$sources/build/tbb_relwithdebinfo
if [ ! -e "$libraries/libtbb.so.12" ]; then
  mkdir -p "$sources"
  (cd "$sources" && apt-get source --download-only onetbb &&
    mkdir -p src && tar xf onetbb_*.orig.tar.* -C src --strip-components=1)
  cmake -G Ninja -S "$sources/src" -B "$sources/build" \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld \
    -DTBB_OUTPUT_DIR_BASE=tbb -DTBB_TEST=OFF -DTBB_STRICT=OFF \
    -DTBBMALLOC_BUILD=OFF -DTBB_SANITIZE=thread
  ninja -C "$sources/build" -j"$TANDEM_JOBS" tbb
fi
export LD_LIBRARY_PATH=$libraries
"$TANDEM_BUILD/test/Unit/RuntimeTests" --gtest_brief=1
"$TANDEM_BUILD/test/Unit/TieringTests" --gtest_brief=1
TANDEM_TEST_DEVICE=guarded "$TANDEM_BUILD/test/Unit/RuntimeTests" \
  --gtest_brief=1 --gtest_filter='ExecutorTest.*'
