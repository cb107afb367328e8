//===- ConstantEvaluation.cpp - Values of ops on constants ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/Program/ConstantEvaluation.h"

#include "ConstantBytes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Support/ConstantMemory.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tandem {
namespace {

/// Collects all ops that `value` is computed by, each behind those whose
/// results it reads. Returns false where these are not all ops on constants.
bool collectOps(Value value, llvm::SetVector<Operation *> &ops) {
  // Each op is visited twice: ahead of its operands, and then behind them.
  SmallVector<std::pair<Operation *, bool>> open{
      {value.getDefiningOp(), false}};
  llvm::DenseSet<Operation *> seen;
  while (!open.empty()) {
    auto [op, isBehindOperands] = open.pop_back_val();
    if (!op)
      return false;
    if (isBehindOperands) {
      ops.insert(op);
      continue;
    }
    if (!seen.insert(op).second)
      continue;
    if (!matchPattern(op, m_Constant()) && !canEvaluate(op))
      return false;
    open.emplace_back(op, true);
    for (Value operand : op->getOperands())
      open.emplace_back(operand.getDefiningOp(), false);
  }
  return true;
}

/// The cost of reading the constants and running the other ops once, in bytes
/// (savedBytes).
double costOf(ArrayRef<Operation *> ops) {
  double bytes = 0;
  for (Operation *op : ops)
    if (matchPattern(op, m_Constant()))
      bytes += static_cast<double>(
          ir::toTandemType(cast<RankedTensorType>(op->getResult(0).getType()))
              .bytes());
    else if (FailureOr<OpCost> cost = cast<ir::TandemOpInterface>(op).getCost();
             succeeded(cost))
      bytes += savedBytes(*cost);
  return bytes;
}

} // namespace

bool canEvaluate(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && ir::isTandemTensor(tensor);
  };
  return isa<ir::TandemOpInterface>(op) && !isa<ir::CustomCallOp>(op) &&
         !matchPattern(op, m_Constant()) &&
         llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

FailureOr<Program> makeConstantProgram(Value value, ArrayRef<Operation *> ops) {
  OpBuilder builder(value.getContext());
  Location loc = value.getLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "constant", builder.getFunctionType({}, value.getType()));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc, mapping.lookup(value));
  return emitProgram(function);
}

Expected<Tensor> runConstantProgram(Program program) {
  TANDEM_ASSIGN_OR_RETURN(
      auto executor,
      Executor::create(std::make_shared<const Program>(std::move(program))));
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(executor->run({}, outputs));
  return outputs.front();
}

Expected<std::optional<Tensor>> evaluateConstant(Value value,
                                                 double mostBytes) {
  const auto unreadable = fail("import", "cannot be read or computed");
  llvm::SetVector<Operation *> ops;
  if (!collectOps(value, ops))
    return std::nullopt;
  if (costOf(ops.getArrayRef()) > mostBytes)
    return fail("import", "takes too long to compute while importing");
  if (ElementsAttr elements; matchPattern(value, m_Constant(&elements))) {
    FailureOr<Tensor> bytes = constantBytes(elements, value.getLoc());
    if (failed(bytes))
      return unreadable;
    return *bytes;
  }
  FailureOr<Program> program = makeConstantProgram(value, ops.getArrayRef());
  if (failed(program))
    return unreadable;
  Expected<Tensor> result = runConstantProgram(std::move(*program));
  if (!result)
    return fail("import", "cannot be computed: " + result.error().message);
  return *result;
}

} // namespace tandem
