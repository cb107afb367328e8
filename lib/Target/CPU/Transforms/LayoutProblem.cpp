//===- LayoutProblem.cpp - Which layout each value has --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/LayoutProblem.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "Transforms/PermuteDims.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tandem {

using Node = MinimumCut::Node;

/// Nodes on the source's side of the cut have channels last.
static constexpr Node kLast = MinimumCut::kSource, kGiven = MinimumCut::kSink;

static bool isChannelsFirst(ir::ConvOp conv) {
  constexpr StringRef kLayout = "NCDHW";
  auto isFirst = [&](StringRef layout) {
    return layout.starts_with("NC") && kLayout.ends_with(layout.drop_front(2));
  };
  return isFirst(conv.getLayout().getInput()) &&
         isFirst(conv.getLayout().getOutput()) &&
         typeOf(conv.getResult()).getNumElements() > 0;
}

LayoutConversion getLayoutConversion(Operation *op) {
  auto transpose = dyn_cast<ir::TransposeOp>(op);
  if (!transpose || !hasStaticTypes(op))
    return LayoutConversion::None;
  Permutation last = getChannelsLast(typeOf(transpose.getInput()).getRank());
  if (!last.empty() && transpose.getPermutation() == ArrayRef(last))
    return LayoutConversion::ToLast;
  if (!last.empty() && transpose.getPermutation() == ArrayRef(invert(last)))
    return LayoutConversion::ToFirst;
  return LayoutConversion::None;
}

bool LayoutProblem::isEmpty() {
  return llvm::none_of(block, [](Operation &op) {
    auto conv = dyn_cast<ir::ConvOp>(op);
    return (conv && hasStaticTypes(&op) && isChannelsFirst(conv)) ||
           getLayoutConversion(&op) != LayoutConversion::None;
  });
}

void LayoutProblem::findEpilogues() {
  auto isFromConv = [&](Value value, RankedTensorType type) {
    Operation *op = value.getDefiningOp();
    return op && typeOf(value).getShape() == type.getShape() &&
           (isa<ir::ConvOp>(op) || epilogues.contains(op));
  };
  for (Operation &op : block)
    if ((isa<ir::ElementwiseOpInterface>(op) || ir::isLookup(&op)) &&
        llvm::any_of(op.getOperands(), [&](Value operand) {
          return isFromConv(operand, typeOf(op.getResult(0)));
        }))
      epilogues.insert(&op);
}

/// Whether the op becomes part of a loop kernel, in which a transpose only
/// changes indices.
bool LayoutProblem::isInLoop(Operation *op) const {
  return op && isPermutable(op) && !epilogues.contains(op);
}

double LayoutProblem::getTransposeNs(Value value) const {
  RankedTensorType type = typeOf(value);
  auto isLoop = [&](Operation *op) { return isInLoop(op); };
  // A transpose that moves no elements is a reshape, which only changes
  // indices, too.
  bool isIndexing = movesNothing(type, getChannelsLast(type.getRank())) ||
                    isLoop(value.getDefiningOp()) ||
                    llvm::any_of(value.getUsers(), isLoop);
  return costs.getTransposeNs(value, isIndexing);
}

void LayoutProblem::addCost(Node node, double ns) {
  if (ns > 0)
    cut.connect(node, kGiven, ns);
  else if (ns < 0)
    cut.connect(kLast, node, -ns);
}

/// Expresses the costs of a convolution's four combinations of layouts as a
/// cost of each node and a cost of the pair (first, last). This is exact unless
/// the pair (last, first) costs less than the other three imply (Kolmogorov and
/// Zabih, PAMI 26, 2004). No convolution is expected to have such costs; if one
/// does, the cost of this pair is raised.
void LayoutProblem::addConv(ir::ConvOp conv) {
  Nodes pair{cut.add(), cut.add()};
  nodes[conv] = pair;
  double same = costs.getConvNs(conv, false, false);
  double last = costs.getConvNs(conv, true, true);
  double toLast = costs.getConvNs(conv, false, true);
  double toFirst =
      std::max(costs.getConvNs(conv, true, false), same + last - toLast);
  addCost(pair[0], toFirst - same);
  addCost(pair[1], last - toFirst);
  cut.connect(pair[1], pair[0], toLast + toFirst - same - last);
}

void LayoutProblem::addPermutable(Operation *op) {
  Node node = cut.add();
  nodes[op] = {node, dropsDims(op) ? kGiven : node};
  addCost(node, -costs.getFirstNs(op));
}

Node LayoutProblem::getProducer(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto it = nodes.find(op); op && it != nodes.end())
    return it->second[1];
  return op && getLayoutConversion(op) == LayoutConversion::ToFirst ? kLast
                                                                    : kGiven;
}

Node LayoutProblem::getConsumer(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (auto it = nodes.find(op); it != nodes.end()) {
    if (isa<ir::ConvOp>(op))
      return use.getOperandNumber() == 0 ? it->second[0] : kGiven;
    return hasPermutedDims(use) ? it->second[0] : kGiven;
  }
  return getLayoutConversion(op) == LayoutConversion::ToLast ? kLast : kGiven;
}

/// Adds the cost of transposing `value`. One transpose serves all readers that
/// want the other layout.
void LayoutProblem::connect(Value value) {
  if (matchPattern(value, m_Constant()))
    return; // Constants are transposed here, at no cost.
  Node producer = getProducer(value);
  llvm::SmallSetVector<Node, 4> consumers;
  for (OpOperand &use : value.getUses())
    consumers.insert(getConsumer(use));
  consumers.remove(producer);
  if (consumers.empty())
    return;
  double ns = getTransposeNs(value);
  if (producer != kGiven) {
    Node toGiven = cut.add();
    cut.connect(producer, toGiven, ns);
    for (Node consumer : consumers)
      cut.connect(toGiven, consumer, MinimumCut::kNever);
  }
  if (producer != kLast) {
    Node toLast = cut.add();
    cut.connect(toLast, producer, ns);
    for (Node consumer : consumers)
      cut.connect(consumer, toLast, MinimumCut::kNever);
  }
}

void LayoutProblem::solve() {
  findEpilogues();
  for (Operation &op : block) {
    if (!hasStaticTypes(&op))
      continue;
    auto conv = dyn_cast<ir::ConvOp>(op);
    if (conv && isChannelsFirst(conv))
      addConv(conv);
    else if (isPermutable(&op) && getPermutedRank(&op) > 2)
      addPermutable(&op);
  }
  auto connectAll = [&](ValueRange values) {
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        if (type.hasStaticShape() && type.getRank() > 2)
          connect(value);
  };
  connectAll(block.getArguments());
  for (Operation &op : block)
    connectAll(op.getResults());
  isLast = cut.solve();
}

} // namespace tandem
