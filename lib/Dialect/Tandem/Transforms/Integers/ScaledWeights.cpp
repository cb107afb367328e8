//===- ScaledWeights.cpp - Weights as integers and scales -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledWeights.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

/// The dim of `weights` that a matmul sums over; nothing if none does.
static std::optional<int64_t> findInputDim(Value weights) {
  for (OpOperand &use : weights.getUses())
    if (auto matmul = dyn_cast<ir::MatmulOp>(use.getOwner());
        matmul && &matmul.getRhsMutable() == &use)
      return matmul.getTransposeRhs() ? 1 : 0;
  return std::nullopt;
}

/// Whether `value` is computed from bytes by casts, views and the subtraction
/// of a zero point.
static bool comesFromBytes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::CastOp, ir::SubOp, ir::ReshapeOp, ir::TransposeOp,
             ir::SliceOp>(op))
      return false;
    value = op->getOperand(0);
    if (isByte(value))
      return true;
  }
  return false;
}

/// The size of the blocks of equal indices 0, 0, ..., 1, 1, ..., of which only
/// the last may be cut short; nothing for other indices.
static std::optional<int64_t> findBlockSize(DenseIntElementsAttr indices) {
  int64_t block = 0, i = 0;
  for (const APInt &index : indices) {
    if (block == 0 && !index.isZero())
      block = i;
    if (index.getSExtValue() != (block == 0 ? 0 : i / block))
      return std::nullopt;
    ++i;
  }
  return block == 0 ? i : block;
}

/// Finds the scales in `value`, in which those of a block are repeated along
/// dim `dim` of the weights.
static bool findScales(Value value, int64_t dim, ScaledWeights &weights) {
  const ArrayRef<int64_t> shape = shapeOf(weights.numbers);
  SmallVector<int64_t> ofScales(shape);
  weights.scales = value;
  weights.inputsPerScale = shape[dim];
  ofScales[dim] = 1;
  if (auto gather = value.getDefiningOp<ir::GatherOp>()) {
    DenseIntElementsAttr indices;
    if (shapeOf(value) != shape || int64_t(gather.getAxis()) != dim ||
        !matchPattern(gather.getIndices(), m_Constant(&indices)))
      return false;
    std::optional<int64_t> block = findBlockSize(indices);
    if (!block)
      return false;
    weights.scales = gather.getInput();
    weights.inputsPerScale = *block;
    ofScales[dim] = llvm::divideCeilSigned(shape[dim], *block);
    // Blocks behind the last input do not count.
    if (shapeOf(weights.scales) != ArrayRef(ofScales))
      return false;
  }
  weights.scalesType =
      RankedTensorType::get(ofScales, getElementTypeOrSelf(value));
  // Scales that broadcast have the last dims of the weights.
  const ArrayRef<int64_t> given = shapeOf(weights.scales);
  return given.size() <= ofScales.size() &&
         llvm::all_of(llvm::zip(llvm::reverse(given), llvm::reverse(ofScales)),
                      [](auto sizes) {
                        return std::get<0>(sizes) == 1 ||
                               std::get<0>(sizes) == std::get<1>(sizes);
                      });
}

std::optional<ScaledWeights> matchScaledWeights(Value weights) {
  auto mul = weights.getDefiningOp<ir::MulOp>();
  const std::optional<int64_t> dim = findInputDim(weights);
  const RankedTensorType type = typeOf(weights);
  if (!mul || !dim || type.getRank() != 2 || !type.getElementType().isF32())
    return std::nullopt;
  ScaledWeights result{mul.getLhs(), {}, {}, 0};
  if (typeOf(result.numbers) != type || !comesFromBytes(result.numbers) ||
      !findScales(mul.getRhs(), *dim, result))
    return std::nullopt;
  return result;
}

} // namespace tandem
