//===- ReverseMode.cpp - Gradients of the ops of a block ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReverseMode.h"

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem {

bool isOfFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

void ReverseMode::propagate(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (!isa<ir::StopGradientOp>(op) &&
        llvm::any_of(op->getOperands(),
                     [&](Value operand) { return isActive(operand); }))
      for (Value result : op->getResults())
        if (isOfFloats(result))
          active.insert(result);
}

/// Three and more terms of 16 bits are added in f32 and rounded once.
Value ReverseMode::sum(ArrayRef<Value> values, Location loc) {
  Type element = typeOf(values[0]).getElementType();
  const bool isWidened =
      values.size() > 2 && element.getIntOrFloatBitWidth() == 16;
  Value total;
  for (Value value : values) {
    if (isWidened)
      value = ir::CastOp::create(builder, loc, value, builder.getF32Type());
    total = total ? ir::AddOp::create(builder, loc, total, value).getResult()
                  : value;
  }
  return isWidened ? ir::CastOp::create(builder, loc, total, element) : total;
}

Value ReverseMode::gradientOf(Value value) {
  auto found = terms.find(value);
  if (found == terms.end())
    return {};
  if (found->second.size() > 1)
    found->second = {sum(found->second, value.getLoc())};
  return found->second.front();
}

/// The function that computes the gradients takes the operands, the results and
/// the gradients of the results of floats, and returns the gradients of the
/// operands of floats.
LogicalResult ReverseMode::visitCustomCall(ir::CustomCallOp call,
                                           ArrayRef<Value> gradients) {
  auto target =
      call->getAttrOfType<StringAttr>(ir::TandemDialect::kGradientAttrName);
  if (!target) {
    InFlightDiagnostic error = call.emitOpError("has no gradient");
    error.attachNote() << "register a target for the gradient of '"
                       << call.getTarget()
                       << "', or leave the arguments that it depends on out of "
                          "'wrt'";
    return error;
  }
  ir::GradientBuilder b(
      builder, call, gradients, [](Value) { return true; },
      [](unsigned, Value) {});
  SmallVector<Value> operands(call->getOperands());
  llvm::append_range(operands, call->getResults());
  for (auto [result, gradient] : llvm::zip_equal(call->getResults(), gradients))
    if (isOfFloats(result))
      operands.push_back(gradient ? gradient : b.splat(0, typeOf(result)));
  SmallVector<Value> floats;
  llvm::copy_if(call->getOperands(), std::back_inserter(floats), isOfFloats);
  auto made =
      ir::CustomCallOp::create(builder, b.getLoc(), TypeRange(floats),
                               target.getValue(), operands, call.getConfig());
  for (auto [operand, gradient] : llvm::zip_equal(floats, made->getResults()))
    if (isActive(operand))
      add(operand, gradient);
  return success();
}

LogicalResult ReverseMode::visit(Operation *op) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(isActive(result) ? gradientOf(result) : Value());
  if (llvm::none_of(gradients, [](Value g) { return bool(g); }))
    return success();
  if (!hasStaticTypes(op)) {
    InFlightDiagnostic error = op->emitOpError(
        "has a type that is not static, so its gradient is not known");
    error.attachNote() << "run tandem-specialize first";
    return error;
  }
  if (auto loop = dyn_cast<ir::LoopOp>(op))
    return differentiateLoop(loop, gradients, builder, *this);
  if (auto call = dyn_cast<ir::CustomCallOp>(op))
    return visitCustomCall(call, gradients);
  auto differentiable = dyn_cast<ir::DifferentiableOpInterface>(op);
  if (!differentiable) {
    InFlightDiagnostic error = op->emitOpError("has no gradient");
    error.attachNote() << "leave the arguments that it depends on out of 'wrt'";
    return error;
  }
  ir::GradientBuilder gradientBuilder(
      builder, op, gradients, [&](Value value) { return isActive(value); },
      [&](unsigned operand, Value gradient) {
        add(op->getOperand(operand), gradient);
      });
  return differentiable.buildGradients(gradientBuilder);
}

LogicalResult ReverseMode::visit(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> pools;
  llvm::copy_if(ops, std::back_inserter(pools), llvm::IsaPred<ir::MaxPoolOp>);
  for (Operation *op : llvm::reverse(ops))
    if (failed(visit(op)))
      return failure();
  // The rule has replaced these by ops which also give the index.
  for (Operation *pool : pools)
    if (pool->use_empty())
      pool->erase();
  return success();
}

} // namespace tandem
