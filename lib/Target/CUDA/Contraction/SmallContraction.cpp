//===- SmallContraction.cpp - Contractions that kernels compute -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionTiles.h"
#include "KernelSchedule.h"

#include "Conversion/KernelToEmitC/CTypes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

/// Whether all element types of a contraction are the same float type, or are
/// those of products of bytes.
static bool hasGeneratedTypes(const Contraction &contraction) {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  if (contraction.areBytesWidened())
    return elementOf(contraction.weights).isInteger(8) && !contraction.bias;
  Type element = contraction.result.getElementType();
  auto isOfElement = [&](Value value) {
    return !value || elementOf(value) == element;
  };
  return (element.isF32() || element.isF64() || isHalf(element)) &&
         isOfElement(contraction.data) && isOfElement(contraction.weights) &&
         isOfElement(contraction.bias);
}

/// Limits the terms of a sum, whose data and weights are in shared memory at
/// once.
static Status checkTerms(const Contraction &contraction) {
  constexpr int64_t kMaxTerms = 64;
  const ContractionTiles tiles(contraction, /*window=*/nullptr,
                               byteSize(contraction.result.getElementType()));
  if (tiles.terms <= kMaxTerms)
    return {};
  const std::string most = "sums more than " + std::to_string(kMaxTerms);
  return fail("codegen",
              tiles.areQuads
                  ? most + " quads of products, which a prebuilt kernel sums "
                           "in slices"
                  : most + " products, which the library does better");
}

Status tandem::codegen::checkSmallContraction(Operation *hero,
                                              const Contraction &contraction) {
  const bool areBytes = contraction.areBytesWidened();
  // Data of ui8 is a signless argument that is cast back.
  bool isRead = contraction.data == skipReshapes(hero->getOperand(0)) &&
                contraction.weights == hero->getOperand(1) &&
                (!contraction.bias || contraction.bias == hero->getOperand(2));
  // The dim along which results are stored at once.
  int64_t last = contraction.result.getRank() - 1;
  bool isLast = contraction.outputDim == last ||
                contraction.spatial.back().resultDim == last;
  int64_t taps = contraction.getReduction() / contraction.inputChannels;
  if (!areBytes && (!isa<ir::ConvOp>(hero) || taps == 1))
    return fail("codegen",
                "is a matrix product, which the library does better");
  if (!isRead || contraction.inputsTogether > 1)
    return fail("codegen", "reads operands that are views or packed");
  if (llvm::any_of(contraction.batch, [](const Contraction::BatchDim &dim) {
        return dim.weightsStride != 0;
      }))
    return fail("codegen", "reads other weights for each batch");
  if (contraction.groups != 1 ||
      contraction.outputChannels % ContractionTiles::kLeastChannels != 0 ||
      !isLast)
    return fail("codegen",
                "has not " + std::to_string(ContractionTiles::kLeastChannels) +
                    " output channels or a multiple of them, the "
                    "last dim of the result or ahead of the "
                    "positions");
  if (!hasGeneratedTypes(contraction))
    return fail("codegen", "is of other types than floats or bytes, or of "
                           "several");
  return checkTerms(contraction);
}
