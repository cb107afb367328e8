//===- ChooseContractions.cpp - tandem-cpu-choose-contractions ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/PassDevice.h"
#include "tandem/Target/CPU/ContractionPrices.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CHOOSECONTRACTIONS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// What the prices are off by, as a rule (`tandem-bench conv`). A kernel also
/// takes in what follows, which they do not know.
constexpr double kLibraryMargin = 1.2;

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
