//===- LayerNormGradients.cpp - Gradients of layer norms ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {
namespace {

/// The lines that a layer norm normalizes, and sums of their elements.
/// Gradients are computed in the type of the statistics.
class Lines {
public:
  Lines(GradientBuilder &b, Value input, Value scale, Value statistics)
      : b(b), input(typeOf(input)),
        computed(typeOf(statistics).getElementType()) {
    const int64_t rank = this->input.getRank();
    const int64_t first = rank - typeOf(scale).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      (dim < first ? outer : inner).push_back(dim);
    for (int64_t dim : inner)
      numElements *= static_cast<double>(this->input.getDimSize(dim));
  }

  double size() const { return numElements; }
  /// Casts a tensor to the type of the statistics.
  Value widen(Value x) const { return castTo(x, computed); }
  /// Casts a gradient to the element type of the operand `of`. If `of` has the
  /// type of the input, also broadcasts the gradient to its shape.
  Value finish(Value gradient, Value of) const;
  /// The mean or the sum of each line. The dims of the line remain, with
  /// size 1.
  Value mean(Value x) const {
    return b.reduce(x, ReduceKind::mean, inner, /*keepDims=*/true);
  }
  Value sum(Value x) const {
    return b.reduce(x, ReduceKind::sum, inner, /*keepDims=*/true);
  }
  /// The sum of all lines, which has the shape of the scale.
  Value sumOfLines(Value x) const {
    return outer.empty()
               ? x
               : b.reduce(x, ReduceKind::sum, outer, /*keepDims=*/false);
  }

private:
  Value castTo(Value x, Type element) const {
    return typeOf(x).getElementType() == element ? x : b.cast(x, element);
  }

  GradientBuilder &b;
  RankedTensorType input;
  Type computed;
  SmallVector<int64_t> outer, inner;
  double numElements = 1;
};

Value Lines::finish(Value gradient, Value of) const {
  RankedTensorType type = typeOf(gradient);
  if (type.getShape() != input.getShape() && typeOf(of) == input) {
    SmallVector<int64_t> dims = llvm::to_vector(
        llvm::seq<int64_t>(input.getRank() - type.getRank(), input.getRank()));
    gradient = b.create<BroadcastOp>(
        gradient, b.getBuilder().getDenseI64ArrayAttr(input.getShape()),
        b.getBuilder().getDenseI64ArrayAttr(dims));
  }
  return castTo(gradient, typeOf(of).getElementType());
}

/// The sum of two values, either of which may be null.
Value addTo(GradientBuilder &b, Value x, Value y) {
  return !x ? y : !y ? x : b.add(x, y);
}

} // namespace

/// With n elements in a line, the mean has the gradient 1 / n. The derivative
/// of s = 1 / sqrt(v + epsilon) by an element x is -s^3 (x - mean) / n.
LogicalResult LayerNormOp::buildGradients(GradientBuilder &b) {
  Value x = getInput(), s = getInverseDeviation();
  if (Value g = b.gradient(0)) {
    auto backward = LayerNormBackwardOp::create(b.getBuilder(), b.getLoc(), g,
                                                x, getScale(), getMean(), s);
    for (auto [i, gradient] : llvm::enumerate(backward.getResults()))
      if (b.isWanted(i))
        b.add(i, gradient);
  }
  if (!b.isWanted(0))
    return success();
  const Lines lines(b, x, getScale(), s);
  if (Value g = b.gradient(1))
    b.add(0, lines.finish(b.mul(g, 1 / lines.size()), x));
  if (Value g = b.gradient(2)) {
    Value factor = b.mul(b.mul(g, b.mul(s, b.mul(s, s))), -1 / lines.size());
    Value centered = b.sub(lines.widen(x), getMean());
    b.add(0, lines.finish(b.mul(centered, factor), x));
  }
  return success();
}

/// With c = input - mean, x = c s and h = g scale, the results are
///   s (h - mean(h) - x mean(h x)),  sum(g x)  and  sum(g).
/// Let u, p and q be their gradients, and v = u s. The gradients of the first
/// result for h and x are
///   v - mean(v) - x mean(v x)  and  -v mean(h x) - h mean(v x).
/// Its derivative by s, with x fixed, is the result without the factor s.
LogicalResult LayerNormBackwardOp::buildGradients(GradientBuilder &b) {
  const Lines lines(b, getInput(), getScale(), getMean());
  Value u = b.gradient(0), p = b.gradient(1), q = b.gradient(2);
  u = u ? lines.widen(u) : u;
  p = p ? lines.widen(p) : p;
  q = q ? lines.widen(q) : q;
  Value g = lines.widen(getGradient()), scale = lines.widen(getScale());
  Value s = getInverseDeviation();
  Value centered = b.sub(lines.widen(getInput()), getMean());
  Value x = b.mul(centered, s), h = b.mul(g, scale);
  Value ofH, ofX, withoutS;
  if (u) {
    Value v = b.mul(u, s), slope = lines.mean(b.mul(v, x)),
          dot = lines.mean(b.mul(h, x));
    ofH = b.sub(b.sub(v, lines.mean(v)), b.mul(x, slope));
    ofX = b.neg(b.add(b.mul(v, dot), b.mul(h, slope)));
    withoutS = b.mul(u, b.sub(b.sub(h, lines.mean(h)), b.mul(x, dot)));
  }
  if (p)
    ofX = addTo(b, ofX, b.mul(g, p));
  if (b.isWanted(0)) {
    Value ofG = ofH ? b.mul(ofH, scale) : Value();
    ofG = addTo(b, addTo(b, ofG, p ? b.mul(x, p) : p), q);
    b.add(0, lines.finish(ofG, getGradient()));
  }
  if (b.isWanted(2) && ofH)
    b.add(2, lines.finish(lines.sumOfLines(b.mul(g, ofH)), getScale()));
  if (!ofX)
    return success();
  Value ofInput = b.mul(ofX, s);
  if (b.isWanted(1))
    b.add(1, lines.finish(ofInput, getInput()));
  if (b.isWanted(3))
    b.add(3, b.neg(lines.sum(ofInput)));
  if (b.isWanted(4))
    b.add(4, lines.sum(addTo(b, b.mul(ofX, centered), withoutS)));
  return success();
}

} // namespace tandem::ir
