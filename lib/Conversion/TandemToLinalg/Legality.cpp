//===- Legality.cpp - What can be emitted elementally ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"

#include "tandem/Analysis/Contraction/Contraction.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tandem {

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

static int64_t getConvElements(ir::ConvOp op) {
  StringRef layout = op.getLayout().getKernel();
  int64_t product = 1;
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getKernel())))
    if (i < layout.size() && layout[i] != 'O')
      product *= size;
  return product;
}

int64_t getUnrolledElements(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ir::ConvOp op) { return getConvElements(op); })
      .Case([](ir::MatmulOp op) {
        ArrayRef<int64_t> lhs = shapeOf(op.getLhs());
        return op.getTransposeLhs() ? lhs[lhs.size() - 2] : lhs.back();
      })
      .Case<ir::MaxPoolOp, ir::AvgPoolOp>(
          [](auto op) { return productOf(op.getWindow()); })
      .Case([](ir::ReduceOp op) {
        int64_t product = 1;
        for (int64_t dim : op.getDims())
          product *= shapeOf(op.getInput())[dim];
        return product;
      })
      .Default([](Operation *) -> int64_t { return 1; });
}

Status checkElemental(Operation *op) {
  if (!hasStaticTypes(op))
    return fail("codegen", "has a type that is not static");
  if (!isa<ir::ElementwiseOpInterface, ir::IndexingOpInterface, ir::ReshapeOp,
           ir::PadOp, ir::ConcatOp, ir::IotaOp, ir::GatherOp, ir::ConstantOp,
           ir::BatchNormOp, ir::ConvOp, ir::MatmulOp, ir::MaxPoolOp,
           ir::AvgPoolOp, ir::ReduceOp>(op))
    return fail("codegen", "has no elemental emission");
  int64_t count = getUnrolledElements(op);
  if (count > kMaxUnrolledElements)
    return fail("codegen", "combines " + std::to_string(count) +
                               " elements to one, more than the " +
                               std::to_string(kMaxUnrolledElements) +
                               " that are unrolled");
  return {};
}

Status checkReduction(Operation *op) {
  auto reduce = dyn_cast<ir::ReduceOp>(op);
  if (!reduce)
    return fail("codegen", "is not a reduction");
  if (!hasStaticTypes(op))
    return fail("codegen", "has a type that is not static");
  if (reduce.getKind() == ir::ReduceKind::argmax)
    return fail("codegen", "combines pairs of an element and its index");
  if (reduce.getInput().getType().getNumElements() == 0)
    return fail("codegen", "has no elements to combine");
  if (getUnrolledElements(op) == 1)
    return fail("codegen", "combines one element to one");
  return {};
}

Status checkReductionResult(ir::ReduceOp reduce, RankedTensorType type) {
  auto isLarge = [](int64_t size) { return size != 1; };
  SmallVector<int64_t> sizes =
      llvm::to_vector(llvm::make_filter_range(type.getShape(), isLarge));
  SmallVector<int64_t> full, row;
  for (auto [dim, size] : llvm::enumerate(shapeOf(reduce.getInput()))) {
    if (size == 1)
      continue;
    full.push_back(size);
    if (!llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim)))
      row.push_back(size);
  }
  if (sizes == full || sizes == row)
    return {};
  return fail(
      "codegen",
      "returns a value that is neither of the shape that is reduced nor of "
      "the reductions' results");
}

} // namespace tandem
