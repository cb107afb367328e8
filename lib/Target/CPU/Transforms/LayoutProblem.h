//===- LayoutProblem.h - Choosing the layout of each value ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses for every value of three or more dims whether it keeps its layout or
// becomes channels last. Convolutions have a cost for each layout. If two ops
// use different layouts for the same value, the value must be transposed, which
// has a cost, too. The cheapest assignment is a minimum cut. It subsumes rules
// that compilers often apply: cancel two transposes, move a transpose past an
// elementwise op, or fold a transpose into a constant.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H

#include "Transforms/LayoutCostModel.h"

#include "tandem/Analysis/MinimumCut.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <vector>

namespace tandem {

/// How a transpose in the graph changes the layout of its operand.
enum class LayoutConversion { None, ToLast, ToFirst };
LayoutConversion getLayoutConversion(mlir::Operation *op);

/// The layouts of the values of one block. First solve, then ask for the
/// layouts.
class LayoutProblem {
public:
  LayoutProblem(mlir::Block &block, const LayoutCostModel &costs)
      : block(block), costs(costs) {}

  /// Whether there is no layout to choose.
  bool isEmpty();
  void solve();

  /// Whether the operand and the result of an op have channels last. Only
  /// convolutions may differ in both, and reductions to a lower rank, whose
  /// results always keep their layout.
  bool isInputLast(mlir::Operation *op) const { return look(op, 0); }
  bool isOutputLast(mlir::Operation *op) const { return look(op, 1); }
  bool isAssigned(mlir::Operation *op) const { return nodes.contains(op); }

  const LayoutCostModel &getCosts() const { return costs; }
  double getTransposeNs(mlir::Value value) const;

private:
  using Node = MinimumCut::Node;
  /// The nodes of an op's operand and result. Both are the same node, except
  /// for convolutions, and for reductions to a lower rank.
  using Nodes = std::array<Node, 2>;

  bool look(mlir::Operation *op, unsigned side) const {
    auto it = nodes.find(op);
    return it != nodes.end() && isLast[it->second[side]];
  }
  void findEpilogues();
  bool isInLoop(mlir::Operation *op) const;
  void addConv(ir::ConvOp conv);
  void addPermutable(mlir::Operation *op);
  /// Adds the cost, which may be negative, of giving a node channels last.
  void addCost(Node node, double ns);
  void connect(mlir::Value value);
  Node getProducer(mlir::Value value) const;
  Node getConsumer(mlir::OpOperand &use) const;

  mlir::Block &block;
  const LayoutCostModel &costs;
  MinimumCut cut;
  /// The elementwise ops that run in the kernel of a preceding convolution.
  llvm::DenseSet<mlir::Operation *> epilogues;
  llvm::DenseMap<mlir::Operation *, Nodes> nodes;
  std::vector<bool> isLast;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPROBLEM_H
