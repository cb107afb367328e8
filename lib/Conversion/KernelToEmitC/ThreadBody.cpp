//===- ThreadBody.cpp - What one thread does for a linalg.generic ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBody.h"

#include "IndexArithmetic.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem::conversion;

namespace {

class ThreadBody {
public:
  ThreadBody(OpBuilder &builder, linalg::GenericOp op,
             const KernelMemory &memory, const Schedule &schedule)
      : builder(builder), index(builder), op(op), memory(memory),
        schedule(schedule), sizes(op.getStaticLoopRanges()) {}

  LogicalResult emit(Value thread);
  bool needsWideIndex() const { return index.needsWideIndex(); }

private:
  LogicalResult emitScalar(Value point);
  LogicalResult emitVector();
  void loadVectors();
  SmallVector<Value> allocateLocals();
  void storeVectors(ArrayRef<Value> locals);
  /// Emits the body for one point; `store` takes each result's value.
  LogicalResult
  emitPoint(Value point,
            function_ref<void(unsigned result, Value value)> store);
  LogicalResult emitBlock(Block &from, SmallVectorImpl<Value> &yielded);
  LogicalResult emitOp(Operation &from);
  LogicalResult emitExtract(tensor::ExtractOp extract);
  void emitWithRegions(Operation &from, LogicalResult &result);

  void computeDims(Value point);
  Value operandElement(OpOperand &operand);
  Value load(Location loc, Value buffer, Value position);

  /// Where `map` of the iteration space points to in a row-major tensor of
  /// `shape`, as an expression of the loops.
  AffineExpr linearize(AffineMap map, ArrayRef<int64_t> shape) const;
  AffineExpr linearize(OpOperand &operand);
  AffineExpr ownOrder() const;
  Location named(const Twine &name);
  ArrayRef<Value> resultBuffers(Value result) const;

  OpBuilder &builder;
  IndexArithmetic index;
  linalg::GenericOp op;
  const KernelMemory &memory;
  const Schedule &schedule;
  SmallVector<int64_t> sizes;

  Value point;
  /// In a vector schedule: the first of the thread's points, and which one.
  Value first, lane;
  SmallVector<Value> dims;
  DenseMap<Value, Value> loadedVectors;
  IRMapping mapping;
};

} // namespace

Location ThreadBody::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name), op.getLoc());
}

/// `loc` under its own name with `suffix`.
static Location suffixed(Location loc, const Twine &suffix) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  return NameLoc::get(
      StringAttr::get(loc.getContext(), name.getName().getValue() + suffix),
      name.getChildLoc());
}

ArrayRef<Value> ThreadBody::resultBuffers(Value result) const {
  auto buffers = memory.results.find(result);
  return buffers == memory.results.end() ? ArrayRef<Value>()
                                         : ArrayRef<Value>(buffers->second);
}

AffineExpr ThreadBody::linearize(AffineMap map, ArrayRef<int64_t> shape) const {
  AffineExpr result = builder.getAffineConstantExpr(0);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    result = result * size + expr;
  SmallVector<AffineExpr> loops;
  for (auto [position, size] : llvm::enumerate(sizes))
    loops.push_back(size == 1 ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(position));
  return simplifyAffineExpr(result.replaceDims(loops), sizes.size(), 0);
}

AffineExpr ThreadBody::linearize(OpOperand &operand) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  return linearize(op.getMatchingIndexingMap(&operand), type.getShape());
}

AffineExpr ThreadBody::ownOrder() const {
  return linearize(builder.getMultiDimIdentityMap(sizes.size()), sizes);
}

Value ThreadBody::load(Location loc, Value buffer, Value position) {
  return memref::LoadOp::create(builder, loc, buffer, position);
}

/// Unravels the row-major number `point`. Where a thread's points run along
/// the innermost dim, the other dims are those of its first point.
void ThreadBody::computeDims(Value point) {
  dims.clear();
  Value base = schedule.alongInnermost ? first : point;
  AffineExpr number = builder.getAffineDimExpr(0);
  int64_t stride = schedule.elements;
  for (auto [position, size] : llvm::enumerate(sizes)) {
    stride /= size;
    AffineExpr dim = number.floorDiv(stride) % size;
    Location loc = named("d" + Twine(position));
    Value value = index.apply(loc, dim, 1, base);
    if (schedule.alongInnermost && position + 1 == sizes.size()) {
      value = index.add(loc, value, lane);
      index.setBounds(value, 0, size - 1);
    }
    dims.push_back(value);
  }
}

Value ThreadBody::operandElement(OpOperand &operand) {
  Value tensor = operand.get();
  if (auto splat = memory.splats.find(tensor); splat != memory.splats.end())
    return arith::ConstantOp::create(builder, op.getLoc(), splat->second);
  if (!isa<RankedTensorType>(tensor.getType()))
    return mapping.lookupOrDefault(tensor);
  Value buffer = memory.operands.lookup(tensor);
  AffineExpr position = linearize(operand);
  bool isOwnPoint = position == ownOrder();
  // Another operand may read the same tensor elsewhere: a mean its whole row.
  if (Value vector = loadedVectors.lookup(tensor); vector && isOwnPoint)
    return vector::ExtractOp::create(builder, buffer.getLoc(), vector,
                                     OpFoldResult(lane));
  Value at = isOwnPoint ? point
                        : index.apply(op.getLoc(), position, dims.size(), dims);
  return load(buffer.getLoc(), buffer, at);
}

LogicalResult ThreadBody::emitExtract(tensor::ExtractOp extract) {
  Value buffer = memory.operands.lookup(extract.getTensor());
  if (!buffer)
    return extract.emitOpError("of a kernel must read one of its arguments");
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  AffineExpr position = builder.getAffineConstantExpr(0);
  SmallVector<Value> indices;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    position = position * size + builder.getAffineDimExpr(dim);
    indices.push_back(mapping.lookup(extract.getIndices()[dim]));
  }
  Value at = index.apply(extract.getLoc(), position, shape.size(), indices);
  mapping.map(extract.getResult(), load(buffer.getLoc(), buffer, at));
  return success();
}

/// Copies an op with regions (scf) and then what is inside.
void ThreadBody::emitWithRegions(Operation &from, LogicalResult &result) {
  Operation *copy = builder.insert(from.cloneWithoutRegions(mapping));
  OpBuilder::InsertionGuard guard(builder);
  for (auto [region, copied] :
       llvm::zip_equal(from.getRegions(), copy->getRegions())) {
    if (region.empty())
      continue;
    Block &block = region.front();
    Block *target = builder.createBlock(&copied);
    for (BlockArgument argument : block.getArguments())
      mapping.map(argument,
                  target->addArgument(argument.getType(), argument.getLoc()));
    SmallVector<Value> yielded;
    if (failed(emitBlock(block, yielded)))
      result = failure();
    builder.clone(*block.getTerminator(), mapping);
  }
}

LogicalResult ThreadBody::emitOp(Operation &from) {
  if (auto loop = dyn_cast<linalg::IndexOp>(from)) {
    mapping.map(loop.getResult(), dims[loop.getDim()]);
    return success();
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(from)) {
    SmallVector<Value> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    AffineMap map = apply.getAffineMap();
    mapping.map(apply.getResult(), index.apply(apply.getLoc(), map.getResult(0),
                                               map.getNumDims(), operands));
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(from))
    return emitExtract(extract);
  LogicalResult result = success();
  if (from.getNumRegions() != 0) {
    emitWithRegions(from, result);
    return result;
  }
  Operation *copy = builder.clone(from, mapping);
  auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(copy);
  if (overflow && copy->getResult(0).getType().isIndex())
    copy->setAttr(overflow.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      builder.getContext(), arith::IntegerOverflowFlags::nsw));
  return success();
}

LogicalResult ThreadBody::emitBlock(Block &from,
                                    SmallVectorImpl<Value> &yielded) {
  for (Operation &op : from.without_terminator())
    if (failed(emitOp(op)))
      return failure();
  for (Value value : from.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return success();
}

LogicalResult
ThreadBody::emitPoint(Value point,
                      function_ref<void(unsigned result, Value value)> store) {
  this->point = point;
  index.setBounds(point, 0, schedule.elements - 1);
  computeDims(point);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      mapping.map(argument, operandElement(operand));
  }
  SmallVector<Value> yielded;
  if (failed(emitBlock(*op.getBody(), yielded)))
    return failure();
  for (auto [result, value] : llvm::enumerate(yielded))
    store(result, value);
  return success();
}

void ThreadBody::loadVectors() {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value buffer = memory.operands.lookup(operand->get());
    if (!buffer || loadedVectors.contains(operand->get()) ||
        op.getMatchingBlockArgument(operand).use_empty() ||
        linearize(*operand) != ownOrder())
      continue;
    auto type = cast<MemRefType>(buffer.getType());
    loadedVectors[operand->get()] = vector::LoadOp::create(
        builder, suffixed(buffer.getLoc(), "_v"),
        VectorType::get(vectorWidth, type.getElementType()), buffer, first);
  }
}

SmallVector<Value> ThreadBody::allocateLocals() {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Private);
  SmallVector<Value> locals;
  for (OpResult result : op->getResults()) {
    ArrayRef<Value> buffers = resultBuffers(result);
    Location loc = buffers.empty() ? op.getLoc() : buffers.front().getLoc();
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    auto type = MemRefType::get(vectorWidth, element, AffineMap(), space);
    locals.push_back(
        memref::AllocaOp::create(builder, suffixed(loc, "_v"), type));
  }
  return locals;
}

void ThreadBody::storeVectors(ArrayRef<Value> locals) {
  Value zero = index.constant(op.getLoc(), 0);
  for (OpResult result : op->getResults()) {
    Value local = locals[result.getResultNumber()];
    Type element = cast<MemRefType>(local.getType()).getElementType();
    Value vector = vector::LoadOp::create(builder, op.getLoc(),
                                          VectorType::get(vectorWidth, element),
                                          local, zero);
    for (Value buffer : resultBuffers(result))
      vector::StoreOp::create(builder, op.getLoc(), vector, buffer, first);
  }
}

/// Four consecutive points: vectors are loaded, a loop of four computes into
/// local arrays, and those are stored as vectors.
LogicalResult ThreadBody::emitVector() {
  Location loc = op.getLoc();
  index.setBounds(first, 0, schedule.elements - vectorWidth);
  loadVectors();
  SmallVector<Value> locals = allocateLocals();
  auto loop = scf::ForOp::create(builder, named("lane"), index.constant(loc, 0),
                                 index.constant(loc, vectorWidth),
                                 index.constant(loc, 1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    lane = loop.getInductionVar();
    lane.setLoc(named("lane"));
    index.setBounds(lane, 0, vectorWidth - 1);
    auto store = [&](unsigned result, Value value) {
      memref::StoreOp::create(builder, loc, value, locals[result], lane);
    };
    if (failed(emitPoint(index.add(named("i"), first, lane), store)))
      return failure();
  }
  storeVectors(locals);
  return success();
}

LogicalResult ThreadBody::emitScalar(Value point) {
  return emitPoint(point, [&](unsigned result, Value value) {
    AffineExpr position = linearize(*op.getDpsInitOperand(result));
    Value at = position == ownOrder()
                   ? point
                   : index.apply(op.getLoc(), position, dims.size(), dims);
    for (Value buffer : resultBuffers(op->getResult(result)))
      memref::StoreOp::create(builder, op.getLoc(), value, buffer, at);
  });
}

LogicalResult ThreadBody::emit(Value thread) {
  Location loc = op.getLoc();
  first = index.mul(named("first"), thread,
                    index.constant(loc, schedule.perThread));
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, first,
                            index.constant(loc, schedule.elements));
  auto guarded = scf::IfOp::create(builder, loc, inside);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  return schedule.perThread == 1 ? emitScalar(first) : emitVector();
}

LogicalResult tandem::conversion::emitThreadBody(
    OpBuilder &builder, linalg::GenericOp op, const KernelMemory &memory,
    const Schedule &schedule, Value thread, bool &wideIndex) {
  if (schedule.elements == 0)
    return success();
  ThreadBody body(builder, op, memory, schedule);
  LogicalResult result = body.emit(thread);
  wideIndex |= body.needsWideIndex();
  return result;
}
