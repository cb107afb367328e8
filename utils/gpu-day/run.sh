#!/usr/bin/env bash
#===- run.sh - Everything to be run once on a machine with a GPU -----------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: ./run.sh [--graphs=N] [--no-figures] [--sanitizer] [--output=DIR]
#
# Part of what utils/gpu-bundle.sh packs. It runs the tests that execute graphs
# and N random graphs (5,000) on the GPU against the reference, and then takes
# every figure that has a target. Writes DIR/tests.txt, DIR/fuzz.txt and
# DIR/figures.jsonl (DIR: ./results), and prints a table of figure, target and
# peers. Exit status 1 where a result is wrong.
#
#   --sanitizer  the tests once more under compute-sanitizer
#
#===-----------------------------------------------------------------------===#
set -uo pipefail

BUNDLE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
graphs=5000 figures=1 sanitizer=0 output=results
for argument; do
  case $argument in
  --graphs=*) graphs=${argument#*=} ;;
  --no-figures) figures=0 ;;
  --sanitizer) sanitizer=1 ;;
  --output=*) output=${argument#*=} ;;
  *)
    echo "run.sh: no option '$argument' (see the head of $0)" >&2
    exit 2
    ;;
  esac
done
mkdir -p "$output"
output=$(cd "$output" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export BUNDLE WORK UNDER=
export PATH=$BUNDLE/bin:$PATH LD_LIBRARY_PATH=$BUNDLE/lib:${LD_LIBRARY_PATH:-}
export TANDEM_CACHE_DIR=${TANDEM_CACHE_DIR:-$WORK/cache}
export FILECHECK_OPTS=--dump-input=fail
jobs=$(nproc)
failed=0

# run_test SCRIPT: writes the result to a file of its own, because tests that run at
# the same time would mix their lines.
run_test() {
  local name log
  name=$(basename "$1" .sh)
  log=$WORK/$name.log
  mkdir -p "$WORK/Output"
  if bash "$1" >"$log" 2>&1; then
    echo "ok $name"
  else
    echo "FAILED $name"
    sed 's/^/    /' "$log"
  fi >"$WORK/$name.result"
}
export -f run_test

# run_tests FILE
run_tests() {
  printf '%s\n' "$BUNDLE"/tests/*.sh |
    xargs -P "$jobs" -I{} bash -c 'run_test {}'
  cat "$WORK"/*.result >"$1"
  rm "$WORK"/*.result
  echo "tests: $(grep -c '^ok' "$1") passed, $(grep -c '^FAILED' "$1") failed"
  ! grep -A20 '^FAILED' "$1"
}

echo "commit $(cat "$BUNDLE/commit" 2>/dev/null || echo unknown)"
tandem-run --libraries
start=$SECONDS
run_tests "$output/tests.txt" || failed=1
if [ $sanitizer = 1 ]; then
  UNDER="compute-sanitizer --error-exitcode 1" \
    run_tests "$output/sanitizer.txt" || failed=1
fi
tandem-fuzz --device=cuda --count="$graphs" --jobs="$jobs" --no-fallback \
  >"$output/fuzz.txt" 2>&1 || failed=1
tail -n 3 "$output/fuzz.txt"
if [ $figures = 1 ]; then
  tandem-bench gpu --peers="$BUNDLE/peers.json" \
    --json="$output/figures.jsonl" || failed=1
fi
echo "took $((SECONDS - start)) s; results are in $output"
exit $failed
