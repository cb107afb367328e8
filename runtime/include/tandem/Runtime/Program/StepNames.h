//===- StepNames.h - Names of steps and their sources -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_STEPNAMES_H
#define TANDEM_RUNTIME_PROGRAM_STEPNAMES_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// Returns the name of a step, such as "kernel_3", "conv+relu" or "loop".
/// `kernels` are the kernels of the outermost program.
std::string nameOf(const std::vector<std::unique_ptr<fb::KernelT>> &kernels,
                   const fb::StepT &step);
/// Returns the locations of all ops that a step was made of.
std::vector<std::string> sourcesOf(const fb::StepT &step);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_STEPNAMES_H
