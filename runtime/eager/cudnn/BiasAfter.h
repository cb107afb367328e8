//===- BiasAfter.h - Adding a bias after a convolution ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_BIASAFTER_H
#define TANDEM_RUNTIME_EAGER_CUDNN_BIASAFTER_H

#include "tandem/Runtime/Provider.h"

namespace tandem::cudnn {

/// Prepares the addition of a bias to the result of `conv`, a prepared
/// convolution without a bias. `signature` is that of the convolution with its
/// bias, operand 2. One of `providers` adds. Returns null if none of them does.
std::unique_ptr<PreparedOp> addBiasAfter(std::unique_ptr<PreparedOp> conv,
                                         const OpSignature &signature,
                                         ProviderList providers);

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_BIASAFTER_H
