//===- TransformWeights.cpp - tandem-cpu-transform-weights ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "ReadCPUDevice.h"
#include "Transforms/WeightPacking.h"

#include "tandem/Analysis/Contraction/ContractionWindow.h"
#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/Winograd.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "tandem-contractions"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_TRANSFORMWEIGHTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// A convolution of a fusion, and the constant that is its kernel. The constant
/// is outside of the fusion or, if it is a splat, inside.
struct Candidate {
  ir::ConvOp conv;
  ir::ConstantOp constant;
};

struct TransformWeightsPass : impl::TransformWeightsBase<TransformWeightsPass> {
  using TransformWeightsBase::TransformWeightsBase;

  LogicalResult initialize(MLIRContext *context) override {
    DeviceModel device;
    if (failed(readCPUDevice(context, deviceSpec.getValue(), device)))
      return failure();
    core = getCoreModel(device);
    return success();
  }

  void runOnOperation() override;

private:
  std::optional<WinogradPlan> choose(ir::ConvOp conv) const;
  void transform(ir::FusionOp fusion, Candidate candidate);

  CoreModel core;
};

} // namespace

static std::optional<Candidate> findCandidate(ir::FusionOp fusion) {
  auto convs = fusion.getBody().front().getOps<ir::ConvOp>();
  if (convs.empty())
    return std::nullopt;
  ir::ConvOp conv = *convs.begin();
  Value kernel = conv.getKernel();
  if (auto argument = dyn_cast<BlockArgument>(kernel))
    kernel = fusion.getInputs()[argument.getArgNumber()];
  auto constant = kernel.getDefiningOp<ir::ConstantOp>();
  return constant ? std::optional(Candidate{conv, constant}) : std::nullopt;
}

/// Returns the constant in the order HWIO, or null if its bytes are not
/// available.
static ElementsAttr orderKernel(ir::ConvOp conv, ElementsAttr kernel) {
  SmallVector<int64_t> permutation;
  for (char letter : StringRef("HWIO"))
    permutation.push_back(conv.getLayout().getKernel().find(letter));
  return ir::transpose(kernel, permutation);
}

/// Converts a transformed kernel from blocks of outputs to the order HWIO.
static Value emitTransformed(OpBuilder &builder, Location loc, Value blocks,
                             int64_t outputs) {
  using namespace winograd;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(blocks.getType()).getShape();
  int64_t inputs = shape[3], rounded = shape[0] * shape[4];
  Value value = ir::TransposeOp::create(
      builder, loc, blocks, builder.getDenseI64ArrayAttr({1, 2, 3, 0, 4}));
  value = ir::ReshapeOp::create(
      builder, loc, value,
      builder.getDenseI64ArrayAttr({kSize, kSize, inputs, rounded}));
  if (rounded != outputs)
    value = ir::SliceOp::create(
        builder, loc, value, builder.getDenseI64ArrayAttr({0, 0, 0, 0}),
        builder.getDenseI64ArrayAttr({kSize, kSize, inputs, outputs}),
        builder.getDenseI64ArrayAttr({1, 1, 1, 1}));
  return value;
}

std::optional<WinogradPlan>
TransformWeightsPass::choose(ir::ConvOp conv) const {
  if (how == Winograd::automatic)
    return chooseWinograd(conv, core);
  Expected<Contraction> contraction = describeContraction(conv);
  if (!contraction || !canUseWinograd(*contraction))
    return std::nullopt;
  return planWinograd(*contraction, core);
}

/// Erases the input `kernel` and its constant if nothing reads them any more.
static void dropUnused(ir::FusionOp fusion, Value kernel,
                       ir::ConstantOp constant) {
  if (!kernel.use_empty())
    return;
  if (auto argument = dyn_cast<BlockArgument>(kernel)) {
    unsigned input = argument.getArgNumber();
    fusion.getBody().front().eraseArgument(input);
    fusion->eraseOperand(input);
  }
  if (isOpTriviallyDead(constant))
    constant.erase();
}

/// Whether all pooling windows of the fusion fit in Winograd's tiles, so that
/// pooling can be computed tile by tile.
static bool fitsTiles(ir::FusionOp fusion, ir::ConvOp conv) {
  Expected<Contraction> contraction = describeContraction(conv);
  if (!contraction)
    return false;
  return llvm::all_of(fusion.getBody().front(), [&](Operation &op) {
    if (!isa<ir::MaxPoolOp, ir::AvgPoolOp, ir::ReduceOp>(op))
      return true;
    Expected<ContractionWindow> window = describeWindow(&op, *contraction);
    return window && window->fitsTiles(winograd::kTile);
  });
}

/// Adds a constant as the last operand of `fusion`, and returns the block
/// argument for it.
static Value addInput(ir::FusionOp fusion, Location loc, ElementsAttr value) {
  OpBuilder builder(fusion);
  Value constant = ir::ConstantOp::create(builder, loc, value);
  fusion->insertOperands(fusion->getNumOperands(), constant);
  return fusion.getBody().addArgument(constant.getType(), loc);
}

void TransformWeightsPass::transform(ir::FusionOp fusion, Candidate candidate) {
  ir::ConvOp conv = candidate.conv;
  if (!fitsTiles(fusion, conv))
    return;
  std::optional<WinogradPlan> plan = choose(conv);
  LLVM_DEBUG(llvm::dbgs() << conv << "\n  Winograd's method: ";
             if (plan) llvm::dbgs() << int64_t(plan->cycles) << " cycles\n";
             else llvm::dbgs() << "does not pay\n");
  if (!plan)
    return;
  auto elements = cast<ElementsAttr>(candidate.constant.getValue());
  ElementsAttr kernel = orderKernel(conv, elements);
  if (!kernel)
    return;
  std::optional<float> largestData = findLargestData(kernel);
  Packing packing(*getWeights(conv), plan->block);
  ElementsAttr packed = packing.pack(elements);
  if (!largestData || !packed)
    return;
  Location loc = conv.getLoc();
  Value plainBlocks = addInput(fusion, candidate.constant.getLoc(), packed);
  Value blocks = addInput(fusion, candidate.constant.getLoc(),
                          transformKernel(kernel, plan->block));
  OpBuilder builder(conv);
  Value before = conv.getKernel();
  int64_t outputs = cast<RankedTensorType>(kernel.getType()).getDimSize(3);
  Value plain = packing.emitUnpack(builder, loc, plainBlocks);
  Value transformed = emitTransformed(builder, loc, blocks, outputs);
  setPlainWeights(conv, cpu::WinogradKernelOp::create(
                            builder, loc, plain.getType(), plain, transformed,
                            builder.getF32FloatAttr(*largestData)));
  dropUnused(fusion, before, candidate.constant);
}

void TransformWeightsPass::runOnOperation() {
  if (how == Winograd::never)
    return;
  getOperation()->walk([&](ir::FusionOp fusion) {
    if (fusion.getKind() != ir::FusionKind::contraction)
      return;
    if (std::optional<Candidate> candidate = findCandidate(fusion))
      transform(fusion, *candidate);
  });
}

} // namespace tandem
