//===- SplitReductions.cpp - tandem-split-reductions ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheme is that of XLA's tree reduction
// (xla/backends/gpu/transforms/tree_reduction_rewriter.cc).
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Analysis/PassDevice.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

#define DEBUG_TYPE "tandem-reductions"

namespace tandem {
#define GEN_PASS_DEF_TANDEMSPLITREDUCTIONS
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Partial results are to be few beside the elements.
constexpr int64_t kMinPartLength = 64;
/// So many for each core, that one which is late delays the others little.
constexpr int64_t kPartsPerCore = 8;
/// Columns that a task computes at once.
constexpr int64_t kColumns = 128;

/// A reduction seen as that of dim 1 of [outer, length, columns].
struct Extent {
  int64_t outer = 1, length = 1, columns = 1;
  /// The dims of the operand of each; those of size 1 count as outer.
  unsigned first = 0, last = 0;
};

/// Nothing where the reduced dims are not next to each other.
std::optional<Extent> getExtent(ir::ReduceOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
  SmallVector<bool> isReduced(shape.size(), false);
  for (int64_t dim : op.getDims())
    isReduced[dim] = shape[dim] != 1;
  Extent extent;
  auto begin = llvm::find(isReduced, true);
  if (begin == isReduced.end())
    return std::nullopt;
  extent.first = begin - isReduced.begin();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (isReduced[dim]) {
      if (extent.columns != 1)
        return std::nullopt;
      extent.length *= size;
      extent.last = dim;
    } else {
      (dim < extent.first ? extent.outer : extent.columns) *= size;
    }
  }
  return extent;
}

/// Chooses the length of the parts of a reduction, for a device.
class Parts {
public:
  Parts(const Extent &extent, int64_t elementBytes, const DeviceModel &device)
      : extent(extent), elementBytes(elementBytes), device(device),
        rowBytes(extent.columns * elementBytes),
        results(extent.outer *
                llvm::divideCeilSigned(extent.columns, kColumns)) {}

  /// Nothing where the reduction is better whole.
  std::optional<int64_t> choose() const;

private:
  std::optional<int64_t> divisorNear(int64_t wished, int64_t atLeast) const;
  double getNs(int64_t tasks) const;

  const Extent &extent;
  int64_t elementBytes;
  const DeviceModel &device;
  int64_t rowBytes;
  /// Tasks of the whole.
  int64_t results;
};

/// The time of the reduction in so many tasks.
double Parts::getNs(int64_t tasks) const {
  const auto elements =
      static_cast<double>(extent.outer * extent.length * extent.columns);
  return estimateNs(device,
                    {elements, elements * static_cast<double>(elementBytes),
                     elementBytes, tasks});
}

std::optional<int64_t> Parts::choose() const {
  auto lengthOf = [&](double bytes) {
    return std::max(static_cast<int64_t>(bytes) / rowBytes, kMinPartLength);
  };
  int64_t wished = lengthOf(static_cast<double>(device.nearBytes()));
  // The elements of a column of a tall matrix are far apart. One part after
  // another is read in memory order.
  bool isTall = extent.columns > 1 && extent.length >= 8 * wished;
  // A part is to take a core as long as a launch at least.
  int64_t atLeast = lengthOf(device.launchNs * device.memoryBytesPerNs /
                             static_cast<double>(device.cores));
  while (wished > atLeast &&
         extent.length / wished * results < kPartsPerCore * device.cores)
    wished /= 2;
  std::optional<int64_t> part = divisorNear(wished, atLeast);
  if (!part || isTall)
    return part;
  double inParts = getNs(results * (extent.length / *part)) + device.launchNs;
  return getNs(results) > inParts ? part : std::nullopt;
}

/// A divisor of the length near to the one wished for, if there is one.
std::optional<int64_t> Parts::divisorNear(int64_t wished,
                                          int64_t atLeast) const {
  const int64_t atMost = extent.length / 2;
  if (atMost < atLeast)
    return std::nullopt;
  auto isPart = [&](int64_t part) {
    return part >= atLeast && part <= atMost && extent.length % part == 0;
  };
  // Only as far away as a part may be: dividing takes long.
  const int64_t nearest = std::max<int64_t>(wished - atMost, 0);
  const int64_t farthest = std::max(wished - atLeast, atMost - wished);
  for (int64_t off = nearest; off < wished * 4 && off <= farthest; ++off) {
    if (off < wished && isPart(wished - off))
      return wished - off;
    if (isPart(wished + off))
      return wished + off;
  }
  return std::nullopt;
}

/// What a value has become in a split type.
using SplitValues = DenseMap<std::pair<Value, Type>, Value>;

/// Reduces parts of the dim, and then the results of the parts.
/// Special values: NaN and infinities of a part are those of its result, so
/// that infinities of both signs give NaN in the end; each sum begins at 0, as
/// the whole does. As in any order, one sum may overflow where another does
/// not.
class Splitter {
public:
  Splitter(ir::ReduceOp op, const Extent &extent, int64_t part,
           SplitValues &splitValues)
      : op(op), extent(extent), part(part), builder(op),
        splitValues(splitValues) {
    ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
    llvm::append_range(splitShape, shape.take_front(extent.first));
    splitShape.append({extent.length / part, part});
    llvm::append_range(splitShape, shape.drop_front(extent.last + 1));
  }

  void run();

private:
  Value split(Value value);
  Value splitOperand(Value value);
  std::optional<SmallVector<int64_t>> splitBroadcast(RankedTensorType type);
  bool isWorthSplitting(Operation *op);
  Value reshape(Value value, ArrayRef<int64_t> shape);

  ir::ReduceOp op;
  const Extent &extent;
  int64_t part;
  OpBuilder builder;
  SmallVector<int64_t> splitShape;
  SplitValues &splitValues;
};

Value Splitter::reshape(Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return ir::ReshapeOp::create(builder, op.getLoc(), value,
                               builder.getDenseI64ArrayAttr(shape));
}

/// The split shape of an operand that is broadcast; nothing where it varies
/// along some of the reduced dims only.
std::optional<SmallVector<int64_t>>
Splitter::splitBroadcast(RankedTensorType type) {
  ArrayRef<int64_t> full = typeOf(op.getInput()).getShape();
  SmallVector<int64_t> shape(full.size() - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  ArrayRef<int64_t> reduced =
      ArrayRef(shape).slice(extent.first, extent.last + 1 - extent.first);
  ArrayRef<int64_t> all = full.slice(extent.first, reduced.size());
  bool isWhole = reduced == all;
  if (!isWhole && !llvm::all_equal(reduced) && reduced.front() != 1)
    return std::nullopt;
  if (!isWhole && llvm::any_of(reduced, [](int64_t size) { return size != 1; }))
    return std::nullopt;
  SmallVector<int64_t> result(ArrayRef(shape).take_front(extent.first));
  if (isWhole)
    result.append({extent.length / part, part});
  else
    result.append({1, 1});
  llvm::append_range(result, ArrayRef(shape).drop_front(extent.last + 1));
  return result;
}

/// Whether to compute the producer on the split shape instead of storing its
/// result: if it reads at most one operand of the full shape, or if nothing
/// else reads its result.
bool Splitter::isWorthSplitting(Operation *producer) {
  if (!producer || !isa<ir::ElementwiseOpInterface>(producer) ||
      producer->getNumResults() != 1)
    return false;
  llvm::SmallDenseSet<Value> large;
  for (Value operand : producer->getOperands()) {
    if (!splitBroadcast(typeOf(operand)))
      return false;
    if (typeOf(operand).getShape() == typeOf(op.getInput()).getShape())
      large.insert(operand);
  }
  return large.size() <= 1 || producer->getResult(0).hasOneUse();
}

Value Splitter::splitOperand(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == typeOf(op.getInput()).getShape())
    return split(value);
  // What is the same for every element broadcasts as it is.
  if (type.getNumElements() == 1 && type.getRank() == 0)
    return value;
  return reshape(value, *splitBroadcast(type));
}

/// `value`, of the operand's shape, in the split shape.
Value Splitter::split(Value value) {
  Type type = typeOf(value).clone(splitShape);
  if (Value known = splitValues.lookup({value, type}))
    return known;
  Operation *producer = value.getDefiningOp();
  Value result;
  if (isWorthSplitting(producer)) {
    OperationState state(producer->getLoc(), producer->getName());
    for (Value operand : producer->getOperands())
      state.addOperands(splitOperand(operand));
    state.addTypes(type);
    state.propertiesAttr = producer->getPropertiesAsAttribute();
    result = builder.create(state)->getResult(0);
  } else {
    result = reshape(value, splitShape);
  }
  splitValues[{value, type}] = result;
  return result;
}

void Splitter::run() {
  Location loc = op.getLoc();
  Type element = typeOf(op.getResult()).getElementType();
  Value value = split(op.getInput());
  // Partial results are not rounded to half precision.
  if (element.isF16() || element.isBF16())
    value = ir::CastOp::create(builder, loc, value, builder.getF32Type());
  bool isMean = op.getKind() == ir::ReduceKind::mean;
  auto kind = isMean ? ir::ReduceKind::sum : op.getKind();
  for (int64_t dim : {extent.first + 1, extent.first})
    value = ir::ReduceOp::create(builder, loc, value, kind,
                                 builder.getDenseI64ArrayAttr(dim),
                                 /*keep_dims=*/false);
  if (isMean) {
    Type computed = typeOf(value).getElementType();
    Value count = ir::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            RankedTensorType::get({}, computed),
            builder.getFloatAttr(computed,
                                 static_cast<double>(extent.length))));
    value = ir::DivOp::create(builder, loc, value, count);
  }
  if (typeOf(value).getElementType() != element)
    value = ir::CastOp::create(builder, loc, value, element);
  op.replaceAllUsesWith(reshape(value, typeOf(op.getResult()).getShape()));
  op.erase();
}

struct SplitReductionsPass
    : impl::TandemSplitReductionsBase<SplitReductionsPass> {
  using TandemSplitReductionsBase::TandemSplitReductionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readDevice(context, deviceSpec.getValue(), device);
  }

  void runOnOperation() override {
    SmallVector<ir::ReduceOp> ops;
    getOperation()->walk([&](ir::ReduceOp op) {
      if (!isa<ir::FusionOp>(op->getParentOp()))
        ops.push_back(op);
    });
    bool isChanged = false;
    SplitValues splitValues;
    for (ir::ReduceOp op : ops)
      isChanged |= succeeded(split(op, splitValues));
    if (!isChanged)
      return markAllAnalysesPreserved();
    // What was computed on the split shape is often needed there alone.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *inner) {
          if (isOpTriviallyDead(inner))
            inner->erase();
        });
  }

private:
  LogicalResult split(ir::ReduceOp op, SplitValues &splitValues) {
    RankedTensorType type = typeOf(op.getInput());
    if (!type.hasStaticShape() || type.getNumElements() == 0 ||
        op.getKind() == ir::ReduceKind::argmax)
      return failure();
    std::optional<Extent> extent = getExtent(op);
    if (!extent)
      return failure();
    auto part = Parts(*extent, (type.getElementTypeBitWidth() + 7) / 8, device)
                    .choose();
    LLVM_DEBUG(llvm::dbgs()
               << op << "\n  in parts of " << part.value_or(extent->length)
               << " of " << extent->length << "\n");
    if (!part)
      return failure();
    Splitter(op, *extent, *part, splitValues).run();
    return success();
  }

  DeviceModel device;
};

} // namespace
} // namespace tandem
