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
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tandem {
namespace {

using Input = GraphBuilder::Impl::Input;
using Splat = GraphBuilder::Impl::Splat;
using Op = GraphBuilder::Impl::Op;

/// Emits the nodes of a builder as a function.
class FunctionEmitter {
public:
  FunctionEmitter(const GraphBuilder::Impl &impl, MLIRContext *context)
      : impl(impl), builder(context) {}

  /// Emits the graph with its weights, whose memory it shares where a tensor
  /// owns it.
  FailureOr<ImportedModel> emit(std::span<const size_t> outputs);

private:
  LogicalResult add(const Input &input);
  LogicalResult add(const Tensor &constant);
  LogicalResult add(const Splat &splat);
  LogicalResult add(const Op &op);
  LogicalResult addConstant(ElementsAttr value);

  ElementsAttr elementsOf(const Tensor &tensor, RankedTensorType type);

  const GraphBuilder::Impl &impl;
  OpBuilder builder;
  ImportedModel model;
  func::FuncOp function;
  /// By the numbers that the builder gave them.
  SmallVector<Value> values;
};

LogicalResult FunctionEmitter::add(const Input &input) {
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
  values.push_back(function.getArgument(index));
  model.inputs.push_back(input.name);
  return success();
}

LogicalResult FunctionEmitter::addConstant(ElementsAttr value) {
  values.push_back(
      ir::ConstantOp::create(builder, function.getLoc(), value.getType(), value)
          .getResult());
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

LogicalResult FunctionEmitter::add(const Tensor &constant) {
  return addConstant(elementsOf(
      constant, ir::toMlirType(builder.getContext(), constant.type())));
}

LogicalResult FunctionEmitter::add(const Splat &splat) {
  return addConstant(ir::getSplat(
      ir::toMlirType(builder.getContext(), splat.type), splat.value));
}

LogicalResult FunctionEmitter::add(const Op &op) {
  SmallVector<Value> operands;
  for (size_t operand : op.operands)
    operands.push_back(values[operand]);
  FailureOr<Operation *> built =
      ir::buildOp(builder, NameLoc::get(builder.getStringAttr(op.location)),
                  op.desc, operands);
  if (failed(built))
    return failure();
  llvm::append_range(values, (*built)->getResults());
  return success();
}

FailureOr<ImportedModel>
FunctionEmitter::emit(std::span<const size_t> outputs) {
  Location location = builder.getUnknownLoc();
  model.module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(model.module->getBody());
  SmallVector<Type> results;
  for (size_t output : outputs)
    results.push_back(ir::toMlirType(builder.getContext(), impl.types[output]));
  function = func::FuncOp::create(builder, location, impl.name,
                                  builder.getFunctionType({}, results));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  for (const GraphBuilder::Impl::Node &node : impl.nodes)
    if (failed(std::visit([&](const auto &node) { return add(node); }, node)))
      return failure();
  SmallVector<Value> returned;
  for (size_t output : outputs)
    returned.push_back(values[output]);
  func::ReturnOp::create(builder, location, returned);
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
