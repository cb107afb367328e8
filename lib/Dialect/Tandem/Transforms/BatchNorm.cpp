//===- BatchNorm.cpp - Patterns that remove batch_norm --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = (x - mean) / sqrt(variance + epsilon) * scale + offset
//   = (x - mean) * factor + offset  with factor = scale / sqrt(variance +
//   epsilon)
//   = x * factor + shift            with shift = offset - mean * factor,
//
// one of each per channel. The last form is an op shorter and goes into a
// convolution's weights, but it cancels where mean * factor is large beside the
// results, and is NaN where the factor is infinite. It is taken where the
// parameters are known to be harmless; the second form is right for all others.
//
//===----------------------------------------------------------------------===//

#include "SimplifyPatterns.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <cstring>
#include <optional>

using namespace mlir;

namespace tandem {
namespace {

bool isHalf(Type element) { return element.getIntOrFloatBitWidth() < 32; }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

using Elements = std::vector<double>;

/// The elements of `constant`, whose type is T; none if they are not at hand.
template <typename T>
std::optional<Elements> readElements(ElementsAttr constant) {
  ArrayRef<char> bytes = ir::getRawData(constant);
  auto count = static_cast<size_t>(constant.getNumElements());
  bool isSplat = constant.isSplat();
  if (bytes.size() != (isSplat ? 1 : count) * sizeof(T))
    return std::nullopt;
  Elements elements(count);
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, bytes.data() + (isSplat ? 0 : i * sizeof(T)),
                sizeof(T));
    elements[i] = element;
  }
  return elements;
}

/// The elements of a constant of floats, which may be a resource; of narrow
/// ones it may not.
std::optional<Elements> constantElements(Value value) {
  ElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (attr.getElementType().isF32())
    return readElements<float>(attr);
  if (attr.getElementType().isF64())
    return readElements<double>(attr);
  auto narrow = dyn_cast<DenseFPElementsAttr>(attr);
  if (!narrow)
    return std::nullopt;
  Elements elements;
  elements.reserve(narrow.getNumElements());
  for (const APFloat &element : narrow)
    elements.push_back(element.convertToDouble());
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

/// The element type that batch_norm is computed in: f32 where it is narrower.
Type getComputeType(ir::BatchNormOp op) {
  Type element = typeOf(op.getScale()).getElementType();
  return isHalf(element) ? Float32Type::get(op.getContext()) : element;
}

/// x * factor + shift, whose elements are known.
struct Affine {
  Elements factor, shift;
};

/// The largest finite number of a type of floats.
double getLargest(Type element) {
  return APFloat::getLargest(cast<FloatType>(element).getFloatSemantics())
      .convertToDouble();
}

/// Whether x * factor + shift loses no more than a few last places beside
/// (x - mean) * factor + offset, in every channel.
bool isHarmless(const Affine &affine, const Elements &mean,
                const Elements &offset, Type element) {
  constexpr double most = 8;
  const double largest = getLargest(element);
  for (size_t i = 0; i < offset.size(); ++i) {
    double bound = most * std::max(1.0, std::abs(offset[i]));
    // Comparisons that NaN fails.
    if (!(std::abs(affine.factor[i]) <= largest &&
          std::abs(mean[i] * affine.factor[i]) <= bound &&
          std::abs(affine.shift[i]) <= largest))
      return false;
  }
  return true;
}

/// Factor and shift where the parameters are constants and harmless.
std::optional<Affine> foldToAffine(ir::BatchNormOp op) {
  std::optional<Elements> scale = constantElements(op.getScale());
  std::optional<Elements> offset = constantElements(op.getOffset());
  std::optional<Elements> mean = constantElements(op.getMean());
  std::optional<Elements> variance = constantElements(op.getVariance());
  if (!scale || !offset || !mean || !variance)
    return std::nullopt;
  double epsilon = op.getEpsilon().convertToDouble();
  Affine affine{Elements(scale->size()), Elements(scale->size())};
  for (size_t i = 0; i < scale->size(); ++i) {
    affine.factor[i] = (*scale)[i] / std::sqrt((*variance)[i] + epsilon);
    affine.shift[i] = (*offset)[i] - (*mean)[i] * affine.factor[i];
  }
  if (!isHarmless(affine, *mean, *offset, getComputeType(op)))
    return std::nullopt;
  return affine;
}

/// `value` in f32 where its type is narrower.
Value widen(OpBuilder &builder, Location loc, Value value) {
  if (!isHalf(typeOf(value).getElementType()))
    return value;
  return builder.createOrFold<ir::CastOp>(loc, value, builder.getF32Type());
}

/// scale / sqrt(variance + epsilon).
Value emitFactor(OpBuilder &builder, ir::BatchNormOp op) {
  Location loc = op.getLoc();
  Value scale = widen(builder, loc, op.getScale());
  Value variance = widen(builder, loc, op.getVariance());
  auto scalar = RankedTensorType::get({}, getComputeType(op));
  Value epsilon =
      createConstant(builder, loc, scalar, {op.getEpsilon().convertToDouble()});
  Value deviation = ir::SqrtOp::create(
      builder, loc, ir::AddOp::create(builder, loc, variance, epsilon));
  return ir::DivOp::create(builder, loc, scale, deviation);
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

/// `elements` of a row-major tensor with the size `channels` at dim `dim`, each
/// times its channel's factor.
void scaleElements(Elements &elements, RankedTensorType type, int64_t dim,
                   const Elements &factor) {
  int64_t inner = 1;
  for (int64_t size : type.getShape().drop_front(dim + 1))
    inner *= size;
  int64_t channels = type.getDimSize(dim);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] *= factor[i / inner % channels];
}

/// Whether a weight loses its digits, or becomes infinite, when it is scaled:
/// where it becomes 0, an infinity of the data becomes NaN. Weights that are
/// subnormal already have few digits.
bool isSpoilt(double weight, double scaled, Type element) {
  const auto &semantics = cast<FloatType>(element).getFloatSemantics();
  const double leastNormal =
      APFloat::getSmallestNormalized(semantics).convertToDouble();
  const double least = std::abs(weight) < leastNormal
                           ? APFloat::getSmallest(semantics).convertToDouble()
                           : leastNormal;
  return std::abs(scaled) > getLargest(element) ||
         (scaled != 0 && std::abs(scaled) < least);
}

/// Scales the kernel per output channel. Null where that spoils a known weight.
Value scaleKernel(OpBuilder &builder, ir::ConvOp conv, const Affine &affine) {
  Value kernel = conv.getKernel();
  Location loc = conv.getLoc();
  auto type = typeOf(kernel);
  int64_t dim = conv.getLayout().getKernel().find('O');
  if (std::optional<Elements> elements = constantElements(kernel)) {
    Elements scaled = *elements;
    scaleElements(scaled, type, dim, affine.factor);
    for (auto [weight, product] : llvm::zip_equal(*elements, scaled))
      if (isSpoilt(weight, product, type.getElementType()))
        return {};
    return createConstant(builder, loc, type, scaled);
  }
  auto vector =
      RankedTensorType::get({type.getDimSize(dim)}, type.getElementType());
  Value factor = createConstant(builder, loc, vector, affine.factor);
  return ir::MulOp::create(builder, loc, kernel,
                           alignTo(builder, loc, factor, dim, type.getRank()));
}

/// bias * factor + shift.
Value scaleBias(OpBuilder &builder, ir::ConvOp conv, RankedTensorType type,
                const Affine &affine) {
  Location loc = conv.getLoc();
  Value bias = conv.getBias();
  if (!bias)
    return createConstant(builder, loc, type, affine.shift);
  if (std::optional<Elements> elements = constantElements(bias)) {
    for (size_t i = 0; i < elements->size(); ++i)
      (*elements)[i] = (*elements)[i] * affine.factor[i] + affine.shift[i];
    return createConstant(builder, loc, type, *elements);
  }
  Value scaled = ir::MulOp::create(
      builder, loc, bias, createConstant(builder, loc, type, affine.factor));
  return ir::AddOp::create(builder, loc, scaled,
                           createConstant(builder, loc, type, affine.shift));
}

/// Into the kernel and the bias of the convolution before.
/// Special values: factors, shifts and scaled weights are finite, and no known
/// weight underflows, so that infinities and NaN of the data reach the same
/// elements; a zero may have either sign.
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
    std::optional<Affine> affine = foldToAffine(op);
    if (!affine)
      return rewriter.notifyMatchFailure(op, "parameters that are not known to "
                                             "be harmless");
    Value kernel = scaleKernel(rewriter, conv, *affine);
    if (!kernel)
      return rewriter.notifyMatchFailure(op, "a weight would be spoilt");
    Value bias = scaleBias(rewriter, conv, typeOf(op.getScale()), *affine);
    Location both = rewriter.getFusedLoc({op.getLoc(), conv.getLoc()});
    auto folded = rewriter.replaceOpWithNewOp<ir::ConvOp>(
        op, op.getType(), conv.getInput(), kernel, bias, conv.getStridesAttr(),
        conv.getPadLowAttr(), conv.getPadHighAttr(), conv.getDilationsAttr(),
        conv.getGroupsAttr(), conv.getLayoutAttr());
    folded->setLoc(both);
    return success();
  }

private:
  /// A constant kernel is scaled once; an argument costs a pass over it each
  /// call and saves one over the output.
  static bool pays(ir::BatchNormOp op, ir::ConvOp conv) {
    if (!typeOf(conv.getKernel()).hasStaticShape())
      return false;
    if (matchPattern(conv.getKernel(), m_Constant()))
      return true;
    auto output = typeOf(op.getResult());
    return output.hasStaticShape() &&
           typeOf(conv.getKernel()).getNumElements() <=
               output.getNumElements() / 4;
  }
};

/// Decomposes into a product and a sum or, if that may be inaccurate, into the
/// second form above.
/// Special values: S1 and S2 of batch_norm say what holds. Factors and shifts
/// that are known are finite, so that infinities keep their sign and NaN stays;
/// a zero may have either sign.
struct DecomposeBatchNorm : OpRewritePattern<ir::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = widen(rewriter, loc, op.getInput());
    Value result = emitNormalized(rewriter, op, input);
    if (isHalf(typeOf(op.getResult()).getElementType()))
      result = ir::CastOp::create(rewriter, loc, result,
                                  typeOf(op.getResult()).getElementType());
    if (result.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "a result type that says more");
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value emitNormalized(OpBuilder &builder, ir::BatchNormOp op,
                              Value input) {
    Location loc = op.getLoc();
    auto align = [&](Value vector) {
      return alignTo(builder, loc, vector, op.getAxis(),
                     typeOf(input).getRank());
    };
    auto known = [&](const Elements &elements) {
      auto type = typeOf(op.getScale()).clone(getComputeType(op));
      return align(
          createConstant(builder, loc, cast<RankedTensorType>(type), elements));
    };
    auto given = [&](Value vector) {
      return align(widen(builder, loc, vector));
    };
    if (std::optional<Affine> affine = foldToAffine(op)) {
      Value scaled =
          ir::MulOp::create(builder, loc, input, known(affine->factor));
      return ir::AddOp::create(builder, loc, scaled, known(affine->shift));
    }
    Value centered =
        ir::SubOp::create(builder, loc, input, given(op.getMean()));
    Value scaled = ir::MulOp::create(builder, loc, centered,
                                     align(emitFactor(builder, op)));
    return ir::AddOp::create(builder, loc, scaled, given(op.getOffset()));
  }
};

} // namespace

void populateBatchNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeBatchNorm, FoldBatchNormIntoConv>(
      patterns.getContext());
}

} // namespace tandem
