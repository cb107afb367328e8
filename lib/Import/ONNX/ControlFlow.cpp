//===- ControlFlow.cpp - ONNX control flow that is known at import --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem::onnx {

/// The branch that a known condition takes.
void convertIf(Node &node) {
  DenseElementsAttr condition;
  std::optional<Integers> known = node.known(0);
  std::optional<int64_t> value;
  if (known && known->elements.size() == 1)
    value = known->elements[0].value();
  if (!value && matchPattern(node.operand(0), m_Constant(&condition)) &&
      condition.isSplat())
    value = condition.getSplatValue<bool>();
  if (!node.require(value.has_value(), "a condition that is not known"))
    return;
  const auto *branch = node.find(*value ? "then_branch" : "else_branch");
  if (!node.require(branch &&
                        branch->g().output_size() == node.proto().output_size(),
                    "branches of other results than its own"))
    return;
  if (failed(node.state().addGraph(branch->g())))
    return node.fail();
  for (int i = 0; i < node.proto().output_size(); ++i) {
    auto &values = node.state().values;
    const std::string &name = branch->g().output(i).name();
    if (!node.require(values.contains(name), "a branch without its result"))
      return;
    NamedValue taken = values[name];
    values[node.proto().output(i)] = taken;
  }
}

} // namespace tandem::onnx
