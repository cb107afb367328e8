//===- WeightPacking.cpp - Weights in the order they are read -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/WeightPacking.h"

#include "tandem/Target/CPU/ContractionForms.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;

namespace tandem {

static int64_t getPackedInputs(Operation *hero) {
  ElementFormat format(getElementTypeOrSelf(hero->getOperand(1)));
  if (format.isBytes() && hero->hasAttr(kSumsInF32AttrName))
    format.sumInF32();
  return format.packedInputs;
}

std::optional<Weights> getWeights(Operation *hero) {
  Weights weights;
  if (isa<ir::ContractionOpInterface>(hero))
    weights.packedInputs = getPackedInputs(hero);
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

Packing::Packing(RankedTensorType type, ArrayRef<int64_t> permutation,
                 int64_t groups, int64_t block, int64_t packedInputs)
    : permutation(permutation), groups(groups), block(block),
      elementType(type.getElementType()), shape(type.getShape()),
      strides(ir::getStrides(type.getShape())) {
  for (int64_t dim : permutation)
    sizes.push_back(type.getDimSize(dim));
  columns = sizes.pop_back_val() / groups;
  blocks = llvm::divideCeilSigned(columns, block);
  inputsTogether = sizes.back() > 1 ? packedInputs : 1;
}

RankedTensorType Packing::getPaddedType() const {
  SmallVector<int64_t> padded(shape);
  padded[permutation.back()] = groups * blocks * block;
  if (hasPairs())
    padded[getInputDim()] =
        llvm::alignTo(padded[getInputDim()], uint64_t(inputsTogether));
  return RankedTensorType::get(padded, elementType);
}

SmallVector<int64_t> Packing::getGroupedShape(bool isRounded) const {
  SmallVector<int64_t> shape(sizes);
  if (isRounded && hasPairs())
    shape.back() = llvm::alignTo(shape.back(), uint64_t(inputsTogether));
  if (hasGroups())
    shape.push_back(groups);
  shape.push_back(isRounded ? blocks * block : columns);
  return shape;
}

SmallVector<int64_t> Packing::getBlockedShape() const {
  SmallVector<int64_t> shape(sizes);
  if (hasPairs()) {
    shape.back() = llvm::divideCeilSigned(shape.back(), inputsTogether);
    shape.push_back(inputsTogether);
  }
  if (hasGroups())
    shape.push_back(groups);
  shape.append({blocks, block});
  return shape;
}

SmallVector<int64_t> Packing::getPermutation() const {
  int64_t inner = sizes.size(), first = inner + (hasPairs() ? 1 : 0);
  int64_t outer = hasGroups() ? 2 : 1;
  SmallVector<int64_t> result;
  llvm::append_range(result, llvm::seq(first, first + outer));
  llvm::append_range(result, llvm::seq<int64_t>(0, inner));
  result.push_back(first + outer);
  if (hasPairs())
    result.push_back(inner);
  return result;
}

RankedTensorType Packing::getPackedType() const {
  SmallVector<int64_t> blocked = getBlockedShape(), shape;
  for (int64_t dim : getPermutation())
    shape.push_back(blocked[dim]);
  return RankedTensorType::get(shape, elementType);
}

ir::StridedBox Packing::getBox(const Part &part) const {
  int64_t column = strides[permutation.back()];
  int64_t input = strides[getInputDim()];
  ir::StridedBox box;
  auto addDim = [&](int64_t size, int64_t stride) {
    box.sizes.push_back(size);
    box.sourceStrides.push_back(stride);
  };
  if (hasGroups())
    addDim(groups, columns * column);
  addDim(part.numBlocks, block * column);
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    addDim(sizes[i], strides[permutation[i]]);
  addDim(part.numInputs / part.together, part.together * input);
  addDim(part.numColumns, column);
  if (hasPairs())
    addDim(part.together, input);
  box.resultStrides = ir::getStrides(getPackedType().getShape());
  box.sourceOffset = part.firstBlock * block * column + part.firstInput * input;
  box.resultOffset =
      part.firstBlock * box.resultStrides[hasGroups() ? 1 : 0] +
      part.firstInput / inputsTogether *
          box.resultStrides[(hasGroups() ? 2 : 1) + sizes.size() - 1];
  return box;
}

ElementsAttr Packing::pack(ElementsAttr constant) const {
  int64_t whole = columns / block, inputs = sizes.back();
  int64_t inputsInPairs = inputs / inputsTogether * inputsTogether;
  SmallVector<ir::StridedBox> boxes;
  auto addInputs = [&](int64_t first, int64_t count, int64_t together) {
    if (whole > 0)
      boxes.push_back(getBox({first, count, together, 0, whole, block}));
    if (whole < blocks)
      boxes.push_back(
          getBox({first, count, together, whole, 1, columns - whole * block}));
  };
  if (inputsInPairs > 0)
    addInputs(0, inputsInPairs, inputsTogether);
  if (inputsInPairs < inputs)
    addInputs(inputsInPairs, inputs - inputsInPairs, inputs - inputsInPairs);
  return ir::rearrange(constant, getPackedType(), boxes);
}

static Value emitReshape(OpBuilder &builder, Location loc, Value value,
                         ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return ir::ReshapeOp::create(builder, loc, value,
                               builder.getDenseI64ArrayAttr(shape));
}

/// Appends zeros to `value`. `counts` has the number of zeros along each dim.
static Value emitZeros(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> counts) {
  if (llvm::all_of(counts, [](int64_t count) { return count == 0; }))
    return value;
  SmallVector<int64_t> none(counts.size(), 0);
  return ir::PadOp::create(
      builder, loc, value, builder.getDenseI64ArrayAttr(none),
      builder.getDenseI64ArrayAttr(counts), builder.getDenseI64ArrayAttr(none),
      builder.getF64FloatAttr(0.0));
}

Value Packing::emitPad(OpBuilder &builder, Location loc, Value value) const {
  int64_t dim = permutation.back(), input = getInputDim();
  SmallVector<int64_t> split(shape);
  split[dim] = columns;
  if (hasGroups()) {
    input += input > dim ? 1 : 0;
    split.insert(split.begin() + dim++, groups);
  }
  value = emitReshape(builder, loc, value, split);
  SmallVector<int64_t> missing(split.size(), 0);
  missing[dim] = blocks * block - columns;
  if (hasPairs())
    missing[input] =
        int64_t(llvm::alignTo(split[input], uint64_t(inputsTogether))) -
        split[input];
  value = emitZeros(builder, loc, value, missing);
  return emitReshape(builder, loc, value, getPaddedType().getShape());
}

Value Packing::emitPack(OpBuilder &builder, Location loc, Value value) const {
  if (!llvm::is_sorted(permutation))
    value = ir::TransposeOp::create(builder, loc, value,
                                    builder.getDenseI64ArrayAttr(permutation));
  SmallVector<int64_t> shape = getGroupedShape(/*isRounded=*/false),
                       missing = getGroupedShape(/*isRounded=*/true);
  for (auto [count, from] : llvm::zip_equal(missing, shape))
    count -= from;
  value = emitReshape(builder, loc, value, shape);
  value = emitZeros(builder, loc, value, missing);
  value = emitReshape(builder, loc, value, getBlockedShape());
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
  SmallVector<int64_t> limits = getGroupedShape(/*isRounded=*/false),
                       rounded = getGroupedShape(/*isRounded=*/true);
  value = ir::ReshapeOp::create(builder, loc, value,
                                builder.getDenseI64ArrayAttr(rounded));
  if (limits != rounded) {
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
