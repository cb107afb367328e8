//===- KernelProvider.h - Every op on a GPU, by own kernels -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_KERNELPROVIDER_H
#define TANDEM_RUNTIME_EAGER_CUDA_KERNELPROVIDER_H

#include "KernelPrograms.h"

#include "tandem/Runtime/Provider.h"

namespace tandem::cuda {

/// Executes every op of the dialect but custom_call, for every type, by kernels
/// of its own: the last of a GPU's providers. All that depends on shapes is
/// computed by `prepare`; a run fills in pointers and launches.
class KernelProvider final : public Provider {
public:
  /// `alwaysWide`: indices have 64 bits whatever the shapes, for tests.
  explicit KernelProvider(Context &context, bool alwaysWide = false)
      : programs(context), alwaysWide(alwaysWide) {}

  std::string_view name() const override { return "cuda"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override;
  Status warmUp(const OpSignature &signature) const override;

private:
  mutable KernelPrograms programs;
  const bool alwaysWide;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_KERNELPROVIDER_H
