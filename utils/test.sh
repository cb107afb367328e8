#!/usr/bin/env bash
#===- test.sh - Set up, build, run every test -----------------------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: utils/test.sh                     (utils/setup.sh lists its settings)
#        TANDEM_PRESET=asan utils/test.sh  with the sanitizers
#
# The last line is "N passed, N failed, N skipped".
#
#===-----------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
source "$TANDEM_ROOT/utils/torch.sh"

tandem_setup
tandem_install_test_packages
tandem_install_torch
tandem_install_jax
tandem_build all tandem-test-depends
rm -f "$TANDEM_BUILD/test/results/frames.txt"
failed=0
tandem_build -k 0 check-tandem check-tandem-unit || failed=1
echo
python3 "$TANDEM_ROOT/utils/summarize-tests.py" "$TANDEM_BUILD" || failed=1
exit $failed
