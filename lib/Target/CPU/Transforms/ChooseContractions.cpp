//===- ChooseContractions.cpp - tandem-cpu-choose-contractions ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "ReadCPUDevice.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Target/CPU/ContractionCosts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "tandem-contractions"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CHOOSECONTRACTIONS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

struct ChooseContractionsPass
    : impl::ChooseContractionsBase<ChooseContractionsPass> {
  using ChooseContractionsBase::ChooseContractionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (how == Contractions::autotune)
      return emitError(UnknownLoc::get(context))
             << "no pass autotunes contractions, but the compiler of programs";
    return readCPUDevice(context, deviceSpec.getValue(), device);
  }

  void runOnOperation() override {
    if (how == Contractions::generated && !notes)
      return;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::ContractionOpInterface>(op))
        visit(op);
    });
  }

private:
  void visit(Operation *op) {
    std::optional<BackendCosts> costs =
        compareWithLibrary(op, device, winograd);
    if (how == Contractions::library)
      return chooseLibrary(op, costs.value_or(BackendCosts()));
    if (!costs)
      return;
    costs->libraryNs += getLeftoverNs(op, device);
    LLVM_DEBUG(llvm::dbgs()
               << *op << "\n  generated " << int64_t(costs->generatedNs)
               << " ns, by the library " << int64_t(costs->libraryNs)
               << " ns\n");
    if (how == Contractions::predict && prefersLibrary(*costs))
      chooseLibrary(op, *costs);
    else if (notes)
      noteGenerated(op, *costs);
  }

  DeviceModel device;
};

} // namespace
} // namespace tandem
