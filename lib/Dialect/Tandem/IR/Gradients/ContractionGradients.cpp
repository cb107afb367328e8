//===- ContractionGradients.cpp - Gradients of sums of products -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

#include "tandem/Support/ShapeRules.h"

using namespace mlir;

namespace tandem::ir {

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// With A' = A or its transpose and C = A' B', the gradients are G B'^T and
/// A'^T G, transposed where the operand is.
LogicalResult MatmulOp::buildGradients(GradientBuilder &b) {
  Value x = getLhs(), y = getRhs(), g = b.gradient();
  const bool isLeft = getTransposeLhs(), isRight = getTransposeRhs();
  if (b.isWanted(0))
    b.add(0, isLeft ? b.create<MatmulOp>(y, g, isRight, true)
                    : b.create<MatmulOp>(g, y, false, !isRight));
  if (b.isWanted(1))
    b.add(1, isRight ? b.create<MatmulOp>(g, x, true, isLeft)
                     : b.create<MatmulOp>(x, g, !isLeft, false));
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// The convolution that `conv` computes and whose gradient
/// `conv_backward_data` computes.
struct Geometry {
  ArrayRef<int64_t> strides, padLow, padHigh, dilations;
  int64_t groups;
  StringRef windowed, kernel, positions;
};

template <typename Conv>
Geometry geometryOf(Conv op, StringRef windowed, StringRef positions) {
  return {op.getStrides(),
          op.getPadLow(),
          op.getPadHigh(),
          op.getDilations(),
          static_cast<int64_t>(op.getGroups()),
          windowed,
          op.getLayout().getKernel(),
          positions};
}

/// The gradient of the weights, as a convolution in which images and channels
/// have changed places, and so have strides and dilations: the weight of tap k
/// is the sum over all positions p of x[p * stride + k * dilation - pad] *
/// g[p].
class WeightsGradient {
public:
  WeightsGradient(GradientBuilder &b, const Geometry &geometry, Value kernel)
      : b(b), geometry(geometry), kernel(kernel) {}

  /// `x` is the tensor that windows lie over, and `g` has an element for each
  /// window.
  Value build(Value x, Value g);

private:
  /// For several groups: the channels of each group become images, and the
  /// groups and images together become channels.
  Value spreadGroups(Value x, std::string &layout);

  GradientBuilder &b;
  Geometry geometry;
  Value kernel;
};

Value WeightsGradient::spreadGroups(Value x, std::string &layout) {
  const size_t n = layout.find('N'), c = layout.find('C');
  ArrayRef<int64_t> shape = shapeOf(x);
  const int64_t groups = geometry.groups, images = shape[n];
  // (N, G, C / G, spatial dims).
  SmallVector<int64_t> order = {static_cast<int64_t>(n),
                                static_cast<int64_t>(c)};
  SmallVector<int64_t> sizes = {images, groups, shape[c] / groups};
  for (size_t i = 0; i < layout.size(); ++i)
    if (i != n && i != c) {
      order.push_back(static_cast<int64_t>(i));
      sizes.push_back(shape[i]);
    }
  x = b.reshape(b.transpose(x, order), sizes);
  // (C / G, G, N, spatial dims), then (C / G, G * N, spatial dims).
  SmallVector<int64_t> places = {2, 1, 0};
  for (size_t i = 3; i < sizes.size(); ++i)
    places.push_back(static_cast<int64_t>(i));
  x = b.transpose(x, places);
  SmallVector<int64_t> joined = {sizes[2], groups * images};
  joined.append(sizes.begin() + 3, sizes.end());
  std::string spatial;
  for (char letter : layout)
    if (letter != 'N' && letter != 'C')
      spatial += letter;
  layout = "NC" + spatial;
  return b.reshape(x, joined);
}

Value WeightsGradient::build(Value x, Value g) {
  std::string windowed = geometry.windowed.str();
  const std::string spatial =
      StringRef("DHW").take_back(geometry.strides.size()).str();
  SmallVector<int64_t> starts(shapeOf(x).size(), 0), limits(shapeOf(x)),
      ones(shapeOf(x).size(), 1), high;
  for (auto [i, letter] : llvm::enumerate(spatial)) {
    const int64_t size = shapeOf(x)[windowed.find(letter)],
                  count = shapeOf(g)[geometry.positions.find(letter)],
                  taps = shapeOf(kernel)[geometry.kernel.find(letter)];
    const int64_t reached = (taps - 1) * geometry.dilations[i] +
                            (count - 1) * geometry.strides[i] + 1 -
                            geometry.padLow[i];
    high.push_back(std::max<int64_t>(0, reached - size));
    limits[windowed.find(letter)] = std::min(size, reached);
  }
  if (ArrayRef(limits) != shapeOf(x))
    x = b.slice(x, starts, limits, ones);
  if (geometry.groups > 1)
    x = spreadGroups(x, windowed);
  else
    std::swap(windowed[windowed.find('N')], windowed[windowed.find('C')]);
  std::string window = geometry.positions.str();
  window[window.find('C')] = 'O';
  window[window.find('N')] = 'I';
  std::string result = geometry.kernel.str();
  result[result.find('O')] = 'C';
  result[result.find('I')] = 'N';
  OpBuilder &builder = b.getBuilder();
  auto list = [&](ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  };
  return b.create<ConvOp>(
      x, g, /*bias=*/Value(), list(geometry.dilations), list(geometry.padLow),
      list(high), list(geometry.strides),
      builder.getI64IntegerAttr(geometry.groups),
      ConvLayoutAttr::get(builder.getContext(), windowed, window, result));
}

/// Sums `g` over all dims but the channels.
Value gradientOfBias(GradientBuilder &b, Value g, StringRef layout) {
  SmallVector<int64_t> dims;
  for (auto [i, letter] : llvm::enumerate(layout))
    if (letter != 'C')
      dims.push_back(static_cast<int64_t>(i));
  return b.reduce(g, ReduceKind::sum, dims, /*keepDims=*/false);
}

} // namespace

/// The layout of the op that computes the gradient of the first operand: its
/// input has the layout of the result, and its result that of the input.
template <typename Conv> static ConvLayoutAttr reversedLayout(Conv op) {
  ConvLayoutAttr layout = op.getLayout();
  return ConvLayoutAttr::get(op.getContext(), layout.getOutput(),
                             layout.getKernel(), layout.getInput());
}

/// Adds the gradients of the kernel and of the bias. Windows lie over `x`, and
/// `g` has an element for each window; one of the two is the gradient of the
/// result.
template <typename Conv>
static void addWeightGradients(GradientBuilder &b, Conv op, Value x, Value g,
                               StringRef windowed, StringRef positions) {
  if (b.isWanted(1))
    b.add(1, WeightsGradient(b, geometryOf(op, windowed, positions),
                             op.getKernel())
                 .build(x, g));
  if (op.getBias() && b.isWanted(2))
    b.add(2, gradientOfBias(b, b.gradient(), op.getLayout().getOutput()));
}

/// The positions that a transposed convolution has behind the last one that a
/// full window reaches, so that its result has the size of `op`'s input.
static SmallVector<int64_t> positionsBehind(ConvOp op) {
  ConvLayoutAttr layout = op.getLayout();
  SmallVector<int64_t> behind;
  StringRef spatial = StringRef("DHW").take_back(op.getStrides().size());
  for (auto [i, letter] : llvm::enumerate(spatial)) {
    const int64_t size = shapeOf(op.getInput())[layout.getInput().find(letter)],
                  count =
                      shapeOf(op.getResult())[layout.getOutput().find(letter)],
                  taps =
                      shapeOf(op.getKernel())[layout.getKernel().find(letter)];
    behind.push_back(size - ((count - 1) * op.getStrides()[i] +
                             (taps - 1) * op.getDilations()[i] + 1 -
                             op.getPadLow()[i] - op.getPadHigh()[i]));
  }
  return behind;
}

LogicalResult ConvOp::buildGradients(GradientBuilder &b) {
  ConvLayoutAttr layout = getLayout();
  if (b.isWanted(0))
    b.add(0, b.create<ConvBackwardDataOp>(
                 b.gradient(), getKernel(), /*bias=*/Value(), getStridesAttr(),
                 getPadLowAttr(), getPadHighAttr(), getDilationsAttr(),
                 getGroupsAttr(),
                 b.getBuilder().getDenseI64ArrayAttr(positionsBehind(*this)),
                 reversedLayout(*this)));
  addWeightGradients(b, *this, getInput(), b.gradient(), layout.getInput(),
                     layout.getOutput());
  return success();
}

LogicalResult ConvBackwardDataOp::buildGradients(GradientBuilder &b) {
  ConvLayoutAttr layout = getLayout();
  if (b.isWanted(0)) {
    Value ofInput = b.create<ConvOp>(
        b.gradient(), getKernel(), /*bias=*/Value(), getStridesAttr(),
        getPadLowAttr(), getPadHighAttr(), getDilationsAttr(), getGroupsAttr(),
        reversedLayout(*this));
    // Large output padding has room for positions that the input lacks.
    ArrayRef<int64_t> shape = shapeOf(getInput());
    if (shapeOf(ofInput) != shape)
      ofInput = b.slice(ofInput, SmallVector<int64_t>(shape.size(), 0), shape,
                        SmallVector<int64_t>(shape.size(), 1));
    b.add(0, ofInput);
  }
  addWeightGradients(b, *this, b.gradient(), getInput(), layout.getOutput(),
                     layout.getInput());
  return success();
}

} // namespace tandem::ir
