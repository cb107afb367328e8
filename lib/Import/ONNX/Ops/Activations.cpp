//===- Activations.cpp - Activations that other ops name ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Activations.h"

#include "Model/Ops.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tandem::onnx {

ActivationParameters defaultParameters(StringRef name) {
  return StringSwitch<ActivationParameters>(name)
      .Case("affine", {1, 0})
      .Cases({"elu", "thresholdedrelu"}, {1, {}})
      .Case("hardsigmoid", {0.2, 0.5})
      .Case("leakyrelu", {0.01, {}})
      .Case("scaledtanh", {1, 1})
      .Default({});
}

Value activate(Node &node, const Activation &activation, Value x) {
  const std::string &name = activation.name;
  auto scaled = [&](Value y) {
    return node.mul(node.scalar(x, activation.alpha), y);
  };
  Value beta;
  if (name == "affine" || name == "scaledtanh" || name == "hardsigmoid")
    beta = node.scalar(x, activation.beta);
  if (name == "sigmoid")
    return node.emit<ir::SigmoidOp>(x);
  if (name == "tanh")
    return node.emit<ir::TanhOp>(x);
  if (name == "relu")
    return node.emit<ir::ReluOp>(x);
  if (name == "softplus")
    return node.emit<ir::SoftplusOp>(x);
  if (name == "softsign")
    return node.div(x, node.add(node.emit<ir::AbsOp>(x), node.scalar(x, 1)));
  if (name == "affine")
    return node.add(scaled(x), beta);
  if (name == "scaledtanh")
    return scaled(node.emit<ir::TanhOp>(node.mul(beta, x)));
  if (name == "leakyrelu" || name == "elu")
    return node.select(
        node.compare(ir::ComparePredicate::ge, x, node.scalar(x, 0)), x,
        scaled(name == "elu" ? node.emit<ir::Expm1Op>(x) : x));
  if (name == "thresholdedrelu")
    return node.select(node.compare(ir::ComparePredicate::gt, x,
                                    node.scalar(x, activation.alpha)),
                       x, node.scalar(x, 0));
  if (name == "hardsigmoid")
    return clamp(node, node.add(scaled(x), beta), 0, 1);
  node.error("activation '" + name + "' is not supported");
  return {};
}

} // namespace tandem::onnx
