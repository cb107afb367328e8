//===- PipelineOptions.h - Options of the compilation phases ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PIPELINES_PIPELINEOPTIONS_H
#define TANDEM_PIPELINES_PIPELINEOPTIONS_H

#include "tandem/Target/Target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

/// The options of one compilation, which all phases read.
struct PipelineOptions {
  /// The dims of each argument of the function, in the form that
  /// tandem-specialize takes.
  std::vector<std::string> shapes;
  /// The name of the function that is compiled.
  std::string function = "main";
  /// The target to compile for; never null.
  const Target *target = &defaultTarget();
  /// Options `fuel` and `device-spec` of pass tandem-fuse.
  int64_t fusionFuel = -1;
  bool keepsPhasesApart = false; ///< Option `phases-apart` of the same pass.
  std::string deviceSpec = "generic"; ///< Or the target's (Target::deviceSpec).
  /// The file and the questions of pass tandem-report-fusion. If both are
  /// empty, the pass is left out.
  std::string fusionReport;
  std::vector<std::string> whyNotFused;
  /// The target's options, which checkTargetOptions has accepted.
  TargetOptions targetOptions;
  /// True if the caller has already chosen which contractions the library
  /// computes (BackendChoice.h), so that the target's passes must not choose.
  bool areBackendsChosen = false;
  /// Option `libraries` of pass tandem-fuse; empty stands for the target's
  /// model.
  std::string libraries;
};

} // namespace tandem

#endif // TANDEM_PIPELINES_PIPELINEOPTIONS_H
