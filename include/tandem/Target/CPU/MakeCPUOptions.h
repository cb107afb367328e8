//===- MakeCPUOptions.h - Making options of the CPU's target ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_MAKECPUOPTIONS_H
#define TANDEM_TARGET_CPU_MAKECPUOPTIONS_H

#include "tandem/Target/CPU/CPUOptions.h"

#include <string>

namespace tandem {

struct CompileOptions;

/// Moves the deprecated fields of CompileOptions (FormerCompileOptions.inc) to
/// `options.targetOptions`. Options that are already set there keep their
/// values.
void moveFormerOptions(CompileOptions &options);

/// Returns the options with which calibration times a contraction. They choose
/// between kernel and library as `contractions` says, exclude Winograd's method
/// and sums of bytes in f32, and plan for `deviceModel`.
TargetOptions makeCalibrationOptions(Contractions contractions,
                                     std::string deviceModel);

/// Returns `options` of the target "cpu", changed so that a kernel is generated
/// for every contraction for which that is possible.
TargetOptions withGeneratedKernels(TargetOptions options);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_MAKECPUOPTIONS_H
