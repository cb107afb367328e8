//===- TrainingInputs.h - What the inputs of a loss become ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TRAINING_TRAININGINPUTS_H
#define TANDEM_LIB_TRAINING_TRAININGINPUTS_H

#include "tandem/Training.h"

#include <algorithm>

namespace tandem::training {

inline bool isParameter(const TrainingOptions &options, int64_t input) {
  return std::ranges::count(options.parameters, input) > 0;
}

/// Whether the weight decay applies to a parameter.
inline bool decays(const TrainingOptions &options, int64_t input) {
  return std::ranges::count(options.withoutDecay, input) == 0;
}

/// The entry of options.buffers for an input, or null.
inline const InputUpdate *findBuffer(const TrainingOptions &options,
                                     int64_t input) {
  auto found = std::ranges::find(options.buffers, input, &InputUpdate::input);
  return found == options.buffers.end() ? nullptr : &*found;
}

/// Whether the input is no part of the state: each call is given its value.
inline bool isGiven(const TrainingOptions &options, int64_t input) {
  return !isParameter(options, input) && !findBuffer(options, input) &&
         input != options.stepsInput;
}

} // namespace tandem::training

#endif // TANDEM_LIB_TRAINING_TRAININGINPUTS_H
