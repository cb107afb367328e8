//===- LayoutProblem.h - Which layout each value has ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of three dims or more is held as it was given or channels last.
// Convolutions have a price for either; an edge between two ops that want a
// value differently has the price of a transpose. The assignment of least cost
// is a minimum cut. What is often done by rules (cancel two transposes, push
// one past an elementwise op, fold one into a constant) follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H

#include "Transforms/LayoutPrices.h"

#include "tandem/Analysis/MinimumCut.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <vector>

namespace tandem {

/// What a transpose in the graph does to the layout of its operand.
enum class Turn { None, ToLast, ToFirst };
Turn getTurn(mlir::Operation *op);

/// Layouts of the values of one block.
class LayoutProblem {
public:
  LayoutProblem(mlir::Block &block, const LayoutPrices &prices)
      : block(block), prices(prices) {}

  /// Whether there is anything to choose.
  bool isEmpty();
  void solve();

  /// Whether the op, or the convolution's operand and result, are channels
  /// last.
  bool isInputLast(mlir::Operation *op) const { return look(op, 0); }
  bool isOutputLast(mlir::Operation *op) const { return look(op, 1); }
  bool isAssigned(mlir::Operation *op) const { return nodes.contains(op); }

  const LayoutPrices &getPrices() const { return prices; }
  double getTransposeNs(mlir::Value value) const;

private:
  using Node = MinimumCut::Node;
  /// Of what an op reads, and of its result: one but for convolutions.
  using Nodes = std::array<Node, 2>;

  bool look(mlir::Operation *op, unsigned side) const {
    auto it = nodes.find(op);
    return it != nodes.end() && isLast[it->second[side]];
  }
  void findEpilogues();
  bool isInLoop(mlir::Operation *op) const;
  void addConv(ir::ConvOp conv);
  void addPermutable(mlir::Operation *op);
  /// A cost (which may be negative) of a node being channels last.
  void addCost(Node node, double ns);
  void connect(mlir::Value value);
  Node getProducer(mlir::Value value) const;
  Node getConsumer(mlir::OpOperand &use) const;

  mlir::Block &block;
  const LayoutPrices &prices;
  MinimumCut cut;
  /// Elementwise ops that run in the kernel of a convolution before them.
  llvm::DenseSet<mlir::Operation *> epilogues;
  llvm::DenseMap<mlir::Operation *, Nodes> nodes;
  std::vector<bool> isLast;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H
