//===- Recurrence.cpp - ONNX's RNN, LSTM and GRU --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recurrent layers, step by step. The products of all inputs with their weights
// are one matmul before the steps. Short sequences have ops for each step, long
// ones, and those whose length is not known, a loop.
//
//===----------------------------------------------------------------------===//

#include "Model/LoopBuilder.h"
#include "Model/Ops.h"
#include "Ops/RecurrentLayer.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

using Step = State (Layer::*)(Value, State);

/// All hidden states of a direction in the order of the sequence, along dim 0,
/// and the last state.
struct Run {
  Value hidden;
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

/// Element `at` of the sequences from the state before. What follows and what
/// is carried on differ where a sequence has ended before. `lengths`, one for
/// each sequence, may be null.
static State runStep(Node &node, Layer &layer, Step step, Value input,
                     State &state, Value lengths, Value at) {
  State next = (layer.*step)(input, state);
  Value output = next.hidden;
  if (lengths) {
    Value isRunning = node.compare(ir::ComparePredicate::gt, lengths, at);
    output = whereRunning(node, isRunning, next.hidden, {});
    next.hidden = whereRunning(node, isRunning, next.hidden, state.hidden);
    next.cell = whereRunning(node, isRunning, next.cell, state.cell);
  }
  state = next;
  return {output, {}};
}

/// Each step with ops of its own.
static Run runCopies(Node &node, Layer &layer, Step step, Value lengths) {
  const int64_t steps = *layer.numSteps();
  State state = layer.initialState();
  SmallVector<Value> hidden(steps);
  for (int64_t i = 0; i < steps && !node.hasFailed(); ++i) {
    int64_t at = layer.runsBackwards() ? steps - 1 - i : i;
    Value number = lengths ? node.scalar(lengths, at) : Value();
    hidden[at] =
        runStep(node, layer, step, layer.inputOf(at), state, lengths, number)
            .hidden;
  }
  return {stack(node, hidden), state};
}

static Run runLoop(Node &node, Layer &layer, Step step, Value lengths) {
  State state = layer.initialState();
  SmallVector<Value> carried{state.hidden ? state.hidden : layer.zeros()};
  if (layer.hasCell())
    carried.push_back(state.cell ? state.cell : layer.zeros());
  SmallVector<Value> scanned{layer.inputs()};
  if (lengths && node.require(layer.numSteps().has_value(),
                              "lengths of sequences of unknown length"))
    scanned.push_back(node.iota({*layer.numSteps()}, 0, node.element(lengths)));
  if (node.hasFailed())
    return {};
  LoopBuilder loop(node, carried, scanned);
  state = {loop.carried(0), layer.hasCell() ? loop.carried(1) : Value()};
  Value output = runStep(node, layer, step, loop.slice(0), state, lengths,
                         lengths ? loop.slice(1) : Value())
                     .hidden;
  SmallVector<Value> values{state.hidden};
  if (layer.hasCell())
    values.push_back(state.cell);
  values.push_back(output);
  SmallVector<bool> reversed(scanned.size() + 1, layer.runsBackwards());
  SmallVector<Value> results = loop.finish(values, reversed);
  return {results.back(), {results[0], layer.hasCell() ? results[1] : Value()}};
}

/// Sets the results from the runs of all directions.
static void setResults(Node &node, ArrayRef<Run> runs, bool isBatchFirst) {
  SmallVector<Value> all, hidden, cells;
  for (const Run &run : runs) {
    all.push_back(run.hidden);
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
    if (!node.isWanted(i) || node.hasFailed() || !values.front())
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
  Value lengths;
  if (node.hasOperand(4)) // A column, beside the hidden elements.
    lengths = alongAxis(node, node.operand(4), 0, 2);
  SmallVector<Run> runs;
  int64_t directions = node.getString("direction") == "bidirectional" ? 2 : 1;
  for (int64_t i = 0; i < directions && !node.hasFailed(); ++i) {
    Layer layer(node, x, gates, i);
    if (node.hasFailed() ||
        !node.require(layer.numSteps() != 0, "a sequence without steps"))
      return;
    const bool isShort = layer.numSteps() && *layer.numSteps() <= kMaxCopies;
    runs.push_back(isShort ? runCopies(node, layer, step, lengths)
                           : runLoop(node, layer, step, lengths));
  }
  if (!node.hasFailed())
    setResults(node, runs, isBatchFirst);
}

void convertGRU(Node &node) { convertLayers(node, 3, &Layer::stepGRU); }
void convertLSTM(Node &node) { convertLayers(node, 4, &Layer::stepLSTM); }
void convertRNN(Node &node) { convertLayers(node, 1, &Layer::stepRNN); }

} // namespace tandem::onnx
