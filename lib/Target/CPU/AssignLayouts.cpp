//===- AssignLayouts.cpp - tandem-assign-layouts --------------------------===//
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

#include "tandem/Target/CPU/Passes.h"

#include "LayoutNotes.h"
#include "LayoutPrices.h"
#include "PermuteDims.h"

#include "tandem/Analysis/MinimumCut.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/PassDevice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

using Node = MinimumCut::Node;

/// Nodes on the source's side are channels last.
constexpr Node kLast = MinimumCut::kSource, kGiven = MinimumCut::kSink;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isStatic(Operation *op) {
  auto isStaticType = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStaticType) &&
         llvm::all_of(op->getResultTypes(), isStaticType);
}

bool isChannelsFirst(ir::ConvOp conv) {
  constexpr StringRef kLayout = "NCDHW";
  auto isFirst = [&](StringRef layout) {
    return layout.starts_with("NC") && kLayout.ends_with(layout.drop_front(2));
  };
  return isFirst(conv.getLayout().getInput()) &&
         isFirst(conv.getLayout().getOutput()) &&
         typeOf(conv.getResult()).getNumElements() > 0;
}

/// What a transpose in the graph does to the layout of its operand.
enum class Turn { None, ToLast, ToFirst };

Turn getTurn(Operation *op) {
  auto transpose = dyn_cast<ir::TransposeOp>(op);
  if (!transpose || !isStatic(op))
    return Turn::None;
  Permutation last = getChannelsLast(typeOf(transpose.getInput()).getRank());
  if (!last.empty() && transpose.getPermutation() == ArrayRef(last))
    return Turn::ToLast;
  if (!last.empty() && transpose.getPermutation() == ArrayRef(invert(last)))
    return Turn::ToFirst;
  return Turn::None;
}

/// Layouts of the values of one block.
class LayoutProblem {
public:
  LayoutProblem(Block &block, const LayoutPrices &prices)
      : block(block), prices(prices) {}

  /// Whether there is anything to choose.
  bool isEmpty();
  void solve();

  /// Whether the op, or the convolution's operand and result, are channels
  /// last.
  bool isInputLast(Operation *op) const { return look(op, 0); }
  bool isOutputLast(Operation *op) const { return look(op, 1); }
  bool isAssigned(Operation *op) const { return nodes.contains(op); }

  const LayoutPrices &getPrices() const { return prices; }

private:
  /// Of what an op reads, and of its result: one but for convolutions.
  using Nodes = std::array<Node, 2>;

  bool look(Operation *op, unsigned side) const {
    auto it = nodes.find(op);
    return it != nodes.end() && isLast[it->second[side]];
  }
  void addConv(ir::ConvOp conv);
  void addPermutable(Operation *op);
  /// A cost (which may be negative) of a node being channels last.
  void addCost(Node node, double ns);
  void connect(Value value);
  Node getProducer(Value value) const;
  Node getConsumer(OpOperand &use) const;

  Block &block;
  const LayoutPrices &prices;
  MinimumCut cut;
  DenseMap<Operation *, Nodes> nodes;
  std::vector<bool> isLast;
};

} // namespace

bool LayoutProblem::isEmpty() {
  return llvm::none_of(block, [](Operation &op) {
    auto conv = dyn_cast<ir::ConvOp>(op);
    return (conv && isStatic(&op) && isChannelsFirst(conv)) ||
           getTurn(&op) != Turn::None;
  });
}

void LayoutProblem::addCost(Node node, double ns) {
  if (ns > 0)
    cut.connect(node, kGiven, ns);
  else if (ns < 0)
    cut.connect(kLast, node, -ns);
}

/// Costs of two choices as costs of each and a cost of (first, last): exact but
/// where (last, first) would be better than the two alone suggest, which no
/// convolution is (Kolmogorov and Zabih, PAMI 26, 2004).
void LayoutProblem::addConv(ir::ConvOp conv) {
  Nodes pair{cut.add(), cut.add()};
  nodes[conv] = pair;
  double same = prices.getConvNs(conv, false, false);
  double last = prices.getConvNs(conv, true, true);
  double toLast = prices.getConvNs(conv, false, true);
  double toFirst =
      std::max(prices.getConvNs(conv, true, false), same + last - toLast);
  addCost(pair[0], toFirst - same);
  addCost(pair[1], last - toFirst);
  cut.connect(pair[1], pair[0], toLast + toFirst - same - last);
}

void LayoutProblem::addPermutable(Operation *op) {
  Node node = cut.add();
  nodes[op] = {node, dropsDims(op) ? kGiven : node};
  addCost(node, -prices.getWindowNs(op));
}

Node LayoutProblem::getProducer(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto it = nodes.find(op); op && it != nodes.end())
    return it->second[1];
  return op && getTurn(op) == Turn::ToFirst ? kLast : kGiven;
}

Node LayoutProblem::getConsumer(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (auto it = nodes.find(op); it != nodes.end()) {
    if (isa<ir::ConvOp>(op))
      return use.getOperandNumber() == 0 ? it->second[0] : kGiven;
    return hasPermutedDims(use) ? it->second[0] : kGiven;
  }
  return getTurn(op) == Turn::ToLast ? kLast : kGiven;
}

/// One transpose serves all readers that want the other layout.
void LayoutProblem::connect(Value value) {
  if (matchPattern(value, m_Constant()))
    return; // Transposed here, at no cost.
  Node producer = getProducer(value);
  llvm::SmallSetVector<Node, 4> consumers;
  for (OpOperand &use : value.getUses())
    consumers.insert(getConsumer(use));
  consumers.remove(producer);
  if (consumers.empty())
    return;
  double ns = prices.getTransposeNs(value);
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
  for (Operation &op : block) {
    if (!isStatic(&op))
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

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

class LayoutRewriter {
public:
  /// `notes` may be null.
  LayoutRewriter(Block &block, const LayoutProblem &problem, bool remarks,
                 LayoutNotes *notes)
      : block(block), problem(problem), prices(problem.getPrices()),
        remarks(remarks), notes(notes),
        builder(block.getParentOp()->getContext()) {}

  void run();

private:
  void rewrite(Operation *op);
  void rewriteConv(ir::ConvOp conv);
  void rewriteTurn(ir::TransposeOp transpose, Turn turn);
  void remark(ir::ConvOp conv, const ConvLayoutNote &note);
  void account(ir::ConvOp conv);
  /// The value channels last, or as it was given.
  Value get(Value value, bool isLast);
  /// Nothing reads the op any more.
  void replace(Operation *op, bool isLast, Value value) {
    versions[op->getResult(0)][isLast] = value;
    replaced.push_back(op);
  }

  Block &block;
  const LayoutProblem &problem;
  const LayoutPrices &prices;
  bool remarks;
  LayoutNotes *notes;
  OpBuilder builder;
  /// Of each value: as given, and channels last.
  DenseMap<Value, std::array<Value, 2>> versions;
  SmallVector<Operation *> replaced;
};

} // namespace

Value LayoutRewriter::get(Value value, bool isLast) {
  std::array<Value, 2> known = versions.lookup(value);
  if (!known[0] && !known[1])
    known[0] = value;
  if (!known[isLast]) {
    Value from = known[!isLast];
    Permutation permutation = getChannelsLast(typeOf(from).getRank());
    if (notes && !matchPattern(from, m_Constant()))
      notes->addInserted(from, isLast, prices.getTransposeNs(value));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(from);
    known[isLast] = createTransposed(
        builder, from, isLast ? permutation : invert(permutation));
  }
  versions[value] = known;
  return known[isLast];
}

void LayoutRewriter::remark(ir::ConvOp conv, const ConvLayoutNote &note) {
  constexpr StringRef kNames[] = {"channels first", "channels last"};
  auto micros = [](double ns) {
    return llvm::formatv("{0:f1} us", ns / 1000).str();
  };
  conv.emitRemark() << "reads " << kNames[note.isInputLast] << ", writes "
                    << kNames[note.isOutputLast] << ": " << micros(note.ns)
                    << "; as given " << micros(note.givenNs)
                    << ", channels last " << micros(note.lastNs);
}

void LayoutRewriter::account(ir::ConvOp conv) {
  if (!remarks && !notes)
    return;
  ConvLayoutNote note;
  note.isInputLast = problem.isInputLast(conv);
  note.isOutputLast = problem.isOutputLast(conv);
  note.ns = prices.getConvNs(conv, note.isInputLast, note.isOutputLast);
  note.givenNs = prices.getConvNs(conv, false, false);
  note.lastNs = prices.getConvNs(conv, true, true);
  if (remarks)
    remark(conv, note);
  if (notes)
    notes->addConv(conv, note);
}

void LayoutRewriter::rewriteConv(ir::ConvOp conv) {
  account(conv);
  bool isInputLast = problem.isInputLast(conv);
  bool isOutputLast = problem.isOutputLast(conv);
  Permutation last = getChannelsLast(typeOf(conv.getInput()).getRank());
  ir::ConvLayoutAttr layout = conv.getLayout();
  auto created = cast<ir::ConvOp>(builder.clone(*conv));
  std::string input = layout.getInput().str(),
              output = layout.getOutput().str();
  if (isInputLast)
    input = permute(input, last);
  if (isOutputLast) {
    output = permute(output, last);
    created.getResult().setType(permute(typeOf(conv.getResult()), last));
  }
  for (OpOperand &operand : created->getOpOperands())
    operand.set(
        get(operand.get(), operand.getOperandNumber() == 0 && isInputLast));
  created.setLayoutAttr(ir::ConvLayoutAttr::get(conv.getContext(), input,
                                                layout.getKernel(), output));
  replace(conv, isOutputLast, created.getResult());
}

void LayoutRewriter::rewriteTurn(ir::TransposeOp transpose, Turn turn) {
  // Its operand channels last is its result as given, or the other way round.
  bool isToLast = turn == Turn::ToLast;
  if (notes)
    notes->addCancelled(transpose, isToLast,
                        prices.getTransposeNs(transpose.getInput()));
  replace(transpose, !isToLast, get(transpose.getInput(), isToLast));
}

void LayoutRewriter::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  Turn turn = getTurn(op);
  if (turn != Turn::None)
    return rewriteTurn(cast<ir::TransposeOp>(op), turn);
  if (auto conv = dyn_cast<ir::ConvOp>(op); conv && problem.isAssigned(conv))
    return rewriteConv(conv);
  bool isLast = problem.isInputLast(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(get(operand.get(), isLast && hasPermutedDims(operand)));
  if (!isLast)
    return op->setOperands(operands);
  Operation *created = createPermuted(builder, op, operands,
                                      getChannelsLast(getPermutedRank(op)));
  replace(op, !dropsDims(op), created->getResult(0));
}

void LayoutRewriter::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    rewrite(op);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

namespace {
struct AssignLayoutsPass : impl::AssignLayoutsBase<AssignLayoutsPass> {
  using AssignLayoutsBase::AssignLayoutsBase;

  LogicalResult initialize(MLIRContext *context) override {
    prices.useWinograd = winograd;
    return readDevice(context, deviceSpec.getValue(), prices.device);
  }

  void runOnOperation() override {
    LayoutNotes account(&getContext());
    for (Block &block : getOperation().getBody()) {
      LayoutProblem problem(block, prices);
      if (problem.isEmpty())
        continue;
      problem.solve();
      LayoutRewriter(block, problem, remarks, notes ? &account : nullptr).run();
    }
    account.leaveAt(getOperation());
  }

private:
  LayoutPrices prices;
};
} // namespace

} // namespace tandem
