//===- ByteDepthwise.h - Depthwise convolutions of bytes --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEDEPTHWISE_H
#define TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEDEPTHWISE_H

#include "../../Spatial.h"
#include "../Prepare.h"

namespace tandem::eager {

/// Prepares a convolution in which each output sums the taps of one channel.
/// `data` is the type of the input, i8 or ui8.
Prepared prepareByteDepthwise(DType data, const SpatialConv &conv);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEDEPTHWISE_H
