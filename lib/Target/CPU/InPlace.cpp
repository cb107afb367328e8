//===- InPlace.cpp - Results in the memory of operands --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {
namespace {

bool isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// What is behind the views of a result of the kernel; null for an argument.
OpResult getWritten(Value result) {
  while (Operation *op = result.getDefiningOp()) {
    if (!isView(op))
      return cast<OpResult>(result);
    result = op->getOperand(0);
  }
  return {};
}

/// The row-major number of the element at `index` in a tensor of `shape`.
AffineExpr linearize(ArrayRef<AffineExpr> index, ArrayRef<int64_t> shape,
                     MLIRContext *context) {
  AffineExpr number = getAffineConstantExpr(0, context);
  for (auto [expr, size] : llvm::zip_equal(index, shape))
    number = number * size + expr;
  return number;
}

/// Finds the operands that one result may take the place of.
class PlaceFinder {
public:
  /// `writer` computes the result as the tensor `written`.
  PlaceFinder(linalg::GenericOp writer, OpResult written, OpOrder order)
      : writer(writer), type(cast<RankedTensorType>(written.getType())),
        order(order) {
    if (type.hasStaticShape())
      address = getAddress(*writer.getDpsInitOperand(written.getResultNumber()),
                           writer);
  }

  /// Whether every op that reads `value`, or a view of it, reads each element
  /// in the same iteration that overwrites this element, before it is
  /// overwritten.
  bool mayTake(Value value) {
    return address && llvm::all_of(value.getUses(), [&](OpOperand &use) {
             if (isView(use.getOwner()))
               return mayTake(use.getOwner()->getResult(0));
             auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
             return reader && precedes(reader) && readsAtResult(reader, use);
           });
  }

private:
  static AffineExpr getAddress(OpOperand &operand, linalg::GenericOp op) {
    return linearize(op.getMatchingIndexingMap(&operand).getResults(),
                     cast<RankedTensorType>(operand.get().getType()).getShape(),
                     op.getContext());
  }
  bool precedes(linalg::GenericOp reader) {
    return reader == writer ||
           (order == OpOrder::PerIteration && reader->isBeforeInBlock(writer));
  }
  /// Whether `reader` reads, in each iteration, the element at the address of
  /// the result's element.
  bool readsAtResult(linalg::GenericOp reader, OpOperand &use) {
    auto read = dyn_cast<RankedTensorType>(use.get().getType());
    if (!read || !read.hasStaticShape() || !reader.isDpsInput(&use) ||
        read.getNumElements() != type.getNumElements())
      return false;
    unsigned numLoops = std::max(reader.getNumLoops(), writer.getNumLoops());
    return simplifyAffineExpr(getAddress(use, reader) - address, numLoops,
                              /*numSymbols=*/0) == 0;
  }

  linalg::GenericOp writer;
  RankedTensorType type;
  OpOrder order;
  /// The row-major number of an element of the result, as an expression of the
  /// loops; null if it is not known.
  AffineExpr address;
};

/// The size of an element in memory, where an i1 takes a byte; 0 for types that
/// no kernel has, which are refused later.
unsigned getElementBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  return (type.getElementTypeBitWidth() + 7) / 8;
}

} // namespace

SmallVector<InPlacePair> findInPlacePairs(func::FuncOp kernel, OpOrder order) {
  SmallVector<InPlacePair> pairs;
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(terminator->getOperands())) {
    OpResult written = getWritten(result);
    auto writer = written ? dyn_cast<linalg::GenericOp>(written.getOwner())
                          : linalg::GenericOp();
    if (!writer || writer.getNumParallelLoops() != writer.getNumLoops())
      continue;
    PlaceFinder finder(writer, written, order);
    for (BlockArgument operand : kernel.getArguments())
      if (unsigned bytes = getElementBytes(operand);
          bytes != 0 && bytes == getElementBytes(result) &&
          !operand.use_empty() && finder.mayTake(operand))
        pairs.push_back({operand.getArgNumber(), unsigned(number)});
  }
  return pairs;
}

void setInPlacePairs(ModuleOp module, ArrayRef<InPlacePair> pairs) {
  if (pairs.empty())
    return;
  SmallVector<int64_t> flat;
  for (InPlacePair pair : pairs)
    flat.append({pair.operand, pair.result});
  module->setAttr(kInPlaceAttrName,
                  DenseI64ArrayAttr::get(module.getContext(), flat));
}

SmallVector<InPlacePair> getInPlacePairs(ModuleOp module) {
  SmallVector<InPlacePair> pairs;
  auto flat = module->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttrName);
  for (size_t i = 0; flat && i + 1 < static_cast<size_t>(flat.size()); i += 2)
    pairs.push_back({unsigned(flat[i]), unsigned(flat[i + 1])});
  return pairs;
}

} // namespace tandem
