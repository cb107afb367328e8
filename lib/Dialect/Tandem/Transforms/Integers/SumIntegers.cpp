//===- SumIntegers.cpp - Sums of quantized numbers ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/SumIntegers.h"

#include "QuantizedValues.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/ExactSums.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tandem {

/// The number of elements that `reduce` combines to one; nothing if a size is
/// not known.
static std::optional<int64_t> countElements(ir::ReduceOp reduce) {
  int64_t count = 1;
  for (int64_t dim : reduce.getDims()) {
    const int64_t size = typeOf(reduce.getInput()).getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    count *= size;
  }
  return count;
}

/// The only element of a constant of f32; nothing for other values.
static std::optional<float> getNumber(Value value) {
  DenseElementsAttr constant;
  if (!getElementTypeOrSelf(value).isF32() ||
      !matchPattern(value, m_Constant(&constant)) ||
      constant.getNumElements() != 1)
    return std::nullopt;
  return *constant.value_begin<float>();
}

/// The factor of the sums that replace `reduce`; nothing if it is not a sum or
/// mean of quantized numbers.
static std::optional<float> matchFactor(ir::ReduceOp reduce) {
  constexpr int64_t kLargest = 255;
  const bool isMean = reduce.getKind() == ir::ReduceKind::mean;
  auto mul = reduce.getInput().getDefiningOp<ir::MulOp>();
  if (!(isMean || reduce.getKind() == ir::ReduceKind::sum) || !mul ||
      !getElementTypeOrSelf(mul.getLhs()).isF32())
    return std::nullopt;
  const std::optional<Quantized> numbers = matchQuantized(mul);
  const std::optional<int64_t> count = countElements(reduce);
  const std::optional<float> scale =
      numbers ? getNumber(mul.getRhs()) : std::nullopt;
  if (!scale || !count || *count == 0 || *count > kMostExactInF32 / kLargest)
    return std::nullopt;
  const float factor = isMean ? *scale / float(*count) : *scale;
  return std::isfinite(factor) && factor >= std::numeric_limits<float>::min()
             ? std::optional(factor)
             : std::nullopt;
}

void sumIntegers(Operation *root) {
  SmallVector<ir::ReduceOp> reductions;
  root->walk([&](ir::ReduceOp reduce) { reductions.push_back(reduce); });
  for (ir::ReduceOp reduce : reductions) {
    const std::optional<float> factor = matchFactor(reduce);
    if (!factor)
      continue;
    OpBuilder builder(reduce);
    const Location loc = reduce.getLoc();
    auto mul = reduce.getInput().getDefiningOp<ir::MulOp>();
    Value sum =
        ir::ReduceOp::create(builder, loc, mul.getLhs(), ir::ReduceKind::sum,
                             reduce.getDimsAttr(), reduce.getKeepDims());
    auto type = RankedTensorType::get({}, builder.getF32Type());
    Value scale = ir::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(type, *factor));
    reduce.replaceAllUsesWith(
        ir::MulOp::create(builder, loc, sum, scale).getResult());
    reduce.erase();
  }
}

} // namespace tandem
