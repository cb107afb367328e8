//===- ChooseContractions.cpp - tandem-cpu-choose-contractions ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both prices are of one core. Either way walks with tiles of registers, which
// begin and end alike (ContractionStrategy.h); of the multiply-adds in between
// each way does a share of what the processor could. Calibrated with
// `tandem-bench conv` and `matmul` on a Zen 4, where both reach 0.85 to 0.95 of
// the peak on large shapes, so that the price of a call and of the layouts that
// the library does not like decide; for the rest there is `measure`.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "tandem/Conversion/TandemToLinalg/Contraction.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/LibraryChoice.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CHOOSECONTRACTIONS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// What is reached of a tile's speed.
constexpr double kKernelShare = 0.9, kLibraryShare = 0.88;
/// Depthwise; and channels first, where layouts change before and after.
constexpr double kLibraryDepthwiseShare = 0.7, kLibraryOtherLayoutShare = 0.5;
/// To start a primitive and wake its threads.
constexpr double kLibraryCallNs = 3000;
/// A kernel also takes in what follows, which the prices do not know.
constexpr double kLibraryMargin = 1.1;
constexpr double kCyclesPerNs = 3.5;
/// What one core gets of the caches that it shares, at best: whoever computes,
/// operands and result come and go no faster.
constexpr double kBytesPerNs = 32;

double getLibraryShare(ContractionLanes lanes) {
  switch (lanes) {
  case ContractionLanes::Groups:
    return kLibraryDepthwiseShare;
  case ContractionLanes::Positions:
    return kLibraryOtherLayoutShare;
  default:
    return kLibraryShare;
  }
}

/// Of weights that are read as they are, as dot products.
std::optional<double> getDotCycles(Operation *op, Contraction contraction) {
  bool isConstant = matchPattern(contraction.weights, m_Constant());
  if (getContractionLanes(contraction) != ContractionLanes::Reduction ||
      getPackedBlock(op, isConstant))
    return std::nullopt;
  flattenPositions(contraction);
  return chooseContractionStrategy(contraction, {}).cycles;
}

/// None where no kernel can be generated.
std::optional<ContractionPrices> getPrices(Operation *op) {
  std::string why;
  if (!whyNotContraction(op).empty())
    return std::nullopt;
  FailureOr<Contraction> contraction = describeContraction(op, why);
  if (failed(contraction))
    return std::nullopt;
  std::optional<double> dotCycles = getDotCycles(op, *contraction);
  // As when its weights are packed, in order and in blocks that fit the tile.
  if (contraction->outputDim == contraction->result.getRank() - 1)
    contraction->outputStride = 1;
  contraction->outputBlock = contraction->outputs;
  if (!getContractionLanes(*contraction))
    return std::nullopt;
  flattenPositions(*contraction);
  ContractionStrategy strategy = chooseContractionStrategy(*contraction, {});
  FailureOr<OpCost> cost = cast<ir::TandemOpInterface>(op).getCost();
  if (failed(cost))
    return std::nullopt;
  double memoryNs = double(cost->bytes) / kBytesPerNs;
  auto toNs = [&](double cycles, double share) {
    return std::max(memoryNs, cycles / kCyclesPerNs / share);
  };
  ContractionPrices prices;
  prices.generatedNs = toNs(dotCycles.value_or(strategy.cycles), kKernelShare);
  prices.libraryNs =
      kLibraryCallNs + toNs(strategy.cycles, getLibraryShare(strategy.lanes));
  return prices;
}

struct ChooseContractionsPass
    : impl::ChooseContractionsBase<ChooseContractionsPass> {
  using ChooseContractionsBase::ChooseContractionsBase;

  void runOnOperation() override {
    if (how != "predict" && how != "generated" && how != "library") {
      emitError(UnknownLoc::get(&getContext()))
          << "no way '" << how
          << "' to choose: there are predict, generated, library";
      return signalPassFailure();
    }
    if (how == "generated")
      return;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::ConvOp, ir::MatmulOp>(op))
        visit(op);
    });
  }

private:
  void visit(Operation *op) {
    std::optional<ContractionPrices> prices = getPrices(op);
    if (how == "library")
      return chooseLibrary(op, prices.value_or(ContractionPrices()));
    if (prices && prices->libraryNs * kLibraryMargin < prices->generatedNs)
      chooseLibrary(op, *prices);
  }
};

} // namespace
} // namespace tandem
