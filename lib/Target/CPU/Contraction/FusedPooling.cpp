//===- FusedPooling.cpp - Windows over what a task computes ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/FusedPooling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tandem {

static Value skipViews(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

FusedPooling::FusedPooling(OpBuilder &builder, Location loc,
                           const Contraction &contraction, linalg::GenericOp op)
    : IndexBuilder(builder, loc), contraction(contraction), op(op),
      window(*tandem::getWindow(op)) {}

LogicalResult FusedPooling::verify(Operation *hero, linalg::GenericOp epilogue,
                                   const DenseMap<Value, Value> &pointers) {
  staged = epilogue ? epilogue.getResult(0) : hero->getResult(0);
  auto loops =
      llvm::count_if(window.dims, [](auto &dim) { return dim.size != 1; });
  if (static_cast<int64_t>(window.dims.size()) !=
          contraction.result.getRank() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      static_cast<int64_t>(op.getNumLoops()) != loops)
    return op.emitOpError("has other loops than its window");
  auto isKnown = [&](Value tensor) {
    return pointers.contains(tensor) || skipViews(tensor) == staged;
  };
  bool isReadKnown = llvm::all_of(op.getDpsInputs(), isKnown);
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    isReadKnown &= isKnown(extract.getTensor());
  });
  if (!isReadKnown)
    return op.emitOpError("reads a tensor that is not an argument");
  for (Value result : op.getResults())
    if (!pointers.contains(result))
      return op.emitOpError("has a result that the kernel does not return");
  return success();
}

int64_t FusedPooling::getElementBytes() const {
  return (cast<RankedTensorType>(staged.getType()).getElementTypeBitWidth() +
          7) /
         8;
}

void FusedPooling::allocate(KernelScratch &scratch, ArrayRef<int64_t> partShape,
                            int64_t windowWidth) {
  shape.assign(partShape.begin(), partShape.end());
  width = windowWidth;
  pointer = scratch.allocate(builder.getI8Type(),
                             llvm::product_of(shape) * getElementBytes());
}

void FusedPooling::moveTo(ArrayRef<Value> first) {
  shift = index(0);
  for (auto [at, stride] :
       llvm::zip_equal(first, computeSuffixProduct(ArrayRef(shape))))
    shift = subtract(shift, scale(at, stride));
}

/// Copies in ascending order, so that source and destination may overlap.
void FusedPooling::moveToFront(int64_t dim, Value from, Value count) {
  int64_t outer = llvm::product_of(ArrayRef(shape).take_front(dim));
  int64_t inner = llvm::product_of(ArrayRef(shape).drop_front(dim + 1));
  Type type = builder.getIntegerType(8 * getElementBytes());
  auto vector = VectorType::get({width}, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  unsigned alignment = getElementBytes();
  auto at = [&](Value offset) -> Value {
    offset =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), type, pointer,
                               offset);
  };
  Value elements = scale(count, inner);
  forEach(index(outer), 1, [&](Value number) {
    Value base = scale(number, shape[dim] * inner);
    forEach(elements, width, [&](Value element) {
      Value left = subtract(elements, element);
      Value mask = LaneEmitter::createTailMask(builder, loc, width, left);
      Value to = add(base, element);
      Value moved = LLVM::MaskedLoadOp::create(builder, loc, vector,
                                               at(add(to, scale(from, inner))),
                                               mask, zero, alignment);
      LLVM::MaskedStoreOp::create(builder, loc, moved, at(to), mask, alignment);
    });
  });
}

std::optional<Buffer> FusedPooling::find(Value tensor) const {
  if (skipViews(tensor) != staged)
    return std::nullopt;
  // Leave out the dims of size 1 of the whole result.
  SmallVector<int64_t> sizes;
  for (auto [size, whole] :
       llvm::zip_equal(shape, contraction.result.getShape()))
    if (whole != 1)
      sizes.push_back(size);
  Type type = cast<RankedTensorType>(staged.getType()).getElementType();
  return Buffer{pointer, RankedTensorType::get(sizes, type), shift};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void FusedPooling::emitWindows(ArrayRef<Range> ranges,
                               function_ref<Buffer(Value)> getBuffer) {
  emitLoops(ranges, 0, {}, getBuffer);
}

/// Emits loops over the dims from `dim` on, except dims with a single window.
void FusedPooling::emitLoops(ArrayRef<Range> ranges, unsigned dim,
                             SmallVector<Value> loops,
                             function_ref<Buffer(Value)> getBuffer) {
  while (dim < ranges.size() && window.dims[dim].size == 1)
    ++dim;
  if (dim == ranges.size()) {
    LaneEmitter(builder, loc, /*lanes=*/1, loops, {}, getBuffer).emitBody(op);
    return;
  }
  if (loops.size() + 1 == op.getNumLoops())
    return emitVectors(ranges[dim], dim, loops, getBuffer);
  auto loop = scf::ForOp::create(builder, loc, ranges[dim].lower,
                                 ranges[dim].upper, index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  loops.push_back(loop.getInductionVar());
  emitLoops(ranges, dim + 1, loops, getBuffer);
}

/// Emits whole vectors of the innermost loop, and then a masked vector for the
/// remaining windows.
void FusedPooling::emitVectors(Range range, unsigned dim,
                               SmallVector<Value> loops,
                               function_ref<Buffer(Value)> getBuffer) {
  int64_t size = window.dims[dim].size;
  auto emitLoop = [&](Value from, Value to, bool isMasked) {
    auto loop = scf::ForOp::create(builder, loc, from, to, index(width));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar(), mask;
    if (isMasked)
      mask = LaneEmitter::createTailMask(
          builder, loc, width, arith::SubIOp::create(builder, loc, to, at));
    loops.push_back(at);
    LaneEmitter(builder, loc, width, loops, mask, getBuffer).emitBody(op);
    loops.pop_back();
  };
  Value middle = range.upper;
  bool hasTail = range.multiple % width != 0;
  if (hasTail) {
    Value length = subtract(range.upper, range.lower);
    Value rest = arith::RemUIOp::create(builder, loc, length, index(width));
    middle = subtract(range.upper, rest);
  }
  if (size >= width)
    emitLoop(range.lower, middle, /*isMasked=*/false);
  if (hasTail)
    emitLoop(size >= width ? middle : range.lower, range.upper,
             /*isMasked=*/true);
}

} // namespace tandem
