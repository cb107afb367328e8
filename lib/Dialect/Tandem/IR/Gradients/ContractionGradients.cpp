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

/// The windows of a convolution, and the layouts of its three tensors.
namespace {
struct Geometry {
  DenseI64ArrayAttr strides, padLow, padHigh, dilations;
  IntegerAttr groups;
  ConvLayoutAttr layout;

  template <typename Op>
  Geometry(Op op, ConvLayoutAttr layout)
      : strides(op.getStridesAttr()), padLow(op.getPadLowAttr()),
        padHigh(op.getPadHighAttr()), dilations(op.getDilationsAttr()),
        groups(op.getGroupsAttr()), layout(layout) {}
  template <typename Op>
  explicit Geometry(Op op) : Geometry(op, op.getLayout()) {}

  /// The letters of the spatial dims, in the order of the attributes.
  StringRef spatial() const {
    return StringRef("DHW").take_back(strides.size());
  }
};
} // namespace

static int64_t sizeOf(Value value, StringRef layout, char letter) {
  return shapeOf(value)[layout.find(letter)];
}

/// Sums `g` over all dims but the channels.
static Value gradientOfBias(GradientBuilder &b, Value g, StringRef layout) {
  SmallVector<int64_t> dims;
  for (auto [i, letter] : llvm::enumerate(layout))
    if (letter != 'C')
      dims.push_back(static_cast<int64_t>(i));
  return b.reduce(g, ReduceKind::sum, dims, /*keepDims=*/false);
}

/// The layout of a convolution or a transposed one in the other direction.
static ConvLayoutAttr reversed(ConvLayoutAttr layout) {
  return ConvLayoutAttr::get(layout.getContext(), layout.getOutput(),
                             layout.getKernel(), layout.getInput());
}

static Value convolve(GradientBuilder &b, const Geometry &conv, Value x,
                      Value kernel) {
  return b.create<ConvOp>(x, kernel, /*bias=*/Value(), conv.strides,
                          conv.padLow, conv.padHigh, conv.dilations,
                          conv.groups, conv.layout);
}

/// The gradient of the input of `conv`, which has the type of `input`. `g` is
/// the gradient of the result.
static Value gradientOfInput(GradientBuilder &b, const Geometry &conv,
                             Value input, Value g, Value kernel) {
  // The positions behind the last one that a full window reaches.
  SmallVector<int64_t> behind;
  for (auto [i, letter] : llvm::enumerate(conv.spatial())) {
    const int64_t size = sizeOf(input, conv.layout.getInput(), letter),
                  count = sizeOf(g, conv.layout.getOutput(), letter),
                  taps = sizeOf(kernel, conv.layout.getKernel(), letter);
    behind.push_back(size - ((count - 1) * conv.strides[i] +
                             (taps - 1) * conv.dilations[i] + 1 -
                             conv.padLow[i] - conv.padHigh[i]));
  }
  return b.create<ConvBackwardDataOp>(
      g, kernel, /*bias=*/Value(), conv.strides, conv.padLow, conv.padHigh,
      conv.dilations, conv.groups, b.getBuilder().getDenseI64ArrayAttr(behind),
      reversed(conv.layout));
}

/// The gradient of the kernel of `conv`, which has the type of `kernel`.
static Value gradientOfKernel(GradientBuilder &b, const Geometry &conv,
                              Value input, Value g, Value kernel) {
  SmallVector<int64_t> window;
  for (char letter : conv.spatial())
    window.push_back(sizeOf(kernel, conv.layout.getKernel(), letter));
  return b.create<ConvBackwardWeightsOp>(
      input, g, b.getBuilder().getDenseI64ArrayAttr(window), conv.strides,
      conv.padLow, conv.padHigh, conv.dilations, conv.groups, conv.layout);
}

LogicalResult ConvOp::buildGradients(GradientBuilder &b) {
  const Geometry conv(*this);
  Value g = b.gradient();
  if (b.isWanted(0))
    b.add(0, gradientOfInput(b, conv, getInput(), g, getKernel()));
  if (b.isWanted(1))
    b.add(1, gradientOfKernel(b, conv, getInput(), g, getKernel()));
  if (getBias() && b.isWanted(2))
    b.add(2, gradientOfBias(b, g, getLayout().getOutput()));
  return success();
}

/// The gradient of the kernel of a transposed convolution: the gradient of its
/// result is the input of `conv`. With an output padding of a stride or more,
/// windows fit at more positions than `positions` has. They are cut off at the
/// end of the padding and of the result. Null if this leaves nothing.
static Value gradientOfTransposedKernel(GradientBuilder &b, Geometry conv,
                                        ArrayRef<int64_t> outputPadding,
                                        Value g, Value positions,
                                        Value kernel) {
  SmallVector<int64_t> limits(shapeOf(g)), padHigh(conv.padHigh.asArrayRef());
  for (auto [i, letter] : llvm::enumerate(conv.spatial())) {
    const int64_t more = outputPadding[i] - outputPadding[i] % conv.strides[i];
    const int64_t ofPadding = std::min(more, padHigh[i]);
    padHigh[i] -= ofPadding;
    int64_t &limit = limits[conv.layout.getInput().find(letter)];
    limit -= more - ofPadding;
    if (limit < 0 || sizeOf(positions, conv.layout.getOutput(), letter) == 0)
      return nullptr;
  }
  if (ArrayRef(limits) != shapeOf(g))
    g = b.slice(g, SmallVector<int64_t>(limits.size(), 0), limits,
                SmallVector<int64_t>(limits.size(), 1));
  conv.padHigh = b.getBuilder().getDenseI64ArrayAttr(padHigh);
  return gradientOfKernel(b, conv, g, positions, kernel);
}

LogicalResult ConvBackwardDataOp::buildGradients(GradientBuilder &b) {
  const Geometry conv(*this, reversed(getLayout()));
  Value g = b.gradient();
  if (b.isWanted(0)) {
    Value ofInput = convolve(b, conv, g, getKernel());
    // Large output padding has room for positions that the input lacks.
    ArrayRef<int64_t> shape = shapeOf(getInput());
    if (shapeOf(ofInput) != shape)
      ofInput = b.slice(ofInput, SmallVector<int64_t>(shape.size(), 0), shape,
                        SmallVector<int64_t>(shape.size(), 1));
    b.add(0, ofInput);
  }
  if (b.isWanted(1))
    b.add(1, gradientOfTransposedKernel(b, conv, getOutputPadding(), g,
                                        getInput(), getKernel()));
  if (getBias() && b.isWanted(2))
    b.add(2, gradientOfBias(b, g, getLayout().getOutput()));
  return success();
}

/// The result is linear in both operands. Its gradient has the type of a
/// kernel.
LogicalResult ConvBackwardWeightsOp::buildGradients(GradientBuilder &b) {
  const Geometry conv(*this);
  Value g = b.gradient();
  if (b.isWanted(0))
    b.add(0, gradientOfInput(b, conv, getInput(), getGradient(), g));
  if (b.isWanted(1))
    b.add(1, convolve(b, conv, getInput(), g));
  return success();
}

} // namespace tandem::ir
