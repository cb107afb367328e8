//===- Losses.cpp - ONNX losses -------------------------------------------===//
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

/// -weight[target] * logProbability[target] along dim 1, combined as the
/// attribute `reduction` says.
Value negativeLogLikelihood(Node &node, Value logs, Value target,
                            Value weights) {
  int64_t rank = node.rank(logs), classes = node.dim(logs, 1);
  Sizes targetShape = node.sizesOf(target), shape = targetShape;
  if (!node.require(rank >= 2, "needs two dims or more") ||
      !node.requireRank("the target", shape.size(), rank - 1))
    return {};
  shape.insert(shape.begin() + 1, Size(1));
  Value counted =
      alongAxis(node, node.iota({classes}, 0, node.element(target)), 1, rank);
  Value isTarget = node.compare(ir::ComparePredicate::eq,
                                node.reshape(target, shape), counted);
  auto ofTarget = [&](Value of) {
    Value kept = node.select(isTarget, of, node.scalar(logs, 0));
    return node.reduce(ir::ReduceKind::sum, kept, 1, /*keepDims=*/false);
  };
  Value one = node.scalar(logs, 1);
  Value factor = ofTarget(weights ? alongAxis(node, weights, 1, rank) : one);
  Value losses = node.emit<ir::NegOp>(node.mul(ofTarget(logs), factor));
  if (node.hasAttribute("ignore_index")) {
    Value isIgnored =
        node.compare(ir::ComparePredicate::eq, target,
                     node.scalar(target, node.getInt("ignore_index", 0)));
    // A factor of 0 alone would make NaN of an infinite loss.
    factor = node.select(isIgnored, node.scalar(logs, 0), factor);
    losses = node.select(isIgnored, node.scalar(logs, 0), losses);
  }
  std::string reduction = node.getString("reduction", "mean");
  if (reduction == "none")
    return losses;
  Ints all = range(0, rank - 1);
  Value sum = node.reduce(ir::ReduceKind::sum, losses, all, false);
  if (reduction == "sum")
    return sum;
  node.require(reduction == "mean",
               "reduction '" + reduction + "' is not known");
  return node.div(sum, node.reduce(ir::ReduceKind::sum, factor, all, false));
}

Value weightsOf(Node &node) {
  return node.hasOperand(2) ? node.operand(2) : Value();
}

} // namespace

void convertNegativeLogLikelihoodLoss(Node &node) {
  node.result(0, negativeLogLikelihood(node, node.operand(0), node.operand(1),
                                       weightsOf(node)));
}

void convertSoftmaxCrossEntropyLoss(Node &node) {
  Value logs = logSoftmax(node, node.operand(0), 1);
  node.result(
      0, negativeLogLikelihood(node, logs, node.operand(1), weightsOf(node)));
  if (node.isWanted(1))
    node.result(1, logs);
}

} // namespace tandem::onnx
