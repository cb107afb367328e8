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
#include "WinogradEmitter.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {
namespace {

class ContractionLowering : KernelFrame {
public:
  ContractionLowering(ModuleOp module, func::FuncOp kernel,
                      ContractionMachine machine)
      : KernelFrame(module, kernel), machine(machine) {}

  LogicalResult run();

private:
  LogicalResult describe();
  void emitTiles();
  void emitWinograd();
  void forEachTask(function_ref<void(Value)> emit);

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
  else if (succeeded(found) && found->isTransformed && !canUseWinograd(*found))
    why = "has no use for transformed weights";
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

void ContractionLowering::forEachTask(function_ref<void(Value)> emit) {
  auto loop =
      scf::ForOp::create(builder, loc, begin, end,
                         arith::ConstantIndexOp::create(builder, loc, 1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

void ContractionLowering::emitTiles() {
  if (epilogue->canFlatten())
    flattenPositions(contraction);
  ContractionSchedule schedule = scheduleContraction(contraction, machine);
  Value bias = contraction.bias ? getBuffer(contraction.bias).pointer : Value();
  ContractionTileEmitter tileEmitter(builder, loc, contraction, schedule.tile,
                                     getBuffer(contraction.data).pointer,
                                     getBuffer(contraction.weights).pointer,
                                     bias, machine.hasBF16);
  if (contraction.spatial.back().isPadded())
    tileEmitter.prepareGuards();
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  auto emitEpilogue = [&](const ContractionTile &tile, ArrayRef<Value> sums) {
    epilogue->emit(builder, loc, schedule.tile, tile, sums, bufferOf);
  };
  ContractionLoops loops(builder, loc, contraction, schedule, tileEmitter,
                         emitEpilogue);
  forEachTask([&](Value task) { loops.emitTask(task); });
  close(schedule.extent, schedule.grain);
}

void ContractionLowering::emitWinograd() {
  WinogradPlan plan = planWinograd(contraction, machine);
  Value bias = contraction.bias ? getBuffer(contraction.bias).pointer : Value();
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  auto emitEpilogue = [&](const ContractionTile &tile, Value vector) {
    epilogue->emit(builder, loc, plan.tile, tile, vector, bufferOf);
  };
  WinogradEmitter emitter(
      builder, loc, contraction, plan, getBuffer(contraction.data).pointer,
      getBuffer(contraction.weights).pointer, bias, emitEpilogue);
  forEachTask([&](Value task) { emitter.emitTask(task); });
  close(plan.tasks, /*grain=*/1);
}

LogicalResult ContractionLowering::run() {
  if (failed(open(findInPlacePairs(kernel))) || failed(describe()))
    return failure();
  if (contraction.isTransformed)
    emitWinograd();
  else
    emitTiles();
  return success();
}

LogicalResult lowerContractionKernel(ModuleOp module, func::FuncOp kernel,
                                     ContractionMachine machine) {
  return ContractionLowering(module, kernel, machine).run();
}

} // namespace tandem
