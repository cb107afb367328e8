//===- LoopSchedule.cpp - Elementwise loops over threads ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToEmitC/CTypes.h"
#include "KernelSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem::codegen;
using namespace tandem::conversion;

/// The widest access of a thread, in bytes.
static constexpr int64_t kVectorBytes = 16;
/// The most bytes of a thread's operands and results at once: half of the
/// registers that let an SM run half of its threads.
static constexpr int64_t kMaxRunBytes = 128;
/// Fewer threads of vectors are worth less than more threads of scalars.
static constexpr int64_t kMinVectorThreads = 256;
/// Bytes that a thread should have in flight. An SM of an H200 needs about 25
/// KB in flight (bandwidth times latency), from 1,024 threads or more.
static constexpr int64_t kBytesInFlight = 32;
/// A thread takes several runs only where as many blocks are left: eight for
/// each SM of a large GPU.
static constexpr int64_t kMinBlocks = 1024;

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

namespace {
/// Element sizes, in bytes, of the tensors that are traversed in order.
struct Traffic {
  int64_t narrowest = kVectorBytes, widest = 1, read = 0, all = 0;
};
} // namespace

static Traffic trafficOf(PointEmitter &points) {
  linalg::GenericOp op = points.getOp();
  Traffic traffic;
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    auto [buffer, position] = points.accessOf(operand);
    bool isRead = op.isDpsInput(&operand);
    if (!buffer || position != points.ownOrder() ||
        (isRead && (op.getMatchingBlockArgument(&operand).use_empty() ||
                    !seen.insert(buffer).second)))
      continue;
    int64_t bytes = byteSize(getElementTypeOrSelf(operand.get().getType()));
    traffic.narrowest = std::min(traffic.narrowest, bytes);
    traffic.widest = std::max(traffic.widest, bytes);
    traffic.all += bytes;
    traffic.read += isRead ? bytes : 0;
  }
  return traffic;
}

LoopSchedule tandem::codegen::scheduleLoop(linalg::GenericOp op,
                                           const KernelMemory &memory,
                                           const MappingOptions &options) {
  LoopSchedule schedule;
  OpBuilder builder(op);
  IndexArithmetic index(builder);
  PointEmitter points(builder, index, memory, op);
  schedule.elements = ShapedType::getNumElements(points.getSizes());
  bool inOrder = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isIdentity();
  });
  if (!options.vectorize || !inOrder || points.getSizes().empty())
    return schedule;
  Traffic traffic = trafficOf(points);
  int64_t width = kVectorBytes / traffic.narrowest;
  int64_t least = kVectorBytes / traffic.widest;
  while (width > least && width * traffic.all > kMaxRunBytes)
    width /= 2;
  while (width > 1 && (schedule.elements % width != 0 ||
                       schedule.elements / width < kMinVectorThreads))
    width /= 2;
  schedule.width = width;
  if (width == 1)
    return schedule;
  schedule.alongInnermost = points.getSizes().back() % width == 0;
  auto isExact = [&](int64_t steps) {
    int64_t points = width * steps * options.threads;
    return schedule.elements % points == 0 &&
           schedule.elements / points >= kMinBlocks;
  };
  while (traffic.read * width * schedule.steps < kBytesInFlight &&
         traffic.read > 0 && isExact(schedule.steps * 2))
    schedule.steps *= 2;
  return schedule;
}

//===----------------------------------------------------------------------===//
// The code of a thread
//===----------------------------------------------------------------------===//

namespace {

class LoopEmitter {
public:
  LoopEmitter(MappedKernel &kernel, linalg::GenericOp op,
              const LoopSchedule &schedule)
      : kernel(kernel), builder(kernel.builder), index(builder),
        points(builder, index, kernel.memory, op), op(op), loc(op.getLoc()),
        schedule(schedule) {}

  LogicalResult emit();

private:
  using Vectors = SmallVector<std::pair<PointEmitter::Access, Value>>;

  Value firstPoint();
  LogicalResult emitScalar(Value point);
  LogicalResult emitSteps(Value first);
  LogicalResult emitRun(Value first, ArrayRef<PointEmitter::Access> loaded,
                        ValueRange vectors);
  Run runAt(Value first);
  SmallVector<PointEmitter::Access> ownAccesses();
  Value startOfStep(Value first, Value step);
  SmallVector<Value> allocateResults();
  Value allocate(Location at, ArrayRef<int64_t> shape, Type element);
  scf::ForOp createLoop(StringRef name, int64_t count);

  MappedKernel &kernel;
  OpBuilder &builder;
  IndexArithmetic index;
  PointEmitter points;
  linalg::GenericOp op;
  Location loc;
  const LoopSchedule &schedule;
};

} // namespace

Value LoopEmitter::allocate(Location at, ArrayRef<int64_t> shape,
                            Type element) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Private);
  auto type = MemRefType::get(shape, element, AffineMap(), space);
  return memref::AllocaOp::create(builder, at, type);
}

scf::ForOp LoopEmitter::createLoop(StringRef name, int64_t count) {
  auto loop =
      scf::ForOp::create(builder, points.named(name), index.constant(loc, 0),
                         index.constant(loc, count), index.constant(loc, 1));
  loop.getInductionVar().setLoc(points.named(name));
  index.setBounds(loop.getInductionVar(), 0, count - 1);
  return loop;
}

/// The first of a thread's points. Those of its further steps are as far apart
/// as the block has points in a step, so that each access of a warp is of
/// consecutive bytes.
Value LoopEmitter::firstPoint() {
  constexpr auto x = gpu::Dimension::x;
  Location at =
      points.named(schedule.width * schedule.steps == 1 ? "i" : "first");
  Value block = gpu::BlockIdOp::create(builder, points.named("block"), x);
  Value thread = gpu::ThreadIdOp::create(builder, points.named("thread"), x);
  Value runs = index.constant(loc, kernel.threads * schedule.steps);
  Value run = index.add(at, index.mul(at, block, runs), thread);
  Value first = index.mul(at, run, index.constant(loc, schedule.width));
  index.setBounds(first, 0, schedule.elements - schedule.width);
  return first;
}

Run LoopEmitter::runAt(Value first) {
  Run run;
  run.width = schedule.width;
  run.number = first;
  if (schedule.alongInnermost)
    run.loop = points.getSizes().size() - 1;
  if (schedule.alongInnermost || schedule.width == 1)
    run.dims = points.delinearize(first);
  return run;
}

LogicalResult LoopEmitter::emitScalar(Value point) {
  points.begin(runAt(point));
  FailureOr<SmallVector<Value>> yielded = points.emit({});
  if (failed(yielded))
    return failure();
  for (auto [init, value] : llvm::zip_equal(op.getDpsInitsMutable(), *yielded))
    points.store(init, value);
  return success();
}

SmallVector<Value> LoopEmitter::allocateResults() {
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    ArrayRef<Value> buffers = kernel.memory.buffersOf(result);
    Location at = buffers.empty() ? loc : buffers.front().getLoc();
    results.push_back(allocate(suffixed(at, "_v"), schedule.width,
                               getElementTypeOrSelf(result.getType())));
  }
  return results;
}

/// One run: its vectors are loaded, but for those that are already; a loop
/// computes its points into local arrays, and those are stored as vectors.
LogicalResult LoopEmitter::emitRun(Value first,
                                   ArrayRef<PointEmitter::Access> loaded,
                                   ValueRange vectors) {
  points.begin(runAt(first));
  for (auto [access, vector] : llvm::zip_equal(loaded, vectors))
    points.give(access, vector);
  points.loadOperands();
  SmallVector<Value> results = allocateResults();
  scf::ForOp lanes = createLoop("lane", schedule.width);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(lanes.getBody());
    Value lane = lanes.getInductionVar();
    FailureOr<SmallVector<Value>> yielded = points.emit(lane);
    if (failed(yielded))
      return failure();
    for (auto [local, value] : llvm::zip_equal(results, *yielded))
      memref::StoreOp::create(builder, loc, value, local, lane);
  }
  points.begin(runAt(first));
  for (auto [init, local] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    points.storeVector(init, local);
  return success();
}

/// The inputs that are traversed in order, each once.
SmallVector<PointEmitter::Access> LoopEmitter::ownAccesses() {
  llvm::SetVector<PointEmitter::Access> accesses;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    PointEmitter::Access access = points.accessOf(*operand);
    if (access.first && access.second == points.ownOrder() &&
        !op.getMatchingBlockArgument(operand).use_empty())
      accesses.insert(access);
  }
  return accesses.takeVector();
}

Value LoopEmitter::startOfStep(Value first, Value step) {
  Value stride = index.constant(loc, kernel.threads * schedule.width);
  Value start =
      index.add(points.named("start"), first, index.mul(loc, step, stride));
  index.setBounds(start, 0, schedule.elements - schedule.width);
  return start;
}

/// Several runs: the vectors of all are loaded first.
LogicalResult LoopEmitter::emitSteps(Value first) {
  SmallVector<PointEmitter::Access> accesses = ownAccesses();
  SmallVector<Value> arrays;
  for (auto [buffer, position] : accesses)
    arrays.push_back(allocate(
        suffixed(buffer.getLoc(), "_steps"), schedule.steps,
        VectorType::get(schedule.width,
                        cast<MemRefType>(buffer.getType()).getElementType())));
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp loads = createLoop("step", schedule.steps);
  builder.setInsertionPointToStart(loads.getBody());
  Value step = loads.getInductionVar();
  points.begin(runAt(startOfStep(first, step)));
  for (auto [access, array] : llvm::zip_equal(accesses, arrays))
    memref::StoreOp::create(builder, loc, points.read(access), array, step);
  builder.setInsertionPointAfter(loads);
  scf::ForOp steps = createLoop("step", schedule.steps);
  builder.setInsertionPointToStart(steps.getBody());
  step = steps.getInductionVar();
  SmallVector<Value> vectors;
  for (auto [access, array] : llvm::zip_equal(accesses, arrays))
    vectors.push_back(memref::LoadOp::create(
        builder, suffixed(access.first.getLoc(), "_v"), array, step));
  return emitRun(startOfStep(first, step), accesses, vectors);
}

LogicalResult LoopEmitter::emit() {
  Value first = firstPoint();
  int64_t perBlock = schedule.pointsPerBlock(kernel.threads);
  OpBuilder::InsertionGuard guard(builder);
  if (schedule.elements != perBlock * kernel.blocks) {
    Value end = index.constant(loc, schedule.elements);
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, first, end);
    auto guarded = scf::IfOp::create(builder, loc, isInside);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  LogicalResult result = schedule.steps > 1   ? emitSteps(first)
                         : schedule.width > 1 ? emitRun(first, {}, {})
                                              : emitScalar(first);
  kernel.wideIndex |= index.needsWideIndex();
  return result;
}

LogicalResult tandem::codegen::emitLoop(MappedKernel &kernel,
                                        linalg::GenericOp op,
                                        const LoopSchedule &schedule) {
  if (schedule.elements == 0)
    return success();
  return LoopEmitter(kernel, op, schedule).emit();
}
