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
///
/// Functions that take `given` expect one tensor per output. The caller gives
/// no memory for an output whose tensor is empty.
class OutputPlan {
public:
  /// `program` must outlive the plan.
  explicit OutputPlan(const Program &program);

  /// Returns `given`, or empty tensors if there is none, with the inputs that
  /// the program updates in the places of the outputs that update them. Fails
  /// with phase "output" if `given` has other tensors for these outputs.
  Expected<std::vector<Tensor>>
  withUpdates(std::span<const Tensor> inputs,
              std::span<const Tensor> given) const;

  /// Checks that `given` has one tensor per output, in the memory of device
  /// `memory`, that the types fit the program's, and that no tensor overlaps an
  /// input or another tensor. An output may have the memory of the input that
  /// it updates. The phase of errors is "output".
  Status check(std::span<const Tensor> inputs, std::span<const Tensor> given,
               const Device *memory) const;

  /// Makes the next run of `frame`, whose inputs are set, write results into
  /// `given`, as far as a step of the program can write them there.
  void place(std::span<const Tensor> given, Frame &frame) const;

  /// True if a run whose outputs `given` are placed has written to an input
  /// once the first `begun` of the program's steps have begun. The copies of
  /// copyInto count as one more step.
  bool hasOverwritten(std::span<const Tensor> given, const Frame &frame,
                      size_t begun) const;

  /// Replaces each of `results` for which there is memory in `given` by a copy
  /// in that memory, unless it is there already. Other results that have the
  /// memory of an updated input are copied first. The phase of errors is
  /// "output".
  Status copyInto(std::span<const Tensor> given, std::span<Tensor> results,
                  Stream &stream) const;

  /// Replaces each of `frame.results` that shares memory with an input, a
  /// constant or an earlier result by a copy in new memory, except for those
  /// that are in the memory of `given`, which may be empty.
  Status separate(std::span<const Tensor> given, Stream &stream,
                  Frame &frame) const;

  /// The slots of outputs that steps write directly to the memory of the inputs
  /// that these outputs update.
  std::vector<uint32_t> overwritingSlots() const;

private:
  static constexpr int32_t kNone = -1;

  bool isShared(size_t output, const Frame &frame) const;
  /// True if `output` updates an input, and `given` is that input's memory.
  bool isUpdate(size_t output, const Tensor &given, const Frame &frame) const;
  Status checkType(size_t output, const Tensor &given,
                   const Device *memory) const;
  Status checkOverlaps(std::span<const Tensor> inputs,
                       std::span<const Tensor> given) const;
  std::string nameOf(size_t output) const;
  std::string nameOfInput(size_t input) const;

  const Program &program;
  /// For each output, the slot that the memory belongs to: the output itself,
  /// or the first operand of a chain of views.
  std::vector<uint32_t> roots;
  /// For each output, the number of the input that it updates; or kNone.
  std::vector<int32_t> updated;
  /// For each output that updates an input, the step that writes it over the
  /// input (findOverwrites).
  std::vector<std::optional<size_t>> overwrites;
  /// For each output, whether it has the memory of an input that another output
  /// updates.
  std::vector<bool> viewsUpdated;
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_OUTPUTPLAN_H
