//===- Recurrence.cpp - ONNX's RNN, LSTM and GRU --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recurrent layers, step by step: the sequence's length is known. The products
// of all inputs with their weights are one matmul before the steps.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The longest sequence that is unrolled. Each step has code of its own.
constexpr int64_t kMostSteps = 256;

/// A function of the attribute "activations", with its parameters.
struct Activation {
  std::string name;
  double alpha, beta;
};

/// What a layer carries from step to step; null stands for zeros. Only an LSTM
/// has a cell.
struct State {
  Value hidden, cell;
};

/// One direction of a layer with `gates` gates.
class Layer {
public:
  /// `x` is the input with the steps as its first dim.
  Layer(Node &node, Value x, int64_t gates, int64_t direction);

  bool runsBackwards() const {
    return direction == 1 || node.getString("direction") == "reverse";
  }
  State initialState();
  /// Elements of the sequence at `step` times the weights of all gates, and
  /// the biases but those that the GRU adds later.
  Value inputOf(int64_t step);
  int64_t numSteps() const { return steps; }

  // The cells of the three ops.
  State stepRNN(Value input, State state);
  State stepLSTM(Value input, State state);
  State stepGRU(Value input, State state);

private:
  /// Operand `i` of this direction, which `axis` counts; null where it is left
  /// out.
  Value part(unsigned i, int64_t axis = 0);
  Value gate(Value values, int64_t number) {
    return node.slice(values, node.rank(values) - 1, number * hidden,
                      (number + 1) * hidden);
  }
  /// a + b, either of which may be null.
  Value sum(Value a, Value b) { return !a ? b : !b ? a : node.add(a, b); }
  /// The state times the recurrent weights of gates [first, last).
  Value recurrent(Value state, int64_t first, int64_t last);
  Value peephole(Value cell, int64_t number);
  Value activate(Value x, unsigned number);

  Node &node;
  int64_t gates, direction, steps, hidden;
  Value product, recurrentWeights, recurrentBias, peepholes;
  SmallVector<Activation> activations;
};

} // namespace

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The parameters that an activation has where none are given.
static std::pair<double, double> defaultParameters(StringRef name) {
  return StringSwitch<std::pair<double, double>>(name)
      .Case("hardsigmoid", {0.2, 0.5})
      .Case("leakyrelu", {0.01, 0})
      .Default({1, 1});
}

/// Those of all gates in order, in lower case. The parameters that are given
/// belong to the first activations.
static SmallVector<Activation> listActivations(Node &node, int64_t direction,
                                               ArrayRef<StringRef> defaults) {
  std::vector<std::string> names(defaults.begin(), defaults.end());
  size_t first = 0;
  if (const auto *given = node.find("activations")) {
    first = direction * defaults.size();
    if (!node.require(given->strings_size() >=
                          static_cast<int>(first + defaults.size()),
                      "too few activations"))
      return {};
    names.assign(given->strings().begin() + first,
                 given->strings().begin() + first + defaults.size());
  }
  const auto *alphas = node.find("activation_alpha"),
             *betas = node.find("activation_beta");
  SmallVector<Activation> list;
  for (auto [i, name] : llvm::enumerate(names)) {
    std::string lower = StringRef(name).lower();
    auto [alpha, beta] = defaultParameters(lower);
    auto at = static_cast<int>(first + i);
    if (alphas && at < alphas->floats_size())
      alpha = alphas->floats(at);
    if (betas && at < betas->floats_size())
      beta = betas->floats(at);
    list.push_back({lower, alpha, beta});
  }
  return list;
}

Value Layer::activate(Value x, unsigned number) {
  if (double clip = node.getFloat("clip", 0); clip > 0 && number < 2)
    x = node.emit<ir::ClampOp>(
        {x, node.scalar(x, -clip), node.scalar(x, clip)});
  const Activation &activation = activations[number];
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
  if (name == "leakyrelu")
    return node.select(
        node.compare(ir::ComparePredicate::ge, x, node.scalar(x, 0)), x,
        scaled(x));
  if (name == "hardsigmoid")
    return node.emit<ir::ClampOp>(
        {node.add(scaled(x), beta), node.scalar(x, 0), node.scalar(x, 1)});
  node.error("activation '" + name + "' is not supported");
  return {};
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static Value multiply(Node &node, Value lhs, Value weights) {
  return node.emit<ir::MatmulOp>({lhs, weights}, node.unit("transpose_rhs"));
}

/// Element `i` of dim `axis`, without that dim.
static Value element(Node &node, Value value, int64_t axis, int64_t i) {
  Sizes shape = node.sizesOf(value);
  if (node.hasFailed())
    return {};
  shape.erase(shape.begin() + axis);
  return node.reshape(node.slice(value, axis, i, i + 1), shape);
}

Value Layer::part(unsigned i, int64_t axis) {
  return node.hasOperand(i) ? element(node, node.operand(i), axis, direction)
                            : Value();
}

Layer::Layer(Node &node, Value x, int64_t gates, int64_t direction)
    : node(node), gates(gates), direction(direction), steps(node.dim(x, 0)) {
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
      !node.require(node.rank(recurrentWeights) == 2 && node.rank(x) == 3,
                    "operands of other ranks than 3"))
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

Value Layer::inputOf(int64_t step) { return element(node, product, 0, step); }

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

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

namespace {
using Step = State (Layer::*)(Value, State);

/// All hidden states of a direction in the order of the sequence, and the last
/// state.
struct Run {
  SmallVector<Value> hidden;
  State last;
};
} // namespace

/// `value` where the sequences go on at a step, `otherwise` or zeros elsewhere.
static Value whereRunning(Node &node, Value isRunning, Value value,
                          Value otherwise) {
  if (!value)
    return {};
  return node.select(isRunning, value,
                     otherwise ? otherwise : node.scalar(value, 0));
}

/// The steps of a layer. `lengths`, one for each sequence, may be null.
static Run runLayer(Node &node, Layer &layer, Step step, Value lengths) {
  Run run;
  run.last = layer.initialState();
  run.hidden.resize(layer.numSteps());
  for (int64_t i = 0; i < layer.numSteps() && !node.hasFailed(); ++i) {
    int64_t at = layer.runsBackwards() ? layer.numSteps() - 1 - i : i;
    State next = (layer.*step)(layer.inputOf(at), run.last);
    run.hidden[at] = next.hidden;
    if (lengths) {
      Value isRunning = node.compare(ir::ComparePredicate::gt, lengths,
                                     node.scalar(lengths, at));
      run.hidden[at] = whereRunning(node, isRunning, next.hidden, {});
      next.hidden = whereRunning(node, isRunning, next.hidden, run.last.hidden);
      next.cell = whereRunning(node, isRunning, next.cell, run.last.cell);
    }
    run.last = next;
  }
  return run;
}

/// Values of one shape along a new first dim.
static Value stack(Node &node, ArrayRef<Value> values) {
  SmallVector<Value> rows;
  for (Value value : values) {
    Sizes shape = node.sizesOf(value);
    shape.insert(shape.begin(), Size(1));
    rows.push_back(node.reshape(value, shape));
  }
  return node.hasFailed() ? Value() : node.concat(rows, 0);
}

/// Sets the results from the runs of all directions.
static void setResults(Node &node, ArrayRef<Run> runs, bool isBatchFirst) {
  SmallVector<Value> all, hidden, cells;
  for (const Run &run : runs) {
    all.push_back(stack(node, run.hidden));
    hidden.push_back(run.last.hidden);
    cells.push_back(run.last.cell);
  }
  // [direction, step, batch, hidden], in the order that is asked for.
  static constexpr int64_t kStepsFirst[] = {1, 0, 2, 3},
                           kBatchFirst[] = {2, 1, 0, 3};
  if (node.isWanted(0))
    node.result(0, node.transpose(stack(node, all),
                                  isBatchFirst ? kBatchFirst : kStepsFirst));
  auto last = [&](unsigned i, ArrayRef<Value> values) {
    if (!node.isWanted(i) || node.hasFailed())
      return;
    Value value = stack(node, values);
    node.result(i, isBatchFirst ? node.transpose(value, {1, 0, 2}) : value);
  };
  last(1, hidden);
  last(2, cells);
}

static void convertLayers(Node &node, int64_t gates, Step step) {
  bool isBatchFirst = node.getInt("layout", 0);
  Value x = node.operand(0);
  if (!node.require(node.rank(x) == 3, "an input of other than 3 dims"))
    return;
  if (isBatchFirst)
    x = node.transpose(x, {1, 0, 2});
  int64_t steps = node.dim(x, 0);
  if (!node.require(steps > 0 && steps <= kMostSteps,
                    "a sequence of " + Twine(steps) + " steps: 1 to " +
                        Twine(kMostSteps) + " are supported"))
    return;
  Value lengths;
  if (node.hasOperand(4)) // A column, beside the hidden elements.
    lengths = alongAxis(node, node.operand(4), 0, 2);
  SmallVector<Run> runs;
  int64_t directions = node.getString("direction") == "bidirectional" ? 2 : 1;
  for (int64_t i = 0; i < directions && !node.hasFailed(); ++i) {
    Layer layer(node, x, gates, i);
    if (!node.hasFailed())
      runs.push_back(runLayer(node, layer, step, lengths));
  }
  if (!node.hasFailed())
    setResults(node, runs, isBatchFirst);
}

void convertGRU(Node &node) { convertLayers(node, 3, &Layer::stepGRU); }
void convertLSTM(Node &node) { convertLayers(node, 4, &Layer::stepLSTM); }
void convertRNN(Node &node) { convertLayers(node, 1, &Layer::stepRNN); }

} // namespace tandem::onnx
