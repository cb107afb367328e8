//===- PyTraining.h - Losses and training steps in Python -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_PYTRAINING_H
#define TANDEM_PYTHON_PYTRAINING_H

#include <nanobind/nanobind.h>

namespace tandem::python {

/// Adds the functions that add losses and dropout to a builder, and those that
/// read and write .safetensors files. Training steps are made by
/// PyFunction::trainingStep.
void bindTraining(nanobind::module_ &module);

} // namespace tandem::python

#endif // TANDEM_PYTHON_PYTRAINING_H
