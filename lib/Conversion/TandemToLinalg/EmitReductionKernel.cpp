//===- EmitReductionKernel.cpp - Kernels of reductions as linalg ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of reductions runs in stages over the same loops, the kept dims
// first: the reductions that need no other, those that need these, and so on;
// then what is returned. All stages are emitted before the loops are settled,
// since they share them.
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "KernelKinds.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Support/ShapeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tandem {
namespace {

/// What the values of one row that are stored rather than computed again may
/// take: they are to stay in a core's cache, and live on its stack.
constexpr int64_t kMaxKeptBytes = 128 << 10;
/// Columns that the target may compute at once.
constexpr int64_t kMaxColumns = 128;

class ReductionKernel {
public:
  explicit ReductionKernel(func::FuncOp kernel)
      : kernel(kernel), context(kernel.getContext()), loc(kernel.getLoc()),
        builder(kernel.getBody().front().getTerminator()) {}

  LogicalResult emit();

private:
  struct Stage {
    SmallVector<ir::ReduceOp> reduces;
    /// Values of the full shape to be stored for later stages, while they are
    /// computed here.
    SmallVector<Value> kept;
    std::unique_ptr<GenericBuilder> generic;
    /// Of the reductions' operands, then of the kept values.
    SmallVector<Value> elements;
  };
  /// What is returned in one shape.
  struct Results {
    SmallVector<OpOperand *> roots;
    std::unique_ptr<GenericBuilder> generic;
    SmallVector<Value> elements;
  };

  LogicalResult collectReductions();
  LogicalResult collectResults();
  void assignDims();
  unsigned getLevel(Value value);
  void planKeeping();
  void keepAcrossStages(ArrayRef<Value> roots, unsigned stage);
  bool isWorthKeeping(Value value) const;
  LogicalResult emitStage(Stage &stage);
  LogicalResult emitResults(Results &results, unsigned count);
  void mergeLoops();
  void createStage(Stage &stage);
  void createResults(Results &results, unsigned count);
  AffineMap getLeadingLoops(unsigned count) const;
  ElementIndex indexOf(Value value) const;

  func::FuncOp kernel;
  MLIRContext *context;
  Location loc;
  OpBuilder builder;
  /// Of what is reduced, and which of its dims are.
  ArrayRef<int64_t> fullShape;
  SmallVector<bool> isReduced;
  /// Sizes of the kept loops, then of the reduced ones.
  SmallVector<int64_t> loops;
  unsigned numKept = 0;
  /// The loops of the full shape's dims, and of its kept dims.
  SmallVector<AffineExpr> fullLoops, keptLoops;
  SmallVector<Stage> stages;
  Results rowResults, fullResults;
  EarlierValues earlier;
  DenseMap<Operation *, unsigned> levels, firstStage;
  int64_t keptBytes = 0;
  /// The final loops.
  std::unique_ptr<LoopSpace> space;
  unsigned numLoops = 0, numParallel = 0;
};

} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// How many reductions, one after the other, `value` needs.
unsigned ReductionKernel::getLevel(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  if (auto it = levels.find(op); it != levels.end())
    return it->second;
  unsigned level = 0;
  for (Value operand : op->getOperands())
    level = std::max(level, getLevel(operand));
  level += isa<ir::ReduceOp>(op) ? 1 : 0;
  levels[op] = level;
  return level;
}

LogicalResult ReductionKernel::collectReductions() {
  for (auto reduce : kernel.getBody().front().getOps<ir::ReduceOp>()) {
    if (std::string reason = whyNotReduction(reduce); !reason.empty())
      return reduce.emitOpError(reason);
    SmallVector<bool> dims(reduce.getInput().getType().getRank(), false);
    for (int64_t dim : reduce.getDims())
      dims[dim] = true;
    if (stages.empty()) {
      fullShape = reduce.getInput().getType().getShape();
      isReduced = dims;
    } else if (fullShape != reduce.getInput().getType().getShape() ||
               isReduced != dims) {
      return reduce.emitOpError(
          "reduces another shape or other dims than the kernel's first");
    }
    unsigned level = getLevel(reduce);
    if (stages.size() < level)
      stages.resize(level);
    stages[level - 1].reduces.push_back(reduce);
  }
  if (stages.empty())
    return kernel.emitOpError("is of kind reduction and has none");
  return success();
}

void ReductionKernel::assignDims() {
  fullLoops.resize(withoutOnes(fullShape).size());
  for (bool reduced : {false, true}) {
    unsigned position = 0;
    for (auto [dim, size] : llvm::enumerate(fullShape)) {
      if (size == 1)
        continue;
      if (isReduced[dim] == reduced) {
        fullLoops[position] = getAffineDimExpr(loops.size(), context);
        if (!reduced)
          keptLoops.push_back(fullLoops[position]);
        loops.push_back(size);
      }
      ++position;
    }
    if (!reduced)
      numKept = loops.size();
  }
}

LogicalResult ReductionKernel::collectResults() {
  SmallVector<int64_t> full = withoutOnes(fullShape);
  ArrayRef<int64_t> row = ArrayRef(loops).take_front(numKept);
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    SmallVector<int64_t> shape = withoutOnes(typeOf(operand.get()).getShape());
    if (shape == full)
      fullResults.roots.push_back(&operand);
    else if (ArrayRef(shape) == row)
      rowResults.roots.push_back(&operand);
    else
      return terminator->emitOpError(
          "returns a value that is neither of the shape that is reduced nor "
          "of the reductions' results");
  }
  return success();
}

/// The index at which the stages compute `value`, of the full shape or a row's.
ElementIndex ReductionKernel::indexOf(Value value) const {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  bool isFull = withoutOnes(shape).size() == fullLoops.size();
  return assignLoops(shape, isFull ? fullLoops : keptLoops, context);
}

//===----------------------------------------------------------------------===//
// What is stored between stages
//===----------------------------------------------------------------------===//

/// Whether loading is cheaper than computing, and a row is small.
bool ReductionKernel::isWorthKeeping(Value value) const {
  auto op = dyn_cast<ir::TandemOpInterface>(value.getDefiningOp());
  if (!op)
    return false;
  FailureOr<OpCost> cost = op.getCost();
  RankedTensorType type = typeOf(value);
  return succeeded(cost) &&
         cost->flops / type.getNumElements() >= kTranscendentalFlops;
}

/// Notes what `stage` computes for `roots`, and what of it an earlier one does.
void ReductionKernel::keepAcrossStages(ArrayRef<Value> roots, unsigned stage) {
  bool isByColumns = numKept > 0 && keptLoops.back() == fullLoops.back();
  int64_t rowElements = isByColumns ? kMaxColumns : 1;
  for (int64_t size : ArrayRef(loops).drop_front(numKept))
    rowElements *= size;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<ir::ReduceOp>(op) || typeOf(value).getShape() != fullShape)
      continue;
    auto [it, isNew] = firstStage.try_emplace(op, stage);
    if (!isNew && it->second == stage)
      continue;
    if (!isNew) {
      SmallVector<Value> &kept = stages[it->second].kept;
      if (llvm::is_contained(kept, value))
        continue;
      Type type = getComputeType(typeOf(value).getElementType());
      int64_t bytes = rowElements * ((type.getIntOrFloatBitWidth() + 7) / 8);
      if (keptBytes + bytes <= kMaxKeptBytes && isWorthKeeping(value)) {
        keptBytes += bytes;
        kept.push_back(value);
        continue;
      }
    }
    llvm::append_range(worklist, op->getOperands());
  }
}

void ReductionKernel::planKeeping() {
  for (auto [number, stage] : llvm::enumerate(stages)) {
    SmallVector<Value> roots;
    for (ir::ReduceOp reduce : stage.reduces)
      roots.push_back(reduce.getInput());
    keepAcrossStages(roots, number);
  }
  SmallVector<Value> roots;
  for (OpOperand *root : fullResults.roots)
    roots.push_back(root->get());
  keepAcrossStages(roots, stages.size());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult ReductionKernel::emitStage(Stage &stage) {
  stage.generic = std::make_unique<GenericBuilder>(builder, loc, loops);
  ElementalEmitter &emitter = stage.generic->getEmitter();
  emitter.setEarlierValues(earlier);
  for (ir::ReduceOp reduce : stage.reduces) {
    Value input = reduce.getInput();
    stage.elements.push_back(emitter.emit(input, indexOf(input)));
    if (!stage.elements.back())
      return failure();
  }
  // Where an op is computed at another index only, there is nothing to keep.
  llvm::erase_if(stage.kept, [&](Value value) {
    return !emitter.lookUp(value, indexOf(value));
  });
  for (Value value : stage.kept) {
    stage.elements.push_back(emitter.lookUp(value, indexOf(value)));
    earlier[value].index = indexOf(value);
  }
  for (ir::ReduceOp reduce : stage.reduces) {
    EarlierValue &value = earlier[reduce];
    value.index = indexOf(reduce);
    if (reduce.getKind() == ir::ReduceKind::mean)
      value.meanOf = getUnrolledElements(reduce);
  }
  return success();
}

LogicalResult ReductionKernel::emitResults(Results &results, unsigned count) {
  if (results.roots.empty())
    return success();
  results.generic = std::make_unique<GenericBuilder>(
      builder, loc, ArrayRef(loops).take_front(count));
  ElementalEmitter &emitter = results.generic->getEmitter();
  emitter.setEarlierValues(earlier);
  for (OpOperand *root : results.roots) {
    Value value = root->get();
    results.elements.push_back(emitter.emit(value, indexOf(value)));
    if (!results.elements.back())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Linalg ops
//===----------------------------------------------------------------------===//

void ReductionKernel::mergeLoops() {
  space = std::make_unique<LoopSpace>(loops);
  for (Stage &stage : stages)
    space->addReads(stage.generic->getEmitter());
  for (Results *results : {&rowResults, &fullResults}) {
    if (results->generic)
      space->addReads(results->generic->getEmitter());
    for (OpOperand *root : results->roots)
      space->addAccess(indexOf(root->get()), typeOf(root->get()).getShape());
  }
  space->splitBefore(numKept);
  space->merge();
  numLoops = space->getSizes().size();
  numParallel = numKept == 0 ? 0 : space->getNewLoop(numKept - 1) + 1;
}

/// What changes nothing it is combined with.
static TypedAttr getNeutral(OpBuilder &builder, ir::ReduceKind kind,
                            Type type) {
  if (kind == ir::ReduceKind::prod)
    return builder.getOneAttr(type);
  if (kind != ir::ReduceKind::max && kind != ir::ReduceKind::min)
    return builder.getZeroAttr(type);
  bool isMax = kind == ir::ReduceKind::max;
  if (auto floatType = dyn_cast<FloatType>(type))
    return builder.getFloatAttr(
        type, APFloat::getInf(floatType.getFloatSemantics(), isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                            : APInt::getSignedMaxValue(width));
}

AffineMap ReductionKernel::getLeadingLoops(unsigned count) const {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < count; ++i)
    dims.push_back(getAffineDimExpr(i, context));
  return AffineMap::get(numLoops, 0, dims, context);
}

void ReductionKernel::createStage(Stage &stage) {
  ArrayRef<int64_t> sizes = space->getSizes();
  SmallVector<GenericBuilder::Output> outputs;
  ArrayRef<Value> elements = stage.elements;
  for (ir::ReduceOp reduce : stage.reduces) {
    Value element = elements[outputs.size()];
    ir::ReduceKind kind = reduce.getKind();
    Value empty = tensor::EmptyOp::create(
        builder, loc, sizes.take_front(numParallel), element.getType());
    Value neutral = arith::ConstantOp::create(
        builder, loc, getNeutral(builder, kind, element.getType()));
    Value init =
        linalg::FillOp::create(builder, loc, neutral, empty).getResult(0);
    auto combine = [loc = reduce.getLoc(), kind](OpBuilder &at, Value before,
                                                 Value value) {
      return emitCombination(at, loc, kind, before, value);
    };
    outputs.push_back({element, init, getLeadingLoops(numParallel), combine});
  }
  for (Value element : elements.drop_front(stage.reduces.size()))
    outputs.push_back(
        {element,
         tensor::EmptyOp::create(builder, loc, sizes, element.getType()),
         getLeadingLoops(numLoops), nullptr});
  auto op = stage.generic->create(*space, numLoops, numParallel, outputs);
  auto result = op.getResults().begin();
  for (ir::ReduceOp reduce : stage.reduces)
    earlier[reduce].tensor = *result++;
  for (Value value : stage.kept)
    earlier[value].tensor = *result++;
}

void ReductionKernel::createResults(Results &results, unsigned count) {
  if (results.roots.empty())
    return;
  SmallVector<KernelResult> places;
  SmallVector<GenericBuilder::Output> outputs;
  for (auto [root, element] : llvm::zip(results.roots, results.elements)) {
    places.emplace_back(*space, count, indexOf(root->get()),
                        typeOf(root->get()));
    outputs.push_back({element, places.back().createInit(builder, loc),
                       places.back().getMap(), nullptr});
  }
  auto op = results.generic->create(*space, count, count, outputs);
  for (auto [root, place, value] :
       llvm::zip(results.roots, places, op.getResults()))
    root->set(place.expand(builder, loc, value));
}

LogicalResult ReductionKernel::emit() {
  if (failed(collectReductions()))
    return failure();
  assignDims();
  if (failed(collectResults()))
    return failure();
  planKeeping();
  for (Stage &stage : stages)
    if (failed(emitStage(stage)))
      return failure();
  if (failed(emitResults(rowResults, numKept)) ||
      failed(emitResults(fullResults, loops.size())))
    return failure();
  mergeLoops();
  for (Stage &stage : stages)
    createStage(stage);
  createResults(rowResults, numParallel);
  createResults(fullResults, numLoops);
  return success();
}

LogicalResult emitReductionKernel(func::FuncOp kernel) {
  return ReductionKernel(kernel).emit();
}

} // namespace tandem
