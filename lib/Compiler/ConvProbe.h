//===- ConvProbe.h - A convolution, timed and priced ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CONVPROBE_H
#define TANDEM_LIB_COMPILER_CONVPROBE_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Runtime/Executor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// What the time of something is told by: something else that runs just before
/// it, for a core that shares its units and caches with somebody's thread is
/// worth half at times.
struct Yardstick {
  /// Runs it once; ns.
  std::function<double()> run;
  /// What it is worth: in this time a core that did nothing but multiply and
  /// add would do so many operations.
  double flops = 0;
};

/// Multiply-adds in registers, in vectors of so many bits: says all there is to
/// say of units, and nothing of caches.
Yardstick makeFlopsYardstick(int64_t vectorBits);

/// One convolution of random data and weights, in a kernel of register tiles or
/// in the library.
class ConvProbe {
public:
  /// `text`: dtype, layout and a shape in the form of test/shapes/conv, as "f32
  /// nhwc ic64ih28oc64oh28kh3ph1". The Error says why it does not run so.
  static Expected<std::unique_ptr<ConvProbe>> create(llvm::StringRef text,
                                                     bool isGenerated);

  /// Times it on the calling thread, in the unit of Yardstick::flops: the
  /// median of many pairs with a run of `yardstick`.
  Expected<double> measure(const Yardstick &yardstick);

  /// One run, in ns.
  Expected<double> run();

  /// What `model` predicts, in ns; nothing where it has no such way.
  std::optional<double> predictNs(const DeviceModel &model);

private:
  ConvProbe(bool isGenerated);

  bool isGenerated;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ir::ConvOp conv;
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs, outputs;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CONVPROBE_H
