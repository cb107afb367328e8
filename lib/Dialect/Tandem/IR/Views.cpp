//===- Views.cpp - Slices and concats that copy nothing -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/Views.h"

#include "Attributes.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ContiguousParts.h"

using namespace mlir;

namespace tandem::ir {

std::optional<int64_t> findViewOffset(SliceOp slice) {
  const fb::SliceAttrsT attrs{{},
                              toVector(slice.getStarts()),
                              toVector(slice.getLimits()),
                              toVector(slice.getStrides())};
  const std::optional<int64_t> offset =
      findContiguousSlice(attrs, toTandemType(typeOf(slice.getInput())));
  constexpr int64_t alignment = Allocator::kAlignment;
  return offset && *offset % alignment == 0 ? offset : std::nullopt;
}

Value findViewRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto slice = dyn_cast<SliceOp>(op);
    if (!isa<ReshapeOp>(op) && !(slice && findViewOffset(slice)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isViewOfArgument(SliceOp slice) {
  if (!findViewOffset(slice))
    return false;
  const Value root = findViewRoot(slice.getInput());
  return isa<BlockArgument>(root) || isa<ConstantOp>(root.getDefiningOp());
}

std::vector<int64_t> findConcatOffsets(ConcatOp concat) {
  std::vector<TensorType> operands;
  for (Value operand : concat->getOperands())
    operands.push_back(toTandemType(typeOf(operand)));
  return findContiguousOperands(static_cast<int64_t>(concat.getAxis()),
                                operands)
      .value_or(std::vector<int64_t>());
}

} // namespace tandem::ir
