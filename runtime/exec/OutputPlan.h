//===- OutputPlan.h - The memory of a program's outputs ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_OUTPUTPLAN_H
#define TANDEM_RUNTIME_EXEC_OUTPUTPLAN_H

#include "Frame.h"

namespace tandem::exec {

/// Determines which outputs of a program share memory with inputs, constants or
/// each other, and makes runs write outputs into tensors of the caller.
/// Immutable.
class OutputPlan {
public:
  /// `program` must outlive the plan.
  explicit OutputPlan(const Program &program);

  /// Checks that `given` has one tensor per output, in the memory of device
  /// `memory`, that the types fit the program's, and that no tensor overlaps an
  /// input or another tensor. The phase of errors is "output".
  Status check(std::span<const Tensor> inputs, std::span<const Tensor> given,
               const Device *memory) const;

  /// Makes the next run of `frame` write results into `given`, as far as a step
  /// of the program writes them.
  void place(std::span<const Tensor> given, Frame &frame) const;

  /// Replaces each of `results` that is not in the memory of `given` by a copy
  /// that is. The phase of errors is "output".
  Status copyInto(std::span<const Tensor> given, std::span<Tensor> results,
                  Stream &stream) const;

  /// Replaces each of `frame.results` that shares memory with an input, a
  /// constant or an earlier result by a copy in new memory.
  Status separate(Stream &stream, Frame &frame) const;

private:
  bool isShared(size_t output, const Frame &frame) const;
  std::string nameOf(size_t output) const;

  const Program &program;
  /// For each output, the slot that the memory belongs to: the output itself,
  /// or the first operand of a chain of views.
  std::vector<uint32_t> roots;
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_OUTPUTPLAN_H
