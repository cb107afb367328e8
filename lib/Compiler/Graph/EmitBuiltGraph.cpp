//===- EmitBuiltGraph.cpp - From a GraphBuilder to MLIR -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphBuilderImpl.h"
#include "Session/Diagnostics.h"

#include "tandem/Dialect/Tandem/IR/BuildOp.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tandem {
namespace {

using Input = GraphBuilder::Impl::Input;
using Splat = GraphBuilder::Impl::Splat;
using Op = GraphBuilder::Impl::Op;
using Call = GraphBuilder::Impl::Call;
using Loop = GraphBuilder::Impl::Loop;
using Node = GraphBuilder::Impl::Node;

/// Emits the nodes of a builder as a function.
class FunctionEmitter {
public:
  FunctionEmitter(const GraphBuilder::Impl &impl, MLIRContext *context)
      : impl(impl), builder(context), values(impl.types.size()) {}

  /// Emits the graph with its weights, whose memory it shares where a tensor
  /// owns it.
  FailureOr<ImportedModel> emit(std::span<const size_t> outputs);

private:
  LogicalResult emit(ArrayRef<Node> nodes);
  /// Emit a node, whose first result has the number `result`.
  LogicalResult add(const Input &input, size_t result);
  LogicalResult add(const Tensor &constant, size_t result);
  LogicalResult add(const Splat &splat, size_t result);
  LogicalResult add(const Op &op, size_t result);
  LogicalResult add(const Call &call, size_t result);
  LogicalResult add(const std::unique_ptr<Loop> &loop, size_t result);
  LogicalResult addConstant(ElementsAttr value, size_t result);

  SmallVector<Value> valuesOf(ArrayRef<size_t> numbers) const;
  RankedTensorType typeOf(size_t number) const {
    return ir::toMlirType(builder.getContext(), impl.types[number]);
  }
  Location locationOf(const std::string &name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  ElementsAttr elementsOf(const Tensor &tensor, RankedTensorType type);
  /// The value of `tandem.sizes`.
  DictionaryAttr sizesOf(const Op &op);

  const GraphBuilder::Impl &impl;
  OpBuilder builder;
  ImportedModel model;
  func::FuncOp function;
  /// All values that have been emitted, by their numbers.
  SmallVector<Value> values;
};

SmallVector<Value> FunctionEmitter::valuesOf(ArrayRef<size_t> numbers) const {
  return llvm::map_to_vector(numbers,
                             [&](size_t number) { return values[number]; });
}

LogicalResult FunctionEmitter::add(const Input &input, size_t result) {
  DictionaryAttr attributes;
  if (!input.dimNames.empty()) {
    SmallVector<StringRef> names(input.dimNames.begin(), input.dimNames.end());
    attributes = builder.getDictionaryAttr(builder.getNamedAttr(
        ir::TandemDialect::kDimsAttrName, builder.getStrArrayAttr(names)));
  }
  const unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(
          index, ir::toMlirType(builder.getContext(), input.type), attributes,
          function.getLoc())))
    return failure();
  values[result] = function.getArgument(index);
  model.inputs.push_back(input.name);
  return success();
}

LogicalResult FunctionEmitter::addConstant(ElementsAttr value, size_t result) {
  values[result] =
      ir::ConstantOp::create(builder, function.getLoc(), value.getType(), value)
          .getResult();
  return success();
}

/// The elements of a tensor. Those that fill more than the alignment of a
/// resource become a resource, which refers to the tensor's memory; fewer are
/// better part of the IR, where they fold.
ElementsAttr FunctionEmitter::elementsOf(const Tensor &tensor,
                                         RankedTensorType type) {
  ArrayRef<char> bytes(tensor.as<char>(), tensor.bytes());
  if (bytes.size() > Allocator::kAlignment) {
    std::shared_ptr<const void> owner = tensor.owner();
    if (!owner) {
      auto copy =
          std::make_shared<std::vector<char>>(bytes.begin(), bytes.end());
      bytes = *copy;
      owner = std::move(copy);
    }
    model.memory.push_back({bytes, owner});
    return DenseResourceElementsAttr::get(
        type, "constant",
        AsmResourceBlob(
            bytes, Allocator::kAlignment, [owner](void *, size_t, size_t) {},
            /*dataIsMutable=*/false));
  }
  if (tensor.dtype() == DType::i1)
    return DenseElementsAttr::get(
        type, ArrayRef<bool>(tensor.as<bool>(), bytes.size()));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

LogicalResult FunctionEmitter::add(const Tensor &constant, size_t result) {
  return addConstant(elementsOf(constant, typeOf(result)), result);
}

LogicalResult FunctionEmitter::add(const Splat &splat, size_t result) {
  return addConstant(ir::getSplat(typeOf(result), splat.value), result);
}

LogicalResult FunctionEmitter::add(const Op &op, size_t result) {
  FailureOr<Operation *> built = ir::buildOp(builder, locationOf(op.location),
                                             op.desc, valuesOf(op.operands));
  if (failed(built))
    return failure();
  if (!op.sizes.empty())
    (*built)->setAttr(ir::TandemDialect::kSizesAttrName, sizesOf(op));
  llvm::copy((*built)->getResults(), values.begin() + result);
  return success();
}

DictionaryAttr FunctionEmitter::sizesOf(const Op &op) {
  NamedAttrList sizes;
  for (const GraphBuilder::SizeExpressions &each : op.sizes)
    sizes.set(each.attribute, builder.getStringAttr(each.expressions));
  return sizes.getDictionary(builder.getContext());
}

/// Returns the graph with all resources in its bytecode. Resources of two
/// graphs may have the same keys. If both are read into one context, the
/// context renames a resource of the bytecode, but cannot find others.
static std::shared_ptr<const SerializedGraph>
withOwnResources(std::shared_ptr<const SerializedGraph> graph) {
  if (graph->resources.empty())
    return graph;
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = readModule(*graph, &context);
  if (!module)
    return nullptr;
  return makeSerializedGraph(*module, graph->function).value_or(nullptr);
}

/// Copies the body of the function.
LogicalResult FunctionEmitter::add(const Call &call, size_t result) {
  auto graph = withOwnResources(call.graph);
  OwningOpRef<ModuleOp> module;
  if (graph)
    module = readModule(*graph, builder.getContext());
  if (!module)
    return failure();
  auto callee = module->lookupSymbol<func::FuncOp>(graph->function);
  llvm::append_range(model.memory, sharedConstants(*graph).memory);
  IRMapping mapping;
  mapping.map(callee.getArguments(), valuesOf(call.operands));
  Block &body = callee.front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    values[result + index] = mapping.lookup(value);
  return success();
}

LogicalResult FunctionEmitter::add(const std::unique_ptr<Loop> &loop,
                                   size_t result) {
  const Location location = locationOf(loop->location);
  Region region;
  Block &body = region.emplaceBlock();
  for (size_t argument : loop->arguments)
    values[argument] = body.addArgument(typeOf(argument), location);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    if (failed(emit(loop->body)))
      return failure();
  }
  SmallVector<Type> results;
  for (size_t i = 0; i < loop->yielded.size(); ++i)
    results.push_back(typeOf(result + i));
  const SmallVector<Value> carried = valuesOf(loop->carried),
                           scanned = valuesOf(loop->scanned),
                           yielded = valuesOf(loop->yielded);
  const SmallVector<bool> reversed(loop->reversed.begin(),
                                   loop->reversed.end());
  ir::LoopOp built = ir::buildLoop(
      builder, location, results,
      {carried, scanned, loop->trips, reversed, region, yielded},
      [&](Value value) { return body.addArgument(value.getType(), location); });
  llvm::copy(built.getResults(), values.begin() + result);
  return success();
}

LogicalResult FunctionEmitter::emit(ArrayRef<Node> nodes) {
  for (const Node &node : nodes)
    if (failed(
            std::visit([&](const auto &kind) { return add(kind, node.result); },
                       node.kind)))
      return failure();
  return success();
}

FailureOr<ImportedModel>
FunctionEmitter::emit(std::span<const size_t> outputs) {
  Location location = builder.getUnknownLoc();
  model.module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(model.module->getBody());
  SmallVector<Type> results;
  for (size_t output : outputs)
    results.push_back(typeOf(output));
  function = func::FuncOp::create(builder, location, impl.name,
                                  builder.getFunctionType({}, results));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  if (failed(emit(impl.nodes)))
    return failure();
  func::ReturnOp::create(
      builder, location,
      valuesOf(ArrayRef<size_t>(outputs.data(), outputs.size())));
  if (failed(verify(*model.module)))
    return failure();
  // If two weights begin at one address, the larger one is found there.
  llvm::sort(model.memory, [](const auto &a, const auto &b) {
    return a.bytes.size() < b.bytes.size();
  });
  return std::move(model);
}

} // namespace

Expected<std::shared_ptr<const SerializedGraph>>
GraphBuilder::Impl::emit(std::span<const size_t> outputs,
                         std::vector<std::string> outputNames) const {
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  DiagnosticCollector diagnostics(&context);
  auto model = FunctionEmitter(*this, &context).emit(outputs);
  if (failed(model))
    return tl::unexpected(
        diagnostics.takeError("build", "the graph cannot be built"));
  if (llvm::is_contained(model->inputs, ""))
    model->inputs.clear();
  model->outputs = std::move(outputNames);
  return makeSerializedGraph(std::move(*model), name);
}

} // namespace tandem
