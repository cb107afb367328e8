//===- ContractionLowering.cpp - Kernels of contractions ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/ContractionLowering.h"

#include "Contraction/ContractionEpilogue.h"
#include "Contraction/ContractionLoops.h"
#include "Contraction/ContractionWindows.h"
#include "Contraction/Cost/CopiedWeights.h"
#include "Contraction/Cost/StagedData.h"
#include "Contraction/PrologueBuffer.h"
#include "Contraction/Tile/GaxpyEmitter.h"
#include "Contraction/Tile/WeightsCopy.h"
#include "Contraction/Winograd/WinogradEmitter.h"
#include "KernelFrame.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {
namespace {

/// The largest part of the result that a task may keep in its workspace, in
/// bytes. The planner, which does not know the tile yet, uses a smaller limit.
constexpr int64_t kMaxPartBytes = 2 << 20;

class ContractionLowering : KernelFrame {
public:
  ContractionLowering(ModuleOp module, func::FuncOp kernel, CoreModel core,
                      int64_t streamedBytes)
      : KernelFrame(module, kernel, streamedBytes), core(core) {}

  LogicalResult run();

private:
  LogicalResult describe();
  Status describeHero();
  LogicalResult describeEpilogue();
  LogicalResult verifyPrologue();
  ContractionSchedule makeSchedule();
  bool areSumsOfPairs() const;
  /// The operands of tiles that compute the contraction as `described`.
  TileProblem describeTiles(const Contraction &described,
                            const ContractionStrategy &tile);
  LogicalResult emitTiles();
  LogicalResult emitTasks(ContractionLoops &loops,
                          const ContractionSchedule &schedule);
  void emitWinograd();
  /// Returns the value of the attribute kFormAttrName.
  std::string getForm(const ContractionStrategy &tile) const;

  /// The memory of a tensor, or of a task's part of it.
  Buffer findBuffer(Value tensor) const;
  void forEachTask(function_ref<void(Value)> emit);

  CoreModel core;
  Operation *hero = nullptr;
  Contraction contraction;
  /// The contraction with its transformed weights, if it has any.
  std::optional<TransformedConv> transformed;
  /// The op that computes the data; null if the data is in memory.
  linalg::GenericOp prologue;
  std::optional<ContractionEpilogue> epilogue;
  /// The pooling windows that follow the contraction, if any.
  std::optional<FusedPooling> pooling;
};

} // namespace

Operation *findContraction(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ir::ContractionOpInterface>(op))
      return &op;
  return nullptr;
}

/// Whether the plain weights have the same blocks of outputs as the transformed
/// weights.
static bool isPackedAs(const Contraction &plain,
                       const Contraction &transformed) {
  int64_t block = transformed.inputWeightsStride;
  return plain.outputStride == 1 && plain.inputWeightsStride == block &&
         (plain.outputChannels <= block ||
          (plain.outputBlock == block &&
           plain.outputBlockStride == plain.getReduction() * block));
}

Status ContractionLowering::describeHero() {
  TANDEM_ASSIGN_OR_RETURN(contraction, describeContraction(hero));
  TANDEM_RETURN_IF_ERROR(checkContraction(hero, contraction));
  if (!getVectorizedDim(contraction))
    return fail("codegen", "has nothing to run along vectors");
  if (contraction.areWeightsScaled() && !canScaleWeights(contraction))
    return fail("codegen", "has no tiles for weights with scales");
  if (!findWinogradKernel(hero))
    return {};
  if (!canUseWinograd(contraction))
    return fail("codegen", "has no use for transformed weights");
  TANDEM_ASSIGN_OR_RETURN(transformed, describeTransformed(hero));
  if (!isPackedAs(contraction, transformed->conv))
    return fail("codegen",
                "has plain weights in other blocks than the transformed ones");
  return {};
}

LogicalResult ContractionLowering::describe() {
  hero = findContraction(kernel);
  if (Status can = describeHero(); !can)
    return hero->emitOpError(can.error().message);
  if (failed(describeEpilogue()))
    return failure();
  if (!pointers.contains(contraction.weights) ||
      (transformed && !pointers.contains(transformed->conv.weights)) ||
      (contraction.scales && !pointers.contains(contraction.scales)) ||
      (!prologue && !pointers.contains(contraction.data)))
    return hero->emitOpError("has an operand that is not in memory");
  return prologue ? verifyPrologue() : success();
}

/// Finds the epilogue. A linalg.generic before the hero is the prologue.
LogicalResult ContractionLowering::describeEpilogue() {
  linalg::GenericOp body;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op->isBeforeInBlock(hero)) {
      if (prologue)
        return op.emitOpError("is the second prologue of a contraction");
      prologue = op;
      continue;
    }
    bool isWindow = getWindow(op).has_value();
    if (isWindow ? pooling.has_value() : body || pooling)
      return op.emitOpError("is the second epilogue of a contraction");
    if (isWindow)
      pooling.emplace(builder, loc, contraction, op);
    else
      body = op;
  }
  if (pooling) {
    if (failed(pooling->verify(hero, body, pointers)))
      return failure();
    if (transformed && !pooling->getWindow().fitsTiles(winograd::kTile))
      return hero->emitOpError("has windows across its transformed tiles");
  }
  epilogue.emplace(
      contraction, hero, body, /*isReturned=*/!pooling,
      [this](RankedTensorType type, int64_t lanes, int64_t rowSize) {
        return streamResult(type, lanes, rowSize);
      });
  return epilogue->verify(pointers);
}

Buffer ContractionLowering::findBuffer(Value tensor) const {
  if (pooling)
    if (std::optional<Buffer> part = pooling->find(tensor))
      return *part;
  return getBuffer(tensor);
}

LogicalResult ContractionLowering::verifyPrologue() {
  if (pooling)
    return hero->emitOpError("has both a prologue and windows");
  if (Status can = checkPrologue(contraction); !can)
    return hero->emitOpError(can.error().message);
  Value data = contraction.data;
  while (auto expand = data.getDefiningOp<tensor::ExpandShapeOp>())
    data = expand.getSrc();
  if (data.getDefiningOp() != prologue || prologue->getNumResults() != 1 ||
      prologue.getNumParallelLoops() != prologue.getNumLoops() ||
      !prologue.getMatchingIndexingMap(prologue.getDpsInitOperand(0))
           .isIdentity())
    return prologue.emitOpError("is no prologue of a contraction");
  for (Value input : prologue.getDpsInputs())
    if (!pointers.contains(input) && !input.getDefiningOp<tensor::EmptyOp>())
      return prologue.emitOpError("reads a tensor that is not an argument");
  return verifyBody(prologue);
}

std::string
ContractionLowering::getForm(const ContractionStrategy &tile) const {
  std::string form;
  if (transformed)
    form = "winograd";
  else
    switch (tile.vectorizedDim) {
    case VectorizedDim::OutputChannel:
      form = tile.isGaxpy()                    ? "gaxpy"
             : tile.usesMatrixUnit()           ? "matrix-unit"
             : contraction.areIntegersPaired() ? "outputs-paired"
             : contraction.areWeightsScaled()  ? "outputs-scaled"
                                               : "outputs";
      break;
    case VectorizedDim::Group:
      form = "groups";
      break;
    case VectorizedDim::Spatial:
      form = "positions";
      break;
    case VectorizedDim::InputChannel:
      form = "inputs";
      break;
    }
  return form + (prologue ? "-prologue" : pooling ? "-pooling" : "");
}

void ContractionLowering::forEachTask(function_ref<void(Value)> emit) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

/// Changes `contraction` to the form that tiles compute, by merging dims of
/// positions and describing groups as outputs where possible, and returns its
/// schedule.
ContractionSchedule ContractionLowering::makeSchedule() {
  if (!pooling && epilogue->canFlatten())
    flattenPositions(contraction);
  if (!pooling && !prologue)
    describeGroupsAsOutputs(contraction);
  contraction.sumsInRegisters = pooling.has_value();
  // A matrix unit loads whole vectors of weights.
  core.hasAMXInt8 &= haveAllLanes(contraction, core.vectorBits / 32);
  ContractionSchedule schedule =
      scheduleContraction(contraction, core, bool(prologue),
                          /*mayCopy=*/!pooling, epilogue->estimateNs());
  if (pooling)
    schedule.tilesPerTask = schedule.positions.getTiles();
  return schedule;
}

/// Whether all sums come from instructions that multiply pairs. A window that
/// reads only padding has the bias as its sum, so a bias with padding is
/// excluded.
bool ContractionLowering::areSumsOfPairs() const {
  return core.usesPairs() && contraction.inputsTogether == 2 &&
         (!contraction.bias ||
          llvm::none_of(contraction.spatial,
                        [](const Contraction::SpatialDim &dim) {
                          return dim.isPadded();
                        }));
}

TileProblem
ContractionLowering::describeTiles(const Contraction &described,
                                   const ContractionStrategy &tile) {
  TileProblem problem{described, tile, getBuffer(contraction.data).pointer,
                      getBuffer(contraction.weights).pointer};
  if (contraction.bias)
    problem.bias = getBuffer(contraction.bias).pointer;
  if (contraction.scales)
    problem.scales = getBuffer(contraction.scales).pointer;
  problem.usesPairs = core.usesPairs();
  problem.byteProducts = chooseByteProducts(
      core, tile.width, !contraction.dataType.isUnsignedInteger());
  return problem;
}

/// Returns `tile` as the epilogue gets it: in vectors of all rows (a gaxpy),
/// row by row (MatrixTileEmitter), or as a whole.
static ContractionStrategy asStored(ContractionStrategy tile) {
  tile.rows = tile.usesMatrixUnit() ? 1 : tile.rows;
  tile.vectors = tile.usesMatrixUnit() || tile.isGaxpy() ? 1 : tile.vectors;
  return tile;
}

LogicalResult ContractionLowering::emitTiles() {
  ContractionSchedule schedule = makeSchedule();
  if (contraction.areIntegersPaired() &&
      schedule.tile.getLanes() != contraction.inputWeightsStride)
    return hero->emitOpError(
        "has pairs of integers in blocks of another size than its tiles");
  std::optional<WeightsCopy> weightsCopy;
  const Contraction copied =
      withCopiedWeights(contraction, schedule.tile.getLanes());
  if (schedule.tile.copiesWeights)
    weightsCopy.emplace(builder, loc, describeTiles(contraction, schedule.tile),
                        scratch);
  const Contraction padded =
      schedule.tile.padsData ? withPaddedRows(contraction) : contraction;
  TileProblem problem =
      describeTiles(weightsCopy ? copied : padded, schedule.tile);
  if (weightsCopy) {
    problem.weights = weightsCopy->getPointer();
    problem.areWeightsWide = true;
  }
  if (areSumsOfPairs())
    epilogue->setSumsOfPairs();
  std::unique_ptr<TileEmitter> tileEmitter;
  if (!schedule.tile.isGaxpy()) {
    tileEmitter = createTileEmitter(builder, loc, problem, scratch);
    if (padded.spatial.back().isPadded())
      tileEmitter->prepareGuards(scratch);
  }
  const ContractionStrategy stored = asStored(schedule.tile);
  epilogue->prepareLoop(scratch, stored);
  auto bufferOf = [&](Value tensor) { return findBuffer(tensor); };
  auto emitEpilogue = [&](const ContractionTile &tile, ArrayRef<Value> sums) {
    epilogue->emit(builder, loc, stored, tile, sums, bufferOf);
  };
  std::optional<PrologueBuffer> prologueBuffer;
  if (schedule.isStaged())
    prologueBuffer.emplace(builder, loc, contraction, schedule, prologue,
                           core.vectorBits / 32, scratch, bufferOf);
  if (!tileEmitter) {
    GaxpyEmitter gaxpy(builder, loc, problem, scratch, emitEpilogue);
    if (prologueBuffer)
      gaxpy.setData(prologueBuffer->emit(index(0), index(0)),
                    schedule.tile.widensData);
    gaxpy.emit(begin, end);
    close(schedule.extent, schedule.grain, getForm(schedule.tile));
    return success();
  }
  auto emitStaging = [&](Value firstRow, Value firstTile) {
    tileEmitter->setData(prologueBuffer->emit(firstRow, firstTile),
                         schedule.tile.widensData);
  };
  auto emitWeights = [&](const ContractionTile &tile) {
    weightsCopy->emit(tile);
  };
  ContractionLoops loops(
      builder, loc, contraction, schedule, *tileEmitter, emitEpilogue,
      emitStaging,
      weightsCopy ? ContractionLoops::EmitWeights(emitWeights) : nullptr);
  return emitTasks(loops, schedule);
}

LogicalResult
ContractionLowering::emitTasks(ContractionLoops &loops,
                               const ContractionSchedule &schedule) {
  if (!pooling) {
    forEachTask([&](Value task) { loops.emitTask(task); });
    close(schedule.extent, schedule.grain, getForm(schedule.tile));
    return success();
  }
  WindowSchedule windows = scheduleWindows(
      contraction, pooling->getWindow(), schedule, pooling->getElementBytes());
  if (windows.chunks.partBytes > kMaxPartBytes)
    return hero->emitOpError("has windows over more than a task may keep");
  pooling->allocate(scratch, windows.chunks.partShape, schedule.tile.width);
  auto bufferOf = [&](Value tensor) { return findBuffer(tensor); };
  ContractionWindows emitter(builder, loc, contraction, schedule, windows,
                             *pooling, loops, bufferOf);
  forEachTask([&](Value task) { emitter.emitTask(task); });
  close(windows.extent, windows.grain, getForm(schedule.tile));
  return success();
}

void ContractionLowering::emitWinograd() {
  WinogradPlan plan = planWinograd(*transformed, core);
  if (pooling)
    pooling->allocate(scratch, WinogradEmitter::getPartShape(contraction, plan),
                      plan.tile.width);
  Value bias = contraction.bias ? getBuffer(contraction.bias).pointer : Value();
  auto bufferOf = [&](Value tensor) { return findBuffer(tensor); };
  auto emitEpilogue = [&](const ContractionTile &tile, Value vector) {
    epilogue->emit(builder, loc, plan.tile, tile, vector, bufferOf);
  };
  auto emitData = [&](Value position, Value input, Value mask) {
    return emitPrologue(builder, loc, prologue, contraction.inputChannels,
                        plan.tile.width, position, input, mask, bufferOf);
  };
  WinogradEmitter emitter(builder, loc, *transformed, contraction, plan,
                          scratch, getBuffer(contraction.data).pointer,
                          getBuffer(transformed->conv.weights).pointer,
                          getBuffer(contraction.weights).pointer, bias,
                          emitEpilogue,
                          prologue ? WinogradEmitter::EmitData(emitData)
                                   : WinogradEmitter::EmitData(),
                          pooling ? &*pooling : nullptr, bufferOf);
  forEachTask([&](Value task) { emitter.emitTask(task); });
  close(plan.tasks, /*grain=*/1, getForm(plan.tile));
}

LogicalResult ContractionLowering::run() {
  if (failed(open(findInPlacePairs(kernel))) || failed(describe()))
    return failure();
  if (transformed)
    emitWinograd();
  else
    return emitTiles();
  return success();
}

LogicalResult lowerContractionKernel(ModuleOp module, func::FuncOp kernel,
                                     CoreModel core, int64_t streamedBytes) {
  return ContractionLowering(module, kernel, core, streamedBytes).run();
}

} // namespace tandem
