//===- ContractionPrices.h - What each way to compute takes ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution or product can be computed in several ways, of which the
// library's is one. Each has a price of the same form here, and whoever
// compares (generated or library, one layout or another) compares these. A new
// way to compute is one more entry of `ContractionWay` and one more function
// in ContractionPrices.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CONTRACTIONPRICES_H
#define TANDEM_TARGET_CPU_CONTRACTIONPRICES_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Fusion/LibraryChoice.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tandem {

enum class ContractionWay {
  /// Register tiles of a kernel, weights packed where that pays.
  Tiles,
  /// Dot products of a kernel, on weights as they are.
  Dots,
  /// A kernel by Winograd's method, weights transformed.
  Winograd,
  /// A kernel of kind loop, element by element.
  Loop,
  /// An op step.
  Library,
};

/// The time of one call, in ns.
struct ContractionPrice {
  ContractionWay way = ContractionWay::Tiles;
  /// To start it; to compute with all data near; to move all bytes once.
  double startNs = 0, computeNs = 0, memoryNs = 0;

  /// Part of the transfers hides behind the products, as in the
  /// execution-cache-memory model (Treibig and Hager, PPAM 2009): more than a
  /// roofline's maximum, less than the sum.
  double getNs() const {
    constexpr double kExposedShare = 0.5;
    return startNs + std::max(memoryNs, computeNs + kExposedShare * memoryNs);
  }
};

/// The price of each way there is to compute `op`, a tandem.conv or
/// tandem.matmul of static types; that of the library is the last, and the only
/// one where no kernel can be generated. Of constant weights (`isConstant`)
/// packing costs nothing; Winograd's method is among the ways if it is worth it
/// and `useWinograd`, a loop if there are few products for an element.
llvm::SmallVector<ContractionPrice, 4>
priceContraction(mlir::Operation *op, bool isConstant,
                 const DeviceModel &device, bool useWinograd);

/// The least of the generated ways, and the library's; none where no kernel can
/// be generated.
std::optional<ContractionPrices> compareWithLibrary(mlir::Operation *op,
                                                    const DeviceModel &device,
                                                    bool useWinograd);

/// What the library leaves to a kernel of its own and one of `op` takes in, in
/// ns: a pass over the result by the elementwise op that follows.
double getLeftoverNs(mlir::Operation *op, const DeviceModel &device);

/// Whether the library is chosen: where it promises more than the prices are
/// off by, as a rule.
bool prefersLibrary(const ContractionPrices &prices);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_CONTRACTIONPRICES_H
