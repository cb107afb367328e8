//===- ContractIntegers.cpp - tandem-contract-integers --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized number q stands for (q - z) * s, with a zero point z and a scale
// s. For data x and weights w,
//
//   sum of (x - zx) * sx * (w - zw) * sw
//     = sx * sw * (sum of x * w - zx * sum of w - zw * sum of (x - zx)).
//
// The sums are of integers, and exact.
//
//===----------------------------------------------------------------------===//

#include "QuantizedValues.h"

#include "tandem/Dialect/Tandem/Transforms/ConvPadding.h"
#include "tandem/Dialect/Tandem/Transforms/DataSign.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Dialect/Tandem/Transforms/Requantization.h"
#include "tandem/Dialect/Tandem/Transforms/SumIntegers.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMCONTRACTINTEGERS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Replaces one contraction of quantized numbers.
class Rewriter {
public:
  explicit Rewriter(Operation *op)
      : op(op), builder(op), loc(op->getLoc()), conv(dyn_cast<ir::ConvOp>(op)),
        matmul(dyn_cast<ir::MatmulOp>(op)) {}

  /// True if the operands are quantized numbers whose products can be summed as
  /// integers.
  bool match();
  void replace();

private:
  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }
  Value cast(Value value, Type type) {
    return getElementTypeOrSelf(value) == type
               ? value
               : create<ir::CastOp>(value, type);
  }
  Value cast32(Value value) { return cast(value, builder.getI32Type()); }
  Value constant32(int64_t number) {
    auto type = RankedTensorType::get({}, builder.getI32Type());
    return create<ir::ConstantOp>(
        DenseElementsAttr::get(type, static_cast<int32_t>(number)));
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return create<ir::ReshapeOp>(value, builder.getDenseI64ArrayAttr(shape));
  }
  Value sub(Value a, Value b) { return create<ir::SubOp>(a, b); }
  Value mul(Value a, Value b) { return create<ir::MulOp>(a, b); }

  bool hasPadding() { return conv && isPadded(conv); }
  /// The number of products of a sum.
  int64_t countProducts();
  /// A parameter that differs along the outputs, as an operand that broadcasts
  /// with the result.
  Value forResult(Value parameter);
  /// Makes weights of ui8 ones of i8, and drops zero points of 0.
  void makeWeightsSigned();
  /// Writes the zero point where the padding is.
  void padData();
  Value contract(Value weightsOfOp);
  Value sumOfWeights();
  Value sumOfData();
  Value buildSums();

  Operation *op;
  OpBuilder builder;
  Location loc;
  ir::ConvOp conv;
  ir::MatmulOp matmul;
  Quantized data, weights;
  /// Zero points as numbers, where they are known.
  std::optional<int64_t> dataZero, weightsZero;
};

} // namespace

int64_t Rewriter::countProducts() {
  const ArrayRef<int64_t> shape = shapeOf(weights.bytes);
  int64_t count = 1;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (int64_t(dim) != getOutputDimOfWeights(op))
      count *= size;
  return count;
}

bool Rewriter::match() {
  std::optional<Quantized> x = matchQuantized(op->getOperand(0)),
                           w = matchQuantized(op->getOperand(1));
  if (!x || !w || bool(x->scale) != bool(w->scale))
    return false;
  data = *x;
  weights = *w;
  const RankedTensorType type = typeOf(weights.bytes);
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      (matmul && type.getRank() != 2))
    return false;
  const int64_t dataRank = typeOf(data.bytes).getRank(), rank = type.getRank();
  if (!isAlong(data.zeroPoint, dataRank, -1) ||
      !isAlong(data.scale, dataRank, -1) ||
      !isAlong(weights.zeroPoint, rank, getOutputDimOfWeights(op)) ||
      !isAlong(weights.scale, rank, getOutputDimOfWeights(op)))
    return false;
  // The sums of products must not wrap around.
  constexpr int64_t kLargest = 255 * 255;
  if (countProducts() > std::numeric_limits<int32_t>::max() / kLargest)
    return false;
  dataZero = data.zeroPoint ? getSplat(data.zeroPoint) : 0;
  weightsZero = weights.zeroPoint ? getSplat(weights.zeroPoint) : 0;
  if (weightsZero && isUnsigned(weights.bytes))
    *weightsZero -= 128;
  // The sums of data of groups, and of transposed data, are not worth more
  // code.
  const bool isPlain = conv ? conv.getGroups() == 1 : !matmul.getTransposeLhs();
  return (!hasPadding() || dataZero) && (weightsZero == 0 || isPlain);
}

Value Rewriter::forResult(Value parameter) {
  SmallVector<int64_t> shape;
  const int64_t count = typeOf(parameter).getNumElements();
  if (count != 1) {
    shape.assign(typeOf(op->getResult(0)).getRank(), 1);
    shape[getOutputDimOfResult(op)] = count;
  }
  return reshape(parameter, shape);
}

void Rewriter::makeWeightsSigned() {
  if (weights.zeroPoint && weightsZero)
    weights.zeroPoint = *weightsZero == 0 ? Value() : constant32(*weightsZero);
  else if (weights.zeroPoint)
    weights.zeroPoint = cast32(forResult(weights.zeroPoint));
  else if (*weightsZero != 0)
    weights.zeroPoint = constant32(*weightsZero);
  if (!isUnsigned(weights.bytes))
    return;
  if (!weightsZero)
    weights.zeroPoint = sub(weights.zeroPoint, constant32(128));
  weights.bytes = flipUppermostBit(builder, loc, weights.bytes);
}

void Rewriter::padData() {
  if (!hasPadding() || *dataZero == 0)
    return;
  data.bytes = createPadding(builder, conv, data.bytes, double(*dataZero));
}

/// The contraction of the data with weights of i8.
Value Rewriter::contract(Value factors) {
  if (matmul)
    return create<ir::MatmulOp>(data.bytes, factors, matmul.getTransposeLhs(),
                                matmul.getTransposeRhs(), /*widen=*/true);
  const bool isPadded = dataZero.value_or(0) == 0;
  const DenseI64ArrayAttr none = builder.getDenseI64ArrayAttr(
      SmallVector<int64_t>(conv.getStrides().size(), 0));
  return create<ir::ConvOp>(
      data.bytes, factors, /*bias=*/Value(), conv.getStridesAttr(),
      isPadded ? conv.getPadLowAttr() : none,
      isPadded ? conv.getPadHighAttr() : none, conv.getDilationsAttr(),
      conv.getGroupsAttr(), conv.getLayoutAttr());
}

Value Rewriter::sumOfWeights() {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < typeOf(weights.bytes).getRank(); ++dim)
    if (dim != getOutputDimOfWeights(op))
      dims.push_back(dim);
  return forResult(create<ir::ReduceOp>(
      cast32(weights.bytes), ir::ReduceKind::sum,
      builder.getDenseI64ArrayAttr(dims), /*keepDims=*/false));
}

/// The sums of x - zx over the window of each result, for all outputs.
Value Rewriter::sumOfData() {
  Value sums;
  if (matmul) {
    sums = create<ir::ReduceOp>(
        cast32(data.bytes), ir::ReduceKind::sum,
        builder.getDenseI64ArrayAttr(typeOf(data.bytes).getRank() - 1),
        /*keepDims=*/true);
  } else {
    SmallVector<int64_t> shape(shapeOf(weights.bytes));
    shape[getOutputDimOfWeights(op)] = 1;
    auto type = RankedTensorType::get(shape, builder.getI8Type());
    sums = contract(create<ir::ConstantOp>(
        DenseElementsAttr::get(type, static_cast<int8_t>(1))));
  }
  if (dataZero == 0)
    return sums;
  return sub(sums, mul(cast32(reshape(data.zeroPoint, {})),
                       constant32(countProducts())));
}

Value Rewriter::buildSums() {
  makeWeightsSigned();
  padData();
  Value sums = contract(weights.bytes);
  if (dataZero != 0)
    sums = sub(sums, mul(cast32(reshape(data.zeroPoint, {})), sumOfWeights()));
  if (weights.zeroPoint)
    sums = sub(sums, mul(weights.zeroPoint, sumOfData()));
  return sums;
}

void Rewriter::replace() {
  Value old = op->getResult(0), sums = buildSums();
  Type type = getElementTypeOrSelf(old);
  // The sums were numbers of a float type that are converted back.
  for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
    if (auto back = dyn_cast<ir::CastOp>(user);
        back && !data.scale && (!conv || !conv.getBias()) &&
        getElementTypeOrSelf(back.getResult()).isInteger(32)) {
      back.getResult().replaceAllUsesWith(sums);
      back.erase();
    }
  Value result = cast(sums, type);
  if (data.scale)
    result =
        mul(result, mul(reshape(data.scale, {}), forResult(weights.scale)));
  if (conv && conv.getBias())
    result = create<ir::AddOp>(result, forResult(conv.getBias()));
  old.replaceAllUsesWith(result);
}

namespace {
struct ContractIntegers : impl::TandemContractIntegersBase<ContractIntegers> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::ConvOp, ir::MatmulOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (Rewriter rewriter(op); rewriter.match())
        rewriter.replace();
    sumIntegers(getOperation());
    divideScales(getOperation());
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace

} // namespace tandem
