//===- TandemToLinalg.h - Kernels of tandem ops to linalg ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_CONVERSION_TANDEMTOLINALG_TANDEMTOLINALG_H
#define TANDEM_CONVERSION_TANDEMTOLINALG_TANDEMTOLINALG_H

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Support/Error.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class RankedTensorType;
} // namespace mlir

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tandem::ir {
class ReduceOp;
} // namespace tandem::ir

namespace tandem {

/// Most operand elements that one result element of a window, contraction or
/// reduction may combine to be emitted elementally: each is unrolled.
inline constexpr int64_t kMaxUnrolledElements = 512;

/// How many operand elements one result element of `op` combines: taps times
/// input channels of a convolution, the window of a pooling, the reduced
/// elements of a reduction; 1 for elementwise and shape ops. Types are static.
int64_t getUnrolledElements(mlir::Operation *op);

/// Whether `op` can be emitted elementally. The Error of these checks says what
/// stands in the way, as the rest of a sentence about the op.
Status checkElemental(mlir::Operation *op);

/// Whether `reduce` can be computed by a kernel of kind reduction. There it
/// runs in loops of its own, however many elements it combines.
Status checkReduction(mlir::Operation *reduce);

/// Whether a kernel of kind reduction, one of whose reductions is `reduce`, can
/// return a value of static type `type`. It returns what has
/// an element for each that is reduced or for each reduction's result, with the
/// dims in that order; dims of size 1 do not matter.
Status checkReductionResult(ir::ReduceOp reduce, mlir::RankedTensorType type);

/// Whether `hero` can be computed by a kernel of kind contraction.
Status checkContraction(mlir::Operation *hero);

/// Rewrites the body of a kernel function (see the pass's description). The
/// caches of `device` decide what is stored. On failure a diagnostic has been
/// emitted at the op that stands in the way.
mlir::LogicalResult
convertKernelToLinalg(mlir::func::FuncOp kernel,
                      const DeviceModel &device = genericDeviceModel());

#define GEN_PASS_DECL
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

} // namespace tandem

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_TANDEMTOLINALG_H
