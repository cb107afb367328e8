//===- CustomCallProvider.h - Runs registered functions ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUSTOM_CUSTOMCALLPROVIDER_H
#define TANDEM_RUNTIME_EAGER_CUSTOM_CUSTOMCALLPROVIDER_H

#include "tandem/Runtime/Provider.h"

namespace tandem {

/// Executes custom_call by the functions that are registered for a device. A
/// target that is not registered is an error.
class CustomCallProvider final : public Provider {
public:
  /// The device must outlive the provider.
  explicit CustomCallProvider(const Device &device) : device(device) {}
  std::string_view name() const override { return "custom calls"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override;

private:
  const Device &device;
};

/// Executes custom_call on the CPU by the reference of the target's function.
const Provider &customCallReferences();

} // namespace tandem

#endif // TANDEM_RUNTIME_EAGER_CUSTOM_CUSTOMCALLPROVIDER_H
