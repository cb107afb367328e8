//===- LibraryChoice.cpp - Contractions that a library computes -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/LibraryChoice.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace tandem {

static constexpr llvm::StringLiteral kLibrary = "tandem.library",
                                     kGenerated = "tandem.generated";

/// Whole nanoseconds, generated and library.
static void setPrices(Operation *op, StringRef name,
                      const ContractionPrices &prices) {
  Builder builder(op->getContext());
  op->setDiscardableAttr(name, builder.getDenseI64ArrayAttr(
                                   {static_cast<int64_t>(prices.generatedNs),
                                    static_cast<int64_t>(prices.libraryNs)}));
}

static std::optional<ContractionPrices> getPrices(Operation *op,
                                                  StringRef name) {
  auto prices = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!prices || prices.size() != 2)
    return std::nullopt;
  return ContractionPrices{static_cast<double>(prices[0]),
                           static_cast<double>(prices[1])};
}

void chooseLibrary(Operation *op, const ContractionPrices &prices) {
  setPrices(op, kLibrary, prices);
}

std::optional<ContractionPrices> getLibraryChoice(Operation *op) {
  return getPrices(op, kLibrary);
}

void noteGenerated(Operation *op, const ContractionPrices &prices) {
  setPrices(op, kGenerated, prices);
}

std::optional<ContractionPrices> getGeneratedNote(Operation *op) {
  return getPrices(op, kGenerated);
}

void dropGeneratedNote(Operation *op) { op->removeDiscardableAttr(kGenerated); }

} // namespace tandem
