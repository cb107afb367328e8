//===- PermuteDims.cpp - Ops on dims in another order ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/PermuteDims.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tandem {

Permutation getChannelsLast(int64_t rank) {
  Permutation permutation;
  if (rank < 3)
    return permutation;
  permutation.push_back(0);
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  return permutation;
}

Permutation invert(ArrayRef<int64_t> permutation) {
  Permutation inverse(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    inverse[from] = static_cast<int64_t>(to);
  return inverse;
}

SmallVector<int64_t> permute(ArrayRef<int64_t> values,
                             ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(values[dim]);
  return permuted;
}

std::string permute(StringRef layout, ArrayRef<int64_t> permutation) {
  std::string permuted;
  for (int64_t dim : permutation)
    permuted += layout[dim];
  return permuted;
}

RankedTensorType permute(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return type.clone(permute(type.getShape(), permutation));
}

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

bool dropsDims(Operation *op) {
  auto reduce = dyn_cast<ir::ReduceOp>(op);
  return reduce && typeOf(reduce.getResult()).getRank() <
                       typeOf(reduce.getInput()).getRank();
}

/// Whether the dims that are not reduced have the same order in both layouts.
/// Otherwise the result would have a third layout.
static bool keepsOrder(ir::ReduceOp op) {
  int64_t last = -1;
  for (int64_t dim : getChannelsLast(typeOf(op.getInput()).getRank())) {
    if (llvm::is_contained(op.getDims(), dim))
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

/// Whether the op selects elements of a dim by a list, and keeps all dims.
static bool selectsAlongDim(Operation *op) {
  auto gather = dyn_cast<ir::GatherOp>(op);
  return gather && typeOf(gather.getIndices()).getRank() == 1 &&
         typeOf(gather.getResult()).getRank() > 1;
}

bool isPermutable(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !isa<ir::TandemOpInterface>(op))
    return false;
  if (dropsDims(op))
    return keepsOrder(cast<ir::ReduceOp>(op));
  return ir::isLookup(op) || selectsAlongDim(op) ||
         isa<ir::ElementwiseOpInterface, ir::MaxPoolOp, ir::AvgPoolOp,
             ir::PadOp, ir::SliceOp, ir::ConcatOp, ir::ReduceOp,
             ir::BatchNormOp, ir::SoftmaxOp, ir::SoftmaxBackwardOp>(op);
}

int64_t getPermutedRank(Operation *op) {
  return typeOf(dropsDims(op) ? op->getOperand(0) : op->getResult(0)).getRank();
}

bool hasPermutedDims(OpOperand &operand) {
  return typeOf(operand.get()).getRank() == getPermutedRank(operand.getOwner());
}

//===----------------------------------------------------------------------===//
// Their attributes
//===----------------------------------------------------------------------===//

static void permuteAttributes(Operation *op, ArrayRef<int64_t> permutation) {
  Permutation to = invert(permutation);
  llvm::TypeSwitch<Operation *>(op)
      .Case<ir::MaxPoolOp, ir::AvgPoolOp>([&](auto pool) {
        pool.setLayout(permute(pool.getLayout(), permutation));
      })
      .Case([&](ir::PadOp pad) {
        pad.setLow(permute(pad.getLow(), permutation));
        pad.setHigh(permute(pad.getHigh(), permutation));
        pad.setInterior(permute(pad.getInterior(), permutation));
      })
      .Case([&](ir::SliceOp slice) {
        slice.setStarts(permute(slice.getStarts(), permutation));
        slice.setLimits(permute(slice.getLimits(), permutation));
        slice.setStrides(permute(slice.getStrides(), permutation));
      })
      .Case<ir::ConcatOp, ir::BatchNormOp, ir::SoftmaxOp,
            ir::SoftmaxBackwardOp>(
          [&](auto along) { along.setAxis(to[along.getAxis()]); })
      .Case([&](ir::GatherOp gather) {
        if (selectsAlongDim(gather))
          gather.setAxis(to[gather.getAxis()]);
      })
      .Case([&](ir::ReduceOp reduce) {
        SmallVector<int64_t> dims;
        for (int64_t dim : reduce.getDims())
          dims.push_back(to[dim]);
        llvm::sort(dims);
        reduce.setDims(dims);
      });
}

//===----------------------------------------------------------------------===//
// New ops
//===----------------------------------------------------------------------===//

/// The elements of a constant, if `value` is one; null otherwise.
static ElementsAttr getConstant(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant))
             ? dyn_cast<ElementsAttr>(constant)
             : ElementsAttr();
}

/// Constants are reshaped here, because no pass folds constants after layouts
/// have been assigned.
static Value createReshape(OpBuilder &builder, Value value,
                           ArrayRef<int64_t> shape) {
  if (ElementsAttr constant = getConstant(value))
    if (ElementsAttr reshaped =
            ir::reshape(constant, typeOf(value).clone(shape)))
      return ir::ConstantOp::create(builder, value.getLoc(), reshaped);
  return ir::ReshapeOp::create(builder, value.getLoc(), value,
                               builder.getDenseI64ArrayAttr(shape));
}

/// Permutes an operand of lower rank, which is broadcast along the leading dims
/// that it lacks.
static Value lift(OpBuilder &builder, Value value,
                  ArrayRef<int64_t> permutation) {
  auto type = typeOf(value);
  if (type.getRank() == 0)
    return value;
  SmallVector<int64_t> shape(permutation.size() - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  if (movesNothing(type.clone(shape), permutation))
    return createReshape(builder, value, permute(shape, permutation));
  value = createReshape(builder, value, shape);
  return createTransposed(builder, value, permutation);
}

Operation *createPermuted(OpBuilder &builder, Operation *op,
                          ValueRange operands, ArrayRef<int64_t> permutation) {
  SmallVector<Value> permuted;
  for (auto [operand, value] : llvm::zip(op->getOpOperands(), operands)) {
    bool isBroadcast =
        isa<ir::ElementwiseOpInterface>(op) && !hasPermutedDims(operand);
    permuted.push_back(isBroadcast ? lift(builder, value, permutation) : value);
  }
  Operation *created = builder.clone(*op);
  created->setOperands(permuted);
  permuteAttributes(created, permutation);
  Value result = created->getResult(0);
  if (!dropsDims(op))
    result.setType(permute(typeOf(result), permutation));
  return created;
}

bool movesNothing(RankedTensorType type, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t dim : permutation) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

/// Returns the location of the op that computes `value` or, for an argument, of
/// the first op that reads it. Each step is stored with the location of a node
/// of the graph, so ops that are created need such a location.
static Location getLocOfOp(Value value) {
  Operation *first = value.getDefiningOp();
  if (!first)
    for (Operation *user : value.getUsers())
      if (user->getBlock() == value.getParentBlock() &&
          (!first || user->isBeforeInBlock(first)))
        first = user;
  return first ? first->getLoc() : value.getLoc();
}

Value createTransposed(OpBuilder &builder, Value value,
                       ArrayRef<int64_t> permutation) {
  Location loc = getLocOfOp(value);
  if (movesNothing(typeOf(value), permutation))
    return createReshape(builder, value,
                         permute(typeOf(value).getShape(), permutation));
  if (ElementsAttr constant = getConstant(value))
    if (ElementsAttr moved = ir::transpose(constant, permutation))
      return ir::ConstantOp::create(builder, loc, moved);
  return ir::TransposeOp::create(builder, loc, value,
                                 builder.getDenseI64ArrayAttr(permutation));
}

} // namespace tandem
