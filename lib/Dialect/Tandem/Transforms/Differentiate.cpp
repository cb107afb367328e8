//===- Differentiate.cpp - Gradients of a function ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse mode. Ops are visited from the last to the first; each adds the
// gradients of its operands, which it builds from those of its results.
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Differentiate.h"

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDIFFERENTIATE
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

bool isOfFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

class Differentiation {
public:
  Differentiation(func::FuncOp function, const DifferentiateOptions &options)
      : function(function), options(options), block(function.getBody().front()),
        end(cast<func::ReturnOp>(block.getTerminator())), builder(end) {}

  LogicalResult run();

private:
  /// Finds the values of floats that depend on the arguments.
  LogicalResult findActive();
  LogicalResult seedLoss();
  LogicalResult visit(Operation *op);
  /// The gradient of a value: the sum of what the ops that read it have added.
  Value gradientOf(Value value);
  Value sum(ArrayRef<Value> terms, Location loc);
  void appendResults();

  func::FuncOp function;
  const DifferentiateOptions &options;
  Block &block;
  func::ReturnOp end;
  OpBuilder builder;
  SmallVector<Value> arguments;
  /// Values of floats that depend on the arguments.
  DenseSet<Value> active;
  DenseMap<Value, SmallVector<Value, 2>> terms;
};

LogicalResult Differentiation::findActive() {
  FailureOr<SmallVector<int64_t>> numbers = findArguments(function, options);
  if (failed(numbers))
    return failure();
  for (int64_t number : *numbers)
    arguments.push_back(block.getArgument(number));
  active.insert(arguments.begin(), arguments.end());
  for (Operation &op : block)
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return active.contains(operand); }))
      for (Value result : op.getResults())
        if (isOfFloats(result))
          active.insert(result);
  return success();
}

LogicalResult Differentiation::seedLoss() {
  if (options.loss < 0 || options.loss >= end.getNumOperands())
    return function.emitError("there is no result ") << options.loss;
  Value loss = end.getOperand(options.loss);
  if (!isOfFloats(loss))
    return function.emitError("the loss, result ")
           << options.loss << ", is not of floats";
  RankedTensorType type = typeOf(loss);
  if (options.hasSeed) {
    (void)function.insertArgument(function.getNumArguments(), type, {},
                                  loss.getLoc());
    terms[loss].push_back(block.getArguments().back());
    return success();
  }
  if (!type.hasStaticShape() || type.getNumElements() != 1) {
    InFlightDiagnostic error = function.emitError("the loss, result ");
    error << options.loss << ", has the type " << type
          << ", which has not one element";
    error.attachNote() << "reduce it to its sum or mean, or differentiate with "
                          "a seed";
    return error;
  }
  Attribute one = builder.getFloatAttr(type.getElementType(), 1);
  terms[loss].push_back(ir::ConstantOp::create(
      builder, loss.getLoc(), SplatElementsAttr::get(type, one)));
  return success();
}

/// Three and more terms of 16 bits are added in f32 and rounded once.
Value Differentiation::sum(ArrayRef<Value> values, Location loc) {
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

Value Differentiation::gradientOf(Value value) {
  auto found = terms.find(value);
  if (found == terms.end())
    return {};
  if (found->second.size() > 1)
    found->second = {sum(found->second, value.getLoc())};
  return found->second.front();
}

LogicalResult Differentiation::visit(Operation *op) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(gradientOf(result));
  const bool isActive = llvm::any_of(
      op->getResults(), [&](Value result) { return active.contains(result); });
  if (!isActive || llvm::none_of(gradients, [](Value g) { return bool(g); }))
    return success();
  auto differentiable = dyn_cast<ir::DifferentiableOpInterface>(op);
  if (!differentiable) {
    InFlightDiagnostic error = op->emitOpError("has no gradient");
    error.attachNote() << "leave the arguments that it depends on out of 'wrt'";
    return error;
  }
  if (!hasStaticTypes(op)) {
    InFlightDiagnostic error = op->emitOpError(
        "has a type that is not static, so its gradient is not known");
    error.attachNote() << "run tandem-specialize first";
    return error;
  }
  auto add = [&](unsigned operand, Value gradient) {
    terms[op->getOperand(operand)].push_back(gradient);
  };
  ir::GradientBuilder gradientBuilder(
      builder, op, gradients,
      [&](Value value) { return active.contains(value); }, add);
  return differentiable.buildGradients(gradientBuilder);
}

void Differentiation::appendResults() {
  for (Value argument : arguments) {
    Value gradient = gradientOf(argument);
    RankedTensorType type = typeOf(argument);
    if (!gradient)
      gradient = ir::ConstantOp::create(
          builder, argument.getLoc(),
          SplatElementsAttr::get(type,
                                 builder.getZeroAttr(type.getElementType())));
    end.getOperandsMutable().append(gradient);
    (void)function.insertResult(function.getNumResults(), type, {});
  }
}

LogicalResult Differentiation::run() {
  if (failed(findActive()))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  if (failed(seedLoss()))
    return failure();
  for (Operation *op : llvm::reverse(ops))
    if (failed(visit(op)))
      return failure();
  appendResults();
  return success();
}

struct DifferentiatePass : impl::TandemDifferentiateBase<DifferentiatePass> {
  using TandemDifferentiateBase::TandemDifferentiateBase;

  void runOnOperation() override {
    auto function =
        getOperation().lookupSymbol<func::FuncOp>(functionName.getValue());
    if (!function || function.isDeclaration()) {
      getOperation().emitError("there is no function @") << functionName;
      return signalPassFailure();
    }
    DifferentiateOptions options;
    options.wrt.assign(wrt.begin(), wrt.end());
    options.loss = loss;
    options.hasSeed = seed;
    if (failed(differentiate(function, options)))
      signalPassFailure();
  }
};

} // namespace

FailureOr<SmallVector<int64_t>>
findArguments(func::FuncOp function, const DifferentiateOptions &options) {
  SmallVector<int64_t> numbers(options.wrt);
  const auto count = static_cast<int64_t>(function.getNumArguments());
  for (int64_t number : numbers) {
    if (number < 0 || number >= count)
      return function.emitError("there is no argument ") << number;
    if (!isOfFloats(function.getArgument(number)))
      return function.emitError("argument ")
             << number << " is not of floats, so it has no gradient";
  }
  if (options.wrt.empty())
    for (int64_t number = 0; number < count; ++number)
      if (isOfFloats(function.getArgument(number)))
        numbers.push_back(number);
  return numbers;
}

LogicalResult differentiate(func::FuncOp function,
                            const DifferentiateOptions &options) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("has not one block");
  return Differentiation(function, options).run();
}

} // namespace tandem
