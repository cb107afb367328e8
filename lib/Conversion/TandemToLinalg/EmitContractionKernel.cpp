//===- EmitContractionKernel.cpp - Kernels of contractions as linalg ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contraction itself is not converted. The target lowers it, with its
// prologue and its epilogue, to one loop nest. The prologue is a linalg.generic
// that computes its data, and the epilogue one that reads its result. If a
// pooling or reduction follows, the epilogue computes the operand of that op,
// and another linalg.generic, marked with its window, computes the results of
// the kernel.
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "KernelKinds.h"

#include "tandem/Analysis/Contraction/ContractionWindow.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tandem {

/// The op that must be the kernel's only contraction.
static FailureOr<Operation *> findHero(func::FuncOp kernel) {
  Operation *hero = nullptr;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<ir::ContractionOpInterface>(op))
      continue;
    if (hero)
      return op.emitOpError("is the second contraction of its kernel");
    hero = &op;
  }
  if (!hero)
    return kernel.emitOpError("is of kind contraction and has none");
  // What else it has to be, the target knows.
  auto contraction = describeContraction(hero);
  if (!contraction)
    return hero->emitOpError(contraction.error().message);
  if (isa_and_nonnull<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp>(
          contraction->weights.getDefiningOp()))
    return hero->emitOpError(
        "reads its weights through views with no constant strides");
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

/// Computes `roots`, all of one shape, in one linalg.generic ahead of their
/// owner, whose loops are the dims of that shape; null for failure. `prepare`
/// tells the emitter what to read.
static linalg::GenericOp
emitRoots(ArrayRef<OpOperand *> roots,
          function_ref<void(ElementalEmitter &, OpBuilder &, const LoopSpace &,
                            const ElementIndex &)>
              prepare) {
  OpBuilder builder(roots.front()->getOwner());
  Location loc = roots.front()->get().getLoc();
  ArrayRef<int64_t> shape = typeOf(roots.front()->get()).getShape();
  SmallVector<int64_t> loops;
  ElementIndex index = addLoops(shape, loops, builder.getContext());
  LoopSpace space(loops);
  for (unsigned i = 0; i < loops.size(); ++i)
    space.splitBefore(i);
  space.merge();
  GenericBuilder generic(builder, loc, loops);
  prepare(generic.getEmitter(), builder, space, index);
  SmallVector<KernelResult> results;
  SmallVector<GenericBuilder::Output> outputs;
  for (OpOperand *root : roots) {
    if (typeOf(root->get()).getShape() != shape) {
      root->getOwner()->emitOpError("returns results of several shapes");
      return {};
    }
    Value element = generic.getEmitter().emit(root->get(), index);
    if (!element)
      return {};
    results.emplace_back(space, loops.size(), index, typeOf(root->get()));
    outputs.push_back({element, results.back().createInit(builder, loc),
                       results.back().getMap(), nullptr});
  }
  auto op = generic.create(space, loops.size(), loops.size(), outputs);
  for (auto [root, result, value] : llvm::zip(roots, results, op.getResults()))
    root->set(result.expand(builder, loc, value));
  return op;
}

static LogicalResult emitEpilogue(Value heroResult,
                                  ArrayRef<OpOperand *> roots) {
  if (typeOf(roots.front()->get()).getShape() != typeOf(heroResult).getShape())
    return roots.front()->getOwner()->emitOpError(
        "has another shape than the contraction's");
  MaterializedValues materializedValues;
  auto readHero = [&](ElementalEmitter &emitter, OpBuilder &builder,
                      const LoopSpace &space, const ElementIndex &index) {
    materializedValues[heroResult] = {
        index, collapse(builder, heroResult, space, index),
        /*meanOf=*/0, /*isRounded=*/true};
    emitter.setMaterializedValues(materializedValues);
  };
  return success(static_cast<bool>(emitRoots(roots, readHero)));
}

/// Lets `operand`, a tensor of unsigned integers, read a signless one that is
/// cast back: what linalg computes is signless. Returns the operand of the
/// cast.
static OpOperand &castFromSignless(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  RankedTensorType type = typeOf(operand.get());
  Value signless = ir::BitcastOp::create(
      builder, loc, operand.get(),
      builder.getIntegerType(type.getElementTypeBitWidth()));
  auto cast =
      ir::BitcastOp::create(builder, loc, signless, type.getElementType());
  operand.set(cast);
  return cast->getOpOperand(0);
}

/// `op` is the pooling or reduction of the kernel.
static LogicalResult emitWindow(Operation *hero, Operation *op,
                                ArrayRef<OpOperand *> roots) {
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return hero->emitOpError(contraction.error().message);
  Expected<ContractionWindow> window = describeWindow(op, *contraction);
  if (!window)
    return op->emitOpError(window.error().message);
  OpOperand *read = &op->getOpOperand(0);
  if (isUnsigned(read->get()))
    read = &castFromSignless(*read);
  OpOperand &operand = *read;
  if (operand.get() != hero->getResult(0) &&
      failed(emitEpilogue(hero->getResult(0), &operand)))
    return failure();
  auto readStored = [&](ElementalEmitter &emitter, OpBuilder &,
                        const LoopSpace &, const ElementIndex &) {
    emitter.setStored(operand.get());
  };
  linalg::GenericOp generic = emitRoots(roots, readStored);
  if (!generic)
    return failure();
  setWindow(generic, *window);
  return success();
}

/// Computes the data, where ops of the kernel do, in loops of their own.
static LogicalResult emitPrologue(Operation *hero) {
  OpOperand &data = hero->getOpOperand(0);
  Operation *producer = data.get().getDefiningOp();
  // An argument of unsigned integers is signless, and is cast back.
  if (auto cast = dyn_cast_or_null<ir::BitcastOp>(producer))
    producer = cast.getInput().getDefiningOp();
  if (!isa_and_nonnull<ir::TandemOpInterface>(producer))
    return success();
  OpBuilder builder(hero);
  RankedTensorType type = typeOf(data.get());
  SmallVector<int64_t> loops;
  ElementIndex index = addLoops(type.getShape(), loops, builder.getContext());
  GenericBuilder generic(builder, hero->getLoc(), loops);
  Value element = generic.getEmitter().emit(data.get(), index);
  if (!element)
    return failure();
  LoopSpace space(loops);
  space.addReads(generic.getEmitter());
  space.merge();
  unsigned numLoops = space.getSizes().size();
  KernelResult result(space, numLoops, index, type);
  auto op =
      generic.create(space, numLoops, numLoops,
                     {{element, result.createInit(builder, hero->getLoc()),
                       result.getMap(), nullptr}});
  data.set(result.expand(builder, hero->getLoc(), op->getResult(0)));
  return success();
}

/// What `op` reads, it reads from memory, splats as well.
static void materializeConstants(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    Operation *producer = use.get().getDefiningOp();
    if (isa_and_nonnull<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp,
                        ir::IdentityOpInterface, ir::ScaledWeightsOpInterface,
                        ir::UnpackedIntegersOpInterface>(producer))
      materializeConstants(producer);
    auto splat = dyn_cast_or_null<ir::ConstantOp>(producer);
    if (!splat)
      continue;
    OpBuilder builder(splat);
    use.set(arith::ConstantOp::create(builder, splat.getLoc(),
                                      cast<TypedAttr>(splat.getValue())));
  }
}

LogicalResult emitContractionKernel(func::FuncOp kernel) {
  FailureOr<Operation *> hero = findHero(kernel);
  if (failed(hero))
    return failure();
  materializeConstants(*hero);
  Block &body = kernel.getBody().front();
  for (Operation &op : body)
    if (isa<ir::MaxPoolOp, ir::AvgPoolOp, ir::ReduceOp>(op))
      return emitWindow(
          *hero, &op,
          llvm::map_to_vector(body.getTerminator()->getOpOperands(),
                              [](OpOperand &root) { return &root; }));
  Value result = (*hero)->getResult(0);
  SmallVector<OpOperand *> roots;
  for (OpOperand &root : body.getTerminator()->getOpOperands())
    if (root.get() != result)
      roots.push_back(&root);
  if (!roots.empty() && failed(emitEpilogue(result, roots)))
    return failure();
  return emitPrologue(*hero);
}

} // namespace tandem
