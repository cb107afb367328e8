//===- PipelineOptions.h - What passes are told ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PIPELINES_PIPELINEOPTIONS_H
#define TANDEM_PIPELINES_PIPELINEOPTIONS_H

#include "tandem/Support/Choices.h"
#include "tandem/Target/Target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// What all phases of one compilation are told.
struct PipelineOptions {
  /// Dims per argument of the function, as tandem-specialise takes them.
  std::vector<std::string> shapes;
  std::string function = "main";
  /// What is compiled for; never null.
  const Target *target = &defaultTarget();
  /// See tandem-fuse.
  int64_t fusionFuel = -1;
  std::string deviceSpec = "generic";
  /// See tandem-report-fusion; empty: no report, no question.
  std::string fusionReport;
  std::vector<std::string> whyNotFused;
  /// See tandem-cpu-choose-contractions; none: what is chosen stands at the ops
  /// already.
  std::optional<Contractions> contractions = Contractions::predict;
  /// See tandem-cpu-transform-weights.
  Winograd winograd = Winograd::automatic;
};

} // namespace tandem

#endif // TANDEM_PIPELINES_PIPELINEOPTIONS_H
