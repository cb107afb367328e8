//===- ContractionCosts.h - Costs of computing a contraction ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The estimated costs of the ways to compute a convolution or matrix product on
// the CPU. The library is one of these ways. All costs have the same form, so
// that every choice (kernel or library, one layout or another) compares the
// same numbers. A new way to compute takes one more entry of `ContractionWay`
// and one more function in ContractionCosts.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CONTRACTIONCOSTS_H
#define TANDEM_TARGET_CPU_CONTRACTIONCOSTS_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Fusion/BackendChoice.h"
#include "tandem/Target/CPU/CPUOptions.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tandem {
namespace ir {
class ConvBackwardWeightsOp;
} // namespace ir

/// A way to compute a contraction.
enum class ContractionWay {
  /// A kernel of register tiles, with packed weights where that pays.
  Tiles,
  /// A kernel of register tiles that multiplies by the factors of constant
  /// weights (ir::WeightFactors).
  ScaledTiles,
  /// A kernel of dot products, on weights as they are.
  Dots,
  /// A kernel that uses Winograd's method, on transformed weights.
  Winograd,
  /// A kernel of kind loop, which computes one element after the other.
  Loop,
  /// An op step, computed by the library.
  Library,
};

/// The estimated time of one call, by its parts, in nanoseconds.
struct ContractionCost {
  ContractionWay way = ContractionWay::Tiles;
  /// The time to start the kernel or library call, the time to compute with all
  /// data in near caches, and the time to transfer all bytes once.
  double startNs = 0, computeNs = 0, memoryNs = 0;

  /// The estimated time of the whole call. Part of the transfers overlaps with
  /// the computation, as in the execution-cache-memory model (Treibig and
  /// Hager, PPAM 2009): the result is above a roofline's maximum and below the
  /// sum.
  double getNs() const {
    constexpr double kExposedShare = 0.5;
    return startNs + std::max(memoryNs, computeNs + kExposedShare * memoryNs);
  }
};

/// Estimates the cost of each possible way to compute `op`, a tandem.conv or
/// tandem.matmul of static types. The library is the last entry. If no kernel
/// can be generated, the library is the only entry. Packing the weights is free
/// if they are constant (`isConstant`). Winograd's method is included if
/// `useWinograd` is set and the method is worthwhile. A loop kernel is included
/// if each result element needs few products.
llvm::SmallVector<ContractionCost, 4>
estimateContractionCosts(mlir::Operation *op, bool isConstant,
                         const DeviceModel &device, bool useWinograd = false);

/// Estimates the time of the library for `op`, whose type is static, in
/// nanoseconds.
double estimateLibraryNs(ir::ConvBackwardWeightsOp op,
                         const DeviceModel &device);

/// How integers with scales are packed.
struct ScaledBlock {
  /// The number of outputs in a block.
  int64_t outputs = 0;
  /// The estimated time of the kernel in nanoseconds.
  double ns = 0;
};

/// Returns the blocks of packed integers with scales, if a kernel can multiply
/// by these factors of the weights of `op` and, unless `always` is set, is
/// estimated to be faster than any kernel for weights in f32. `inputsPerScale`
/// inputs of an output share a scale. Integers have `integerBits` bits, which
/// is 8 or 4 (Contraction::integerBits).
std::optional<ScaledBlock>
getScaledBlock(mlir::Operation *op, int64_t inputsPerScale, int64_t integerBits,
               const DeviceModel &device, bool always);

/// Returns the least cost of a generated kernel, and the cost of the library.
/// Returns nothing if no kernel can be generated.
std::optional<BackendCosts> compareWithLibrary(mlir::Operation *op,
                                               const DeviceModel &device,
                                               bool useWinograd);
/// Like the other overload, but `winograd` determines whether kernels that use
/// Winograd's method are considered.
std::optional<BackendCosts> compareWithLibrary(mlir::Operation *op,
                                               const DeviceModel &device,
                                               const CPUOptions &options);

/// The cost, in nanoseconds, of the elementwise op that follows `op`: if the
/// library computes `op`, it is a separate pass over the result; a generated
/// kernel of `op` would include it.
double getLeftoverNs(mlir::Operation *op, const DeviceModel &device);

/// Whether the library should be chosen: it must be faster by more than the
/// usual error of the estimates.
bool prefersLibrary(const BackendCosts &costs);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONCOSTS_H
