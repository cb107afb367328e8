//===- DeviceLibraryModel.h - What the libraries at hand compute *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_PREDICTION_DEVICELIBRARYMODEL_H
#define TANDEM_LIB_COMPILER_PREDICTION_DEVICELIBRARYMODEL_H

#include "tandem/Fusion/LibraryModel.h"
#include "tandem/Runtime/Device.h"

namespace tandem {

/// Models the libraries of a device that is present by asking the libraries
/// about each call. Fusion therefore depends on the versions of the libraries,
/// on whether their relus preserve NaN, and on the requested precision. The
/// libraries keep the plans that they make, and use them again when the program
/// is prepared.
class DeviceLibraryModel final : public LibraryModel {
public:
  /// `general` is the target's model. Both arguments must outlive this object.
  DeviceLibraryModel(const LibraryModel &general, ProviderList providers)
      : general(general), providers(providers) {}

  llvm::StringRef name() const override { return "device"; }
  Status check(const FusedContraction &fused) const override;

private:
  const LibraryModel &general;
  const ProviderList providers;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_PREDICTION_DEVICELIBRARYMODEL_H
