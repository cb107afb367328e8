#!/usr/bin/env bash
#===- torch.sh - Install torch and jax for tests --------------------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Sourced after utils/setup.sh. The packages are for tests and measurements on the
# CPU; nothing in the build needs them. PYTHONPATH makes them usable:
#
#   PYTHONPATH=~/.cache/tandem/torch:~/.cache/tandem/onnx-tests python3 …
#
#===-----------------------------------------------------------------------===#

# tandem_pip_install_alone FOLDER WITHOUT [LIST]: as tandem_pip_install, without the
# dependencies of the packages. Files of pip are beside the folder, so that large
# packages are moved there and not copied.
tandem_pip_install_alone() {
  local parent=${XDG_CACHE_HOME:-$HOME/.cache}/tandem
  mkdir -p "$parent"
  PIP_NO_DEPS=1 PIP_NO_CACHE_DIR=1 TMPDIR=$parent tandem_pip_install "$@"
}

# torch from PyPI is built for CUDA and needs a dozen packages of NVIDIA. Stubs stand
# in for those libraries (utils/torch/make-cuda-stubs.py).
tandem_install_torch() {
  local without="tests with torch are skipped"
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/tandem/torch
  local script=$TANDEM_ROOT/utils/torch/make-cuda-stubs.py
  tandem_pip_install_alone torch "$without" torch-tests
  [ -e "$folder/requirements.txt" ] || return 0
  cmp -s "$script" "$folder/make-cuda-stubs.py" && return
  rm -rf "$folder/bin" "$folder"/torch/bin/protoc*
  find "$folder/sympy" "$folder/mpmath" "$folder/networkx" -depth \
    -name tests -type d -exec rm -rf {} +
  # The copy says that torch can be imported.
  if python3 "$script" "$folder" &&
    PYTHONPATH=$folder python3 -W ignore -c 'import torch; torch.ones(2).add_(1)'; then
    cp "$script" "$folder/make-cuda-stubs.py"
  else
    tandem_say "warning: torch cannot be imported, so $without"
  fi
}

tandem_install_jax() {
  tandem_pip_install_alone jax "tests with jax are skipped"
}
