//===- ContractionLowering.cpp - Kernels of contractions ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionLowering.h"

#include "ContractionEpilogue.h"
#include "ContractionLoops.h"
#include "KernelFrame.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {
namespace {

class ContractionLowering : KernelFrame {
public:
  ContractionLowering(ModuleOp module, func::FuncOp kernel, unsigned vectorBits)
      : KernelFrame(module, kernel) {
    machine.vectorBits = vectorBits;
  }

  LogicalResult run();

private:
  LogicalResult describe();

  ContractionMachine machine;
  Operation *hero = nullptr;
  Contraction contraction;
  std::optional<ContractionEpilogue> epilogue;
};

} // namespace

Operation *findContraction(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ir::ConvOp, ir::MatmulOp>(op))
      return &op;
  return nullptr;
}

LogicalResult ContractionLowering::describe() {
  hero = findContraction(kernel);
  std::string why;
  FailureOr<Contraction> found = describeContraction(hero, why);
  if (succeeded(found) && !getContractionLanes(*found))
    why = "has nothing to run along vectors";
  if (!why.empty())
    return hero->emitOpError(why);
  contraction = *found;
  for (Value operand : {contraction.data, contraction.weights})
    if (!pointers.contains(operand))
      return hero->emitOpError("has an operand that is not in memory");
  linalg::GenericOp body;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (body)
      return op.emitOpError("is the second epilogue of a contraction");
    body = op;
  }
  epilogue.emplace(contraction, hero, body);
  return epilogue->verify(pointers);
}

LogicalResult ContractionLowering::run() {
  if (failed(open(findInPlacePairs(kernel))) || failed(describe()))
    return failure();
  if (epilogue->canFlatten())
    flattenPositions(contraction);
  ContractionSchedule schedule = scheduleContraction(contraction, machine);
  Value bias = contraction.bias ? getBuffer(contraction.bias).pointer : Value();
  ContractionTileEmitter tileEmitter(builder, loc, contraction, schedule.tile,
                                     getBuffer(contraction.data).pointer,
                                     getBuffer(contraction.weights).pointer,
                                     bias);
  if (contraction.spatial.back().isPadded())
    tileEmitter.prepareGuards();
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  auto emitEpilogue = [&](const ContractionTile &tile, ArrayRef<Value> sums) {
    epilogue->emit(builder, loc, schedule.tile, tile, sums, bufferOf);
  };
  auto loop =
      scf::ForOp::create(builder, loc, begin, end,
                         arith::ConstantIndexOp::create(builder, loc, 1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ContractionLoops(builder, loc, contraction, schedule, tileEmitter,
                     emitEpilogue)
        .emitTask(loop.getInductionVar());
  }
  close(schedule.extent, schedule.grain);
  return success();
}

LogicalResult lowerContractionKernel(ModuleOp module, func::FuncOp kernel,
                                     unsigned vectorBits) {
  return ContractionLowering(module, kernel, vectorBits).run();
}

} // namespace tandem
