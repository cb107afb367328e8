//===- PointEmitter.cpp - The body of a linalg.generic at a point ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;

PointEmitter::PointEmitter(OpBuilder &builder, IndexArithmetic &index,
                           const KernelMemory &memory, linalg::GenericOp op)
    : builder(builder), index(index), memory(memory), op(op),
      sizes(op.getStaticLoopRanges()) {}

Location PointEmitter::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name), op.getLoc());
}

/// The tensor whose elements, in row-major order, `value` has.
Value tandem::codegen::skipReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp,
             tensor::CastOp, ir::BitcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Location tandem::codegen::suffixed(Location loc, const Twine &suffix) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  return NameLoc::get(
      StringAttr::get(loc.getContext(), name.getName().getValue() + suffix),
      name.getChildLoc());
}

//===----------------------------------------------------------------------===//
// Places in memory
//===----------------------------------------------------------------------===//

AffineExpr PointEmitter::linearize(AffineMap map,
                                   ArrayRef<int64_t> shape) const {
  AffineExpr result = builder.getAffineConstantExpr(0);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    result = result * size + expr;
  return withoutUnitLoops(result);
}

AffineExpr PointEmitter::withoutUnitLoops(AffineExpr position) const {
  SmallVector<AffineExpr> loops;
  for (auto [number, size] : llvm::enumerate(sizes))
    loops.push_back(size == 1 ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(number));
  return simplifyAffineExpr(position.replaceDims(loops), sizes.size(), 0);
}

bool PointEmitter::isInPart(Value tensor) const {
  return part && skipReshapes(tensor) == part->tensor;
}

/// The position in `part`, from its origin on, of the element at `indices`.
static AffineExpr linearizeInPart(const TensorPart &part,
                                  ArrayRef<AffineExpr> indices) {
  AffineExpr result = getAffineConstantExpr(0, part.tensor.getContext());
  for (auto [at, stride] : llvm::zip_equal(indices, part.strides))
    result = result + at * stride;
  return result;
}

PointEmitter::Access PointEmitter::accessOf(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return {};
  if (isInPart(operand.get()))
    return {part->memory,
            withoutUnitLoops(linearizeInPart(
                *part, op.getMatchingIndexingMap(&operand).getResults()))};
  Value buffer;
  if (op.isDpsInput(&operand)) {
    buffer = memory.operands.lookup(operand.get());
  } else {
    ArrayRef<Value> buffers = memory.buffersOf(op.getTiedOpResult(&operand));
    if (!buffers.empty())
      buffer = buffers.front();
  }
  return {buffer,
          linearize(op.getMatchingIndexingMap(&operand), type.getShape())};
}

AffineExpr PointEmitter::ownOrder() const {
  return linearize(builder.getMultiDimIdentityMap(sizes.size()), sizes);
}

bool PointEmitter::isVector(Access access, const Run &run) const {
  auto [buffer, position] = access;
  if (!buffer)
    return false;
  if (position == ownOrder())
    return !run.loop || *run.loop + 1 == sizes.size();
  if (!run.loop)
    return false;
  AffineExpr along = builder.getAffineDimExpr(*run.loop);
  AffineExpr start = position.replace(along, builder.getAffineConstantExpr(0));
  return simplifyAffineExpr(position - start - along, sizes.size(), 0) == 0 &&
         start.isMultipleOf(run.width);
}

SmallVector<Value> PointEmitter::delinearize(Value number) {
  SmallVector<Value> result;
  AffineExpr all = builder.getAffineDimExpr(0);
  int64_t stride = ShapedType::getNumElements(sizes);
  for (auto [position, size] : llvm::enumerate(sizes)) {
    stride /= size;
    result.push_back(index.apply(named("d" + Twine(position)),
                                 all.floorDiv(stride) % size, 1, number));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void PointEmitter::begin(Run next) {
  run = std::move(next);
  vectors.clear();
  elements.clear();
  setPoint({});
}

/// Makes point `lane` of the run the present one.
void PointEmitter::setPoint(Value at) {
  lane = at;
  number = run.number;
  dims = run.dims;
  if (!lane)
    return;
  if (number) {
    number = index.add(named("i"), run.number, lane);
    index.setBounds(number, 0, ShapedType::getNumElements(sizes) - 1);
  }
  if (!run.loop) {
    dims = delinearize(number);
    return;
  }
  Value &along = dims[*run.loop];
  along = index.add(named("d" + Twine(*run.loop)), along, lane);
  index.setBounds(along, 0, sizes[*run.loop] - 1);
}

Value PointEmitter::positionOf(Access access) {
  auto [buffer, expr] = access;
  if (part && buffer == part->memory)
    return index.add(op.getLoc(), part->origin,
                     index.apply(op.getLoc(), expr, dims.size(), dims));
  if (number && expr == ownOrder())
    return number;
  return index.apply(op.getLoc(), expr, dims.size(), dims);
}

Value PointEmitter::read(Access access) {
  Value buffer = access.first;
  if (run.width == 1)
    return memref::LoadOp::create(builder, buffer.getLoc(), buffer,
                                  positionOf(access));
  auto type = cast<MemRefType>(buffer.getType());
  return vector::LoadOp::create(
      builder, suffixed(buffer.getLoc(), "_v"),
      VectorType::get(run.width, type.getElementType()), buffer,
      positionOf(access));
}

void PointEmitter::loadOperands() {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Access access = accessOf(*operand);
    if (!access.first || vectors.contains(access) ||
        elements.contains(access) ||
        op.getMatchingBlockArgument(operand).use_empty())
      continue;
    if (run.width > 1 && isVector(access, run))
      vectors[access] = read(access);
    else if (run.loop && !access.second.isFunctionOfDim(*run.loop))
      elements[access] = memref::LoadOp::create(
          builder, access.first.getLoc(), access.first, positionOf(access));
  }
}

Value PointEmitter::readElement(OpOperand &operand) {
  Value tensor = operand.get();
  if (auto splat = memory.splats.find(tensor); splat != memory.splats.end())
    return arith::ConstantOp::create(builder, op.getLoc(), splat->second);
  if (!isa<RankedTensorType>(tensor.getType()))
    return mapping.lookupOrDefault(tensor);
  Access access = accessOf(operand);
  if (Value vector = vectors.lookup(access))
    return vector::ExtractOp::create(builder, access.first.getLoc(), vector,
                                     OpFoldResult(lane));
  if (Value known = elements.lookup(access))
    return known;
  return memref::LoadOp::create(builder, access.first.getLoc(), access.first,
                                positionOf(access));
}

FailureOr<SmallVector<Value>> PointEmitter::emit(Value lane, ReadOperand read) {
  setPoint(lane);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    Value value = read ? read(operand) : Value();
    mapping.map(argument, value ? value : readElement(operand));
  }
  SmallVector<Value> yielded;
  if (failed(emitBlock(*op.getBody(), yielded)))
    return failure();
  return yielded;
}

void PointEmitter::store(OpOperand &operand, Value value) {
  Value position = positionOf(accessOf(operand));
  for (Value buffer : memory.buffersOf(op.getTiedOpResult(&operand)))
    memref::StoreOp::create(builder, op.getLoc(), value, buffer, position);
}

void PointEmitter::storeVector(OpOperand &operand, Value local) {
  Location loc = op.getLoc();
  auto type = VectorType::get(
      run.width, cast<MemRefType>(local.getType()).getElementType());
  Value vector =
      vector::LoadOp::create(builder, loc, type, local, index.constant(loc, 0));
  Value position = positionOf(accessOf(operand));
  for (Value buffer : memory.buffersOf(op.getTiedOpResult(&operand)))
    vector::StoreOp::create(builder, loc, vector, buffer, position);
}

//===----------------------------------------------------------------------===//
// Ops of the body
//===----------------------------------------------------------------------===//

LogicalResult PointEmitter::emitExtract(tensor::ExtractOp extract) {
  bool isStaged = isInPart(extract.getTensor());
  Value buffer =
      isStaged ? part->memory : memory.operands.lookup(extract.getTensor());
  if (!buffer)
    return extract.emitOpError("of a kernel must read one of its arguments");
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  AffineExpr position = builder.getAffineConstantExpr(0);
  SmallVector<AffineExpr> loops;
  SmallVector<Value> indices;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    loops.push_back(builder.getAffineDimExpr(dim));
    position = position * size + loops.back();
    indices.push_back(mapping.lookup(extract.getIndices()[dim]));
  }
  if (isStaged)
    position = linearizeInPart(*part, loops);
  Location loc = extract.getLoc();
  Value at = index.apply(loc, position, shape.size(), indices);
  if (isStaged)
    at = index.add(loc, part->origin, at);
  mapping.map(
      extract.getResult(),
      memref::LoadOp::create(builder, buffer.getLoc(), buffer, at).getResult());
  return success();
}

/// Copies an op with regions (scf) and then what is inside.
void PointEmitter::emitWithRegions(Operation &from, LogicalResult &result) {
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

LogicalResult PointEmitter::emitOp(Operation &from) {
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

LogicalResult PointEmitter::emitBlock(Block &from,
                                      SmallVectorImpl<Value> &yielded) {
  for (Operation &op : from.without_terminator())
    if (failed(emitOp(op)))
      return failure();
  for (Value value : from.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return success();
}
