//===- CopyProvider.h - Op steps that a GPU's copies execute ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_COPYPROVIDER_H
#define TANDEM_RUNTIME_DEVICE_CUDA_COPYPROVIDER_H

#include "tandem/Runtime/Provider.h"

namespace tandem::cuda {

/// Executes reshape. Refuses every other op by name: what a GPU has no library
/// for is to be part of a kernel.
const Provider &copyProvider();

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_COPYPROVIDER_H
