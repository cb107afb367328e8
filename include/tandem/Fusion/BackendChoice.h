//===- BackendChoice.h - Contractions left to the library -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before fusion, a pass decides for each large convolution or matrix product
// whether a generated kernel or the library computes it, by estimated or by
// measured times. These functions attach the decision to the op, where fusion
// reads it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_BACKENDCHOICE_H
#define TANDEM_FUSION_BACKENDCHOICE_H

#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace tandem {

/// The times of a contraction in a generated kernel and in the library, in
/// nanoseconds per call.
struct BackendCosts {
  double generatedNs = 0, libraryNs = 0;
};

/// Leaves `op` to the library: fusion will make it an op step, and give both
/// times as its reason. Stored in the attribute `tandem.library`.
void chooseLibrary(mlir::Operation *op, const BackendCosts &costs);

/// The times because of which `op` was left to the library. None if `op` was
/// not left to the library.
std::optional<BackendCosts> getBackendChoice(mlir::Operation *op);

/// Adds a note to `op` with the times because of which `op` was not left to the
/// library. Only the fusion report reads the note. The pass that writes the
/// report then removes it. Stored in the attribute `tandem.generated`.
void noteGenerated(mlir::Operation *op, const BackendCosts &costs);
std::optional<BackendCosts> getGeneratedNote(mlir::Operation *op);
void dropGeneratedNote(mlir::Operation *op);

} // namespace tandem

#endif // TANDEM_FUSION_BACKENDCHOICE_H
