//===- ProgramLoops.h - The loops of a Program ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said of a loop step by its operands' types, and the same program
// without loops, for analyses that follow a value from op to op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAMLOOPS_H
#define TANDEM_RUNTIME_PROGRAMLOOPS_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// Calls `visit` with every step of a program, and after a loop with the steps
/// of its body.
template <typename Program, typename Visit>
void forEachStep(Program &program, const Visit &visit) {
  for (auto &step : program.steps) {
    visit(*step);
    if (step->loop)
      forEachStep(*step->loop->body, visit);
  }
}

bool hasLoops(const fb::ProgramT &program);

/// How many iterations a loop has whose operands have these types; kDynamic
/// where that is not known.
int64_t tripsOf(const fb::LoopT &loop, std::span<const TensorType> operands);

/// The type of a slice along dim 0, without that dim, and the reverse of that.
TensorType sliceOf(const TensorType &type);
TensorType stackOf(const TensorType &slice, int64_t size);

/// The types of what the body of a loop takes.
std::vector<TensorType> bodyInputs(const fb::LoopT &loop,
                                   std::span<const TensorType> operands);

/// The types of the results of a step of `program`, by the ops' shape rules;
/// those of kernels as they are written. Fails where they rule the operands
/// out, and for a loop that carries a value on as one of another type.
Expected<std::vector<TensorType>>
inferResultTypes(const fb::ProgramT &program, const fb::StepT &step,
                 std::span<const TensorType> operands);

/// The same computation for inputs of these static types with no loops: each
/// iteration has steps of its own. All types of the result are static.
Expected<Program> unrollLoops(const Program &program,
                              std::span<const TensorType> inputs);

/// A program without loops that has each body once, for estimates: types are
/// right, values are not.
struct FlatProgram {
  Program program;
  /// For each step, how often the loops run it.
  std::vector<double> times;
};
Expected<FlatProgram> flattenLoops(const Program &program,
                                   std::span<const TensorType> inputs);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAMLOOPS_H
