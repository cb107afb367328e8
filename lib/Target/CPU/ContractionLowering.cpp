//===- ContractionLowering.cpp - Kernels of contractions ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionLowering.h"

#include "ContractionSchedule.h"
#include "ContractionTile.h"
#include "KernelFrame.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
  LogicalResult verifyEpilogue();
  bool canFlatten();
  void emitTask(Value task);
  void emitRows(ContractionTile tile, Value firstRow, Value firstTile);
  void emitRow(ContractionTile tile, Value firstTile);
  void emitWholeTiles(ContractionTile tile, Value firstTile, Value lastTile);
  void emitTile(ContractionTile tile, Value number);
  SmallVector<Value> emitSums(const ContractionTile &tile, Value number,
                              ArrayRef<int64_t> edges);
  void emitLastTile(ContractionTile tile);
  void emitEpilogue(const ContractionTile &tile, ArrayRef<Value> sums);
  SmallVector<Value> getIndices(const ContractionTile &tile, int64_t row,
                                int64_t vector);
  Value createMask(Value first, int64_t size);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b,
                                 arith::IntegerOverflowFlags::nsw);
  }
  Value scale(Value a, int64_t factor) {
    return arith::MulIOp::create(builder, loc, a, index(factor),
                                 arith::IntegerOverflowFlags::nsw);
  }
  /// The last digit of `number`, of which there are `size`; the rest stays.
  Value takeDigit(Value &number, int64_t size);
  bool arePositions() const {
    return schedule.tile.lanes == ContractionLanes::Positions;
  }

  ContractionMachine machine;
  Operation *hero = nullptr;
  linalg::GenericOp epilogue;
  Contraction contraction;
  ContractionSchedule schedule;
  std::unique_ptr<ContractionTileEmitter> emitter;
};

} // namespace

Operation *findContraction(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ir::ConvOp, ir::MatmulOp>(op))
      return &op;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What there is to do
//===----------------------------------------------------------------------===//

/// The operand that is the hero's result, less dims of size 1.
static OpOperand *findHeroOperand(linalg::GenericOp epilogue, Operation *hero) {
  for (OpOperand *input : epilogue.getDpsInputOperands()) {
    Value source = input->get();
    while (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>())
      source = collapse.getSrc();
    if (source.getDefiningOp() == hero)
      return input;
  }
  return nullptr;
}

LogicalResult ContractionLowering::verifyEpilogue() {
  OpOperand *operand = findHeroOperand(epilogue, hero);
  if (epilogue.getNumParallelLoops() != epilogue.getNumLoops() ||
      (operand && !epilogue.getMatchingIndexingMap(operand).isIdentity()))
    return epilogue.emitOpError("is no epilogue of a contraction");
  for (OpOperand *input : epilogue.getDpsInputOperands())
    if (input != operand && !pointers.contains(input->get()))
      return epilogue.emitOpError("reads a tensor that is not an argument");
  for (Value result : epilogue.getResults())
    if (!pointers.contains(result))
      return epilogue.emitOpError(
          "has a result that the kernel does not return");
  return success();
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
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (epilogue)
      return op.emitOpError("is the second epilogue of a contraction");
    epilogue = op;
  }
  return epilogue ? verifyEpilogue() : success();
}

/// Whether the epilogue steps through what it reads as through the result, or
/// not at all.
bool ContractionLowering::canFlatten() {
  if (!epilogue)
    return true;
  unsigned last = epilogue->getNumResults() ? epilogue.getNumLoops() - 1 : 0;
  bool outputsAreLast =
      contraction.outputDim == contraction.result.getRank() - 1;
  for (OpOperand *input : epilogue.getDpsInputOperands()) {
    AffineMap map = epilogue.getMatchingIndexingMap(input);
    if (map.isIdentity())
      continue;
    // Outputs are the last dim; else any dim but them is a position.
    for (AffineExpr expr : map.getResults())
      for (unsigned loop = 0; loop < epilogue.getNumLoops(); ++loop)
        if (expr.isFunctionOfDim(loop) && !(outputsAreLast && loop == last))
          return false;
  }
  return !epilogue.getBody()
              ->walk([](Operation *op) {
                return isa<linalg::IndexOp, tensor::ExtractOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Loops over tiles
//===----------------------------------------------------------------------===//

Value ContractionLowering::takeDigit(Value &number, int64_t size) {
  if (size == 1)
    return index(0);
  Value digit = arith::RemUIOp::create(builder, loc, number, index(size));
  number = arith::DivUIOp::create(builder, loc, number, index(size));
  return digit;
}

/// Which of the lanes from `first` on are below `size`.
Value ContractionLowering::createMask(Value first, int64_t size) {
  Value count = arith::SubIOp::create(builder, loc, index(size), first);
  return LaneEmitter::createTailMask(builder, loc, schedule.tile.width, count);
}

void ContractionLowering::emitTask(Value task) {
  Value number = takeDigit(task, schedule.outputs.getTiles());
  Value tileChunk = takeDigit(task, schedule.getTileChunks());
  Value rowChunk = takeDigit(task, schedule.getRowChunks());
  ContractionTile tile;
  Value output = scale(number, schedule.outputs.tile);
  bool isGroups = schedule.tile.lanes == ContractionLanes::Groups;
  tile.group = isGroups ? output : takeDigit(task, schedule.groups);
  tile.output = isGroups ? index(0) : output;
  Value firstRow = scale(rowChunk, schedule.rowsPerTask);
  Value firstTile = scale(tileChunk, schedule.tilesPerTask);

  auto emitOutputs = [&](int64_t size, bool isLast) {
    ContractionTile part = tile;
    part.rows = schedule.tile.rows;
    part.vectors = schedule.tile.vectors;
    int64_t width = schedule.tile.width;
    if (arePositions()) {
      part.rows = size;
    } else {
      part.vectors = (size + width - 1) / width;
      if (isLast && schedule.outputs.size % width != 0)
        part.mask = createMask(add(output, index((part.vectors - 1) * width)),
                               schedule.outputs.size);
    }
    emitRows(part, firstRow, firstTile);
  };
  int64_t rest = schedule.outputs.getRest();
  bool isSameCode = rest == 0 || schedule.outputs.getWhole() == 0 ||
                    (!arePositions() &&
                     (rest + schedule.tile.width - 1) / schedule.tile.width ==
                         schedule.tile.vectors);
  if (isSameCode)
    return emitOutputs(std::min(schedule.outputs.tile, schedule.outputs.size),
                       true);
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                            index(schedule.outputs.getWhole()));
  auto branch = scf::IfOp::create(builder, loc, isLast, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitOutputs(rest, true);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitOutputs(schedule.outputs.tile, false);
}

void ContractionLowering::emitRows(ContractionTile tile, Value firstRow,
                                   Value firstTile) {
  auto emitOne = [&](Value row) {
    SmallVector<Value> reversed;
    for (size_t i = contraction.spatial.size() - 1; i-- > 0;)
      reversed.push_back(takeDigit(row, contraction.spatial[i].size));
    tile.outer.assign(reversed.rbegin(), reversed.rend());
    reversed.clear();
    for (size_t i = contraction.batch.size(); i-- > 0;)
      reversed.push_back(takeDigit(row, contraction.batch[i].size));
    tile.batch.assign(reversed.rbegin(), reversed.rend());
    emitRow(tile, firstTile);
  };
  if (schedule.rowsPerTask == 1)
    return emitOne(firstRow);
  Value lastRow = add(firstRow, index(schedule.rowsPerTask));
  if (schedule.rows % schedule.rowsPerTask != 0)
    lastRow =
        arith::MinSIOp::create(builder, loc, lastRow, index(schedule.rows));
  auto loop = scf::ForOp::create(builder, loc, firstRow, lastRow, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitOne(loop.getInductionVar());
}

/// The tiles of a task in one row: whole ones, then what is left of the row
/// where the task has its end.
void ContractionLowering::emitRow(ContractionTile tile, Value firstTile) {
  int64_t whole = schedule.positions.getWhole();
  Value lastTile = add(firstTile, index(schedule.tilesPerTask));
  if (whole > 0)
    emitWholeTiles(
        tile, firstTile,
        arith::MinSIOp::create(builder, loc, lastTile, index(whole)));
  if (schedule.positions.getRest() == 0)
    return;
  if (schedule.getTileChunks() == 1)
    return emitLastTile(tile);
  Value hasEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       lastTile, index(whole));
  auto branch = scf::IfOp::create(builder, loc, hasEnd);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitLastTile(tile);
}

void ContractionLowering::emitLastTile(ContractionTile tile) {
  int64_t rest = schedule.positions.getRest(), width = schedule.tile.width;
  int64_t first = schedule.positions.getWhole() * schedule.positions.tile;
  tile.position = index(first);
  tile.knownPosition = first;
  if (arePositions()) {
    tile.vectors = (rest + width - 1) / width;
    if (rest % width != 0)
      tile.mask = createMask(index(first + (tile.vectors - 1) * width),
                             schedule.positions.size);
  } else {
    tile.rows = rest;
  }
  emitEpilogue(tile, emitter->emit(tile));
}

void ContractionLowering::emitWholeTiles(ContractionTile tile, Value firstTile,
                                         Value lastTile) {
  if (schedule.positions.getTiles() == 1)
    return emitTile(tile, index(0));
  auto loop = scf::ForOp::create(builder, loc, firstTile, lastTile, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitTile(tile, loop.getInductionVar());
}

void ContractionLowering::emitTile(ContractionTile tile, Value number) {
  SmallVector<int64_t> edges;
  int64_t rows = schedule.positions.tile, whole = schedule.positions.getWhole();
  for (int64_t i = 0; i < whole && !arePositions(); ++i)
    if (!emitter->isInterior(i * rows, rows))
      edges.push_back(i);
  tile.position = scale(number, rows);
  if (edges.size() == 1 && whole == 1)
    tile.knownPosition = 0;
  emitEpilogue(tile, emitSums(tile, number,
                              tile.knownPosition ? ArrayRef<int64_t>()
                                                 : ArrayRef(edges)));
}

/// Tiles with padding have code of their own; all share their epilogue.
SmallVector<Value> ContractionLowering::emitSums(const ContractionTile &tile,
                                                 Value number,
                                                 ArrayRef<int64_t> edges) {
  if (edges.empty())
    return emitter->emit(tile);
  Value isEdge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       number, index(edges.front()));
  auto type = VectorType::get({schedule.tile.width}, builder.getF32Type());
  SmallVector<Type> types(tile.rows * tile.vectors, type);
  auto branch = scf::IfOp::create(builder, loc, types, isEdge,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  ContractionTile edge = tile;
  edge.knownPosition = edges.front() * schedule.positions.tile;
  edge.position = index(*edge.knownPosition);
  scf::YieldOp::create(builder, loc, emitter->emit(edge));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc,
                       emitSums(tile, number, edges.drop_front()));
  return SmallVector<Value>(branch.getResults().begin(),
                            branch.getResults().end());
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// Of one vector, for each dim of the result that is not of size 1.
SmallVector<Value> ContractionLowering::getIndices(const ContractionTile &tile,
                                                   int64_t row,
                                                   int64_t vector) {
  int64_t lane = vector * schedule.tile.width;
  // Dims that became part of the innermost stay at 0.
  SmallVector<Value> indices(contraction.result.getRank());
  for (auto [dim, at] : llvm::zip(contraction.batch, tile.batch))
    indices[dim.resultDim] = at;
  for (auto [dim, at] : llvm::zip(contraction.spatial, tile.outer))
    indices[dim.resultDim] = at;
  indices[contraction.spatial.back().resultDim] =
      add(tile.position, index(arePositions() ? lane : row));
  Value output = tile.output;
  if (schedule.groups > 1)
    output = add(output, scale(tile.group, contraction.outputs));
  if (schedule.tile.lanes == ContractionLanes::Groups)
    output = tile.group;
  indices[contraction.outputDim] =
      add(output, index(arePositions() ? row : lane));
  SmallVector<Value> used;
  for (auto [size, at] : llvm::zip(contraction.result.getShape(), indices))
    if (size != 1)
      used.push_back(at ? at : index(0));
  return used;
}

void ContractionLowering::emitEpilogue(const ContractionTile &tile,
                                       ArrayRef<Value> sums) {
  auto bufferOf = [&](Value tensor) { return getBuffer(tensor); };
  // The hero's result as it is indexed: without dims of size 1.
  Buffer heroBuffer = getBuffer(hero->getResult(0));
  SmallVector<int64_t> shape = llvm::to_vector(llvm::make_filter_range(
      contraction.result.getShape(), [](int64_t size) { return size != 1; }));
  heroBuffer.type =
      RankedTensorType::get(shape, contraction.result.getElementType());
  OpOperand *operand = epilogue ? findHeroOperand(epilogue, hero) : nullptr;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value sum = sums[row * tile.vectors + v];
      LaneEmitter lanes(builder, loc, schedule.tile.width,
                        getIndices(tile, row, v),
                        v + 1 == tile.vectors ? tile.mask : Value(), bufferOf);
      if (heroBuffer.pointer)
        lanes.store(heroBuffer, sum);
      if (operand)
        lanes.bindValue(epilogue.getMatchingBlockArgument(operand), sum);
      if (epilogue)
        lanes.emitBody(epilogue);
    }
}

LogicalResult ContractionLowering::run() {
  if (failed(open(findInPlacePairs(kernel))) || failed(describe()))
    return failure();
  if (canFlatten())
    flattenPositions(contraction);
  schedule = scheduleContraction(contraction, machine);
  Value bias = contraction.bias ? getBuffer(contraction.bias).pointer : Value();
  emitter = std::make_unique<ContractionTileEmitter>(
      builder, loc, contraction, schedule.tile,
      getBuffer(contraction.data).pointer,
      getBuffer(contraction.weights).pointer, bias);
  auto loop = scf::ForOp::create(builder, loc, begin, end, index(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitTask(loop.getInductionVar());
  }
  close(schedule.extent, schedule.grain);
  return success();
}

LogicalResult lowerContractionKernel(ModuleOp module, func::FuncOp kernel,
                                     unsigned vectorBits) {
  return ContractionLowering(module, kernel, vectorBits).run();
}

} // namespace tandem
