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

/// The generic op behind a result of the kernel; null where there is none.
linalg::GenericOp getProducer(Value result) {
  while (Operation *op = result.getDefiningOp()) {
    if (!isView(op))
      return dyn_cast<linalg::GenericOp>(op);
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

/// Whether `generic` reads the tensor of `use` where its loops write, element
/// by element.
bool readsAtLoops(linalg::GenericOp generic, OpOperand &use) {
  auto type = dyn_cast<RankedTensorType>(use.get().getType());
  SmallVector<int64_t> loops = generic.getStaticLoopRanges();
  if (!type || !type.hasStaticShape() || !generic.isDpsInput(&use) ||
      llvm::is_contained(loops, ShapedType::kDynamic) ||
      type.getNumElements() != llvm::product_of(loops))
    return false;
  MLIRContext *context = use.getOwner()->getContext();
  AffineMap map = generic.getMatchingIndexingMap(&use);
  AffineMap own = AffineMap::getMultiDimIdentityMap(loops.size(), context);
  AffineExpr distance = linearize(map.getResults(), type.getShape(), context) -
                        linearize(own.getResults(), loops, context);
  return simplifyAffineExpr(distance, loops.size(), map.getNumSymbols()) == 0;
}

/// Whether nothing but `generic` reads `value`, or a view of it, and that where
/// it writes.
bool isReadInPlace(Value value, linalg::GenericOp generic) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (isView(use.getOwner()))
      return isReadInPlace(use.getOwner()->getResult(0), generic);
    return use.getOwner() == generic && readsAtLoops(generic, use);
  });
}

/// In memory, where i1 is a byte; 0 for what no kernel has, and will be
/// refused.
unsigned getElementBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  return (type.getElementTypeBitWidth() + 7) / 8;
}

} // namespace

SmallVector<InPlacePair> findInPlacePairs(func::FuncOp kernel) {
  SmallVector<InPlacePair> pairs;
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(terminator->getOperands())) {
    linalg::GenericOp generic = getProducer(result);
    if (!generic || generic.getNumParallelLoops() != generic.getNumLoops())
      continue;
    for (BlockArgument operand : kernel.getArguments())
      if (unsigned bytes = getElementBytes(operand);
          bytes != 0 && bytes == getElementBytes(result) &&
          !operand.use_empty() && isReadInPlace(operand, generic))
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
