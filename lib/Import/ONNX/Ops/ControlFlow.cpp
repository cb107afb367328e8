//===- ControlFlow.cpp - ONNX control flow that is known at import --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/LoopBuilder.h"
#include "Model/Ops.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The graph in an attribute; null, with an error, where there is none.
const proto::GraphProto *graphOf(Node &node, StringRef name) {
  const proto::AttributeProto *attribute = node.find(name);
  if (node.require(attribute, "attribute '" + name + "' is missing") &&
      node.require(attribute->has_g(),
                   "attribute '" + name + "' is not a graph"))
    return &attribute->g();
  return nullptr;
}

/// The outputs of a graph; empty, with an error, where it cannot be added.
SmallVector<NamedValue> add(Node &node, const proto::GraphProto &graph,
                            ArrayRef<NamedValue> operands) {
  FailureOr<SmallVector<NamedValue>> results =
      node.state().addGraph(graph, operands);
  if (succeeded(results))
    return std::move(*results);
  node.fail();
  return {};
}

NamedValue integer(int64_t value, DType dtype) {
  NamedValue named;
  named.integers = Integers{{Size(value)}, /*isScalar=*/true, dtype};
  return named;
}

/// `x` with a dim of size 1 at `axis`.
Value insertDim(Node &node, Value x, int64_t axis) {
  Sizes sizes = node.sizesOf(x);
  if (!node.require(axis <= node.rank(x), "iterations of different ranks"))
    return {};
  sizes.insert(sizes.begin() + axis, Size(1));
  return node.reshape(x, sizes);
}

NamedValue asNamed(Value value) {
  NamedValue named;
  named.value = value;
  return named;
}

/// What the iterations of a loop collect, one value each.
using Collected = SmallVector<Value>;

/// What no iteration has made, by the type that the body declares.
Value stackOfNone(Node &node, const proto::ValueInfoProto &declared,
                  int64_t axis) {
  const std::optional<TensorType> type = staticTypeOf(declared);
  if (!node.require(type && type->shape.rank() < kMaxRank,
                    "no iterations, so that the shape of a result is not "
                    "known"))
    return {};
  Ints shape(type->shape.begin(), type->shape.end());
  shape.insert(shape.begin() + node.axis(axis, shape.size() + 1), 0);
  if (node.hasFailed())
    return {};
  return node.constant(DenseElementsAttr::get(
      RankedTensorType::get(
          shape, ir::toMlirType(node.location().getContext(), type->dtype)),
      ArrayRef<Attribute>()));
}

/// The values of all iterations along a new dim.
Value stack(Node &node, ArrayRef<Value> values,
            const proto::ValueInfoProto &declared, int64_t axis) {
  if (node.hasFailed())
    return {};
  if (values.empty())
    return stackOfNone(node, declared, axis);
  axis = node.axis(axis, node.rank(values[0]) + 1);
  SmallVector<Value> wide;
  for (Value value : values)
    wide.push_back(insertDim(node, value, axis));
  return node.concat(wide, axis);
}

/// `x` with dim `from` as dim `to`.
Value moveDim(Node &node, Value x, int64_t from, int64_t to) {
  Ints permutation;
  for (int64_t i = 0; i < node.rank(x); ++i)
    if (i != from)
      permutation.push_back(i);
  permutation.insert(permutation.begin() + to, from);
  return from == to ? x : node.transpose(x, permutation);
}

/// What the body of a loop is given and makes.
struct LoopBody {
  const proto::GraphProto &graph;
  /// Whether this is the body of the node Loop, which has the number of the
  /// iteration in front of what it carries, a condition after that number, and
  /// another condition in front of its results.
  bool hasCondition;
  SmallVector<NamedValue> carried;
  /// Along dim 0.
  SmallVector<Value> scanned;
  /// For what is scanned, then what is stacked: whether it is in reverse order.
  SmallVector<bool> reversed;
};

/// The results of a loop whose stacked dim is dim 0. It fails for a body that
/// asks what only a copy of it can know, such as shapes that depend on the
/// number of the iteration.
FailureOr<SmallVector<Value>> addLoop(Node &node, LoopBody body) {
  SmallVector<Value> carried;
  for (NamedValue &value : body.carried)
    carried.push_back(node.valueOf(value, "state"));
  if (node.hasFailed())
    return failure();
  LoopBuilder loop(node, carried, body.scanned);
  SmallVector<NamedValue> operands;
  for (unsigned i = 0; i < carried.size(); ++i)
    operands.push_back(asNamed(loop.carried(i)));
  for (unsigned i = 0; i < body.scanned.size(); ++i)
    operands.push_back(asNamed(loop.slice(i)));
  if (body.hasCondition) {
    std::rotate(operands.begin(), operands.end() - 1, operands.end());
    operands.insert(operands.begin() + 1, integer(1, DType::i1));
  }
  SmallVector<NamedValue> results = add(node, body.graph, operands);
  if (node.hasFailed())
    return failure();
  if (body.hasCondition) {
    if (node.knownScalar(results[0]) != 1)
      return failure();
    results.erase(results.begin());
  }
  SmallVector<Value> values;
  for (NamedValue &result : results)
    values.push_back(node.valueOf(result, "output"));
  SmallVector<Value> made = loop.finish(values, body.reversed);
  if (node.hasFailed())
    return failure();
  return made;
}

/// The same, without an error where it fails.
FailureOr<SmallVector<Value>> tryLoop(Node &node, LoopBody body) {
  ScopedDiagnosticHandler silence(node.location().getContext(),
                                  [](Diagnostic &) { return success(); });
  Node attempt(node.state(), node.proto(), node.opset());
  return addLoop(attempt, std::move(body));
}

/// The attribute `name` of each of `count` inputs or outputs of Scan.
Ints perScan(Node &node, StringRef name, int64_t count) {
  Ints values = node.getInts(name, Ints(count, 0));
  node.require(static_cast<int64_t>(values.size()) == count,
               "needs a number in '" + name + "' for each");
  values.resize(count, 0);
  return values;
}

/// A Scan over values that have no batch dim: its states and scanned outputs.
struct Scanned {
  SmallVector<NamedValue> states;
  SmallVector<Collected> outputs;
};

Scanned scan(Node &node, const proto::GraphProto &body,
             SmallVector<NamedValue> states, ArrayRef<Value> inputs,
             ArrayRef<int64_t> axes, ArrayRef<int64_t> directions) {
  Scanned result;
  size_t count = states.size();
  result.outputs.resize(body.output_size() - count);
  int64_t length = node.dim(inputs[0], axes[0]);
  for (auto [input, axis] : llvm::zip(inputs, axes))
    node.require(node.dim(input, axis) == length,
                 "inputs of different lengths");
  for (int64_t i = 0; i < length && !node.hasFailed(); ++i) {
    SmallVector<NamedValue> operands = states;
    for (auto [input, axis, isReverse] : llvm::zip(inputs, axes, directions))
      operands.push_back(asNamed(
          elementAt(node, input, axis, isReverse ? length - 1 - i : i)));
    SmallVector<NamedValue> outputs = add(node, body, operands);
    if (node.hasFailed())
      break;
    states.assign(outputs.begin(), outputs.begin() + count);
    for (auto [collected, output] :
         llvm::zip(result.outputs, MutableArrayRef(outputs).drop_front(count)))
      collected.push_back(node.valueOf(output, "output"));
  }
  result.states = std::move(states);
  return result;
}

/// Up to operator set 8, all values have a batch dim in front.
void scanBatches(Node &node, const proto::GraphProto &body, int64_t numStates,
                 int64_t numInputs) {
  if (!node.require(!node.hasOperand(0), "sequence_lens is not supported"))
    return;
  SmallVector<Value> operands;
  for (unsigned i = 1; i < node.numOperands(); ++i)
    operands.push_back(node.operand(i));
  Ints directions = perScan(node, "directions", numInputs);
  SmallVector<Collected> results(body.output_size());
  int64_t batches = node.dim(operands.back(), 0);
  if (!node.require(batches <= 4096, "a batch of more than 4096 sequences"))
    return;
  for (int64_t batch = 0; batch < batches && !node.hasFailed(); ++batch) {
    SmallVector<NamedValue> states;
    SmallVector<Value> inputs;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      Value one = elementAt(node, operand, 0, batch);
      if (static_cast<int64_t>(i) < numStates)
        states.push_back(asNamed(one));
      else
        inputs.push_back(one);
    }
    Scanned scanned =
        scan(node, body, states, inputs, Ints(numInputs, 0), directions);
    for (auto [i, collected] : llvm::enumerate(results))
      collected.push_back(static_cast<int64_t>(i) < numStates
                              ? node.valueOf(scanned.states[i], "state")
                              : stack(node, scanned.outputs[i - numStates],
                                      body.output(static_cast<int>(i)), 0));
  }
  for (auto [i, collected] : llvm::enumerate(results))
    node.result(i, stack(node, collected, body.output(static_cast<int>(i)), 0));
}

} // namespace

/// The branch that a known condition takes.
void convertIf(Node &node) {
  std::optional<int64_t> condition =
      node.hasOperand(0) ? node.knownScalar(node.named(0)) : std::nullopt;
  if (!node.require(condition.has_value(), "a condition that is not known"))
    return;
  const auto *branch =
      graphOf(node, *condition ? "then_branch" : "else_branch");
  if (!branch ||
      !node.require(branch->output_size() == node.proto().output_size(),
                    "branches of other results than its own"))
    return;
  for (auto [i, taken] : llvm::enumerate(add(node, *branch, {})))
    node.result(i, taken);
}

/// A loop, or one copy of the body for each iteration; how often must be known.
void convertLoop(Node &node) {
  const proto::GraphProto *body = graphOf(node, "body");
  int64_t carriedCount = std::max<int64_t>(node.numOperands(), 2) - 2;
  std::optional<int64_t> trips = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> goesOn = 1;
  if (node.hasOperand(0))
    trips = node.knownScalar(node.named(0));
  if (node.hasOperand(1))
    goesOn = node.knownScalar(node.named(1));
  if (!body ||
      !node.require(trips.has_value(),
                    "a number of iterations that is not known") ||
      !node.require(goesOn.has_value(), "a condition that is not known") ||
      !node.require(body->output_size() > carriedCount,
                    "a body of fewer results than it must have"))
    return;
  SmallVector<NamedValue> carried;
  for (unsigned i = 2; i < node.numOperands(); ++i)
    carried.push_back(node.named(i));
  const size_t stackedCount = body->output_size() - 1 - carriedCount;
  if (*trips > kMaxCopies && *trips <= kMaxTableElements && *goesOn) {
    LoopBody looped{
        *body,
        /*hasCondition=*/true,
        carried,
        {node.iota({*trips}, 0,
                   ir::toMlirType(node.location().getContext(), DType::i64))},
        SmallVector<bool>(1 + stackedCount)};
    if (auto results = tryLoop(node, std::move(looped)); succeeded(results)) {
      for (auto [i, value] : llvm::enumerate(*results))
        node.result(i, value);
      return;
    }
  }
  SmallVector<Collected> collected(stackedCount);
  for (int64_t i = 0; i < *trips && *goesOn; ++i) {
    SmallVector<NamedValue> operands{integer(i, DType::i64),
                                     integer(1, DType::i1)};
    operands.append(carried);
    SmallVector<NamedValue> results = add(node, *body, operands);
    if (node.hasFailed())
      return;
    goesOn = node.knownScalar(results[0]);
    if (!node.require(goesOn.has_value(), "a condition that is not known"))
      return;
    carried.assign(results.begin() + 1, results.begin() + 1 + carriedCount);
    for (auto [into, value] : llvm::zip(
             collected, MutableArrayRef(results).drop_front(1 + carriedCount)))
      into.push_back(node.valueOf(value, "output"));
  }
  for (auto [i, value] : llvm::enumerate(carried))
    node.result(i, value);
  for (auto [i, values] : llvm::enumerate(collected))
    if (node.isWanted(carriedCount + i))
      node.result(carriedCount + i,
                  stack(node, values,
                        body->output(static_cast<int>(1 + carriedCount + i)),
                        0));
}

/// A Scan as a loop; whether it could be one.
static bool scanInLoop(Node &node, LoopBody body, ArrayRef<int64_t> axes,
                       ArrayRef<int64_t> outputAxes, bool isLengthKnown) {
  const size_t numStates = body.carried.size();
  for (auto [input, axis] : llvm::zip(body.scanned, axes))
    input = moveDim(node, input, axis, 0);
  FailureOr<SmallVector<Value>> results = isLengthKnown
                                              ? tryLoop(node, std::move(body))
                                              : addLoop(node, std::move(body));
  if (failed(results))
    return false;
  for (auto [i, value] : llvm::enumerate(*results)) {
    if (i >= numStates)
      value = moveDim(node, value, 0,
                      node.axis(outputAxes[i - numStates], node.rank(value)));
    node.result(i, value);
  }
  return true;
}

/// A loop, or one copy of the body for each element along the dims that are
/// scanned.
void convertScan(Node &node) {
  const proto::GraphProto *body = graphOf(node, "body");
  bool isOld = node.opset() < 9;
  int64_t numInputs = node.getInt("num_scan_inputs", 0);
  int64_t numStates = static_cast<int64_t>(node.numOperands()) -
                      std::max<int64_t>(numInputs, 0) - (isOld ? 1 : 0);
  if (!body ||
      !node.require(numInputs > 0, "num_scan_inputs is not positive") ||
      !node.require(numStates >= 0, "fewer operands than num_scan_inputs") ||
      !node.require(body->output_size() >= numStates,
                    "a body of fewer results than it must have"))
    return;
  if (isOld)
    return scanBatches(node, *body, numStates, numInputs);
  SmallVector<NamedValue> states;
  for (int64_t i = 0; i < numStates; ++i)
    states.push_back(node.named(i));
  SmallVector<Value> inputs;
  Ints axes = perScan(node, "scan_input_axes", numInputs);
  for (int64_t i = 0; i < numInputs; ++i) {
    inputs.push_back(node.operand(numStates + i));
    axes[i] = node.axis(axes[i], node.rank(inputs[i]));
  }
  const int64_t numOutputs = body->output_size() - numStates;
  Ints directions = perScan(node, "scan_input_directions", numInputs);
  Ints outputAxes = perScan(node, "scan_output_axes", numOutputs);
  Ints backwards = perScan(node, "scan_output_directions", numOutputs);
  if (node.hasFailed())
    return;
  const std::optional<int64_t> length =
      node.sizesOf(inputs[0])[axes[0]].value();
  if (!length || *length > kMaxCopies) {
    LoopBody looped{*body, /*hasCondition=*/false, states, inputs, {}};
    llvm::append_range(looped.reversed, directions);
    llvm::append_range(looped.reversed, backwards);
    if (scanInLoop(node, std::move(looped), axes, outputAxes,
                   length.has_value()) ||
        !length)
      return;
  }
  Scanned scanned = scan(node, *body, states, inputs, axes, directions);
  for (auto [i, state] : llvm::enumerate(scanned.states))
    node.result(i, state);
  for (int64_t i = 0; i < numOutputs && !node.hasFailed(); ++i) {
    if (backwards[i])
      std::reverse(scanned.outputs[i].begin(), scanned.outputs[i].end());
    node.result(numStates + i,
                stack(node, scanned.outputs[i],
                      body->output(static_cast<int>(numStates + i)),
                      outputAxes[i]));
  }
}

} // namespace tandem::onnx
