//===- ReductionEmitter.cpp - What schedules of reductions share ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction/ReductionEmitter.h"

#include "Conversion/KernelToEmitC/Patterns.h"

#include "tandem/Conversion/TandemToLinalg/ReductionStage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

ReductionEmitter::ReductionEmitter(MappedKernel &kernel,
                                   ArrayRef<linalg::GenericOp> stages)
    : kernel(kernel), builder(kernel.builder), index(builder),
      loc(stages.front()->getLoc()), stages(stages),
      sizes(linalg::GenericOp(stages.front()).getStaticLoopRanges()),
      numKept(linalg::GenericOp(stages.front()).getNumParallelLoops()) {
  for (linalg::GenericOp stage : stages)
    points[stage] =
        std::make_unique<PointEmitter>(builder, index, kernel.memory, stage);
}

/// What a reduction's result is called.
static StringRef nameOf(Operation *combiner) {
  return llvm::TypeSwitch<Operation *, StringRef>(combiner)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "sum"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "product"; })
      .Case<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          [](auto) { return "largest"; })
      .Default([](Operation *) { return "smallest"; });
}

//===----------------------------------------------------------------------===//
// Memory and control
//===----------------------------------------------------------------------===//

Location ReductionEmitter::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name), loc);
}

Value ReductionEmitter::allocate(const Twine &name, ArrayRef<int64_t> shape,
                                 Type element, gpu::AddressSpace space) {
  auto attr = gpu::AddressSpaceAttr::get(builder.getContext(), space);
  return memref::AllocaOp::create(
      builder, named(name), MemRefType::get(shape, element, AffineMap(), attr));
}

Value ReductionEmitter::load(Value memory, ValueRange position) {
  return memref::LoadOp::create(builder, memory.getLoc(), memory, position);
}

void ReductionEmitter::store(Value value, Value memory, ValueRange position) {
  memref::StoreOp::create(builder, loc, value, memory, position);
}

scf::ForOp ReductionEmitter::createLoop(StringRef name, Value from, int64_t to,
                                        int64_t step, int64_t unroll) {
  auto loop =
      scf::ForOp::create(builder, named(name), from, index.constant(loc, to),
                         index.constant(loc, step));
  loop.getInductionVar().setLoc(named(name));
  index.setBounds(loop.getInductionVar(), 0, to - 1);
  if (unroll)
    loop->setAttr(kUnrollAttrName, builder.getI64IntegerAttr(unroll));
  return loop;
}

LogicalResult ReductionEmitter::emitIf(Value isInside,
                                       function_ref<LogicalResult()> emit) {
  OpBuilder::InsertionGuard guard(builder);
  if (isInside) {
    auto guarded = scf::IfOp::create(builder, loc, isInside);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  return emit();
}

Value ReductionEmitter::threadNumber() {
  Value thread =
      gpu::ThreadIdOp::create(builder, named("thread"), gpu::Dimension::x);
  index.setBounds(thread, 0, kernel.threads - 1);
  return thread;
}

Value ReductionEmitter::blockNumber(int64_t blocks) {
  Value block =
      gpu::BlockIdOp::create(builder, named("block"), gpu::Dimension::x);
  index.setBounds(block, 0, blocks - 1);
  return block;
}

Value ReductionEmitter::isBelow(Value number, int64_t count) {
  return arith::CmpIOp::create(builder, named("is_inside"),
                               arith::CmpIPredicate::slt, number,
                               index.constant(loc, count));
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

SmallVector<linalg::GenericOp>
ReductionEmitter::stagesWith(linalg::GenericOp stage) {
  SmallVector<linalg::GenericOp> result = {stage};
  for (size_t i = 0; i < result.size(); ++i)
    for (OpOperand *input : result[i].getDpsInputOperands()) {
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      bool isRead = producer && points.contains(producer) &&
                    !reduced.contains(input->get()) &&
                    !result[i].getMatchingBlockArgument(input).use_empty();
      if (isRead && !llvm::is_contained(result, producer))
        result.push_back(producer);
    }
  return result;
}

/// The body of `stage`, with accumulators as they are, and what earlier stages
/// have computed.
FailureOr<SmallVector<Value>>
ReductionEmitter::emitBody(linalg::GenericOp stage, Value lane) {
  bool isFailed = false;
  auto read = [&](OpOperand &operand) -> Value {
    if (!stage.isDpsInput(&operand)) {
      OpResult result = stage.getTiedOpResult(&operand);
      if (Value variable = accumulators.lookup(result))
        return load(variable);
      // A reduction of an earlier stage is not repeated when its stage's other
      // values are recomputed, so this operand is not used.
      return arith::ConstantOp::create(
          builder, loc, getNeutral(stage, result.getResultNumber()));
    }
    if (Value known = reduced.lookup(operand.get()))
      return known;
    auto result = dyn_cast<OpResult>(operand.get());
    if (!result || !points.contains(result.getOwner()))
      return {};
    if (Value kept = readKept(result, lane))
      return kept;
    auto again = emitBody(cast<linalg::GenericOp>(result.getOwner()), lane);
    isFailed |= failed(again);
    return isFailed ? Value() : (*again)[result.getResultNumber()];
  };
  FailureOr<SmallVector<Value>> yielded = pointsOf(stage).emit(lane, read);
  if (isFailed)
    return failure();
  return yielded;
}

LogicalResult ReductionEmitter::emitPoint(
    linalg::GenericOp stage, Value lane,
    function_ref<void(OpOperand &, Value)> storeResult) {
  FailureOr<SmallVector<Value>> yielded = emitBody(stage, lane);
  if (failed(yielded))
    return failure();
  for (auto [init, value] :
       llvm::zip_equal(stage.getDpsInitsMutable(), *yielded)) {
    if (Value variable = accumulators.lookup(stage.getTiedOpResult(&init)))
      store(value, variable);
    else
      storeResult(init, value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

void ReductionEmitter::createAccumulators(linalg::GenericOp stage) {
  for (OpOperand &init : stage.getDpsInitsMutable()) {
    if (!combines(init))
      continue;
    OpResult result = stage.getTiedOpResult(&init);
    unsigned number = result.getResultNumber();
    TypedAttr neutral = getNeutral(stage, number);
    Value value = arith::ConstantOp::create(builder, loc, neutral);
    Value variable =
        allocate(nameOf(getCombiner(stage, number)), {}, neutral.getType());
    accumulators[result] = variable;
    store(value, variable);
  }
}

void ReductionEmitter::combineLanes(linalg::GenericOp stage, int64_t lanes) {
  Value width = arith::ConstantIntOp::create(builder, loc, 32, 32);
  for (OpResult result : stage->getResults()) {
    Value variable = accumulators.lookup(result);
    if (!variable)
      continue;
    for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
      Value own = load(variable);
      Value offset = arith::ConstantIntOp::create(builder, loc, distance, 32);
      auto other = gpu::ShuffleOp::create(builder, loc, own, offset, width,
                                          gpu::ShuffleMode::XOR);
      store(combine(builder, stage, result.getResultNumber(), own,
                    other.getShuffleResult()),
            variable);
    }
  }
}

void ReductionEmitter::combineGroups(linalg::GenericOp stage, Value brings,
                                     Value place, Value first, int64_t stride,
                                     int64_t groups) {
  SmallVector<std::pair<OpResult, Value>> shared;
  for (OpResult result : stage->getResults()) {
    Value variable = accumulators.lookup(result);
    if (!variable)
      continue;
    auto type = cast<MemRefType>(variable.getType());
    StringRef name = nameOf(getCombiner(stage, result.getResultNumber()));
    shared.push_back(
        {result, allocate(name + "_of", stride * groups, type.getElementType(),
                          gpu::AddressSpace::Workgroup)});
  }
  (void)emitIf(brings, [&] {
    for (auto [result, memory] : shared)
      store(load(accumulators[result]), memory, place);
    return success();
  });
  gpu::BarrierOp::create(builder, loc);
  for (auto [result, memory] : shared)
    store(load(memory, first), accumulators[result]);
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loop =
      createLoop("group", index.constant(loc, 1), groups, 1, /*unroll=*/-1);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = index.add(
      loc, first,
      index.mul(loc, loop.getInductionVar(), index.constant(loc, stride)));
  for (auto [result, memory] : shared) {
    Value variable = accumulators[result];
    Value own = load(variable);
    store(combine(builder, stage, result.getResultNumber(), own,
                  load(memory, at)),
          variable);
  }
}

void ReductionEmitter::finish(linalg::GenericOp stage) {
  for (OpResult result : stage->getResults())
    if (Value variable = accumulators.lookup(result)) {
      reduced[result] = load(variable);
      accumulators.erase(result);
    }
}
