//===- TandemToLinalg.h - Kernels of tandem ops to linalg -------*- C++ -*-===//
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

#include "mlir/IR/BuiltinOps.h"
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

/// The most operand elements that one result element of a window, contraction
/// or reduction may combine if the op is emitted elementally (as an expression
/// for one result element), since all of them are unrolled.
inline constexpr int64_t kMaxUnrolledElements = 512;

/// The number of operand elements that one result element of `op` combines:
/// taps times input channels for a convolution, the window for a pooling, the
/// reduced elements for a reduction; 1 for elementwise and shape ops. Types
/// must be static.
int64_t getUnrolledElements(mlir::Operation *op);

/// Whether `op` can be emitted elementally. The Error of these checks says what
/// stands in the way, as a clause that continues a sentence about the op.
Status checkElemental(mlir::Operation *op);

/// Whether `reduce` can be computed by a kernel of kind reduction. In such a
/// kernel it has loops of its own, and may combine any number of elements.
Status checkReduction(mlir::Operation *reduce);

/// Whether a kernel of kind reduction, one of whose reductions is `reduce`, can
/// return a value of static type `type`. The value must have one element for
/// each element that is reduced, or one for each element of the reduction's
/// result, with the dims in the same order. Dims of size 1 do not matter.
Status checkReductionResult(ir::ReduceOp reduce, mlir::RankedTensorType type);

/// Rewrites the body of a kernel function to linalg on tensors, as pass
/// convert-tandem-to-linalg describes. The cache sizes of `device` decide which
/// intermediate values are stored. On failure a diagnostic has been emitted at
/// the op that cannot be converted.
mlir::LogicalResult
convertKernelToLinalg(mlir::func::FuncOp kernel,
                      const DeviceModel &device = genericDeviceModel());

/// Runs pass convert-tandem-to-linalg, which is phase `linalg` of the pipeline,
/// on a single kernel module. `deviceSpec` is an argument of findDeviceModel.
/// Emits a diagnostic on failure.
mlir::LogicalResult lowerKernelToLinalg(mlir::ModuleOp kernel,
                                        const std::string &deviceSpec);

#define GEN_PASS_DECL
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

} // namespace tandem

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_TANDEMTOLINALG_H
