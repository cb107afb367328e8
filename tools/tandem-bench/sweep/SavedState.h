//===- SavedState.h - Copies of updated inputs ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SAVEDSTATE_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SAVEDSTATE_H

#include "compare/InputSets.h"

#include <utility>
#include <vector>

namespace tandem::bench {

/// Copies of the inputs that a program updates, such as the parameters of a
/// training step, from before the runs that update them.
class SavedState {
public:
  /// Copies the inputs of all sets, and waits for `stream`. Inputs that sets
  /// share are copied once.
  static Expected<SavedState> save(const Program &program,
                                   const InputSets &inputs, Stream &stream);
  /// Gives the inputs their saved elements, and waits for `stream`.
  Status restore(Stream &stream) const;

private:
  /// Each input and its copy.
  std::vector<std::pair<Tensor, Tensor>> saved;
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SAVEDSTATE_H
