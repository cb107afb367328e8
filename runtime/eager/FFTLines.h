//===- FFTLines.h - The lines of an fft -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_FFTLINES_H
#define TANDEM_RUNTIME_EAGER_FFTLINES_H

#include "AxisView.h"

#include "tandem/Support/ShapeRules.h"

namespace tandem::eager {

/// The lines of the operand and of the result of an fft. Line (i, j), i < outer
/// and j < inner, has its element k at number (i * size + k) * inner + j, where
/// `size` is the number of elements of a line. Elements are real or complex
/// numbers, and a complex number is its real and its imaginary part, side by
/// side.
struct FFTLines {
  FFTLines(const OpDesc &op, const TensorType &operand,
           const TensorType &result)
      : kind(op.attrs.AsFFTAttrs()->kind), length(transformLength(op, operand)),
        outer(AxisView(operand.shape, op.attrs.AsFFTAttrs()->axis).outer),
        inner(AxisView(operand.shape, op.attrs.AsFFTAttrs()->axis).inner /
              (readsReal() ? 1 : 2)),
        inSize(operand.shape[static_cast<int>(op.attrs.AsFFTAttrs()->axis)]),
        outSize(result.shape[static_cast<int>(op.attrs.AsFFTAttrs()->axis)]) {}

  bool readsReal() const { return kind == fb::FFTKind::rfft; }
  bool writesReal() const { return kind == fb::FFTKind::irfft; }
  bool isInverse() const {
    return kind == fb::FFTKind::ifft || kind == fb::FFTKind::irfft;
  }
  int64_t count() const { return outer * inner; }

  fb::FFTKind kind;
  /// The length of the transform.
  int64_t length;
  int64_t outer, inner;
  int64_t inSize, outSize;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_FFTLINES_H
