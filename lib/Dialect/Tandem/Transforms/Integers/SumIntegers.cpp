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

namespace {

/// A sum or mean of quantized numbers.
struct QuantizedSum {
  Value bytes;
  /// Nothing if there are several.
  std::optional<int64_t> zeroPoint;
  /// The integers minus their zero points, in f32.
  Value differences;
  int64_t count;
  /// The factor of the sum of `differences`.
  float factor;
};

} // namespace

/// Nothing if `reduce` is no sum or mean of quantized numbers.
static std::optional<QuantizedSum> matchQuantizedSum(ir::ReduceOp reduce) {
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
  const std::optional<int64_t> zeroPoint =
      numbers && numbers->zeroPoint ? getSplat(numbers->zeroPoint) : 0;
  if (!scale || !count || *count == 0 || *count > kMostExactInF32 / kLargest)
    return std::nullopt;
  const float factor = isMean ? *scale / float(*count) : *scale;
  if (!std::isfinite(factor) || factor < std::numeric_limits<float>::min())
    return std::nullopt;
  return QuantizedSum{numbers->bytes, zeroPoint, mul.getLhs(), *count, factor};
}

static Value createScalar(OpBuilder &builder, Location loc, auto number,
                          Type type) {
  auto scalar = RankedTensorType::get({}, type);
  return ir::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(scalar, number));
}

/// The sum of the integers minus their zero points, in f32. A sum in i32 has
/// ops of its own: if it shared those that dequantize the numbers for other
/// ops, a kernel would return the dequantized numbers, which have four times as
/// many bytes.
static Value createSum(OpBuilder &builder, ir::ReduceOp reduce,
                       const QuantizedSum &numbers) {
  const Location loc = reduce.getLoc();
  auto sumOf = [&](Value value) -> Value {
    return ir::ReduceOp::create(builder, loc, value, ir::ReduceKind::sum,
                                reduce.getDimsAttr(), reduce.getKeepDims());
  };
  if (!numbers.zeroPoint)
    return sumOf(numbers.differences);
  const Type i32 = builder.getI32Type();
  Value sum =
      sumOf(ir::CastOp::create(builder, loc, numbers.bytes, i32).getResult());
  if (const auto shift = int32_t(*numbers.zeroPoint * numbers.count))
    sum = ir::SubOp::create(builder, loc, sum,
                            createScalar(builder, loc, shift, i32));
  return ir::CastOp::create(builder, loc, sum, builder.getF32Type());
}

void sumIntegers(Operation *root) {
  SmallVector<ir::ReduceOp> reductions;
  root->walk([&](ir::ReduceOp reduce) { reductions.push_back(reduce); });
  for (ir::ReduceOp reduce : reductions)
    if (const std::optional<QuantizedSum> numbers = matchQuantizedSum(reduce)) {
      OpBuilder builder(reduce);
      const Location loc = reduce.getLoc();
      Value sum = createSum(builder, reduce, *numbers);
      Value factor =
          createScalar(builder, loc, numbers->factor, builder.getF32Type());
      reduce.replaceAllUsesWith(
          ir::MulOp::create(builder, loc, sum, factor).getResult());
      reduce.erase();
    }
}

} // namespace tandem
