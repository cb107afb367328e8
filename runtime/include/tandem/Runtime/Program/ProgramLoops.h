//===- ProgramLoops.h - The loops of a Program ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference for steps that may be loops, and conversion of a program to an
// equivalent program without loops, for analyses that follow a value from op to
// op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PROGRAMLOOPS_H
#define TANDEM_RUNTIME_PROGRAM_PROGRAMLOOPS_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// Calls `visit` for every step of a program. Visits a loop step before the
/// steps of the loop's body.
template <typename Program, typename Visit>
void forEachStep(Program &program, const Visit &visit) {
  for (auto &step : program.steps) {
    visit(*step);
    if (step->loop)
      forEachStep(*step->loop->body, visit);
  }
}

/// True if any step of the program is a loop.
bool hasLoops(const fb::ProgramT &program);

/// True if no step is a loop, and no step has sizes that depend on the inputs
/// (ProgramSizes.h). Code that follows values from op to op needs such a
/// program; `unrollLoops` makes one.
bool isFlat(const fb::ProgramT &program);

/// The number of iterations of a loop whose operands have these types; kDynamic
/// if the number is unknown.
int64_t tripsOf(const fb::LoopT &loop, std::span<const TensorType> operands);

/// Returns the type without dim 0, which is the type of a slice along dim 0.
TensorType sliceOf(const TensorType &type);
/// Inverse of sliceOf: returns the type of `size` stacked slices.
TensorType stackOf(const TensorType &slice, int64_t size);

/// True if a value of type `given` may be used where `declared` is written. A
/// dim that is dynamic in either type agrees with any size.
bool agree(const TensorType &declared, const TensorType &given);

/// The types of the inputs of a loop's body, for operands of these types.
std::vector<TensorType> bodyInputs(const fb::LoopT &loop,
                                   std::span<const TensorType> operands);

/// The types of the results of a step of `program`. Op steps and loops use the
/// shape rules of the ops; kernel steps have the types of their slots. Fails
/// with phase "shape" if a shape rule rejects the operands, or if a carried
/// value of a loop changes its type.
Expected<std::vector<TensorType>>
inferResultTypes(const fb::ProgramT &program, const fb::StepT &step,
                 std::span<const TensorType> operands);

/// Returns an equivalent program without loops for inputs of the given static
/// types. Each iteration has steps of its own. All types and sizes of the result
/// are static.
Expected<Program> unrollLoops(const Program &program,
                              std::span<const TensorType> inputs);

/// A program in which each loop is replaced by one iteration of the loop's
/// body, for estimates. The types are correct, but the values are not.
struct FlatProgram {
  Program program;
  /// For each step, the number of times that the loops would run the step.
  std::vector<double> times;
};
/// Returns `program` with each loop replaced by one iteration, for inputs of
/// the given static types. A loop without iterations is removed.
Expected<FlatProgram> flattenLoops(const Program &program,
                                   std::span<const TensorType> inputs);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMLOOPS_H
