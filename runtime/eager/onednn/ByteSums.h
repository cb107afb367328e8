//===- ByteSums.h - Whether oneDNN sums bytes exactly -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products of 8-bit integers must be exact modulo 2^32. oneDNN 2.6 does
// not guarantee this. On processors without VNNI, it adds two products in 16
// bits, which saturates. Some of its kernels convert sums of i32 to f32 and
// back, which rounds sums beyond 2^24.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_BYTESUMS_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_BYTESUMS_H

#include "Builders.h"

namespace tandem::onednn {

/// Whether the op sums products of 8-bit integers in i32.
bool sumsBytes(const Signature &signature);

/// Whether oneDNN uses instructions of VNNI or AVX-VNNI on this host.
bool multipliesBytes();

/// Whether `plan` computes the exact sums of the signature, for which
/// sumsBytes holds. The first call for a type of data runs small convolutions
/// and matrix products whose sums are known, and records which implementations
/// of oneDNN return these sums. The caller must hold the lock for creating
/// primitives.
bool areByteSumsExact(const Signature &signature, const Plan &plan);

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_BYTESUMS_H
