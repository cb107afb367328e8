//===- Normalizations.cpp - ONNX normalizations ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// Casts `value` to f32 if its elements have 16 bits and the attribute
/// stash_type requests f32.
Value stash(Node &node, Value value) {
  Type type = node.element(value);
  if (node.getInt("stash_type", 1) != proto::TensorProto::FLOAT ||
      !(type.isF16() || type.isBF16()))
    return value;
  return node.cast(value, node.state().builder.getF32Type());
}

struct Statistics {
  Value mean, variance, deviation, standardised;
};

Statistics compute(Node &node, Value value, ArrayRef<int64_t> axes,
                   double epsilon) {
  Statistics result;
  result.mean = node.reduce(ir::ReduceKind::mean, value, axes);
  Value difference = node.sub(value, result.mean);
  result.variance =
      node.reduce(ir::ReduceKind::mean, node.mul(difference, difference), axes);
  result.deviation = node.emit<ir::SqrtOp>(
      node.add(result.variance, node.scalar(value, epsilon)));
  result.standardised = node.div(difference, result.deviation);
  return result;
}

/// Multiplies by the scale of each channel, and adds its offset.
Value perChannel(Node &node, Value value, Value scale, Value offset) {
  int64_t rank = node.rank(value);
  value = node.mul(value, alongAxis(node, scale, 1, rank));
  return node.add(value, alongAxis(node, offset, 1, rank));
}

/// A vector with an element for each group as one with an element for each
/// channel.
Value repeatForChannels(Node &node, Value vector, int64_t groups,
                        int64_t channels) {
  if (node.dim(vector, 0) != groups || groups == channels)
    return vector;
  Value rows = node.reshape(vector, {groups, 1});
  return node.reshape(node.expand(rows, {groups, channels / groups}),
                      {channels});
}

} // namespace

Value standardise(Node &node, Value value, ArrayRef<int64_t> axes,
                  double epsilon) {
  return compute(node, value, axes, epsilon).standardised;
}

/// Whether results beside Y are listed, read or not.
static bool listsStatistics(Node &node) {
  for (unsigned i = 1; i < 5; ++i)
    if (node.isWanted(i))
      return true;
  return false;
}

/// Whether Y is normalized by the statistics of the batch itself. Before
/// operator set 14, the results that are listed say so.
static bool isTraining(Node &node) {
  if (node.opset() >= 14)
    return node.getInt("training_mode", 0) != 0;
  return listsStatistics(node) && !node.getInt("is_test", 0);
}

/// Normalizes by the statistics of the batch, as training does, and updates the
/// running statistics.
static void normalizeBatch(Node &node, Value x, double epsilon) {
  Value wide = stash(node, x);
  Ints axes = range(0, node.rank(x));
  if (!node.require(axes.size() >= 2, "needs two dims or more"))
    return;
  axes.erase(axes.begin() + 1);
  Statistics statistics = compute(node, wide, axes, epsilon);
  Value scale = node.cast(node.operand(1), node.element(wide));
  Value offset = node.cast(node.operand(2), node.element(wide));
  Value y = perChannel(node, statistics.standardised, scale, offset);
  node.result(0, node.cast(y, node.element(x)));
  const double momentum = node.getFloat("momentum", 0.9);
  for (unsigned i : {0, 1}) {
    Value now = i == 0 ? statistics.mean : statistics.variance;
    Value given = node.operand(3 + i);
    now = node.reshape(now, node.sizesOf(given));
    node.result(3 + i, node.cast(now, node.element(given)));
    Value before = node.cast(given, node.element(now));
    Value after = node.add(node.mul(before, node.scalar(now, momentum)),
                           node.mul(now, node.scalar(now, 1 - momentum)));
    node.result(1 + i, node.cast(after, node.element(given)));
  }
}

void convertBatchNormalization(Node &node) {
  Value x = node.operand(0);
  if (!node.require(node.getInt("spatial", 1),
                    "statistics for each element (spatial = 0) are not "
                    "supported"))
    return;
  const double epsilon = node.getFloat("epsilon", 1e-5);
  if (isTraining(node))
    return normalizeBatch(node, x, epsilon);
  if (!node.require(!listsStatistics(node),
                    "results beside Y, which only training has"))
    return;
  SmallVector<Value> operands{x};
  for (unsigned i = 1; i < 5; ++i)
    operands.push_back(node.cast(node.operand(i), node.element(x)));
  node.result(
      0, node.emit<ir::BatchNormOp>(
             operands,
             {node.attribute("epsilon",
                             node.state().builder.getF64FloatAttr(epsilon)),
              node.integer("axis", 1)}));
}

void convertGroupNormalization(Node &node) {
  Value x = node.operand(0), input = stash(node, x);
  int64_t groups = node.getInt("num_groups", 0), channels = node.dim(x, 1);
  if (!node.require(groups > 0 && channels % groups == 0,
                    Twine(groups) + " groups do not divide " + Twine(channels) +
                        " channels") ||
      node.hasFailed())
    return;
  Sizes shape = node.sizesOf(x);
  std::optional<Size> rest = productOf(ArrayRef(shape).drop_front(2));
  std::optional<Size> each =
      rest ? multiply(*rest, Size(channels / groups)) : rest;
  if (!node.require(each.has_value(), "a size that overflows"))
    return;
  Value rows = node.reshape(input, {shape[0], groups, *each});
  rows = standardise(node, rows, {2}, node.getFloat("epsilon", 1e-5));
  Value result = node.cast(node.reshape(rows, shape), node.element(x));
  Value scale = repeatForChannels(node, node.operand(1), groups, channels);
  Value offset = repeatForChannels(node, node.operand(2), groups, channels);
  node.result(0, perChannel(node, result, scale, offset));
}

void convertInstanceNormalization(Node &node) {
  Value x = node.operand(0);
  Value result = standardise(node, x, range(2, node.rank(x)),
                             node.getFloat("epsilon", 1e-5));
  node.result(0, perChannel(node, result, node.operand(1), node.operand(2)));
}

/// Normalizes the dims of `x` from `axis` on by one op, with a scale and
/// perhaps an offset. Null after an error, or if the size of such a dim is not
/// known.
static ir::LayerNormOp emitLayerNorm(Node &node, Value x, Value scale,
                                     Value offset, int64_t axis,
                                     double epsilon) {
  if (node.hasFailed())
    return {};
  ArrayRef<int64_t> lines = node.type(x).getShape().drop_front(axis);
  if (ShapedType::isDynamicShape(lines))
    return {};
  auto expand = [&](Value value) {
    return node.expand(node.cast(value, node.element(x)), lines);
  };
  if (!offset) // Adding -0 changes no number.
    offset = node.scalar(x, -0.0);
  Value result = node.emit<ir::LayerNormOp>(
      {x, expand(scale), expand(offset)},
      node.attribute("epsilon", node.state().builder.getF64FloatAttr(epsilon)));
  return result ? result.getDefiningOp<ir::LayerNormOp>() : ir::LayerNormOp();
}

/// Normalizes `x` with a scale and an offset, which may be null, and sets the
/// results of the node. The mean and the inverse deviation are optional
/// results.
static void layerNormalization(Node &node, Value x, Value scale, Value offset,
                               double epsilon) {
  int64_t axis = node.axis(node.getInt("axis", -1), node.rank(x));
  // The results for the statistics have this type even if the statistics are
  // computed in f64.
  const Type type = node.getType("stash_type", 1);
  if (ir::LayerNormOp op =
          emitLayerNorm(node, x, scale, offset, axis, epsilon)) {
    node.result(0, op.getResult());
    if (node.isWanted(1))
      node.result(1, node.cast(op.getMean(), type));
    if (node.isWanted(2))
      node.result(2, node.cast(op.getInverseDeviation(), type));
    return;
  }
  Statistics statistics =
      compute(node, stash(node, x), range(axis, node.rank(x)), epsilon);
  Value result = node.cast(statistics.standardised, node.element(x));
  result = node.mul(result, scale);
  node.result(0, offset ? node.add(result, offset) : result);
  if (node.isWanted(1))
    node.result(1, node.cast(statistics.mean, type));
  if (node.isWanted(2))
    node.result(2, node.cast(node.div(node.scalar(statistics.deviation, 1),
                                      statistics.deviation),
                             type));
}

void convertLayerNormalization(Node &node) {
  layerNormalization(node, node.operand(0), node.operand(1),
                     node.hasOperand(2) ? node.operand(2) : Value(),
                     node.getFloat("epsilon", 1e-5));
}

void convertMicrosoftSkipLayerNormalization(Node &node) {
  Value sum = node.add(node.operand(0), node.operand(1));
  if (node.hasOperand(4))
    sum = node.add(sum, node.operand(4));
  layerNormalization(node, sum, node.operand(2),
                     node.hasOperand(3) ? node.operand(3) : Value(),
                     node.getFloat("epsilon", 1e-12));
  node.result(3, sum);
}

void convertLpNormalization(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.axis(node.getInt("axis", -1), node.rank(x));
  int64_t p = node.getInt("p", 2);
  if (!node.require(p == 1 || p == 2, "p must be 1 or 2"))
    return;
  Value each = p == 1 ? node.emit<ir::AbsOp>(x) : node.mul(x, x);
  Value norm = node.reduce(ir::ReduceKind::sum, each, axis);
  if (p == 2)
    norm = node.emit<ir::SqrtOp>(norm);
  // A tensor of zeros stays one.
  Value isZero =
      node.compare(ir::ComparePredicate::eq, norm, node.scalar(norm, 0));
  node.result(0, node.div(x, node.select(isZero, node.scalar(norm, 1), norm)));
}

void convertMeanVarianceNormalization(Node &node) {
  Value x = node.operand(0);
  Ints axes = node.axes(node.getInts("axes", {0, 2, 3}), node.rank(x));
  Value mean = node.reduce(ir::ReduceKind::mean, x, axes);
  Value difference = node.sub(x, mean);
  Value variance =
      node.reduce(ir::ReduceKind::mean, node.mul(difference, difference), axes);
  Value deviation =
      node.add(node.emit<ir::SqrtOp>(variance), node.scalar(x, 1e-9));
  node.result(0, node.div(difference, deviation));
}

/// The sum of three embeddings, which indices choose, normalized. The second
/// result is the number of elements of each sequence that the mask keeps.
void convertMicrosoftEmbedLayerNormalization(Node &node) {
  Value ids = node.operand(0);
  Type i32 = node.state().builder.getI32Type();
  if (!node.require(node.rank(ids) == 2, "needs indices of 2 dims"))
    return;
  Value places = node.hasOperand(8) ? node.operand(8)
                                    : node.iota({1, node.dim(ids, 1)}, 1, i32);
  Value sum = node.add(node.gather(node.operand(2), ids, 0),
                       node.gather(node.operand(3), places, 0));
  if (node.hasOperand(4))
    sum = node.add(sum, node.gather(node.operand(4), node.operand(1), 0));
  const double epsilon = node.getFloat("epsilon", 1e-12);
  Value scale = node.operand(5), offset = node.operand(6);
  if (ir::LayerNormOp op = emitLayerNorm(node, sum, scale, offset, 2, epsilon))
    node.result(0, op.getResult());
  else
    node.result(0, node.add(node.mul(standardise(node, sum, 2, epsilon), scale),
                            offset));
  if (node.isWanted(1)) {
    Value kept = node.hasOperand(7)
                     ? node.cast(node.operand(7), i32)
                     : node.expand(node.scalar(i32, 0), node.dims(ids));
    node.result(1, node.reduce(ir::ReduceKind::sum, kept, 1,
                               /*keepDims=*/false));
  }
  node.result(2, sum);
}

/// `x` divided by the root of the mean of squares over the dims from `axis` on,
/// and scaled.
static Value normalizeRootMeanSquare(Node &node, Value x, int64_t axis,
                                     Value scale) {
  Value input = stash(node, x);
  Value mean = node.reduce(ir::ReduceKind::mean, node.mul(input, input),
                           range(axis, node.rank(x)));
  Value root = node.emit<ir::SqrtOp>(
      node.add(mean, node.scalar(mean, node.getFloat("epsilon", 1e-5))));
  return node.mul(node.cast(node.div(input, root), node.element(x)), scale);
}

void convertRMSNormalization(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.axis(node.getInt("axis", -1), node.rank(x));
  node.result(0, normalizeRootMeanSquare(node, x, axis, node.operand(1)));
}

void convertMicrosoftSkipSimplifiedLayerNormalization(Node &node) {
  Value sum = node.add(node.operand(0), node.operand(1));
  if (node.hasOperand(3))
    sum = node.add(sum, node.operand(3));
  node.result(0, normalizeRootMeanSquare(node, sum, node.rank(sum) - 1,
                                         node.operand(2)));
  node.result(3, sum);
}

} // namespace tandem::onnx
