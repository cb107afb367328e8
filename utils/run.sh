#!/usr/bin/env bash
#===- run.sh - Set up, build, measure when compiling pays -----------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: utils/run.sh                      (utils/setup.sh lists its settings)
#
# For two small graphs over several shapes: what an eager call costs, what
# compiling costs, what a compiled call costs, and after how many calls the
# compiler has paid for itself. Tables on the terminal, reports in build/report.
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

tandem_setup
tandem_build tandem-bench

report=$TANDEM_BUILD/report
mkdir -p "$report"

# sweep GRAPH VARY
sweep() {
  local html=()
  [ ! -e "$TANDEM_BUILD/share/tandem/plotly.min.js" ] ||
    html=("--html=$report/$1.html")
  "$TANDEM_BUILD/bin/tandem-bench" sweep "$TANDEM_ROOT/test/graphs/$1.mlir" \
    --vary "$2" "--json=$report/$1.jsonl" "${html[@]}"
  echo
}

sweep conv1d_relu 'N=1,100,1000;L=50,100'
sweep simplecnn 'N=1,2,4,8,16,32'
echo "Reports: $report"
