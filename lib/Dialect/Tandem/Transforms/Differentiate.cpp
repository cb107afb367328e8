//===- Differentiate.cpp - Gradients of a function ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tandem-differentiate, for functions. ReverseMode.h visits the ops.
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Differentiate.h"

#include "ReverseMode.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDIFFERENTIATE
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

class Differentiation {
public:
  Differentiation(func::FuncOp function, const DifferentiateOptions &options)
      : function(function), options(options), block(function.getBody().front()),
        end(cast<func::ReturnOp>(block.getTerminator())), builder(end),
        reverse(builder) {}

  LogicalResult run();

private:
  LogicalResult seedLoss();
  void warnOfZeros(Value argument);
  void appendResults();

  func::FuncOp function;
  const DifferentiateOptions &options;
  Block &block;
  func::ReturnOp end;
  OpBuilder builder;
  ReverseMode reverse;
  SmallVector<Value> arguments;
};

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
    reverse.add(loss, block.getArguments().back());
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
  reverse.add(loss, ir::ConstantOp::create(builder, loss.getLoc(),
                                           SplatElementsAttr::get(type, one)));
  return success();
}

/// Asking for a gradient that is zeros is most often a mistake.
void Differentiation::warnOfZeros(Value argument) {
  InFlightDiagnostic warning = emitWarning(argument.getLoc());
  warning << "the loss, result " << options.loss
          << ", does not depend on argument "
          << cast<BlockArgument>(argument).getArgNumber()
          << ", whose gradient is zeros";
  warning.attachNote() << "leave the argument out of 'wrt'";
}

/// Appends all results at once, because each change of the function's type
/// takes time in proportion to the number of arguments and results.
void Differentiation::appendResults() {
  SmallVector<Value> gradients;
  for (Value argument : arguments) {
    Value gradient = reverse.gradientOf(argument);
    RankedTensorType type = typeOf(argument);
    if (!gradient && !options.wrt.empty())
      warnOfZeros(argument);
    if (!gradient)
      gradient = ir::ConstantOp::create(
          builder, argument.getLoc(),
          SplatElementsAttr::get(type,
                                 builder.getZeroAttr(type.getElementType())));
    gradients.push_back(gradient);
  }
  const SmallVector<unsigned> places(gradients.size(),
                                     function.getNumResults());
  const SmallVector<DictionaryAttr> none(gradients.size());
  (void)function.insertResults(places, TypeRange(ValueRange(gradients)), none);
  end.getOperandsMutable().append(gradients);
}

LogicalResult Differentiation::run() {
  FailureOr<SmallVector<int64_t>> numbers = findArguments(function, options);
  if (failed(numbers))
    return failure();
  for (int64_t number : *numbers)
    arguments.push_back(block.getArgument(number));
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  reverse.activate(arguments);
  reverse.propagate(ops);
  if (failed(seedLoss()) || failed(reverse.visit(ops)))
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
