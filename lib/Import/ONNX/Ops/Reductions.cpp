//===- Reductions.cpp - ONNX ops that combine elements along dims ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include <limits>

using namespace mlir;

namespace tandem::onnx {
namespace {

using ir::ReduceKind;

/// What the ops of this file reduce, and how.
struct Reduction {
  Value x;
  Ints axes;
  bool keepDims;
};

Reduction describe(Node &node) {
  Reduction reduction{node.operand(0), {}, node.getInt("keepdims", 1) != 0};
  reduction.axes =
      node.axes(node.constantsOr(1, "axes"), node.rank(reduction.x));
  if (reduction.axes.empty() && !node.getInt("noop_with_empty_axes", 0))
    reduction.axes = range(0, node.rank(reduction.x));
  if (node.hasFailed()) // They may be none of the operand's.
    reduction.axes.clear();
  return reduction;
}

Value reduce(Node &node, ReduceKind kind, const Reduction &of) {
  return node.reduce(kind, of.x, of.axes, of.keepDims);
}

/// What the largest, or the smallest, of no elements of `type` is.
Value extremeOfNone(Node &node, Type type, bool isMax) {
  if (isa<FloatType>(type)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return node.scalar(type, isMax ? -infinity : infinity);
  }
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool isUnsigned = type.isUnsignedInteger() || bits == 1;
  APInt value =
      isUnsigned ? isMax ? APInt::getMinValue(bits) : APInt::getMaxValue(bits)
      : isMax    ? APInt::getSignedMinValue(bits)
                 : APInt::getSignedMaxValue(bits);
  return node.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, type), value));
}

/// Converts a reduction to the largest or smallest element. Truth values are
/// compared as numbers, and there is an answer for no elements, too.
void reduceToExtreme(Node &node, ReduceKind kind) {
  Reduction of = describe(node);
  Type type = node.element(of.x);
  if (type.isInteger(1))
    of.x = node.cast(of.x, node.state().builder.getI8Type());
  bool isEmpty = false;
  for (int64_t axis : of.axes)
    isEmpty |= node.sizesOf(of.x)[axis] == Size(0);
  if (!isEmpty)
    return node.result(0, node.cast(reduce(node, kind, of), type));
  // A sum gives the shape.
  Value sum = reduce(node, ReduceKind::sum, of);
  Value extreme = extremeOfNone(node, type, kind == ReduceKind::max);
  sum = node.add(sum, node.cast(extreme, node.element(sum)));
  node.result(0, node.cast(sum, type));
}

Value square(Node &node, Value x) { return node.mul(x, x); }

/// exp(x - m), where m is the largest element along the dims, or 0 where that
/// is infinite. Returns both.
std::pair<Value, Value> shiftedExp(Node &node, Value x,
                                   ArrayRef<int64_t> axes) {
  Value largest = node.reduce(ReduceKind::max, x, axes);
  Value infinity = node.scalar(x, std::numeric_limits<double>::infinity());
  Value isFinite = node.compare(ir::ComparePredicate::lt,
                                node.emit<ir::AbsOp>(largest), infinity);
  largest = node.select(isFinite, largest, node.scalar(x, 0));
  return {node.emit<ir::ExpOp>(node.sub(x, largest)), largest};
}

/// ArgMax of a value whose order may be reversed.
void argExtreme(Node &node, Value x) {
  int64_t axis = node.axis(node.getInt("axis", 0), node.rank(x));
  bool keepDims = node.getInt("keepdims", 1);
  if (!node.getInt("select_last_index", 0))
    return node.result(0, node.reduce(ReduceKind::argmax, x, axis, keepDims));
  // The first one from the end.
  Value index =
      node.reduce(ReduceKind::argmax, flip(node, x, axis), axis, keepDims);
  int64_t last = node.dim(x, axis) - 1;
  node.result(0, node.sub(node.scalar(index, last), index));
}

/// Softmax and its relatives work along one axis, and up to operator set 12
/// along all dims from that axis on.
template <typename Function>
void alongSoftmaxAxis(Node &node, Function function) {
  Value x = node.operand(0);
  bool isOld = node.opset() < 13;
  int64_t axis = node.axis(node.getInt("axis", isOld ? 1 : -1), node.rank(x));
  if (llvm::is_contained(node.sizesOf(x), Size(0))) // Nothing to compute.
    return node.result(0, x);
  if (!isOld || axis == node.rank(x) - 1)
    return node.result(0, function(x, axis));
  Sizes shape = node.sizesOf(x);
  Value result = function(flatten(node, x, axis), 1);
  node.result(0, node.reshape(result, shape));
}

} // namespace

Value logSoftmax(Node &node, Value x, int64_t axis) {
  Value shifted = node.sub(x, node.reduce(ReduceKind::max, x, axis));
  Value sum = node.reduce(ReduceKind::sum, node.emit<ir::ExpOp>(shifted), axis);
  return node.sub(shifted, node.emit<ir::LogOp>(sum));
}

void convertArgMax(Node &node) { argExtreme(node, node.operand(0)); }

void convertArgMin(Node &node) {
  Value x = node.operand(0);
  // For integers, -1 - x does not overflow, not even for the least one.
  argExtreme(node, node.isFloat(x) ? node.emit<ir::NegOp>(x)
                                   : node.sub(node.scalar(x, -1), x));
}

void convertHardmax(Node &node) {
  alongSoftmaxAxis(node, [&](Value x, int64_t axis) {
    Value largest = node.reduce(ReduceKind::argmax, x, axis);
    Value indices = node.iota({node.dim(x, axis)}, 0, node.element(largest));
    Value isLargest =
        node.compare(ir::ComparePredicate::eq,
                     alongAxis(node, indices, axis, node.rank(x)), largest);
    return node.cast(isLargest, node.element(x));
  });
}

void convertLogSoftmax(Node &node) {
  alongSoftmaxAxis(
      node, [&](Value x, int64_t axis) { return logSoftmax(node, x, axis); });
}

void convertReduceL1(Node &node) {
  Reduction of = describe(node);
  of.x = node.emit<ir::AbsOp>(of.x);
  node.result(0, reduce(node, ReduceKind::sum, of));
}

/// Roots and logarithms of integers are computed in f64, and cut off.
template <typename Function> void throughFloat(Node &node, Function function) {
  Reduction of = describe(node);
  Type type = node.element(of.x);
  if (!node.isFloat(of.x))
    of.x = node.cast(of.x, node.state().builder.getF64Type());
  node.result(0, node.cast(function(of), type));
}

void convertReduceL2(Node &node) {
  throughFloat(node, [&](Reduction of) {
    of.x = square(node, of.x);
    return node.emit<ir::SqrtOp>(reduce(node, ReduceKind::sum, of));
  });
}

void convertReduceLogSum(Node &node) {
  throughFloat(node, [&](const Reduction &of) {
    return node.emit<ir::LogOp>(reduce(node, ReduceKind::sum, of));
  });
}

static Value logSumExp(Node &node, Reduction of) {
  bool isEmpty = false;
  for (int64_t axis : of.axes)
    isEmpty |= node.sizesOf(of.x)[axis] == Size(0);
  if (isEmpty)
    return node.emit<ir::LogOp>(reduce(node, ReduceKind::sum, of));
  auto [exponentials, largest] = shiftedExp(node, of.x, of.axes);
  of.x = exponentials;
  Value sum = reduce(node, ReduceKind::sum, of);
  if (!of.keepDims) // The largest elements have one element each.
    largest = node.reduce(ReduceKind::sum, largest, of.axes, false);
  return node.add(node.emit<ir::LogOp>(sum), largest);
}

void convertReduceLogSumExp(Node &node) {
  throughFloat(node, [&](const Reduction &of) { return logSumExp(node, of); });
}

void convertReduceMax(Node &node) { reduceToExtreme(node, ReduceKind::max); }
void convertReduceMin(Node &node) { reduceToExtreme(node, ReduceKind::min); }

void convertReduceMean(Node &node) {
  Reduction of = describe(node);
  if (node.isFloat(of.x))
    return node.result(0, reduce(node, ReduceKind::mean, of));
  const Type type = node.element(of.x);
  of.x = node.cast(of.x, node.state().builder.getI64Type());
  Value sum = reduce(node, ReduceKind::sum, of);
  if (node.hasFailed())
    return;
  int64_t count = 1;
  for (int64_t axis : of.axes)
    count *= node.dim(of.x, axis);
  node.result(0, node.cast(node.div(sum, node.scalar(sum, count)), type));
}

void convertReduceProd(Node &node) {
  node.result(0, reduce(node, ReduceKind::prod, describe(node)));
}

void convertReduceSum(Node &node) {
  node.result(0, reduce(node, ReduceKind::sum, describe(node)));
}

void convertReduceSumSquare(Node &node) {
  Reduction of = describe(node);
  of.x = square(node, of.x);
  node.result(0, reduce(node, ReduceKind::sum, of));
}

void convertSoftmax(Node &node) {
  alongSoftmaxAxis(node, [&](Value x, int64_t axis) {
    return node.emit<ir::SoftmaxOp>(x, node.integer("axis", axis));
  });
}

} // namespace tandem::onnx
