//===- RecurrentLayer.h - A direction of an ONNX RNN, LSTM or GRU - C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_RECURRENTLAYER_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_RECURRENTLAYER_H

#include "Ops/Activations.h"

namespace tandem::onnx {

/// What a layer carries from step to step; null stands for zeros. Only an LSTM
/// has a cell.
struct State {
  mlir::Value hidden, cell;
};

/// One direction of a layer with `gates` gates.
class Layer {
public:
  /// `x` is the input with the steps as its first dim.
  Layer(Node &node, mlir::Value x, int64_t gates, int64_t direction);

  bool runsBackwards() const {
    return direction == 1 || node.getString("direction") == "reverse";
  }
  bool hasCell() const { return gates == 4; }
  State initialState();
  /// A state of zeros.
  mlir::Value zeros();
  /// Elements of the sequence at `step` times the weights of all gates, and
  /// the biases but those that the GRU adds later.
  mlir::Value inputOf(int64_t step);
  /// The values of inputOf for all steps.
  mlir::Value inputs() const { return product; }
  /// Nothing where the length of the sequence is not known.
  std::optional<int64_t> numSteps() const { return steps; }

  // The cells of the three ops.
  State stepRNN(mlir::Value input, State state);
  State stepLSTM(mlir::Value input, State state);
  State stepGRU(mlir::Value input, State state);

private:
  /// Operand `i` of this direction, which `axis` counts; null where it is left
  /// out.
  mlir::Value part(unsigned i, int64_t axis = 0);
  mlir::Value gate(mlir::Value values, int64_t number) {
    return node.slice(values, node.rank(values) - 1, number * hidden,
                      (number + 1) * hidden);
  }
  /// a + b, either of which may be null.
  mlir::Value sum(mlir::Value a, mlir::Value b) {
    return !a ? b : !b ? a : node.add(a, b);
  }
  /// The state times the recurrent weights of gates [first, last).
  mlir::Value recurrent(mlir::Value state, int64_t first, int64_t last);
  mlir::Value peephole(mlir::Value cell, int64_t number);
  mlir::Value activate(mlir::Value x, unsigned number);

  Node &node;
  int64_t gates, direction, hidden = 0;
  std::optional<int64_t> steps;
  mlir::Value product, recurrentWeights, recurrentBias, peepholes;
  llvm::SmallVector<Activation> activations;
};

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_RECURRENTLAYER_H
