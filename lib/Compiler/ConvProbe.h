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
#include "tandem/Measure/Rates.h"
#include "tandem/Runtime/Executor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// One convolution of random data and weights, in a kernel of register tiles or
/// in the library.
class ConvProbe {
public:
  /// `text`: dtype, layout and a shape in the form of test/shapes/conv, as "f32
  /// nhwc ic64ih28oc64oh28kh3ph1". The Error says why it does not run so.
  static Expected<std::unique_ptr<ConvProbe>> create(llvm::StringRef text,
                                                     bool isGenerated);

  /// Times it on the calling thread, in operations that a core which did
  /// nothing but multiply and add would do meanwhile: each run follows one of
  /// those in registers, in vectors of so many bits, whose time says what the
  /// core is worth at that moment. The median of many pairs; half the distance
  /// of the quartiles is the spread.
  Expected<measure::Best> measure(int64_t vectorBits);

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
