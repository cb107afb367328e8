//===- PassDevice.h - The device model of a pass ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_PASSDEVICE_H
#define TANDEM_ANALYSIS_PASSDEVICE_H

#include "tandem/Analysis/CostModel.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace tandem {

/// Sets `device` to the model that a pass's option `device-spec` names
/// (findDeviceModel), or emits a diagnostic.
inline mlir::LogicalResult readDevice(mlir::MLIRContext *context,
                                      llvm::StringRef spec,
                                      DeviceModel &device) {
  Expected<DeviceModel> found = findDeviceModel(spec);
  if (!found)
    return mlir::emitError(mlir::UnknownLoc::get(context))
           << found.error().message << (found.error().hint.empty() ? "" : "; ")
           << found.error().hint;
  device = *found;
  return mlir::success();
}

} // namespace tandem

#endif // TANDEM_ANALYSIS_PASSDEVICE_H
