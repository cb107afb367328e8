//===- Predicates.cpp - ONNX ops of comparisons and truth values ----------===//
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

void convertIsInf(Node &node) {
  Value x = node.operand(0);
  auto is = [&](double value) {
    return node.compare(ir::ComparePredicate::eq, x, node.scalar(x, value));
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool positive = node.getInt("detect_positive", 1);
  bool negative = node.getInt("detect_negative", 1);
  Value isEither;
  if (positive && negative)
    isEither = node.emit<ir::LogicalOrOp>({is(infinity), is(-infinity)});
  else if (positive || negative)
    isEither = is(positive ? infinity : -infinity);
  else // Never.
    isEither =
        node.compare(ir::ComparePredicate::lt, x, node.scalar(x, -infinity));
  node.result(0, isEither);
}

void convertIsNaN(Node &node) {
  Value x = node.operand(0);
  node.result(0, node.compare(ir::ComparePredicate::ne, x, x));
}

/// With `fmod` the rest has the sign of x, otherwise that of y: where rem's has
/// the other sign it is one y off.
void convertMod(Node &node) {
  Value x = node.operand(0), y = node.operand(1);
  Value rest = node.emit<ir::RemOp>({x, y});
  if (!node.getInt("fmod", 0)) {
    Value zero = node.scalar(x, 0);
    Value differs =
        node.compare(ir::ComparePredicate::ne,
                     node.compare(ir::ComparePredicate::lt, rest, zero),
                     node.compare(ir::ComparePredicate::lt, y, zero));
    Value isRest = node.compare(ir::ComparePredicate::ne, rest, zero);
    rest = node.select(node.emit<ir::LogicalAndOp>({differs, isRest}),
                       node.add(rest, y), rest);
  }
  node.result(0, rest);
}

void convertWhere(Node &node) {
  node.result(0,
              node.select(node.operand(0), node.operand(1), node.operand(2)));
}

void convertXor(Node &node) {
  SmallVector<Value> operands = alignedOperands(node);
  node.result(0,
              node.compare(ir::ComparePredicate::ne, operands[0], operands[1]));
}

} // namespace tandem::onnx
