//===- ContractionEpilogue.cpp - What follows the sums of a tile ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionEpilogue.h"

#include "Contraction/MergedLookUps.h"
#include "Contraction/Tile/BF16Pairs.h"
#include "Contraction/Tile/TileMemory.h"
#include "Loop/Schedule.h"

#include "tandem/Target/CPU/CPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {

/// kMinLoopVectors is the smallest number of vectors of a tile for which a loop
/// pays. kMinLoopProducts is the smallest number of products per element with
/// which the overhead of the loop, some 7 cycles per vector, is relatively
/// small. kMaxLoopStep is the number of vectors that an iteration of the loop
/// handles.
static constexpr int64_t kMinLoopVectors = 4, kMinLoopProducts = 64,
                         kMaxLoopStep = 2;

/// The number of f32 vectors whose bytes fill one register. The bytes of so
/// many vectors are looked up together.
static constexpr int64_t kVectorsOfBytes = sizeof(float);

/// Returns the operand of `op` that is the hero's result, with or without its
/// dims of size 1; null if there is none.
static OpOperand *findHeroOperand(linalg::GenericOp op, Operation *hero) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value source = input->get();
    while (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>())
      source = collapse.getSrc();
    if (source.getDefiningOp() == hero)
      return input;
  }
  return nullptr;
}

LogicalResult
ContractionEpilogue::verify(const DenseMap<Value, Value> &pointers) {
  if (!op)
    return success();
  OpOperand *operand = findHeroOperand(op, hero);
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      (operand && !op.getMatchingIndexingMap(operand).isIdentity()))
    return op.emitOpError("is no epilogue of a contraction");
  for (OpOperand *input : op.getDpsInputOperands())
    if (input != operand && !pointers.contains(input->get()))
      return op.emitOpError("reads a tensor that is not an argument");
  for (Value result : op.getResults())
    if (isReturned && !pointers.contains(result))
      return op.emitOpError("has a result that the kernel does not return");
  return success();
}

bool ContractionEpilogue::canFlatten() {
  if (!op)
    return true;
  unsigned last = op->getNumResults() ? op.getNumLoops() - 1 : 0;
  // Dims of size 1 have no loop.
  bool outputsAreLast =
      contraction.outputDim == contraction.result.getRank() - 1 &&
      contraction.result.getShape().back() != 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isIdentity())
      continue;
    // An operand may depend on the outputs if they are the last dim. All other
    // dims count as positions.
    for (AffineExpr expr : map.getResults())
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (expr.isFunctionOfDim(loop) && !(outputsAreLast && loop == last))
          return false;
  }
  return !op.getBody()
              ->walk([](Operation *inner) {
                return isa<linalg::IndexOp>(inner) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
              })
              .wasInterrupted();
}

double ContractionEpilogue::estimateNs() {
  if (!op)
    return 0;
  return estimateBodyNs(op) *
         double(llvm::product_of(op.getStaticLoopRanges()));
}

/// Returns an index for each dim of the result whose size is not 1.
SmallVector<Value> ContractionEpilogue::getIndices(
    OpBuilder &builder, Location loc, const ContractionStrategy &strategy,
    const ContractionTile &tile, Place place) const {
  const IndexBuilder at(builder, loc);
  bool isPositions = strategy.vectorizedDim == VectorizedDim::Spatial;
  bool isGroups = strategy.vectorizedDim == VectorizedDim::Group;
  // The index of a dim that was merged into the innermost dim stays 0.
  SmallVector<Value> indices(contraction.result.getRank());
  for (auto [dim, index] : llvm::zip(contraction.batch, tile.batch))
    indices[dim.resultDim] = index;
  for (auto [dim, index] : llvm::zip(contraction.spatial, tile.outer))
    indices[dim.resultDim] = index;
  indices[contraction.spatial.back().resultDim] =
      at.add(tile.position, isPositions ? place.lane : place.row);
  Value output = isGroups ? tile.group : tile.output;
  if (!isGroups && contraction.groups > 1)
    output = at.add(output, at.scale(tile.group, contraction.outputChannels));
  indices[contraction.outputDim] =
      at.add(output, isPositions ? place.row : place.lane);
  SmallVector<Value> used;
  for (auto [size, index] : llvm::zip(contraction.result.getShape(), indices))
    if (size != 1)
      used.push_back(index ? index : at.index(0));
  return used;
}

/// Whether the body of `op` calls functions that are expanded to long
/// polynomials.
static bool hasLongFunctions(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](Operation *inner) {
        bool isLong = isa<math::MathDialect>(inner->getDialect()) &&
                      !isa<math::AbsFOp, math::CopySignOp, math::FloorOp,
                           math::CeilOp, math::FmaOp, math::SqrtOp>(inner);
        return isLong ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the body of `op` looks up bytes in a table.
static bool looksUpBytes(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](tensor::ExtractOp extract) {
        return extract.getTensor().getType().getShape() ==
                       ArrayRef(cpu::kByteTableSize)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void ContractionEpilogue::prepareLoop(KernelScratch &scratch,
                                      const ContractionStrategy &strategy) {
  int64_t vectors = strategy.rows * strategy.vectors;
  if (!op || vectors < kMinLoopVectors ||
      contraction.getReduction() < kMinLoopProducts || !hasLongFunctions(op))
    return;
  memory = scratch.allocate(Float32Type::get(hero->getContext()),
                            vectors * strategy.width);
}

Buffer ContractionEpilogue::getHeroBuffer(
    function_ref<Buffer(Value)> getBuffer) const {
  Buffer buffer = getBuffer(hero->getResult(0));
  SmallVector<int64_t> shape = llvm::to_vector(llvm::make_filter_range(
      contraction.result.getShape(), [](int64_t size) { return size != 1; }));
  if (buffer.type == contraction.result)
    buffer.type =
        RankedTensorType::get(shape, contraction.result.getElementType());
  return buffer;
}

/// Returns whether to use non-temporal stores. They require that outputs or
/// groups run along the lanes, so that vectors begin at multiples of their
/// width in rows of all channels.
bool ContractionEpilogue::isStreamed(const ContractionStrategy &strategy,
                                     Type type) const {
  bool isAlongRows = strategy.vectorizedDim == VectorizedDim::Group ||
                     (strategy.vectorizedDim == VectorizedDim::OutputChannel &&
                      (contraction.groups == 1 ||
                       contraction.outputChannels % strategy.width == 0));
  RankedTensorType result = contraction.result;
  return isReturned && isAlongRows &&
         contraction.outputDim == result.getRank() - 1 &&
         streamResult(cast<RankedTensorType>(type), strategy.width,
                      result.getShape().back());
}

Value ContractionEpilogue::roundSum(OpBuilder &builder, Location loc,
                                    Value sum) const {
  ElementFormat format = contraction.getFormat();
  auto type = cast<VectorType>(sum.getType());
  if (format.isBytes() && format.compute.isF32())
    return arith::FPToSIOp::create(builder, loc,
                                   type.clone(builder.getI32Type()), sum);
  if (!format.isWidened() || format.isBytes())
    return sum;
  type = type.clone(format.memory);
  if (areSumsOfPairs)
    if (Value rounded = roundToBF16(builder, loc, sum))
      return rounded;
  return arith::TruncFOp::create(builder, loc, type, sum);
}

/// `integers` is `sum` converted to i32. Replaces conversions of `integers`
/// back to f32 by `sum`.
static void skipConversions(Value integers, Value sum) {
  for (Operation *user : llvm::make_early_inc_range(integers.getUsers()))
    if (auto back = dyn_cast<arith::SIToFPOp>(user);
        back && back.getType() == sum.getType()) {
      back.replaceAllUsesWith(sum);
      back.erase();
    }
}

void ContractionEpilogue::emitVector(OpBuilder &builder, Location loc,
                                     const ContractionStrategy &strategy,
                                     const ContractionTile &tile, Place place,
                                     Value sum, Value mask,
                                     function_ref<Buffer(Value)> getBuffer) {
  Buffer heroBuffer = getHeroBuffer(getBuffer);
  const Value unrounded = sum;
  sum = roundSum(builder, loc, sum);
  LaneEmitter lanes(builder, loc, strategy.width,
                    getIndices(builder, loc, strategy, tile, place), mask,
                    getBuffer);
  auto store = [&](const Buffer &buffer, const LaneValue &value) {
    lanes.store(buffer, builder.getMultiDimIdentityMap(buffer.type.getRank()),
                value, !mask && isStreamed(strategy, buffer.type));
  };
  if (heroBuffer.pointer)
    store(heroBuffer, {LaneValue::Varying, sum});
  if (!op)
    return;
  if (OpOperand *operand = findHeroOperand(op, hero))
    lanes.bindValue(op.getMatchingBlockArgument(operand), sum);
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), lanes.emitElements(op)))
    store(getBuffer(result), value);
  if (contraction.areSumsInF32)
    skipConversions(sum, unrounded);
}

/// Returns the mask for vector `first + number` of a row. For the last vector
/// of the row, it is the mask of `tile`; for all others, it has all lanes. Null
/// if `tile` has no mask.
static Value maskOfLast(OpBuilder &builder, Location loc,
                        const ContractionTile &tile, Value first,
                        int64_t number) {
  if (!tile.mask || number + 1 == tile.vectors)
    return tile.mask;
  Value last = IndexBuilder(builder, loc).index(tile.vectors - 1 - number);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       first, last);
  Value whole = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<ShapedType>(tile.mask.getType()), true));
  return arith::SelectOp::create(builder, loc, isLast, tile.mask, whole);
}

/// Returns the number of vectors in an iteration of the loop, at most `most`.
/// They are either part of one row, whose address is then computed once, or
/// whole rows.
static int64_t getLoopStep(const ContractionTile &tile, int64_t most) {
  for (int64_t step = most; step > 1; --step)
    if (tile.vectors % step == 0 ||
        (step % tile.vectors == 0 && tile.rows % (step / tile.vectors) == 0))
      return step;
  return 1;
}

/// Stores the sums to memory, and applies the epilogue to them in a loop.
void ContractionEpilogue::emitLoop(OpBuilder &builder, Location loc,
                                   const ContractionStrategy &strategy,
                                   const ContractionTile &tile,
                                   ArrayRef<Value> sums,
                                   function_ref<Buffer(Value)> getBuffer) {
  constexpr unsigned kAlignment = sizeof(float);
  const IndexBuilder at(builder, loc);
  auto getPointer = [&](Value number) -> Value {
    Value offset = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), at.scale(number, strategy.width));
    return LLVM::GEPOp::create(builder, loc, memory.getType(),
                               builder.getF32Type(), memory,
                               ValueRange(offset));
  };
  for (auto [number, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(builder, loc, sum,
                          getPointer(at.index(static_cast<int64_t>(number))),
                          kAlignment);
  int64_t step =
      getLoopStep(tile, looksUpBytes(op) ? kVectorsOfBytes : kMaxLoopStep);
  auto loop = scf::ForOp::create(builder, loc, at.index(0),
                                 at.index(static_cast<int64_t>(sums.size())),
                                 at.index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), vectors = at.index(tile.vectors);
  Value row = arith::DivUIOp::create(builder, loc, first, vectors);
  Value vector = arith::RemUIOp::create(builder, loc, first, vectors);
  for (int64_t i = 0; i < step; ++i) {
    const int64_t inRow = i % tile.vectors;
    const bool isLast = i + 1 == step || inRow + 1 == tile.vectors;
    Value lane = at.scale(vector, strategy.width);
    Value sum = LLVM::LoadOp::create(builder, loc, sums.front().getType(),
                                     getPointer(at.add(first, i)), kAlignment);
    Value mask =
        isLast ? maskOfLast(builder, loc, tile, vector, inRow) : Value();
    emitVector(
        builder, loc, strategy, tile,
        {at.add(row, i / tile.vectors), at.add(lane, inRow * strategy.width)},
        sum, mask, getBuffer);
  }
  mergeLookUps(llvm::to_vector(llvm::make_pointer_range(
                   loop.getBody()->without_terminator())),
               step, kVectorsOfBytes * strategy.width);
}

void ContractionEpilogue::prefetchNextRow(
    OpBuilder &builder, Location loc, const ContractionStrategy &strategy,
    const ContractionTile &tile, function_ref<Buffer(Value)> getBuffer) const {
  const IndexBuilder at(builder, loc);
  ContractionTile next = tile;
  next.outer.back() =
      at.atMost(at.add(tile.outer.back(), 1),
                std::prev(contraction.spatial.end(), 2)->size - 1);
  SmallVector<Buffer> results{getHeroBuffer(getBuffer)};
  if (op)
    for (Value result : op->getResults())
      results.push_back(getBuffer(result));
  for (const Buffer &buffer : results) {
    if (!buffer.pointer || isStreamed(strategy, buffer.type))
      continue;
    unsigned bits = buffer.type.getElementTypeBitWidth();
    int64_t bytes = llvm::divideCeil(bits, 8);
    for (int64_t row = 0; row < tile.rows; ++row) {
      LaneEmitter lanes(builder, loc, strategy.width,
                        getIndices(builder, loc, strategy, next,
                                   {at.index(row), at.index(0)}),
                        {}, getBuffer);
      Value first = lanes.getAddress(buffer);
      for (int64_t byte = 0; byte < tile.vectors * strategy.width * bytes;
           byte += strategy.prefetchBytes)
        prefetch(builder, loc, first, byte, /*isWritten=*/true,
                 PrefetchLevel::First);
    }
  }
}

void ContractionEpilogue::emit(OpBuilder &builder, Location loc,
                               const ContractionStrategy &strategy,
                               const ContractionTile &tile,
                               ArrayRef<Value> sums,
                               function_ref<Buffer(Value)> getBuffer) {
  if (strategy.prefetchBytes > 0 && strategy.tilesAhead == 0 && isReturned)
    prefetchNextRow(builder, loc, strategy, tile, getBuffer);
  if (memory && static_cast<int64_t>(sums.size()) >= kMinLoopVectors)
    return emitLoop(builder, loc, strategy, tile, sums, getBuffer);
  const IndexBuilder at(builder, loc);
  // The ops of the vectors are emitted after this op.
  Operation *before = at.index(0).getDefiningOp();
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t v = 0; v < tile.vectors; ++v)
      emitVector(builder, loc, strategy, tile,
                 {at.index(row), at.index(v * strategy.width)},
                 sums[row * tile.vectors + v],
                 v + 1 == tile.vectors ? tile.mask : Value(), getBuffer);
  SmallVector<Operation *> ops;
  for (Operation *op = before->getNextNode();
       op && op->getIterator() != builder.getInsertionPoint();
       op = op->getNextNode())
    ops.push_back(op);
  mergeLookUps(ops, tile.rows * tile.vectors, kVectorsOfBytes * strategy.width);
}

} // namespace tandem
