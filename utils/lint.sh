#!/usr/bin/env bash
#===- lint.sh - What CONTRIBUTING asks of changed sources -----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# lint.sh [BASE]: sizes of all files and functions (sizes.py), the English of
# comments and the layout of docs (check-text.py), and the layout, the banners
# and clang-tidy's findings of the C++ files that differ from BASE (main).
# Changes nothing; fails where there is something to do. clang-tidy
# needs a configured build/ (utils/setup.sh).
#
#===-----------------------------------------------------------------------===#

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
base=${1:-main}
git rev-parse --verify -q "$base^{commit}" >/dev/null ||
  { echo "lint: no commit '$base'" >&2; exit 2; }

mapfile -t files < <(
  { git diff --name-only --diff-filter=d "$base"
    git ls-files --others --exclude-standard
  } | grep -E '\.(cpp|h)$' | sort -u)
failed=0
utils/sizes.py || failed=1
utils/check-text.py || failed=1
[ ${#files[@]} -gt 0 ] ||
  { echo "lint: no C++ file differs from $base"; exit $failed; }

clang-format-22 --dry-run -Werror "${files[@]}" || failed=1
for file in "${files[@]}"; do
  # clang-format breaks a banner that is too long.
  head -n 1 "$file" | grep -qE "^//===- ${file##*/} - .*//$" ||
    { echo "$file:1: error: the banner is to be one line of 80 columns"
      failed=1; }
done
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep '\.cpp$')
# Sources are compiled in batches (cmake/TandemUnity.cmake): clang-tidy infers a
# source's flags from a batch of its folder.
[ ${#sources[@]} = 0 ] ||
  printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" \
    clang-tidy-22 -quiet -p build -warnings-as-errors='*' || failed=1
exit $failed
