//===- DifferentiateLoop.cpp - Gradients of loops -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a loop is a loop that runs from the last iteration to the
// first. Each of its iterations computes one iteration of the loop again, from
// the carried values that this iteration was given, and then its gradients.
// Only the carried values are kept from the forward loop.
//
//===----------------------------------------------------------------------===//

#include "ReverseMode.h"

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tandem {
namespace {

/// The operands and the body of the loop that is built, part by part. Parts are
/// appended to the body's arguments in the order of the operands.
struct LoopParts {
  SmallVector<Value> carried, scanned, fixed;
  SmallVector<bool> directions;
  SmallVector<Value> yielded, stacked;
  SmallVector<bool> stackedDirections;
};

class LoopGradient {
public:
  LoopGradient(ir::LoopOp loop, ArrayRef<Value> gradients, OpBuilder &builder,
               ReverseMode &reverse)
      : builder(builder), reverse(reverse), gradients(gradients), loop(loop),
        b(
            builder, loop, gradients, [](Value) { return true; },
            [](unsigned, Value) {}),
        directions(loop.getDirections()), trips(loop.countTrips()) {}

  LogicalResult run();

private:
  /// Replaces the loop by one that also stacks the carried values at the
  /// beginning of each iteration.
  void keepCarried();
  /// Adds the operands of the backward loop, and an argument of its body for
  /// each.
  void addOperands();
  Value addCarried(Value initial);
  Value addScanned(Value operand, bool isReversed);
  /// Computes an iteration again, and its gradients.
  LogicalResult buildBody();
  LogicalResult differentiateBody(ReverseMode &inner);
  ir::LoopOp createLoop();
  void addGradients(ir::LoopOp backward);

  /// The type in which the gradients of all iterations are added.
  RankedTensorType sumType(Value fixed) const;
  Block &body() { return loop.getBody().front(); }
  Value bodyArgument(size_t operand) { return body().getArgument(operand); }

  OpBuilder &builder;
  ReverseMode &reverse;
  ArrayRef<Value> gradients;
  ir::LoopOp loop;
  ir::GradientBuilder b;
  SmallVector<bool> directions;
  int64_t trips;

  /// The carried values at the beginning of all iterations.
  SmallVector<Value> kept;
  LoopParts parts;
  Region region;
  IRMapping mapping;
  /// By result of the loop, the gradient in the body; null for zeros.
  SmallVector<Value> seeds;
  /// The sums over iterations of the gradients of fixed operands, in the body.
  DenseMap<Value, Value> sums;
};

void LoopGradient::keepCarried() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  const size_t numCarried = loop.getCarried().size();
  SmallVector<Type> types(loop->getResultTypes());
  SmallVector<bool> flags = directions;
  for (Value carried : loop.getCarried()) {
    RankedTensorType type = typeOf(carried);
    SmallVector<int64_t> shape = {trips};
    llvm::append_range(shape, type.getShape());
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    flags.push_back(false);
  }
  auto made = ir::LoopOp::create(
      builder, loop.getLoc(), types, loop.getCarried(), loop.getScanned(),
      loop.getFixed(), loop.getTripsAttr(),
      llvm::is_contained(flags, true) ? builder.getDenseBoolArrayAttr(flags)
                                      : DenseBoolArrayAttr());
  made.getBody().takeBody(loop.getBody());
  Block &block = made.getBody().front();
  block.getTerminator()->insertOperands(
      block.getTerminator()->getNumOperands(),
      block.getArguments().take_front(numCarried));
  for (auto [before, after] :
       llvm::zip(loop->getResults(), made->getResults())) {
    if (reverse.isActive(before))
      reverse.activate(after);
    before.replaceAllUsesWith(after);
  }
  llvm::append_range(kept, made->getResults().take_back(numCarried));
  loop->erase();
  loop = made;
}

/// 16-bit gradients of more than two iterations are added in f32.
RankedTensorType LoopGradient::sumType(Value fixed) const {
  RankedTensorType type = typeOf(fixed);
  if (type.getElementTypeBitWidth() > 16 || trips <= 2)
    return type;
  return type.clone(builder.getF32Type());
}

Value LoopGradient::addCarried(Value initial) {
  parts.carried.push_back(initial);
  return region.front().addArgument(initial.getType(), loop.getLoc());
}

Value LoopGradient::addScanned(Value operand, bool isReversed) {
  parts.scanned.push_back(operand);
  parts.directions.push_back(isReversed);
  RankedTensorType type = typeOf(operand);
  return region.front().addArgument(
      RankedTensorType::get(type.getShape().drop_front(),
                            type.getElementType()),
      loop.getLoc());
}

/// Backward iteration k is iteration trips - 1 - k of the loop, so that it
/// reads slices in the opposite direction.
void LoopGradient::addOperands() {
  const size_t numCarried = loop.getCarried().size();
  seeds.resize(gradients.size());
  for (auto [i, carried] : llvm::enumerate(loop.getCarried()))
    if (isOfFloats(carried))
      seeds[i] =
          addCarried(gradients[i] ? gradients[i] : b.splat(0, typeOf(carried)));
  for (Value fixed : loop.getFixed())
    if (reverse.isActive(fixed) && !sums.contains(fixed))
      sums[fixed] = addCarried(b.splat(0, sumType(fixed)));
  size_t argument = 0;
  for (Value carried : kept)
    mapping.map(bodyArgument(argument++),
                addScanned(carried, /*isReversed=*/true));
  for (auto [i, scanned] : llvm::enumerate(loop.getScanned()))
    mapping.map(bodyArgument(argument++), addScanned(scanned, !directions[i]));
  const size_t numScanned = loop.getScanned().size();
  for (size_t i = numCarried; i < gradients.size(); ++i)
    if (gradients[i])
      seeds[i] =
          addScanned(gradients[i], !directions[numScanned + i - numCarried]);
  for (Value fixed : loop.getFixed()) {
    parts.fixed.push_back(fixed);
    mapping.map(bodyArgument(argument++),
                region.front().addArgument(fixed.getType(), loop.getLoc()));
  }
}

LogicalResult LoopGradient::differentiateBody(ReverseMode &inner) {
  SmallVector<Operation *> ops;
  for (Operation &op : body().without_terminator())
    ops.push_back(builder.clone(op, mapping));
  size_t argument = 0;
  for (Value operand : loop->getOperands()) {
    const bool isCarried = argument < loop.getCarried().size();
    Value inside = mapping.lookup(bodyArgument(argument++));
    if (isOfFloats(operand) && (isCarried || reverse.isActive(operand)))
      inner.activate(inside);
  }
  inner.propagate(ops);
  // The kept values are yielded behind those that have seeds.
  for (auto [seed, value] :
       llvm::zip_first(seeds, body().getTerminator()->getOperands()))
    if (seed)
      inner.add(mapping.lookup(value), seed);
  return inner.visit(ops);
}

LogicalResult LoopGradient::buildBody() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region.front());
  ReverseMode inner(builder);
  if (failed(differentiateBody(inner)))
    return failure();
  const auto gradientOf = [&](size_t operand) {
    Value inside = mapping.lookup(bodyArgument(operand));
    Value gradient = inner.gradientOf(inside);
    return gradient ? gradient : b.splat(0, typeOf(inside));
  };
  const size_t numCarried = loop.getCarried().size(),
               numScanned = loop.getScanned().size();
  for (auto [i, carried] : llvm::enumerate(loop.getCarried()))
    if (isOfFloats(carried))
      parts.yielded.push_back(gradientOf(i));
  DenseMap<Value, Value> totals = sums;
  for (auto [i, fixed] : llvm::enumerate(loop.getFixed()))
    if (Value inside =
            mapping.lookup(bodyArgument(numCarried + numScanned + i));
        Value gradient =
            sums.contains(fixed) ? inner.gradientOf(inside) : Value()) {
      Type element = typeOf(totals[fixed]).getElementType();
      if (typeOf(gradient).getElementType() != element)
        gradient = b.cast(gradient, element);
      totals[fixed] = b.add(totals[fixed], gradient);
    }
  DenseSet<Value> yielded;
  for (Value fixed : loop.getFixed())
    if (sums.contains(fixed) && yielded.insert(fixed).second)
      parts.yielded.push_back(totals[fixed]);
  for (auto [i, scanned] : llvm::enumerate(loop.getScanned()))
    if (reverse.isActive(scanned)) {
      parts.stacked.push_back(gradientOf(numCarried + i));
      parts.stackedDirections.push_back(!directions[i]);
    }
  SmallVector<Value> all = parts.yielded;
  llvm::append_range(all, parts.stacked);
  ir::YieldOp::create(builder, b.getLoc(), all);
  return success();
}

ir::LoopOp LoopGradient::createLoop() {
  SmallVector<Type> types(TypeRange(ValueRange(parts.carried)));
  for (Value slice : parts.stacked) {
    SmallVector<int64_t> shape = {trips};
    llvm::append_range(shape, shapeOf(slice));
    types.push_back(
        RankedTensorType::get(shape, typeOf(slice).getElementType()));
  }
  SmallVector<bool> flags = parts.directions;
  llvm::append_range(flags, parts.stackedDirections);
  auto made = ir::LoopOp::create(
      builder, b.getLoc(), types, parts.carried, parts.scanned, parts.fixed,
      parts.scanned.empty() ? builder.getI64IntegerAttr(trips) : IntegerAttr(),
      builder.getDenseBoolArrayAttr(flags));
  made.getBody().takeBody(region);
  return made;
}

void LoopGradient::addGradients(ir::LoopOp backward) {
  size_t result = 0;
  for (Value carried : loop.getCarried())
    if (isOfFloats(carried)) {
      if (reverse.isActive(carried))
        reverse.add(carried, backward->getResult(result));
      ++result;
    }
  DenseSet<Value> added;
  for (Value fixed : loop.getFixed())
    if (sums.contains(fixed) && added.insert(fixed).second) {
      Value sum = backward->getResult(result++);
      Type element = typeOf(fixed).getElementType();
      reverse.add(fixed, typeOf(sum).getElementType() == element
                             ? sum
                             : b.cast(sum, element));
    }
  for (Value scanned : loop.getScanned())
    if (reverse.isActive(scanned))
      reverse.add(scanned, backward->getResult(result++));
}

LogicalResult LoopGradient::run() {
  keepCarried();
  region.push_back(new Block());
  addOperands();
  if (failed(buildBody()))
    return failure();
  ir::LoopOp backward = createLoop();
  addGradients(backward);
  return success();
}

} // namespace

LogicalResult differentiateLoop(ir::LoopOp loop, ArrayRef<Value> gradients,
                                OpBuilder &builder, ReverseMode &reverse) {
  return LoopGradient(loop, gradients, builder, reverse).run();
}

} // namespace tandem
