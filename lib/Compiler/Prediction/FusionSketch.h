//===- FusionSketch.h - Which ops will probably be one kernel ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion passes use IR and a cost model, and take milliseconds. A
// FusionSketch guesses their decisions from the eager program in microseconds.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_PREDICTION_FUSIONSKETCH_H
#define TANDEM_LIB_COMPILER_PREDICTION_FUSIONSKETCH_H

#include "tandem/Compiler/CostFeatures.h"
#include "tandem/Runtime/Program/ProgramLoops.h"

#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

namespace tandem {

/// An op of an eager program, for one signature.
struct SketchedOp {
  const fb::StepT *step = nullptr;
  std::vector<TensorType> operands;
  TensorType result;
  OpCost cost;
  /// How often loops run the op.
  double times = 1;
  /// The number of the kernel. It is -1 if nothing is left to execute, because
  /// the op only gives a value another type, or all its operands are constants.
  int kernel = -1;

  OpInfo info() const { return getOpInfo(step->op->kind); }
};

/// Ops that are probably computed by one kernel.
struct SketchedKernel {
  std::vector<size_t> ops;
  /// Bytes that the kernel reads and writes.
  int64_t bytes = 0;
  /// How often loops run the kernel.
  double times = 1;
  /// A hash of its ops with their types: equal kernels are compiled once.
  uint64_t key = 0;
};

struct FusionSketch {
  /// If the program has loops, the flattened program to which the steps of the
  /// ops belong.
  std::shared_ptr<const FlatProgram> flat;
  std::vector<SketchedOp> ops;
  std::vector<SketchedKernel> kernels;
};

/// Sketches the fusion of `program` for inputs of these types. Fails if the
/// types do not fit the program.
Expected<FusionSketch> sketchFusion(const Program &program,
                                    std::span<const TensorType> inputs);

/// Returns the features of the graph from which its costs are predicted.
/// Kernels whose keys are in `known` need not be compiled.
CostFeatures describeCosts(const FusionSketch &sketch, const Program &program,
                           const DeviceModel &device,
                           const std::unordered_set<uint64_t> &known);

/// Predicts c and e from the device model alone, for a device without fitted
/// coefficients, such as a GPU. Each kernel, or op, takes a launch and the time
/// of its memory accesses or of its arithmetic, whichever is longer (the
/// roofline). Both predictions are too low by about the same factor, and the
/// engine only uses their ratio.
void predictCallsByModel(const FusionSketch &sketch, const DeviceModel &device,
                         CostPrediction &prediction);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_FUSIONSKETCH_H
