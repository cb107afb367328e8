//===- KernelReports.h - What a program's kernels are -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_KERNELREPORTS_H
#define TANDEM_TOOLS_TANDEM_RUN_KERNELREPORTS_H

#include "Profile.h"

#include "tandem/Tandem.h"

#include <nlohmann/json.hpp>

namespace tandem::tools {

/// A table with a row for each kernel of a compiled program; with what it takes
/// in a run, unless `profile` is null.
std::string formatKernels(const Compiled &compiled, const TierProfile *profile);

/// An object for each kernel, with its source and assembly where the target has
/// such. What is unknown is left out.
nlohmann::ordered_json describeKernels(const Compiled &compiled,
                                       const TierProfile *profile);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_KERNELREPORTS_H
