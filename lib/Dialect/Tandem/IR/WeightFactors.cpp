//===- WeightFactors.cpp - The factors of weights -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/WeightFactors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tandem::ir {

static constexpr StringLiteral kFactors = "tandem.factors", kValues = "values",
                               kScales = "scales", kInputs = "inputs";

void setWeightFactors(Operation *constant, const WeightFactors &factors) {
  Builder builder(constant->getContext());
  constant->setAttr(
      kFactors,
      builder.getDictionaryAttr(
          {builder.getNamedAttr(kValues, factors.values),
           builder.getNamedAttr(kScales, factors.scales),
           builder.getNamedAttr(
               kInputs, builder.getI64IntegerAttr(factors.inputsPerScale))}));
}

std::optional<WeightFactors> getWeightFactors(Operation *constant) {
  auto dictionary =
      constant ? constant->getAttrOfType<DictionaryAttr>(kFactors) : nullptr;
  if (!dictionary)
    return std::nullopt;
  auto inputs = dictionary.getAs<IntegerAttr>(kInputs);
  WeightFactors factors{dictionary.getAs<ElementsAttr>(kValues),
                        dictionary.getAs<ElementsAttr>(kScales),
                        inputs ? inputs.getInt() : 0};
  if (!factors.values || !factors.scales || factors.inputsPerScale <= 0)
    return std::nullopt;
  return factors;
}

} // namespace tandem::ir
