//===- LibraryCall.cpp - Contractions as calls of libraries ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/LibraryCall.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;

namespace tandem::ir {

/// The Error of an op that is not part of an epilogue.
static tl::unexpected<Error> refuse(std::string why) {
  return fail("library", std::move(why));
}

LibraryCall::LibraryCall(ContractionOpInterface contraction)
    : contraction(contraction), result(contraction->getResult(0)) {
  if (auto conv = dyn_cast<ConvOp>(*contraction))
    bias = conv.getBias();
}

/// The dim of the contraction's result along which a bias differs.
static int64_t getBiasDim(Operation *contraction) {
  if (auto conv = dyn_cast<ConvOp>(contraction))
    return static_cast<int64_t>(conv.getLayout().getOutput().find('C'));
  return typeOf(contraction->getResult(0)).getRank() - 1;
}

/// Whether `value`, broadcast to the result of `contraction`, has one element
/// for each output channel or column.
static bool isBiasOf(Value value, Operation *contraction) {
  ArrayRef<int64_t> shape = shapeOf(value),
                    to = shapeOf(contraction->getResult(0));
  const int64_t skipped = int64_t(to.size()) - int64_t(shape.size());
  const int64_t dim = getBiasDim(contraction) - skipped;
  if (dim < 0 || dim >= int64_t(shape.size()))
    return false;
  for (auto [i, size] : llvm::enumerate(shape))
    if (size != (int64_t(i) == dim ? to[dim + skipped] : 1))
      return false;
  return true;
}

Status LibraryCall::addOperand(AddOp op) {
  Value other = op.getLhs() == result ? op.getRhs() : op.getLhs();
  if (other == result)
    return refuse("adds the value to itself");
  if (op.getType() != result.getType())
    return refuse("makes a larger tensor of the contraction's result");
  if (other.getType() == result.getType()) {
    if (residual)
      return refuse("adds a second tensor of the result's shape");
    residual = other;
    return {};
  }
  if (!isBiasOf(other, contraction))
    return refuse("adds a tensor that is neither of the result's shape nor one "
                  "element for each output channel or column");
  if (bias)
    return refuse("adds a second bias");
  bias = other;
  return {};
}

Status LibraryCall::add(Operation *op) {
  if (activation)
    return refuse("comes after the activation");
  auto gelu = dyn_cast<GeluOp>(op);
  if (auto sum = dyn_cast<AddOp>(op)) {
    TANDEM_RETURN_IF_ERROR(addOperand(sum));
  } else if (isa<ReluOp>(op) || (gelu && gelu.getApproximateTanh())) {
    activation = op;
  } else {
    return refuse("is no sum, relu or gelu by tanh");
  }
  result = op->getResult(0);
  return {};
}

SmallVector<Value, 4> LibraryCall::operands() const {
  SmallVector<Value, 4> operands(contraction->getOperands());
  if (bias && operands.size() < 3)
    operands.push_back(bias);
  if (residual)
    operands.push_back(residual);
  return operands;
}

Expected<LibraryCall> describeLibraryCall(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  auto contraction = dyn_cast<ContractionOpInterface>(body.front());
  if (!contraction)
    return refuse("does not begin with a contraction");
  LibraryCall call(contraction);
  for (Operation &op : llvm::drop_begin(body.without_terminator())) {
    if (!llvm::is_contained(op.getOperands(), call.result) ||
        !call.result.hasOneUse())
      return refuse("has a value that not the next op alone reads");
    if (Status added = call.add(&op); !added)
      return refuse("has '" + op.getName().getStringRef().str() + "', which " +
                    added.error().message);
  }
  if (!llvm::equal(fusion.getYield().getValues(), ArrayRef(call.result)) ||
      !call.result.hasOneUse())
    return refuse("does not yield the value of its last op alone");
  return call;
}

} // namespace tandem::ir
