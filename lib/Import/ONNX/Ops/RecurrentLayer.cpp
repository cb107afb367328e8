//===- RecurrentLayer.cpp - The cells of ONNX's RNN, LSTM and GRU ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/RecurrentLayer.h"

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The next of the numbers that are given, for an activation that has such a
/// parameter.
static double takeParameter(const proto::AttributeProto *given, int &next,
                            std::optional<double> otherwise) {
  if (otherwise && given && next < given->floats_size())
    return given->floats(next++);
  return otherwise.value_or(0);
}

/// The activations of a direction's gates in order, in lower case. Parameters
/// belong to the activations of all directions that have some, in order.
static SmallVector<Activation> listActivations(Node &node, int64_t direction,
                                               ArrayRef<StringRef> defaults) {
  SmallVector<std::string> names;
  if (const auto *given = node.find("activations"))
    names.assign(given->strings().begin(), given->strings().end());
  else
    for (int64_t i = 0; i <= direction; ++i)
      names.append(defaults.begin(), defaults.end());
  const size_t first = direction * defaults.size();
  if (!node.require(names.size() >= first + defaults.size(),
                    "too few activations"))
    return {};
  const auto *alphas = node.find("activation_alpha"),
             *betas = node.find("activation_beta");
  int nextAlpha = 0, nextBeta = 0;
  SmallVector<Activation> list;
  for (const std::string &name : names) {
    std::string lower = StringRef(name).lower();
    ActivationParameters parameters = defaultParameters(lower);
    double alpha = takeParameter(alphas, nextAlpha, parameters.alpha);
    double beta = takeParameter(betas, nextBeta, parameters.beta);
    list.push_back({lower, alpha, beta});
  }
  return SmallVector<Activation>(ArrayRef(list).slice(first, defaults.size()));
}

Value Layer::activate(Value x, unsigned number) {
  if (double clip = node.getFloat("clip", 0); clip > 0 && number < 2)
    x = clamp(node, x, -clip, clip);
  return tandem::onnx::activate(node, activations[number], x);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static Value multiply(Node &node, Value lhs, Value weights) {
  return node.emit<ir::MatmulOp>({lhs, weights}, node.unit("transpose_rhs"));
}

Value Layer::part(unsigned i, int64_t axis) {
  return node.hasOperand(i) ? elementAt(node, node.operand(i), axis, direction)
                            : Value();
}

Layer::Layer(Node &node, Value x, int64_t gates, int64_t direction)
    : node(node), gates(gates), direction(direction),
      steps(node.sizesOf(x)[0].value()) {
  static constexpr StringRef kRNN[] = {"tanh"}, kGRU[] = {"sigmoid", "tanh"},
                             kLSTM[] = {"sigmoid", "tanh", "tanh"};
  activations = listActivations(node, direction,
                                gates == 1   ? ArrayRef(kRNN)
                                : gates == 3 ? ArrayRef(kGRU)
                                             : ArrayRef(kLSTM));
  Value weights = part(1);
  recurrentWeights = part(2);
  peepholes = gates == 4 ? part(7) : Value();
  if (node.hasFailed() ||
      !node.requireRank("the operand of R", node.rank(node.operand(2)), 3) ||
      !node.requireRank("the operand of X", node.rank(x), 3))
    return;
  hidden = node.dim(recurrentWeights, 1);
  if (!node.require(node.dim(recurrentWeights, 0) == gates * hidden,
                    "weights that are not of " + Twine(gates) + " gates"))
    return;
  product = multiply(node, x, weights);
  Value bias = part(3);
  if (!bias)
    return;
  int64_t size = gates * hidden;
  recurrentBias = node.slice(bias, 0, size, 2 * size);
  product = node.add(product, node.slice(bias, 0, 0, size));
  // The last gate of a GRU may multiply its own before it is added.
  if (gates != 3) {
    product = node.add(product, recurrentBias);
    recurrentBias = {};
  }
}

State Layer::initialState() {
  int64_t axis = node.getInt("layout", 0) ? 1 : 0;
  return {part(5, axis), gates == 4 ? part(6, axis) : Value()};
}

/// The state has as many sequences as there are, be their number known or not.
Value Layer::zeros() {
  Value first = node.slice(elementAt(node, product, 0, 0), 1, 0, 0);
  return node.pad(first, {0, 0}, {0, hidden}, {0, 0}, 0);
}

Value Layer::inputOf(int64_t step) { return elementAt(node, product, 0, step); }

Value Layer::recurrent(Value state, int64_t first, int64_t last) {
  Value bias = recurrentBias
                   ? node.slice(recurrentBias, 0, first * hidden, last * hidden)
                   : Value();
  if (!state)
    return bias;
  Value weights =
      node.slice(recurrentWeights, 0, first * hidden, last * hidden);
  return sum(multiply(node, state, weights), bias);
}

Value Layer::peephole(Value cell, int64_t number) {
  return cell && peepholes ? node.mul(cell, gate(peepholes, number)) : Value();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

State Layer::stepRNN(Value input, State state) {
  return {activate(sum(input, recurrent(state.hidden, 0, 1)), 0), {}};
}

/// Gates: input, output, forget, cell.
State Layer::stepLSTM(Value input, State state) {
  Value all = sum(input, recurrent(state.hidden, 0, 4));
  Value in = activate(sum(gate(all, 0), peephole(state.cell, 0)), 0);
  Value forget = node.getInt("input_forget", 0)
                     ? node.sub(node.scalar(in, 1), in)
                     : activate(sum(gate(all, 2), peephole(state.cell, 2)), 0);
  Value cell = node.mul(in, activate(gate(all, 3), 1));
  if (state.cell)
    cell = node.add(node.mul(forget, state.cell), cell);
  Value out = activate(sum(gate(all, 1), peephole(cell, 1)), 0);
  return {node.mul(out, activate(cell, 2)), cell};
}

/// Gates: update, reset, hidden.
State Layer::stepGRU(Value input, State state) {
  Value gates =
      sum(node.slice(input, 1, 0, 2 * hidden), recurrent(state.hidden, 0, 2));
  Value update = activate(gate(gates, 0), 0);
  Value candidate;
  if (node.getInt("linear_before_reset", 0)) {
    candidate = recurrent(state.hidden, 2, 3);
    if (candidate)
      candidate = node.mul(activate(gate(gates, 1), 0), candidate);
  } else {
    Value reset = state.hidden
                      ? node.mul(activate(gate(gates, 1), 0), state.hidden)
                      : Value();
    candidate = recurrent(reset, 2, 3);
  }
  candidate = activate(sum(gate(input, 2), candidate), 1);
  Value one = node.scalar(update, 1);
  Value next = node.mul(node.sub(one, update), candidate);
  if (state.hidden)
    next = node.add(next, node.mul(update, state.hidden));
  return {next, {}};
}

} // namespace tandem::onnx
