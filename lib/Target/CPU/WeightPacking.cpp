//===- WeightPacking.cpp - Weights in the order they are read -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightPacking.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;

namespace tandem {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

std::optional<Weights> getWeights(Operation *hero) {
  Weights weights;
  if (auto conv = dyn_cast<ir::ConvOp>(hero)) {
    weights.operand = &conv.getKernelMutable();
    weights.groups = static_cast<int64_t>(conv.getGroups());
    StringRef layout = conv.getLayout().getKernel();
    for (char letter : StringRef("DHWIO"))
      if (size_t dim = layout.find(letter); dim != StringRef::npos)
        weights.permutation.push_back(static_cast<int64_t>(dim));
    return weights;
  }
  auto matmul = dyn_cast<ir::MatmulOp>(hero);
  if (!matmul || typeOf(matmul.getRhs()).getRank() != 2)
    return std::nullopt;
  weights.operand = &matmul.getRhsMutable();
  weights.permutation = {0, 1};
  if (matmul.getTransposeRhs())
    std::swap(weights.permutation[0], weights.permutation[1]);
  return weights;
}

void setPlainWeights(Operation *hero, Value value) {
  if (auto matmul = dyn_cast<ir::MatmulOp>(hero)) {
    matmul.getRhsMutable().assign(value);
    matmul.setTransposeRhs(false);
    return;
  }
  auto conv = cast<ir::ConvOp>(hero);
  conv.getKernelMutable().assign(value);
  std::string kernel;
  for (char letter : StringRef("DHWIO"))
    if (conv.getLayout().getKernel().contains(letter))
      kernel += letter;
  conv.setLayoutAttr(
      ir::ConvLayoutAttr::get(hero->getContext(), conv.getLayout().getInput(),
                              kernel, conv.getLayout().getOutput()));
}

Packing::Packing(const Weights &weights, int64_t block)
    : permutation(weights.permutation), groups(weights.groups), block(block) {
  auto type = typeOf(weights.operand->get());
  elementType = type.getElementType();
  strides = ir::getStrides(type.getShape());
  for (int64_t dim : permutation)
    sizes.push_back(type.getDimSize(dim));
  columns = sizes.pop_back_val() / groups;
  blocks = (columns + block - 1) / block;
}

SmallVector<int64_t> Packing::getGroupedShape(bool isRounded) const {
  SmallVector<int64_t> shape(sizes);
  if (hasGroups())
    shape.push_back(groups);
  shape.push_back(isRounded ? blocks * block : columns);
  return shape;
}

SmallVector<int64_t> Packing::getBlockedShape() const {
  SmallVector<int64_t> shape = getGroupedShape(/*isRounded=*/true);
  shape.back() = blocks;
  shape.push_back(block);
  return shape;
}

SmallVector<int64_t> Packing::getPermutation() const {
  int64_t inner = sizes.size(), outer = hasGroups() ? 2 : 1;
  SmallVector<int64_t> result;
  llvm::append_range(result, llvm::seq(inner, inner + outer));
  llvm::append_range(result, llvm::seq<int64_t>(0, inner));
  result.push_back(inner + outer);
  return result;
}

RankedTensorType Packing::getPackedType() const {
  SmallVector<int64_t> blocked = getBlockedShape(), shape;
  for (int64_t dim : getPermutation())
    shape.push_back(blocked[dim]);
  return RankedTensorType::get(shape, elementType);
}

/// `numBlocks` blocks, of which the first `numColumns` columns each.
ir::ElementBox Packing::getBox(int64_t firstBlock, int64_t numBlocks,
                               int64_t numColumns) const {
  int64_t column = strides[permutation.back()];
  ir::ElementBox box;
  if (hasGroups()) {
    box.sizes.push_back(groups);
    box.sourceStrides.push_back(columns * column);
  }
  box.sizes.push_back(numBlocks);
  box.sourceStrides.push_back(block * column);
  for (auto [size, dim] : llvm::zip(sizes, permutation)) {
    box.sizes.push_back(size);
    box.sourceStrides.push_back(strides[dim]);
  }
  box.sizes.push_back(numColumns);
  box.sourceStrides.push_back(column);
  box.resultStrides = ir::getStrides(getPackedType().getShape());
  box.sourceOffset = firstBlock * block * column;
  box.resultOffset = firstBlock * box.resultStrides[hasGroups() ? 1 : 0];
  return box;
}

ElementsAttr Packing::pack(ElementsAttr constant) const {
  int64_t whole = columns / block;
  SmallVector<ir::ElementBox> boxes;
  if (whole > 0)
    boxes.push_back(getBox(0, whole, block));
  if (whole < blocks)
    boxes.push_back(getBox(whole, 1, columns - whole * block));
  return ir::rearrange(constant, getPackedType(), boxes);
}

Value Packing::emitPack(OpBuilder &builder, Location loc, Value value) const {
  auto reshape = [&](ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() != shape)
      value = ir::ReshapeOp::create(builder, loc, value,
                                    builder.getDenseI64ArrayAttr(shape));
  };
  if (!llvm::is_sorted(permutation))
    value = ir::TransposeOp::create(builder, loc, value,
                                    builder.getDenseI64ArrayAttr(permutation));
  reshape(getGroupedShape(/*isRounded=*/false));
  if (int64_t missing = blocks * block - columns) {
    SmallVector<int64_t> none(typeOf(value).getRank(), 0), high(none);
    high.back() = missing;
    value = ir::PadOp::create(
        builder, loc, value, builder.getDenseI64ArrayAttr(none),
        builder.getDenseI64ArrayAttr(high), builder.getDenseI64ArrayAttr(none),
        builder.getF64FloatAttr(0.0));
  }
  reshape(getBlockedShape());
  return ir::TransposeOp::create(
      builder, loc, value, builder.getDenseI64ArrayAttr(getPermutation()));
}

Value Packing::emitUnpack(OpBuilder &builder, Location loc,
                          Value packed) const {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = static_cast<int64_t>(to);
  Value value = ir::TransposeOp::create(builder, loc, packed,
                                        builder.getDenseI64ArrayAttr(inverse));
  value = ir::ReshapeOp::create(
      builder, loc, value,
      builder.getDenseI64ArrayAttr(getGroupedShape(/*isRounded=*/true)));
  if (blocks * block != columns) {
    SmallVector<int64_t> limits = getGroupedShape(/*isRounded=*/false);
    SmallVector<int64_t> zeros(limits.size(), 0), ones(limits.size(), 1);
    value = ir::SliceOp::create(builder, loc, value,
                                builder.getDenseI64ArrayAttr(zeros),
                                builder.getDenseI64ArrayAttr(limits),
                                builder.getDenseI64ArrayAttr(ones));
  }
  if (!hasGroups())
    return value;
  SmallVector<int64_t> plain(sizes);
  plain.push_back(groups * columns);
  return ir::ReshapeOp::create(builder, loc, value,
                               builder.getDenseI64ArrayAttr(plain));
}

} // namespace tandem
