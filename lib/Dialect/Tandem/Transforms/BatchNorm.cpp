//===- BatchNorm.cpp - Patterns that remove batch_norm --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = (x - mean) / sqrt(variance + epsilon) * scale + offset = x * factor +
// shift, with factor = scale / sqrt(variance + epsilon) and shift = offset -
// mean * factor, one of each per channel.
//
//===----------------------------------------------------------------------===//

#include "SimplifyPatterns.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <optional>

using namespace mlir;

namespace tandem {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isHalf(Type element) { return element.getIntOrFloatBitWidth() < 32; }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

using Elements = std::vector<double>;

/// The elements of a constant of f32 or f64.
std::optional<Elements> constantElements(Value value) {
  DenseFPElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  Elements elements;
  elements.reserve(attr.getNumElements());
  if (attr.getElementType().isF32())
    llvm::append_range(elements, attr.getValues<float>());
  else if (attr.getElementType().isF64())
    llvm::append_range(elements, attr.getValues<double>());
  else
    return std::nullopt;
  return elements;
}

Value createConstant(OpBuilder &builder, Location loc, RankedTensorType type,
                     const Elements &elements) {
  DenseElementsAttr attr;
  if (type.getElementType().isF64()) {
    attr = DenseElementsAttr::get(type, ArrayRef(elements));
  } else {
    std::vector<float> rounded(elements.begin(), elements.end());
    attr = DenseElementsAttr::get(type, ArrayRef(rounded));
  }
  return ir::ConstantOp::create(builder, loc, attr);
}

//===----------------------------------------------------------------------===//
// Factor and shift
//===----------------------------------------------------------------------===//

/// Factor and shift per channel, as constants in f64 where they are known.
struct Normalisation {
  std::optional<std::pair<Elements, Elements>> known;
  /// Ops of the parameters' element type (f32 where that is narrower); null
  /// until materialised.
  Value factor, shift;
};

std::optional<std::pair<Elements, Elements>>
foldNormalisation(ir::BatchNormOp op) {
  std::optional<Elements> scale = constantElements(op.getScale());
  std::optional<Elements> offset = constantElements(op.getOffset());
  std::optional<Elements> mean = constantElements(op.getMean());
  std::optional<Elements> variance = constantElements(op.getVariance());
  if (!scale || !offset || !mean || !variance)
    return std::nullopt;
  double epsilon = op.getEpsilon().convertToDouble();
  Elements factor(scale->size()), shift(scale->size());
  for (size_t i = 0; i < factor.size(); ++i) {
    factor[i] = (*scale)[i] / std::sqrt((*variance)[i] + epsilon);
    shift[i] = (*offset)[i] - (*mean)[i] * factor[i];
  }
  return std::pair(std::move(factor), std::move(shift));
}

/// `value` in f32 where its type is narrower.
Value widen(OpBuilder &builder, Location loc, Value value) {
  if (!isHalf(typeOf(value).getElementType()))
    return value;
  return ir::CastOp::create(builder, loc, value, builder.getF32Type());
}

Normalisation normalise(OpBuilder &builder, ir::BatchNormOp op) {
  Normalisation result;
  Location loc = op.getLoc();
  result.known = foldNormalisation(op);
  if (result.known) {
    result.factor = createConstant(builder, loc, typeOf(op.getScale()),
                                   result.known->first);
    result.shift = createConstant(builder, loc, typeOf(op.getScale()),
                                  result.known->second);
    return result;
  }
  Value scale = widen(builder, loc, op.getScale());
  Value offset = widen(builder, loc, op.getOffset());
  Value mean = widen(builder, loc, op.getMean());
  Value variance = widen(builder, loc, op.getVariance());
  auto scalar = RankedTensorType::get({}, typeOf(scale).getElementType());
  Value epsilon =
      createConstant(builder, loc, scalar, {op.getEpsilon().convertToDouble()});
  Value deviation = ir::SqrtOp::create(
      builder, loc, ir::AddOp::create(builder, loc, variance, epsilon));
  result.factor = ir::DivOp::create(builder, loc, scale, deviation);
  result.shift =
      ir::SubOp::create(builder, loc, offset,
                        ir::MulOp::create(builder, loc, mean, result.factor));
  return result;
}

/// The per-channel `vector` in a shape that broadcasts along dim `axis` of
/// `rank` dims.
Value alignTo(OpBuilder &builder, Location loc, Value vector, int64_t axis,
              int64_t rank) {
  int64_t trailing = rank - 1 - axis;
  if (trailing == 0)
    return vector;
  SmallVector<int64_t> shape(trailing + 1, 1);
  shape[0] = typeOf(vector).isDynamicDim(0) ? -1 : typeOf(vector).getDimSize(0);
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return ir::ConstantOp::create(
        builder, loc, constant.reshape(typeOf(vector).clone(shape)));
  return ir::ReshapeOp::create(builder, loc, vector,
                               builder.getDenseI64ArrayAttr(shape));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Scales the kernel per output channel.
Value scaleKernel(OpBuilder &builder, ir::ConvOp conv,
                  const Normalisation &norm) {
  Value kernel = conv.getKernel();
  auto type = typeOf(kernel);
  int64_t dim = conv.getLayout().getKernel().find('O');
  std::optional<Elements> elements;
  if (norm.known)
    elements = constantElements(kernel);
  if (!elements)
    return ir::MulOp::create(
        builder, conv.getLoc(), kernel,
        alignTo(builder, conv.getLoc(), norm.factor, dim, type.getRank()));
  int64_t inner = 1;
  for (int64_t size : type.getShape().drop_front(dim + 1))
    inner *= size;
  int64_t channels = type.getDimSize(dim);
  for (size_t i = 0; i < elements->size(); ++i)
    (*elements)[i] *= norm.known->first[i / inner % channels];
  return createConstant(builder, conv.getLoc(), type, *elements);
}

/// bias * factor + shift.
Value scaleBias(OpBuilder &builder, ir::ConvOp conv,
                const Normalisation &norm) {
  if (!conv.getBias())
    return norm.shift;
  Location loc = conv.getLoc();
  std::optional<Elements> elements;
  if (norm.known)
    elements = constantElements(conv.getBias());
  if (!elements)
    return ir::AddOp::create(
        builder, loc,
        ir::MulOp::create(builder, loc, conv.getBias(), norm.factor),
        norm.shift);
  for (size_t i = 0; i < elements->size(); ++i)
    (*elements)[i] =
        (*elements)[i] * norm.known->first[i] + norm.known->second[i];
  return createConstant(builder, loc, typeOf(conv.getBias()), *elements);
}

struct FoldBatchNormIntoConv : OpRewritePattern<ir::BatchNormOp> {
  FoldBatchNormIntoConv(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ir::BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    auto conv = op.getInput().getDefiningOp<ir::ConvOp>();
    if (!conv || !conv->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no convolution of one use");
    if (size_t(op.getAxis()) != conv.getLayout().getOutput().find('C'))
      return rewriter.notifyMatchFailure(op, "along another dim");
    if (isHalf(typeOf(op.getResult()).getElementType()))
      return rewriter.notifyMatchFailure(op, "the kernel would lose digits");
    if (!pays(op, conv))
      return rewriter.notifyMatchFailure(op, "scaling the kernel costs more");
    Normalisation norm = normalise(rewriter, op);
    Value kernel = scaleKernel(rewriter, conv, norm);
    Value bias = scaleBias(rewriter, conv, norm);
    rewriter.replaceOpWithNewOp<ir::ConvOp>(
        op, op.getType(), conv.getInput(), kernel, bias, conv.getStridesAttr(),
        conv.getPadLowAttr(), conv.getPadHighAttr(), conv.getDilationsAttr(),
        conv.getGroupsAttr(), conv.getLayoutAttr());
    return success();
  }

private:
  /// Constants are folded once; arguments cost a pass over the kernel each call
  /// and save one over the output.
  static bool pays(ir::BatchNormOp op, ir::ConvOp conv) {
    if (!typeOf(conv.getKernel()).hasStaticShape())
      return false;
    if (foldNormalisation(op) && constantElements(conv.getKernel()))
      return true;
    auto output = typeOf(op.getResult());
    return output.hasStaticShape() &&
           typeOf(conv.getKernel()).getNumElements() <=
               output.getNumElements() / 4;
  }
};

struct DecomposeBatchNorm : OpRewritePattern<ir::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rank = typeOf(op.getInput()).getRank();
    Normalisation norm = normalise(rewriter, op);
    Value factor = alignTo(rewriter, loc, norm.factor, op.getAxis(), rank);
    Value shift = alignTo(rewriter, loc, norm.shift, op.getAxis(), rank);
    Value input = widen(rewriter, loc, op.getInput());
    Value scaled = ir::MulOp::create(rewriter, loc, input, factor);
    Value result = ir::AddOp::create(rewriter, loc, scaled, shift);
    if (isHalf(typeOf(op.getResult()).getElementType()))
      result = ir::CastOp::create(rewriter, loc, result,
                                  typeOf(op.getResult()).getElementType());
    if (result.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "a result type that says more");
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateBatchNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeBatchNorm, FoldBatchNormIntoConv>(
      patterns.getContext());
}

} // namespace tandem
