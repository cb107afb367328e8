//===- TrainingPhase.cpp - The phases of a training step ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/TrainingPhase.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

static TrainingPhase phaseOfName(StringRef name) {
  if (name.ends_with("(update)"))
    return TrainingPhase::update;
  return name.ends_with("(backward)") ? TrainingPhase::backward
                                      : TrainingPhase::forward;
}

static TrainingPhase phaseOfFused(FusedLoc loc) {
  auto mark = dyn_cast_or_null<StringAttr>(loc.getMetadata());
  TrainingPhase phase = mark && mark.getValue() == "backward"
                            ? TrainingPhase::backward
                            : TrainingPhase::forward;
  for (Location inner : loc.getLocations())
    phase = std::max(phase, phaseOf(inner));
  return phase;
}

TrainingPhase phaseOf(Location loc) {
  return llvm::TypeSwitch<LocationAttr, TrainingPhase>(loc)
      .Case<FusedLoc>(phaseOfFused)
      .Case<NameLoc>([](NameLoc named) {
        return std::max(phaseOfName(named.getName()),
                        phaseOf(named.getChildLoc()));
      })
      .Case<CallSiteLoc>([](CallSiteLoc call) {
        return std::max(phaseOf(call.getCallee()), phaseOf(call.getCaller()));
      })
      .Default(TrainingPhase::forward);
}

} // namespace tandem
