//===- ChooseContractions.cpp - tandem-cpu-choose-contractions ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Fusion/PassDevice.h"
#include "tandem/Target/CPU/ContractionPrices.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CHOOSECONTRACTIONS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// What the prices are off by, as a rule (`tandem-bench conv`).
constexpr double kLibraryMargin = 1.2;

/// What a kernel takes in and the library leaves to one of its own: a pass over
/// the result by the elementwise op that follows.
double getEpilogueNs(Operation *op, const DeviceModel &device) {
  Value result = op->getResult(0);
  if (!result.hasOneUse() ||
      !isa<ir::ElementwiseOpInterface>(*result.getUsers().begin()))
    return 0;
  auto type = ir::toTandemType(cast<RankedTensorType>(result.getType()));
  return estimateNs(device, {0, 2 * double(type.bytes())});
}

struct ChooseContractionsPass
    : impl::ChooseContractionsBase<ChooseContractionsPass> {
  using ChooseContractionsBase::ChooseContractionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (how != "predict" && how != "generated" && how != "library")
      return emitError(UnknownLoc::get(context))
             << "no way '" << how
             << "' to choose: there are predict, generated, library";
    return readDevice(context, deviceSpec.getValue(), device);
  }

  void runOnOperation() override {
    if (how == "generated" && !notes)
      return;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::ConvOp, ir::MatmulOp>(op))
        visit(op);
    });
  }

private:
  void visit(Operation *op) {
    std::optional<ContractionPrices> prices =
        compareWithLibrary(op, device, winograd);
    if (how == "library")
      return chooseLibrary(op, prices.value_or(ContractionPrices()));
    if (!prices)
      return;
    prices->libraryNs += getEpilogueNs(op, device);
    if (how == "predict" &&
        prices->libraryNs * kLibraryMargin < prices->generatedNs)
      chooseLibrary(op, *prices);
    else if (notes)
      noteGenerated(op, *prices);
  }

  DeviceModel device;
};

} // namespace
} // namespace tandem
