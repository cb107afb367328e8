//===- FusionPassOptions.h - Common options of fusion passes ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_PASSES_FUSIONPASSOPTIONS_H
#define TANDEM_LIB_FUSION_PASSES_FUSIONPASSOPTIONS_H

#include "tandem/Analysis/PassDevice.h"
#include "tandem/Fusion/FusionPlan.h"

namespace tandem {

/// The base class of passes that plan fusion. It extends the generated base
/// class `Base`, and reads the options that all such passes have in common.
template <typename Base> class FusionPlanningPass : public Base {
public:
  using Base::Base;

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    if (mlir::failed(
            readDevice(context, this->deviceSpec.getValue(), fusion.device)))
      return mlir::failure();
    fusion.fuel = this->fuel;
    fusion.maxReads = this->maxReads;
    fusion.maxBodyReads = this->maxBodyReads;
    fusion.maxResults = this->maxResults;
    if (const std::string &target = this->contractions; !target.empty()) {
      fusion.contractions = ContractionModels::find(context, target);
      if (!fusion.contractions)
        return mlir::emitError(mlir::UnknownLoc::get(context))
               << "no target '" << target << "' generates contractions";
    }
    if (const std::string &name = this->libraries; !name.empty()) {
      fusion.libraries = LibraryModels::find(context, name);
      if (!fusion.libraries)
        return mlir::emitError(mlir::UnknownLoc::get(context))
               << "no libraries are called '" << name << "'";
    }
    fusion.reductions = this->reductions;
    fusion.keepsPhasesApart = this->phasesApart;
    return mlir::success();
  }

protected:
  FusionOptions fusion;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_PASSES_FUSIONPASSOPTIONS_H
