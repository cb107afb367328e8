//===- BackendChoice.cpp - Contractions that a library computes -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/BackendChoice.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace tandem {

static constexpr llvm::StringLiteral kLibrary = "tandem.library",
                                     kGenerated = "tandem.generated";

/// Whole nanoseconds, generated and library.
static void setCosts(Operation *op, StringRef name, const BackendCosts &costs) {
  Builder builder(op->getContext());
  op->setDiscardableAttr(name, builder.getDenseI64ArrayAttr(
                                   {static_cast<int64_t>(costs.generatedNs),
                                    static_cast<int64_t>(costs.libraryNs)}));
}

static std::optional<BackendCosts> getCosts(Operation *op, StringRef name) {
  auto costs = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!costs || costs.size() != 2)
    return std::nullopt;
  return BackendCosts{static_cast<double>(costs[0]),
                      static_cast<double>(costs[1])};
}

void chooseLibrary(Operation *op, const BackendCosts &costs) {
  setCosts(op, kLibrary, costs);
}

std::optional<BackendCosts> getBackendChoice(Operation *op) {
  return getCosts(op, kLibrary);
}

void noteGenerated(Operation *op, const BackendCosts &costs) {
  setCosts(op, kGenerated, costs);
}

std::optional<BackendCosts> getGeneratedNote(Operation *op) {
  return getCosts(op, kGenerated);
}

void dropGeneratedNote(Operation *op) { op->removeDiscardableAttr(kGenerated); }

} // namespace tandem
