//===- PackWeights.cpp - tandem-cpu-pack-weights --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadCPUDevice.h"
#include "Transforms/PairedIntegers.h"
#include "Transforms/WeightPacking.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/WeightFactors.h"
#include "tandem/Target/CPU/CPUDialect.h"
#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/CPU/ContractionStrategy.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// The input of the fusion from which the hero reads its weights, and the views
/// between the input and the hero.
struct Source {
  unsigned input = 0;
  Value value;
  ElementsAttr constant; // null if it is not a constant
  /// The views in order, beginning with the user of the input.
  SmallVector<Operation *> views;
};

struct PackWeightsPass : impl::PackWeightsBase<PackWeightsPass> {
  using PackWeightsBase::PackWeightsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(readCPUDevice(context, deviceSpec.getValue(), device)))
      return failure();
    core = getCoreModel(device);
    return success();
  }
  void runOnOperation() override;

private:
  /// Identifies a packed value by its original, its block, and its packing.
  using Key = std::tuple<const void *, Block *, int64_t, int64_t, int64_t,
                         int64_t, std::vector<int64_t>>;

  void pack(ir::FusionOp fusion, Operation *hero);
  Value getPacked(const Source &source, const Weights &weights, int64_t block);

  /// Makes `hero` multiply by the factors of its weights, if they have factors
  /// and this is estimated to be faster. Returns whether it did.
  bool packFactors(ir::FusionOp fusion, Operation *hero, const Weights &weights,
                   const Source &source);
  Value getPackedFactor(const Source &source, ElementsAttr factor,
                        const Weights &weights, int64_t block,
                        int64_t integerBits = 8);

  DeviceModel device;
  CoreModel core;
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

/// Applies `view` to `constant`. Null if the bytes are not available.
static ElementsAttr foldView(Operation *view, ElementsAttr constant) {
  if (auto transpose = dyn_cast<ir::TransposeOp>(view))
    return ir::transpose(constant, transpose.getPermutation());
  return ir::reshape(constant,
                     cast<RankedTensorType>(view->getResult(0).getType()));
}

/// Creates a constant next to the constant of the weights.
static Value createConstant(const Source &source, ElementsAttr constant) {
  Operation *origin = source.value.getDefiningOp();
  OpBuilder builder(origin->getContext());
  builder.setInsertionPointAfter(origin);
  return ir::ConstantOp::create(builder, origin->getLoc(), constant);
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
  return createConstant(source, constant);
}

/// Creates a kernel that applies `emit` to `value`, at the insertion point of
/// `builder`. The insertion point is behind the kernel afterwards.
static Value
createKernel(OpBuilder &builder, Value value, RankedTensorType type,
             function_ref<Value(OpBuilder &, Location, Value)> emit) {
  Location loc = value.getLoc();
  auto fusion = ir::FusionOp::create(builder, loc, type, ir::FusionKind::loop,
                                     ValueRange(value));
  Block &body = fusion.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value result = emit(inside, loc, body.getArgument(0));
  ir::YieldOp::create(inside, loc, result);
  return fusion.getOutputs()[0];
}

/// Packs weights that are known only at run time. The packing kernel directly
/// follows the weights, so that all kernels can use its result.
static Value packAtRunTime(const Source &source, const Packing &packing) {
  OpBuilder builder(source.value.getContext());
  builder.setInsertionPointAfterValue(source.value);
  auto emitViews = [&](OpBuilder &inside, Value value) {
    for (Operation *view : source.views) {
      Operation *cloned = inside.clone(*view);
      cloned->setOperand(0, value);
      value = cloned->getResult(0);
    }
    return value;
  };
  if (!packing.padsAcrossLines())
    return createKernel(builder, source.value, packing.getPackedType(),
                        [&](OpBuilder &inside, Location loc, Value value) {
                          return packing.emitPack(inside, loc,
                                                  emitViews(inside, value));
                        });
  Value padded = createKernel(
      builder, source.value, packing.getPaddedType(),
      [&](OpBuilder &inside, Location loc, Value value) {
        return packing.emitPad(inside, loc, emitViews(inside, value));
      });
  return createKernel(builder, padded, packing.getPackedType(),
                      [&](OpBuilder &inside, Location loc, Value value) {
                        return packing.getPadded().emitPack(inside, loc, value);
                      });
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
          Value(source.value).getParentBlock(),
          block,
          weights.groups,
          weights.packedInputs,
          /*integerBits=*/8,
          {weights.permutation.begin(), weights.permutation.end()}};
  auto [it, inserted] = packed.try_emplace(key);
  if (inserted)
    it->second = pack();
  return it->second;
}

/// Adds an operand to the fusion and returns the block argument for it.
static Value addInput(ir::FusionOp fusion, Value value) {
  fusion->insertOperands(fusion->getNumOperands(), value);
  return fusion.getBody().addArgument(value.getType(), value.getLoc());
}

/// Erases an input of the fusion if nothing in the fusion reads it.
static void dropUnused(ir::FusionOp fusion, unsigned input) {
  Block &body = fusion.getBody().front();
  if (!body.getArgument(input).use_empty())
    return;
  body.eraseArgument(input);
  fusion->eraseOperand(input);
}

/// Returns the packing of a factor in the order of the packed weights.
static Packing getPacking(ElementsAttr factor, const Weights &weights,
                          int64_t block) {
  return Packing::ofSingleInputs(cast<RankedTensorType>(factor.getType()),
                                 weights.permutation, block);
}

Value PackWeightsPass::getPackedFactor(const Source &source,
                                       ElementsAttr factor,
                                       const Weights &weights, int64_t block,
                                       int64_t integerBits) {
  Key key{factor.getAsOpaquePointer(),
          Value(source.value).getParentBlock(),
          block,
          weights.groups,
          /*packedInputs=*/1,
          integerBits,
          {weights.permutation.begin(), weights.permutation.end()}};
  auto [it, inserted] = packed.try_emplace(key);
  if (!inserted)
    return it->second;
  ElementsAttr constant = getPacking(factor, weights, block).pack(factor);
  if (constant && integerBits == 4)
    constant = pairIntegers(constant);
  if (constant)
    it->second = createConstant(source, constant);
  return it->second;
}

bool PackWeightsPass::packFactors(ir::FusionOp fusion, Operation *hero,
                                  const Weights &weights,
                                  const Source &source) {
  std::optional<ir::WeightFactors> factors =
      ir::getWeightFactors(source.value.getDefiningOp());
  if (!factors || !source.views.empty() || !isa<ir::MatmulOp>(hero))
    return false;
  const auto getBlock = [&](int64_t bits) {
    return getScaledBlock(hero, factors->inputsPerScale, bits, device,
                          alwaysScales);
  };
  const std::optional<ScaledBlock> bytes = getBlock(8), pairs = getBlock(4);
  const bool arePairs = pairs &&
                        (alwaysScales || !bytes || pairs->ns < bytes->ns) &&
                        haveFourBits(factors->values);
  if (!arePairs && !bytes)
    return false;
  const int64_t columns = arePairs ? pairs->outputs : bytes->outputs;
  Value values = getPackedFactor(source, factors->values, weights, columns,
                                 /*integerBits=*/arePairs ? 4 : 8),
        scales = getPackedFactor(source, factors->scales, weights, columns);
  if (!values || !scales)
    return false;
  OpBuilder builder(hero);
  const Location loc = hero->getLoc();
  values = addInput(fusion, values);
  scales = addInput(fusion, scales);
  const Packing ofIntegers = getPacking(factors->values, weights, columns);
  if (arePairs)
    values = cpu::UnpackIntegersOp::create(builder, loc,
                                           ofIntegers.getPackedType(), values);
  Value ofValues = ofIntegers.emitUnpack(builder, loc, values),
        ofScales = getPacking(factors->scales, weights, columns)
                       .emitUnpack(builder, loc, scales);
  auto type = cast<RankedTensorType>(ofValues.getType());
  setPlainWeights(
      hero, cpu::ScaleWeightsOp::create(
                builder, loc, type.clone(builder.getF32Type()), ofValues,
                ofScales, builder.getI64IntegerAttr(factors->inputsPerScale)));
  dropUnused(fusion, source.input);
  return true;
}

void PackWeightsPass::pack(ir::FusionOp fusion, Operation *hero) {
  std::optional<Weights> weights = getWeights(hero);
  if (!weights)
    return;
  auto type = cast<RankedTensorType>(weights->operand->get().getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return;
  std::optional<Source> source = findSource(fusion, weights->operand->get());
  if (!source)
    return;
  if (packFactors(fusion, hero, *weights, *source))
    return;
  std::optional<int64_t> columns =
      block > 0
          ? std::optional<int64_t>(block)
          : getPackedBlock(hero, static_cast<bool>(source->constant), core);
  if (!columns)
    return;
  Value packed = getPacked(*source, *weights, *columns);
  if (!packed)
    return;
  Value argument = addInput(fusion, packed);
  OpBuilder builder(hero);
  setPlainWeights(hero, Packing(*weights, *columns)
                            .emitUnpack(builder, hero->getLoc(), argument));
  for (Operation *view : llvm::reverse(source->views))
    if (view->use_empty())
      view->erase();
  dropUnused(fusion, source->input);
}

/// Whether `hero` can be lowered as a generated kernel. This may be impossible
/// because views that the fusion relied on have other users, or because its
/// weights cannot be packed.
static bool isLowered(Operation *hero) {
  Expected<Contraction> contraction = describeContraction(hero);
  return contraction && getVectorizedDim(*contraction);
}

/// Replaces a fusion by the ops of its body.
static void dissolve(ir::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  ir::YieldOp yield = fusion.getYield();
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), fusion->getOperands()))
    argument.replaceAllUsesWith(operand);
  fusion->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  fusion->getBlock()->getOperations().splice(fusion->getIterator(),
                                             body.getOperations());
  fusion->erase();
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
      return isa<ir::ContractionOpInterface>(inner);
    });
    if (hero == body.end())
      return;
    pack(fusion, &*hero);
    if (!isLowered(&*hero))
      dissolve(fusion);
  });
  for (Operation *constant : constants)
    if (isOpTriviallyDead(constant))
      constant->erase();
}

} // namespace tandem
