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

/// The libraries of a device that is here, which are asked about each call. So
/// what is fused depends on their versions, on whether their relus keep NaN,
/// and on the precision that is wanted. They keep the plans that they make, for
/// when the program is prepared.
class DeviceLibraryModel final : public LibraryModel {
public:
  /// `general` is the target's model; both outlive this.
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
