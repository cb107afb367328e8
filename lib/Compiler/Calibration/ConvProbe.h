//===- ConvProbe.h - Timing one convolution ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATION_CONVPROBE_H
#define TANDEM_LIB_COMPILER_CALIBRATION_CONVPROBE_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Runtime/Executor.h"

#include "tandem/Target/CPU/ContractionCosts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// A reference computation that runs right before each timed computation. The
/// measured time is then relative to the current speed of the core, because a
/// core that shares its units and caches with another thread may run at half
/// its speed.
struct SpeedReference {
  /// Runs the computation once and returns its time in nanoseconds.
  std::function<double()> run;
  /// The number of operations that the core would do in that time if it only
  /// issued multiply-adds.
  double flops = 0;
};

/// Multiply-adds in registers, with vectors of `vectorBits` bits: measures the
/// speed of the arithmetic units, but not of the caches.
SpeedReference makeFlopsReference(int64_t vectorBits);

/// One convolution of random data and weights that can be timed, computed in
/// one of Tiles, Loop and Library. Not thread-safe.
class ConvProbe {
public:
  /// Compiles a convolution. `text` has a dtype, a layout and a shape in the
  /// format of test/shapes/conv: "f32 nhwc ic64ih28oc64oh28kh3ph1". With the
  /// word "weights" before the shape, the probe computes the gradient of the
  /// convolution's weights, in the library. The Error says why the convolution
  /// cannot run in the required way.
  static Expected<std::unique_ptr<ConvProbe>> create(llvm::StringRef text,
                                                     ContractionWay way);

  /// Times the convolution relative to `reference`, on the calling thread
  /// within runOnOneThread and otherwise on all threads. The result is in the
  /// unit of SpeedReference::flops, and is the median over many pairs of runs.
  Expected<double> measure(const SpeedReference &reference);

  /// Runs the convolution once and returns the time in nanoseconds.
  Expected<double> run();

  /// Returns the time that the cost model predicts with `model`, in
  /// nanoseconds, or nothing if the cost model does not cover this way to
  /// compute.
  std::optional<double> predictNs(const DeviceModel &model);

private:
  ConvProbe(ContractionWay way);
  mlir::LogicalResult readGraph(const std::string &source);

  ContractionWay way;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The convolution, or the gradient of its weights.
  mlir::Operation *op = nullptr;
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs, outputs;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_CONVPROBE_H
