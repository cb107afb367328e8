#!/usr/bin/env bash
#===- install-peers.sh - Install what Tandem is measured beside -----------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# usage: install-peers.sh
#
# Installs torchvision, timm, transformers and OpenVINO, which utils/measure/torch-*.py
# need, into ~/.cache/tandem/torch-peers, and torch and numpy beside it. The packages are
# those of utils/requirements/torch-peers.txt. No build and no test installs them.
#
#===-----------------------------------------------------------------------===#

set -euo pipefail
# shellcheck source=utils/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
# shellcheck source=utils/torch.sh
source "$TANDEM_ROOT/utils/torch.sh"
tandem_pip_install onnx-tests "numpy is missing"
tandem_install_torch
tandem_pip_install_alone torch-peers "these systems and networks cannot be measured"
