//===- DecomposeResize.cpp - Interpolation as gathers ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tandem-decompose-resize. The tables of taps are those that all other
// implementations of resize use (Resize.h).
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/Resize.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDECOMPOSERESIZE
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// A resized dim, and its table.
struct ResizedAxis {
  int64_t dim, from;
  ResizeTable table;

  bool grows() const { return table.size() > from; }
};

/// Replaces one op.
class ResizeDecomposition {
public:
  explicit ResizeDecomposition(ir::ResizeOp op);
  /// Whether every position has a tap or is the extrapolation value.
  bool hasAllTaps() const;
  /// The largest number of taps along a dim.
  int64_t maxTaps() const;
  void run();

private:
  Value resizeAxis(Value x, const ResizedAxis &axis);
  /// The weighted sum of all taps, with a gather of each one.
  Value sumTaps(Value x, const ResizedAxis &axis);
  Value extrapolate(Value x, const ResizedAxis &axis);
  /// Interpolated integers, rounded as roundResized says.
  Value roundIntegers(Value x);

  Value cast(Value x, Type type);
  Value gather(Value x, ArrayRef<int64_t> indices, int64_t dim);
  /// A constant vector along one dim of the result.
  Value alongDim(DenseElementsAttr values, int64_t dim);
  Value scalar(Type type, double value);
  double grid() {
    return gridOf(byteWidth(ir::toTandemType(typeOf(op.getResult())).dtype));
  }
  FloatType floatOf(Value x) const {
    return cast_if_present<FloatType>(typeOf(x).getElementType());
  }

  ir::ResizeOp op;
  fb::ResizeAttrsT attrs;
  OpBuilder builder;
  Location loc;
  SmallVector<ResizedAxis> axes;
};

/// Puts the axes in an order in which little is read along inner dims, whose
/// elements are gathered one by one: those that shrink, then those that grow,
/// the inner ones first.
ResizeDecomposition::ResizeDecomposition(ir::ResizeOp op)
    : op(op), attrs(*op.getOpDesc().attrs.AsResizeAttrs()), builder(op),
      loc(op.getLoc()) {
  const ArrayRef<int64_t> from = shapeOf(op.getInput()),
                          to = shapeOf(op.getResult());
  for (auto [i, dim] : llvm::enumerate(attrs.dims))
    axes.push_back(
        {dim, from[dim], ResizeTable(resizeDim(attrs, i, from[dim], to[dim]))});
  llvm::stable_sort(axes, [](const ResizedAxis &lhs, const ResizedAxis &rhs) {
    return lhs.grows() != rhs.grows() ? rhs.grows()
           : lhs.grows()              ? lhs.dim > rhs.dim
                                      : lhs.dim < rhs.dim;
  });
}

bool ResizeDecomposition::hasAllTaps() const {
  for (const ResizedAxis &axis : axes)
    for (int64_t i = 0; i < axis.table.size(); ++i)
      if (axis.table.numTaps(i) == 0)
        return false;
  return true;
}

int64_t ResizeDecomposition::maxTaps() const {
  int64_t most = 1;
  for (const ResizedAxis &axis : axes)
    most = std::max(most, axis.table.maxTaps);
  return most;
}

Value ResizeDecomposition::cast(Value x, Type type) {
  if (typeOf(x).getElementType() == type)
    return x;
  return ir::CastOp::create(builder, loc, x, TypeAttr::get(type));
}

Value ResizeDecomposition::gather(Value x, ArrayRef<int64_t> indices,
                                  int64_t dim) {
  auto identity = llvm::seq<int64_t>(0, shapeOf(x)[dim]);
  if (llvm::equal(indices, identity))
    return x;
  Value constant =
      ir::ConstantOp::create(builder, loc, builder.getI64TensorAttr(indices));
  return ir::GatherOp::create(builder, loc, x, constant,
                              builder.getI64IntegerAttr(dim));
}

Value ResizeDecomposition::alongDim(DenseElementsAttr values, int64_t dim) {
  SmallVector<int64_t> shape(typeOf(op.getResult()).getRank() - dim, 1);
  shape[0] = values.getNumElements();
  return ir::ConstantOp::create(
      builder, loc,
      values.reshape(RankedTensorType::get(shape, values.getElementType())));
}

Value ResizeDecomposition::scalar(Type type, double value) {
  return ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, type),
                             builder.getFloatAttr(type, value)));
}

Value ResizeDecomposition::sumTaps(Value x, const ResizedAxis &axis) {
  const int64_t size = axis.table.size(), numTaps = axis.table.maxTaps;
  SmallVector<std::vector<ResizeTable::Tap>> rows;
  for (int64_t i = 0; i < size; ++i)
    rows.push_back(axis.table.repeatedTaps(i, numTaps));
  FloatType type = floatOf(x);
  Value sum;
  for (int64_t k = 0; k < numTaps; ++k) {
    SmallVector<int64_t> indices;
    SmallVector<APFloat> weights;
    for (const auto &taps : rows) {
      indices.push_back(taps[k].index);
      APFloat weight(taps[k].weight);
      bool losesInfo;
      weight.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      weights.push_back(weight);
    }
    Value term = gather(x, indices, axis.dim);
    if (!llvm::all_of(weights, [](APFloat &w) { return w.isExactlyValue(1); }))
      term = ir::MulOp::create(
          builder, loc, term,
          alongDim(DenseElementsAttr::get(RankedTensorType::get({size}, type),
                                          weights),
                   axis.dim));
    sum = sum ? ir::AddOp::create(builder, loc, sum, term) : term;
  }
  return sum;
}

Value ResizeDecomposition::extrapolate(Value x, const ResizedAxis &axis) {
  if (axis.table.isExtrapolated.empty())
    return x;
  SmallVector<bool> isInside;
  for (bool is : axis.table.isExtrapolated)
    isInside.push_back(!is);
  auto type = RankedTensorType::get({axis.table.size()}, builder.getI1Type());
  Value inside = alongDim(DenseElementsAttr::get(type, isInside), axis.dim);
  Type element = typeOf(x).getElementType();
  double number = attrs.extrapolation_value;
  if (isa<IntegerType>(element) && !element.isInteger(1))
    number = roundResized(number, grid(), truncatesIntegers(attrs));
  Value value = cast(scalar(builder.getF64Type(), number), element);
  return ir::SelectOp::create(builder, loc, inside, x, value);
}

Value ResizeDecomposition::resizeAxis(Value x, const ResizedAxis &axis) {
  if (attrs.mode != fb::ResizeMode::nearest)
    return extrapolate(sumTaps(x, axis), axis);
  return extrapolate(gather(x, axis.table.onlyIndices(), axis.dim), axis);
}

Value ResizeDecomposition::roundIntegers(Value x) {
  Type type = floatOf(x);
  x = ir::MulOp::create(builder, loc, x, scalar(type, grid()));
  x = ir::RoundOp::create(builder, loc, x);
  x = ir::MulOp::create(builder, loc, x, scalar(type, 1 / grid()));
  // The cast rounds toward zero.
  return truncatesIntegers(attrs) ? x : ir::RoundOp::create(builder, loc, x);
}

void ResizeDecomposition::run() {
  Type type = typeOf(op.getResult()).getElementType();
  const bool isInterpolated = attrs.mode != fb::ResizeMode::nearest;
  Value x = op.getInput();
  if (isInterpolated && isa<IntegerType>(type))
    x = cast(x, builder.getF64Type());
  else if (isInterpolated && !type.isF64())
    x = cast(x, builder.getF32Type());
  for (const ResizedAxis &axis : axes)
    x = resizeAxis(x, axis);
  if (isInterpolated && isa<IntegerType>(type))
    x = roundIntegers(x);
  op.replaceAllUsesWith(cast(x, type));
  op.erase();
}

/// Whether gathers would fuse with an elementwise op before or after the op.
bool fusesWithNeighbors(ir::ResizeOp op) {
  Operation *producer = op.getInput().getDefiningOp();
  if (producer && isa<ir::ElementwiseOpInterface>(producer) &&
      producer->hasOneUse())
    return true;
  return op->hasOneUse() && isa<ir::ElementwiseOpInterface>(*op->user_begin());
}

struct DecomposeResizePass
    : impl::TandemDecomposeResizeBase<DecomposeResizePass> {
  using TandemDecomposeResizeBase::TandemDecomposeResizeBase;

  void runOnOperation() override {
    SmallVector<ir::ResizeOp> ops;
    getOperation()->walk([&](ir::ResizeOp op) {
      auto type = cast<RankedTensorType>(op.getResult().getType());
      if (hasStaticTypes(op) && type.getNumElements() > 0)
        ops.push_back(op);
    });
    for (ir::ResizeOp op : ops)
      if (ResizeDecomposition decomposition(op); pays(op, decomposition))
        decomposition.run();
  }

private:
  bool pays(ir::ResizeOp op, const ResizeDecomposition &decomposition) const;
};

bool DecomposeResizePass::pays(ir::ResizeOp op,
                               const ResizeDecomposition &decomposition) const {
  // The most gathers that are made for one dim.
  constexpr int64_t kMaxGathers = 64;
  // The number of results for each element of the operand from which gathers
  // are about as fast as the eager kernel. With two resized dims, their times
  // were 1.2 times those of the kernel for 16, 0.8 for 64 and 0.7 for 240. For
  // 16, fusion is assumed to save more than that, as the result is not written
  // and read again.
  constexpr int64_t kLeastGrowth = 16;
  const int64_t maxTaps = decomposition.maxTaps();
  if (!decomposition.hasAllTaps() || maxTaps > kMaxGathers)
    return false;
  if (!forCPU)
    return true;
  const int64_t operand = typeOf(op.getInput()).getNumElements(),
                result = typeOf(op.getResult()).getNumElements();
  return fusesWithNeighbors(op) &&
         (maxTaps == 1 || (op.getMode() == ir::ResizeMode::linear &&
                           result / operand >= kLeastGrowth));
}

} // namespace
} // namespace tandem
