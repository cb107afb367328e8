//===- ConstantSteps.h - Steps that run once --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_CONSTANTSTEPS_H
#define TANDEM_RUNTIME_EXEC_CONSTANTSTEPS_H

#include "tandem/Runtime/Program.h"

#include <vector>

namespace tandem::exec {

/// The steps of a program whose results are the same in every run, and which
/// results have to be kept so that the steps need to run only once.
struct ConstantSteps {
  /// By step, whether it runs once; empty where none does.
  std::vector<bool> runsOnce;
  /// The slots of results of such steps that other steps or the caller read.
  std::vector<uint32_t> kept;
};

/// Finds the op steps that depend on constants alone, where what they need in
/// each run is worth the memory of their results (isWorthKeeping). None in a
/// program whose memory is planned: the compiler has computed them.
ConstantSteps findConstantSteps(const Program &program);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_CONSTANTSTEPS_H
