//===- PackWeights.cpp - tandem-cpu-pack-weights --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "tandem/Dialect/Tandem/IR/Rearrange.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Weights of a contraction as [inner..., columns], the columns in groups: of a
/// convolution its spatial dims and input channels, and output channels; of a
/// product its contracted dim, and the columns of the right operand.
struct Weights {
  OpOperand *operand = nullptr;
  /// Dims of the operand in that order.
  SmallVector<int64_t> permutation;
  int64_t groups = 1;
};

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

/// The hero reads weights in the order [inner..., columns] from now on.
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

/// One way of packing one shape of weights.
class Packing {
public:
  Packing(const Weights &weights, int64_t block)
      : permutation(weights.permutation), groups(weights.groups), block(block) {
    auto type = typeOf(weights.operand->get());
    elementType = type.getElementType();
    strides = ir::getStrides(type.getShape());
    for (int64_t dim : permutation)
      sizes.push_back(type.getDimSize(dim));
    columns = sizes.pop_back_val() / groups;
    blocks = (columns + block - 1) / block;
  }

  /// [groups, if several][blocks][inner...][block]
  RankedTensorType getPackedType() const;
  ElementsAttr pack(ElementsAttr constant) const;
  Value emitPack(OpBuilder &builder, Location loc, Value value) const;
  Value emitUnpack(OpBuilder &builder, Location loc, Value packed) const;

private:
  bool hasGroups() const { return groups > 1; }
  /// [inner...][groups][columns, rounded up or not].
  SmallVector<int64_t> getGroupedShape(bool isRounded) const;
  /// [inner...][groups][blocks][block].
  SmallVector<int64_t> getBlockedShape() const;
  /// Of the blocked shape, to the packed one.
  SmallVector<int64_t> getPermutation() const;
  ir::ElementBox getBox(int64_t firstBlock, int64_t numBlocks,
                        int64_t numColumns) const;

  SmallVector<int64_t> permutation;
  int64_t groups, block, columns = 1, blocks = 1;
  Type elementType;
  /// Of the operand.
  SmallVector<int64_t> strides;
  /// Of the inner dims.
  SmallVector<int64_t> sizes;
};

} // namespace

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

//===-- The pass
//-----------------------------------------------------------===//

namespace {

/// What the hero's weights are made of: an input of the fusion, through views.
struct Source {
  unsigned input = 0;
  Value value;
  ElementsAttr constant; // null where it is not known
  /// In order, the input's user first.
  SmallVector<Operation *> views;
};

struct PackWeightsPass : impl::PackWeightsBase<PackWeightsPass> {
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override;

private:
  /// What decides on the packed form: the value or constant, and how it is
  /// packed.
  using Key = std::tuple<const void *, int64_t, int64_t, std::vector<int64_t>>;

  void pack(ir::FusionOp fusion, Operation *hero);
  Value getPacked(const Source &source, const Weights &weights, int64_t block);

  std::map<Key, Value> packed;
};

} // namespace

static std::optional<Source> findSource(ir::FusionOp fusion, Value weights) {
  Source source;
  while (Operation *view = weights.getDefiningOp()) {
    if (!isa<ir::TransposeOp, ir::ReshapeOp>(view))
      return std::nullopt;
    source.views.insert(source.views.begin(), view);
    weights = view->getOperand(0);
  }
  source.input = cast<BlockArgument>(weights).getArgNumber();
  source.value = fusion.getInputs()[source.input];
  Attribute constant;
  if (matchPattern(source.value, m_Constant(&constant)))
    source.constant = dyn_cast<ElementsAttr>(constant);
  return source;
}

/// Null where the bytes are not at hand.
static ElementsAttr foldView(Operation *view, ElementsAttr constant) {
  if (auto transpose = dyn_cast<ir::TransposeOp>(view))
    return ir::transpose(constant, transpose.getPermutation());
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (!dense)
    return {};
  return dense.reshape(cast<RankedTensorType>(view->getResult(0).getType()));
}

static Value packConstant(const Source &source, const Packing &packing) {
  ElementsAttr constant = source.constant;
  for (Operation *view : source.views)
    if (constant)
      constant = foldView(view, constant);
  if (constant)
    constant = packing.pack(constant);
  if (!constant)
    return {};
  Operation *origin = source.value.getDefiningOp();
  OpBuilder builder(origin->getContext());
  builder.setInsertionPointAfter(origin);
  return ir::ConstantOp::create(builder, origin->getLoc(), constant);
}

/// A kernel that packs what is known only at run time, right behind it, so that
/// all kernels that need it can use it.
static Value packAtRunTime(const Source &source, const Packing &packing) {
  OpBuilder builder(source.value.getContext());
  builder.setInsertionPointAfterValue(source.value);
  Location loc = source.value.getLoc();
  auto fusion =
      ir::FusionOp::create(builder, loc, packing.getPackedType(),
                           ir::FusionKind::loop, ValueRange(source.value));
  Block &body = fusion.getBody().front();
  builder.setInsertionPointToEnd(&body);
  Value value = body.getArgument(0);
  for (Operation *view : source.views) {
    Operation *cloned = builder.clone(*view);
    cloned->setOperand(0, value);
    value = cloned->getResult(0);
  }
  ir::YieldOp::create(builder, loc, packing.emitPack(builder, loc, value));
  return fusion.getOutputs()[0];
}

Value PackWeightsPass::getPacked(const Source &source, const Weights &weights,
                                 int64_t block) {
  Packing packing(weights, block);
  auto pack = [&] {
    return source.constant ? packConstant(source, packing)
                           : packAtRunTime(source, packing);
  };
  if (!source.views.empty())
    return pack();
  Key key{source.constant ? source.constant.getAsOpaquePointer()
                          : source.value.getAsOpaquePointer(),
          block,
          weights.groups,
          {weights.permutation.begin(), weights.permutation.end()}};
  auto [it, inserted] = packed.try_emplace(key);
  if (inserted)
    it->second = pack();
  return it->second;
}

/// Erases an input that nothing in the fusion reads.
static void dropUnused(ir::FusionOp fusion, unsigned input) {
  Block &body = fusion.getBody().front();
  if (!body.getArgument(input).use_empty())
    return;
  body.eraseArgument(input);
  fusion->eraseOperand(input);
}

void PackWeightsPass::pack(ir::FusionOp fusion, Operation *hero) {
  std::optional<Weights> weights = getWeights(hero);
  if (!weights)
    return;
  auto type = typeOf(weights->operand->get());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return;
  std::optional<Source> source = findSource(fusion, weights->operand->get());
  if (!source)
    return;
  std::optional<int64_t> columns =
      block > 0 ? std::optional<int64_t>(block)
                : getPackedBlock(hero, static_cast<bool>(source->constant));
  if (!columns)
    return;
  Value packed = getPacked(*source, *weights, *columns);
  if (!packed)
    return;
  fusion->insertOperands(fusion->getNumOperands(), packed);
  Value argument =
      fusion.getBody().addArgument(packed.getType(), packed.getLoc());
  OpBuilder builder(hero);
  setPlainWeights(hero, Packing(*weights, *columns)
                            .emitUnpack(builder, hero->getLoc(), argument));
  for (Operation *view : llvm::reverse(source->views))
    if (view->use_empty())
      view->erase();
  dropUnused(fusion, source->input);
}

void PackWeightsPass::runOnOperation() {
  packed.clear();
  SmallVector<Operation *> constants;
  getOperation()->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
    auto fusion = dyn_cast<ir::FusionOp>(op);
    if (!fusion || fusion.getKind() != ir::FusionKind::contraction)
      return;
    Block &body = fusion.getBody().front();
    auto hero = llvm::find_if(body, [](Operation &inner) {
      return isa<ir::ConvOp, ir::MatmulOp>(inner);
    });
    if (hero != body.end())
      pack(fusion, &*hero);
  });
  for (Operation *constant : constants)
    if (isOpTriviallyDead(constant))
      constant->erase();
}

} // namespace tandem
