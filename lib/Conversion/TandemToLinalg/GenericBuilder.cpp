//===- GenericBuilder.cpp - One linalg.generic in the making --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tandem {

GenericBuilder::GenericBuilder(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> loops)
    : builder(builder), loc(loc), body(std::make_unique<Block>()),
      emitter(*body, loops, builder.getContext()) {}

/// linalg wants a bare loop in a map to cover its dim, and no other kind of
/// expression but sums; a division, modulo or symbol is read by an extract.
bool GenericBuilder::canBeInput(const LoopSpace &space,
                                const LoopSpace::Access &access) const {
  for (auto [expr, size] : llvm::zip(access.index, access.shape)) {
    if (!toLinearForm(expr, space.getSizes().size()).isLinear())
      return false;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (space.getSizes()[dim.getPosition()] != size)
        return false;
  }
  return true;
}

Value GenericBuilder::collapse(Value source, const LoopSpace::Access &access) {
  auto type = cast<RankedTensorType>(source.getType());
  if (static_cast<int64_t>(access.groups.size()) == type.getRank())
    return source;
  auto collapsed = RankedTensorType::get(access.shape, type.getElementType());
  for (auto op : collapsedSources)
    if (op.getSrc() == source && op.getType() == collapsed &&
        llvm::equal(op.getReassociationIndices(), access.groups))
      return op;
  collapsedSources.push_back(tensor::CollapseShapeOp::create(
      builder, loc, collapsed, source, access.groups));
  return collapsedSources.back();
}

void GenericBuilder::finishExtract(const ElementRead &read,
                                   const LoopSpace::Access &access) {
  Operation *extract = read.read.getDefiningOp();
  OpBuilder at(builder.getContext());
  at.setInsertionPoint(extract);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < numLoops; ++i) {
    if (!finalIndices[i]) {
      OpBuilder atStart(builder.getContext());
      atStart.setInsertionPointToStart(body.get());
      finalIndices[i] = linalg::IndexOp::create(atStart, loc, i);
    }
    operands.push_back(finalIndices[i]);
  }
  SmallVector<Value> indices;
  for (AffineExpr expr : access.index) {
    SmallVector<Value> used(operands);
    used.append(emitter.symbols);
    AffineMap map =
        AffineMap::get(operands.size(), emitter.symbols.size(), expr);
    // Drops what the expression does not use, and what is constant.
    affine::canonicalizeMapAndOperands(&map, &used);
    AffineExpr simple = map.getResult(0);
    if (auto constant = dyn_cast<AffineConstantExpr>(simple))
      indices.push_back(arith::ConstantIndexOp::create(at, read.read.getLoc(),
                                                       constant.getValue()));
    else if (isa<AffineDimExpr, AffineSymbolExpr>(simple))
      indices.push_back(used.front());
    else
      indices.push_back(
          affine::AffineApplyOp::create(at, read.read.getLoc(), map, used));
  }
  extract->insertOperands(1, indices);
}

void GenericBuilder::finishReads(const LoopSpace &space) {
  for (ElementRead &read : emitter.reads) {
    if (read.isMaterialized) {
      inputs.push_back(emitter.getMaterializedTensor(read.source));
      maps.push_back(getLeadingLoops(
          cast<RankedTensorType>(inputs.back().getType()).getRank()));
      continue;
    }
    LoopSpace::Access access = space.getAccess(
        read.index, cast<RankedTensorType>(read.source.getType()).getShape());
    Value source = collapse(read.source, access);
    if (read.isInput() && canBeInput(space, access)) {
      inputs.push_back(source);
      maps.push_back(
          AffineMap::get(numLoops, 0, access.index, builder.getContext()));
      continue;
    }
    if (read.isInput()) {
      auto argument = cast<BlockArgument>(read.read);
      // Behind the loop indices, which its own index may need.
      OpBuilder atStart(builder.getContext());
      auto isIndex = [](Operation &op) { return isa<linalg::IndexOp>(op); };
      atStart.setInsertionPoint(body.get(), llvm::find_if_not(*body, isIndex));
      OperationState state(argument.getLoc(),
                           tensor::ExtractOp::getOperationName());
      state.addOperands(source);
      state.addTypes(argument.getType());
      read.read = atStart.create(state)->getResult(0);
      argument.replaceAllUsesWith(read.read);
      body->eraseArgument(argument.getArgNumber());
    }
    read.read.getDefiningOp()->setOperand(0, source);
    finishExtract(read, access);
  }
}

void GenericBuilder::renumberLoops(const LoopSpace &space) {
  finalIndices.assign(numLoops, {});
  for (auto [loop, index] : llvm::enumerate(emitter.loopIndices)) {
    if (!index)
      continue;
    unsigned newLoop = space.getNewLoop(loop);
    index.getDefiningOp<linalg::IndexOp>().setDim(newLoop);
    finalIndices[newLoop] = index;
  }
}

/// The map from the loops to the first of them.
AffineMap GenericBuilder::getLeadingLoops(unsigned count) const {
  SmallVector<AffineExpr> loops;
  for (unsigned i = 0; i < count; ++i)
    loops.push_back(builder.getAffineDimExpr(i));
  return AffineMap::get(numLoops, 0, loops, builder.getContext());
}

void GenericBuilder::coverLoops(const LoopSpace &space,
                                ArrayRef<Output> outputs) {
  SmallVector<AffineMap> all(maps);
  for (const Output &output : outputs)
    all.push_back(output.map);
  SmallVector<bool> isCovered(numLoops, false);
  for (AffineMap map : all)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        isCovered[dim.getPosition()] = true;
  if (llvm::all_of(isCovered, [](bool covered) { return covered; }))
    return;
  Type type = builder.getI1Type();
  inputs.push_back(tensor::EmptyOp::create(
      builder, loc, space.getSizes().take_front(numLoops), type));
  maps.push_back(getLeadingLoops(numLoops));
  body->insertArgument(inputs.size() - 1, type, loc);
}

void GenericBuilder::createYield(ArrayRef<Output> outputs) {
  OpBuilder atEnd(builder.getContext());
  atEnd.setInsertionPointToEnd(body.get());
  SmallVector<Value> yielded;
  for (const Output &output : outputs) {
    Type type = cast<RankedTensorType>(output.init.getType()).getElementType();
    Value before = body->addArgument(type, loc);
    Value element = toElementType(atEnd, loc, output.element, type);
    yielded.push_back(output.combine ? output.combine(atEnd, before, element)
                                     : element);
  }
  linalg::YieldOp::create(atEnd, loc, yielded);
}

linalg::GenericOp GenericBuilder::create(const LoopSpace &space,
                                         unsigned numLoops,
                                         unsigned numParallel,
                                         ArrayRef<Output> outputs) {
  this->numLoops = numLoops;
  // The yield comes first, for reads to be replaced in it.
  renumberLoops(space);
  createYield(outputs);
  finishReads(space);
  coverLoops(space, outputs);
  SmallVector<Type> types;
  SmallVector<Value> inits;
  for (const Output &output : outputs) {
    types.push_back(output.init.getType());
    inits.push_back(output.init);
    maps.push_back(output.map);
  }
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, loc, types, inputs, inits,
                                           maps, iterators);
  generic.getRegion().push_back(body.release());
  return generic;
}

ElementIndex assignLoops(ArrayRef<int64_t> shape, ArrayRef<AffineExpr> loops,
                         MLIRContext *context) {
  ElementIndex index;
  for (int64_t size : shape) {
    if (size == 1) {
      index.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    index.push_back(loops.front());
    loops = loops.drop_front();
  }
  return index;
}

ElementIndex addLoops(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &loops,
                      MLIRContext *context) {
  SmallVector<AffineExpr> dims;
  for (int64_t size : shape)
    if (size != 1) {
      dims.push_back(getAffineDimExpr(loops.size(), context));
      loops.push_back(size);
    }
  return assignLoops(shape, dims, context);
}

KernelResult::KernelResult(const LoopSpace &space, unsigned numLoops,
                           const ElementIndex &index, RankedTensorType type)
    : type(type) {
  LoopSpace::Access access = space.getAccess(index, type.getShape());
  map = AffineMap::get(numLoops, 0, access.index, type.getContext());
  shape = access.shape;
  for (auto &group : access.groups)
    groups.emplace_back(group.begin(), group.end());
}

Value KernelResult::createInit(OpBuilder &builder, Location loc) const {
  return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
}

Value KernelResult::expand(OpBuilder &builder, Location loc,
                           Value result) const {
  if (type.getShape() == ArrayRef(shape))
    return result;
  return tensor::ExpandShapeOp::create(builder, loc, type, result, groups);
}

} // namespace tandem
