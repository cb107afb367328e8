//===- EmitReductionKernel.cpp - Kernels of reductions as linalg ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelKinds.h"
#include "ReductionKernel.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult ReductionKernel::emitStage(Stage &stage) {
  stage.generic = std::make_unique<GenericBuilder>(builder, loc, loops);
  ElementalEmitter &emitter = stage.generic->getEmitter();
  emitter.setMaterializedValues(materializedValues);
  for (ir::ReduceOp reduce : stage.reduces) {
    Value input = reduce.getInput();
    stage.elements.push_back(emitter.emit(input, indexOf(input)));
    if (!stage.elements.back())
      return failure();
  }
  // Where an op is computed at another index only, there is nothing to keep.
  llvm::erase_if(stage.kept, [&](Value value) {
    return !emitter.lookUp(value, indexOf(value));
  });
  for (Value value : stage.kept) {
    stage.elements.push_back(emitter.lookUp(value, indexOf(value)));
    materializedValues[value].index = indexOf(value);
  }
  for (ir::ReduceOp reduce : stage.reduces) {
    MaterializedValue &value = materializedValues[reduce];
    value.index = indexOf(reduce);
    if (reduce.getKind() == ir::ReduceKind::mean)
      value.meanOf = getUnrolledElements(reduce);
  }
  return success();
}

LogicalResult ReductionKernel::emitResults(Results &results, unsigned count) {
  if (results.roots.empty())
    return success();
  results.generic = std::make_unique<GenericBuilder>(
      builder, loc, ArrayRef(loops).take_front(count));
  ElementalEmitter &emitter = results.generic->getEmitter();
  emitter.setMaterializedValues(materializedValues);
  for (OpOperand *root : results.roots) {
    Value value = root->get();
    results.elements.push_back(emitter.emit(value, indexOf(value)));
    if (!results.elements.back())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Linalg ops
//===----------------------------------------------------------------------===//

void ReductionKernel::mergeLoops() {
  space = std::make_unique<LoopSpace>(loops);
  for (Stage &stage : stages)
    space->addReads(stage.generic->getEmitter());
  for (Results *results : {&rowResults, &fullResults}) {
    if (results->generic)
      space->addReads(results->generic->getEmitter());
    for (OpOperand *root : results->roots)
      space->addAccess(indexOf(root->get()), typeOf(root->get()).getShape());
  }
  space->splitBefore(numKept);
  space->merge();
  numLoops = space->getSizes().size();
  numParallel = numKept == 0 ? 0 : space->getNewLoop(numKept - 1) + 1;
}

/// What changes nothing it is combined with.
static TypedAttr getNeutral(OpBuilder &builder, ir::ReduceKind kind,
                            bool isUnsigned, Type type) {
  if (kind == ir::ReduceKind::prod)
    return builder.getOneAttr(type);
  if (kind != ir::ReduceKind::max && kind != ir::ReduceKind::min)
    return builder.getZeroAttr(type);
  return getExtreme(type, isUnsigned, kind == ir::ReduceKind::min);
}

AffineMap ReductionKernel::getLeadingLoops(unsigned count) const {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < count; ++i)
    dims.push_back(getAffineDimExpr(i, context));
  return AffineMap::get(numLoops, 0, dims, context);
}

void ReductionKernel::createStage(Stage &stage) {
  ArrayRef<int64_t> sizes = space->getSizes();
  SmallVector<GenericBuilder::Output> outputs;
  ArrayRef<Value> elements = stage.elements;
  for (ir::ReduceOp reduce : stage.reduces) {
    Value element = elements[outputs.size()];
    ir::ReduceKind kind = reduce.getKind();
    bool isUnsigned = tandem::isUnsigned(reduce.getInput());
    Value empty = tensor::EmptyOp::create(
        builder, loc, sizes.take_front(numParallel), element.getType());
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutral(builder, kind, isUnsigned, element.getType()));
    Value init =
        linalg::FillOp::create(builder, loc, neutral, empty).getResult(0);
    auto combine = [loc = reduce.getLoc(), kind,
                    isUnsigned](OpBuilder &at, Value before, Value value) {
      return emitCombination(at, loc, kind, isUnsigned, before, value);
    };
    outputs.push_back({element, init, getLeadingLoops(numParallel), combine});
  }
  for (Value element : elements.drop_front(stage.reduces.size()))
    outputs.push_back(
        {element,
         tensor::EmptyOp::create(builder, loc, sizes, element.getType()),
         getLeadingLoops(numLoops), nullptr});
  auto op = stage.generic->create(*space, numLoops, numParallel, outputs);
  auto result = op.getResults().begin();
  for (ir::ReduceOp reduce : stage.reduces)
    materializedValues[reduce].tensor = *result++;
  for (Value value : stage.kept)
    materializedValues[value].tensor = *result++;
}

void ReductionKernel::createResults(Results &results, unsigned count) {
  if (results.roots.empty())
    return;
  SmallVector<KernelResult> places;
  SmallVector<GenericBuilder::Output> outputs;
  for (auto [root, element] : llvm::zip(results.roots, results.elements)) {
    places.emplace_back(*space, count, indexOf(root->get()),
                        typeOf(root->get()));
    outputs.push_back({element, places.back().createInit(builder, loc),
                       places.back().getMap(), nullptr});
  }
  auto op = results.generic->create(*space, count, count, outputs);
  for (auto [root, place, value] :
       llvm::zip(results.roots, places, op.getResults()))
    root->set(place.expand(builder, loc, value));
}

LogicalResult ReductionKernel::emit() {
  if (failed(collectReductions()))
    return failure();
  assignDims();
  if (failed(collectResults()))
    return failure();
  planKeeping();
  for (Stage &stage : stages)
    if (failed(emitStage(stage)))
      return failure();
  if (failed(emitResults(rowResults, numKept)) ||
      failed(emitResults(fullResults, loops.size())))
    return failure();
  mergeLoops();
  for (Stage &stage : stages)
    createStage(stage);
  createResults(rowResults, numParallel);
  createResults(fullResults, numLoops);
  return success();
}

LogicalResult emitReductionKernel(func::FuncOp kernel, int64_t maxKeptBytes) {
  return ReductionKernel(kernel, maxKeptBytes).emit();
}

} // namespace tandem
