//===- WinogradKernel.h - Transformed kernels of convolutions ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transformation of kernels for Winograd's method F(4x4, 3x3) of Lavin and
// Gray, "Fast Algorithms for Convolutional Neural Networks" (2015). It computes
// 4x4 results of a 3x3 convolution from 6x6 elements of data d and a kernel k
// as
//
//   Aᵀ ((G k Gᵀ) ⊙ (Bᵀ d B)) A,
//
// with 36 multiplications in place of 144. The matrices follow from
// interpolation at the points 0, ±a, ±b and infinity (Toom and Cook; see
// Blahut, Fast Algorithms for Signal Processing, ch. 5). With a = 5/8 and b =
// 3/2 the error is a fifth of that with the usual 1 and 2
// (docs/Contractions.md).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_WINOGRADKERNEL_H
#define TANDEM_TARGET_CPU_WINOGRADKERNEL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace tandem {

namespace winograd {

/// Results, taps and elements of data of a tile, per dim.
inline constexpr int64_t kTile = 4, kTaps = 3, kSize = kTile + kTaps - 1;
inline constexpr int64_t kPositions = kSize * kSize;
/// The interpolation points a and b.
inline constexpr double kNear = 0.625, kFar = 1.5;

} // namespace winograd

/// Transforms `kernel`, an f32 constant of shape [3, 3, I, O], computing in
/// f64. The result has the layout [ceil(O / block)][6][6][I][block], padded
/// with zeros, and is made once per context. The bytes of `kernel` must be
/// available (getRawData).
mlir::ElementsAttr transformKernel(mlir::ElementsAttr kernel, int64_t block);

/// Returns a limit for the magnitude of data. Up to this limit, Winograd's
/// method with the transformed `kernel` overflows in f32 only if a direct
/// convolution overflows too. Returns nothing if the transformed kernel might
/// not be finite.
std::optional<float> findLargestData(mlir::ElementsAttr kernel);

} // namespace tandem

#endif // TANDEM_TARGET_CPU_WINOGRADKERNEL_H
