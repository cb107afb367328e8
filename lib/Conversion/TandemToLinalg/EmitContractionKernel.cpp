//===- EmitContractionKernel.cpp - Kernels of contractions as linalg ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contraction stays as it is: the target turns it and its epilogue, one
// linalg.generic that reads its result, into one loop nest.
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "KernelKinds.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tandem {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The op that must be the kernel's only contraction.
static FailureOr<Operation *> findHero(func::FuncOp kernel) {
  Operation *hero = nullptr;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<ir::ConvOp, ir::MatmulOp>(op))
      continue;
    if (hero)
      return op.emitOpError("is the second contraction of its kernel");
    hero = &op;
  }
  if (!hero)
    return kernel.emitOpError("is of kind contraction and has none");
  if (std::string why = whyNotContraction(hero); !why.empty())
    return hero->emitOpError(why);
  return hero;
}

/// The hero's result without dims of size 1, as the epilogue reads it.
static Value collapse(OpBuilder &builder, Value result, const LoopSpace &space,
                      const ElementIndex &index) {
  RankedTensorType type = typeOf(result);
  LoopSpace::Access access = space.getAccess(index, type.getShape());
  if (static_cast<int64_t>(access.groups.size()) == type.getRank())
    return result;
  SmallVector<ReassociationIndices> groups;
  for (auto &group : access.groups)
    groups.emplace_back(group.begin(), group.end());
  return tensor::CollapseShapeOp::create(
      builder, result.getLoc(),
      RankedTensorType::get(access.shape, type.getElementType()), result,
      groups);
}

static LogicalResult emitEpilogue(Value heroResult,
                                  ArrayRef<OpOperand *> roots) {
  OpBuilder builder(roots.front()->getOwner());
  Location loc = heroResult.getLoc();
  ArrayRef<int64_t> shape = typeOf(heroResult).getShape();
  SmallVector<int64_t> loops;
  ElementIndex index = addLoops(shape, loops, builder.getContext());
  LoopSpace space(loops);
  for (unsigned i = 0; i < loops.size(); ++i)
    space.splitBefore(i);
  space.merge();
  EarlierValues earlier;
  earlier[heroResult] = {index, collapse(builder, heroResult, space, index),
                         /*meanOf=*/0, /*isRounded=*/true};
  GenericBuilder generic(builder, loc, loops);
  generic.getEmitter().setEarlierValues(earlier);
  SmallVector<KernelResult> results;
  SmallVector<GenericBuilder::Output> outputs;
  for (OpOperand *root : roots) {
    if (typeOf(root->get()).getShape() != shape)
      return root->getOwner()->emitOpError(
          "returns another shape than the contraction's");
    Value element = generic.getEmitter().emit(root->get(), index);
    if (!element)
      return failure();
    results.emplace_back(space, loops.size(), index, typeOf(root->get()));
    outputs.push_back({element, results.back().createInit(builder, loc),
                       results.back().getMap(), nullptr});
  }
  auto op = generic.create(space, loops.size(), loops.size(), outputs);
  for (auto [root, result, value] : llvm::zip(roots, results, op.getResults()))
    root->set(result.expand(builder, loc, value));
  return success();
}

/// The contraction reads its operands from memory, splats as well.
static void materialiseConstants(Operation *hero) {
  for (OpOperand &operand : hero->getOpOperands()) {
    OpOperand *use = &operand;
    while (isa_and_nonnull<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp,
                           ir::FromWinogradOp>(use->get().getDefiningOp()))
      use = &use->get().getDefiningOp()->getOpOperand(0);
    auto splat = use->get().getDefiningOp<ir::ConstantOp>();
    if (!splat)
      continue;
    OpBuilder builder(splat);
    use->set(arith::ConstantOp::create(builder, splat.getLoc(),
                                       cast<TypedAttr>(splat.getValue())));
  }
}

LogicalResult emitContractionKernel(func::FuncOp kernel) {
  FailureOr<Operation *> hero = findHero(kernel);
  if (failed(hero))
    return failure();
  materialiseConstants(*hero);
  Value result = (*hero)->getResult(0);
  SmallVector<OpOperand *> roots;
  for (OpOperand &root :
       kernel.getBody().front().getTerminator()->getOpOperands())
    if (root.get() != result)
      roots.push_back(&root);
  return roots.empty() ? success() : emitEpilogue(result, roots);
}

} // namespace tandem
