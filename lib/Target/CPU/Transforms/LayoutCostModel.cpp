//===- LayoutCostModel.cpp - What layouts cost on a CPU -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transforms/LayoutCostModel.h"

#include "Transforms/PermuteDims.h"
#include "Transforms/WeightPacking.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Target/CPU/ContractionCosts.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

/// The cost of a transpose within a kernel, relative to a copy of the same
/// bytes.
static constexpr double kFoldedFactor = 0.5;

static double getBytes(Value value) {
  return static_cast<double>(ir::toTandemType(typeOf(value)).bytes());
}

bool transposesKernel(ir::ConvOp conv, bool isOutputLast) {
  return isOutputLast && conv.getGroups() > 1 &&
         matchPattern(conv.getKernel(), m_Constant()) &&
         !llvm::is_sorted(getWeights(conv)->permutation);
}

/// Creates a copy of `conv` with other layouts in `block`. The input and the
/// kernel of the copy are new arguments of the block.
static ir::ConvOp createVariant(Block &block, ir::ConvOp conv, bool isInputLast,
                                bool isOutputLast) {
  OpBuilder builder(conv.getContext());
  builder.setInsertionPointToEnd(&block);
  Permutation last = getChannelsLast(typeOf(conv.getInput()).getRank());
  auto variant = cast<ir::ConvOp>(builder.clone(*conv));
  RankedTensorType inputType = typeOf(conv.getInput());
  ir::ConvLayoutAttr layout = conv.getLayout();
  std::string input = layout.getInput().str(),
              output = layout.getOutput().str();
  if (isInputLast) {
    inputType = permute(inputType, last);
    input = permute(input, last);
  }
  if (isOutputLast) {
    variant.getResult().setType(permute(typeOf(conv.getResult()), last));
    output = permute(output, last);
  }
  variant.getInputMutable().assign(block.addArgument(inputType, conv.getLoc()));
  variant.getKernelMutable().assign(
      block.addArgument(conv.getKernel().getType(), conv.getLoc()));
  variant.setLayoutAttr(ir::ConvLayoutAttr::get(conv.getContext(), input,
                                                layout.getKernel(), output));
  if (transposesKernel(conv, isOutputLast)) {
    auto type =
        permute(typeOf(conv.getKernel()), getWeights(conv)->permutation);
    setPlainWeights(variant, block.addArgument(type, conv.getLoc()));
  }
  return variant;
}

/// Returns the time, in ns, of the way to compute `conv` that
/// tandem-cpu-choose-contractions will choose. The time of the library includes
/// ops that it leaves to another kernel (getLeftoverNs). Constant weights are
/// packed ahead of time. `given` is the convolution in the graph.
static double getChosenNs(ir::ConvOp conv, ir::ConvOp given,
                          const LayoutCostModel &costs) {
  bool isConstant = matchPattern(given.getKernel(), m_Constant());
  SmallVector<ContractionCost, 4> ways = estimateContractionCosts(
      conv, isConstant, costs.device, costs.useWinograd);
  BackendCosts both{std::numeric_limits<double>::max(),
                    ways.pop_back_val().getNs() +
                        getLeftoverNs(given, costs.device)};
  for (const ContractionCost &way : ways)
    both.generatedNs = std::min(both.generatedNs, way.getNs());
  return prefersLibrary(both) ? both.libraryNs : both.generatedNs;
}

double LayoutCostModel::getConvNs(ir::ConvOp conv, bool isInputLast,
                                  bool isOutputLast) const {
  Block block;
  ir::ConvOp variant = createVariant(block, conv, isInputLast, isOutputLast);
  return getChosenNs(variant, conv, *this);
}

/// Whether `op` pads dim 1 (the channels, if they are first), and all channels
/// of a position together have fewer bytes than a vector.
static bool padsFewChannels(Operation *op, const DeviceModel &device) {
  auto pad = dyn_cast<ir::PadOp>(op);
  if (!pad)
    return false;
  const RankedTensorType from = typeOf(pad.getInput()),
                         to = typeOf(pad.getResult());
  return to.getDimSize(1) != from.getDimSize(1) &&
         to.getDimSize(1) * to.getElementTypeBitWidth() < device.vectorBits;
}

double LayoutCostModel::getFirstNs(Operation *op) const {
  // With channels last, each position gets a few more elements. With channels
  // first, the new channels are planes of their own.
  if (padsFewChannels(op, device))
    return -estimateMemoryNs(device, {0, getBytes(op->getResult(0))});
  auto layout = op->getAttrOfType<StringAttr>("layout");
  if (!isa<ir::MaxPoolOp, ir::AvgPoolOp>(op) ||
      !layout.getValue().starts_with("NC"))
    return 0;
  // If windows have a stride along the width, neighboring windows share no
  // vector.
  auto strides = op->getAttrOfType<DenseI64ArrayAttr>("strides");
  return strides.asArrayRef().back() == 1
             ? 0
             : kFoldedFactor *
                   estimateMemoryNs(device, {0, getBytes(op->getOperand(0))});
}

double LayoutCostModel::getTransposeNs(Value value, bool isInLoop) const {
  double copyNs = estimateMemoryNs(device, {0, 2 * getBytes(value)});
  return isInLoop ? kFoldedFactor * copyNs
                  : device.launchNs + (1 + device.acrossFactor) / 2 * copyNs;
}

} // namespace tandem
