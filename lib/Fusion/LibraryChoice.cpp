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

static constexpr llvm::StringLiteral kAttrName = "tandem.library";

/// Whole nanoseconds, generated and library.
void tandem::chooseLibrary(Operation *op, const ContractionPrices &prices) {
  Builder builder(op->getContext());
  op->setDiscardableAttr(
      kAttrName,
      builder.getDenseI64ArrayAttr({static_cast<int64_t>(prices.generatedNs),
                                    static_cast<int64_t>(prices.libraryNs)}));
}

std::optional<tandem::ContractionPrices>
tandem::getLibraryChoice(Operation *op) {
  auto prices = op->getAttrOfType<DenseI64ArrayAttr>(kAttrName);
  if (!prices || prices.size() != 2)
    return std::nullopt;
  return ContractionPrices{static_cast<double>(prices[0]),
                           static_cast<double>(prices[1])};
}
