//===- LibraryChoice.h - Contractions that a library computes ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a heavy convolution or product costs generated and in a library is
// decided ahead of fusion, by prices or by measuring, and left at the op.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_LIBRARYCHOICE_H
#define TANDEM_FUSION_LIBRARYCHOICE_H

#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace tandem {

/// What a contraction takes either way, in ns a call.
struct ContractionPrices {
  double generatedNs = 0, libraryNs = 0;
};

/// Makes `op` an op step, for a library to run: fusion leaves it alone, with
/// both prices in its reason. Kept in the attribute `tandem.library`.
void chooseLibrary(mlir::Operation *op, const ContractionPrices &prices);

/// The prices for which `op` has been left to a library; none where it has not.
std::optional<ContractionPrices> getLibraryChoice(mlir::Operation *op);

/// Notes at `op`, which is not left to a library, why. For the fusion report,
/// which takes the note off again: nothing else depends on it. Kept in the
/// attribute `tandem.generated`.
void noteGenerated(mlir::Operation *op, const ContractionPrices &prices);
std::optional<ContractionPrices> getGeneratedNote(mlir::Operation *op);
void dropGeneratedNote(mlir::Operation *op);

} // namespace tandem

#endif // TANDEM_FUSION_LIBRARYCHOICE_H
