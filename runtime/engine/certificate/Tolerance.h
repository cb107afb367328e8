//===- Tolerance.h - How far two tiers' results may be apart ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tolerance that costs nothing per call: it is derived once for each
// signature, from the eager program and the shapes, without any data.
// docs/Engine.md derives it. It is a model of what rounding usually does, not a
// bound of the worst case: what exceeds it is to be judged by the error bounds
// of ErrorBounds.h, which know the data.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_CERTIFICATE_TOLERANCE_H
#define TANDEM_RUNTIME_ENGINE_CERTIFICATE_TOLERANCE_H

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Support/Choices.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem::tiering {

/// How exactly right executions agree on a value: standard deviations of an
/// element's error.
struct ValueTolerance {
  /// The part that scales with the element's own magnitude, as a multiple of
  /// it.
  double elementwise = 0;
  /// The part that scales with the sum of the element's own magnitude and the
  /// root mean square of all elements of the tensor, as a multiple of that sum:
  /// where sums may cancel.
  double normwise = 0;

  /// Whether all executions give the same values.
  bool isExact() const { return elementwise == 0 && normwise == 0; }
  /// The most by which any of `elements` elements of two right results may
  /// differ: |x| relative + rms floor.
  struct Bound {
    double relative = 0, floor = 0;
  };
  Bound bound(double elements) const;
  /// The bound from which on a difference must be judged with the data, and is
  /// not simply taken for rounding, however inexact the value is: a tenth, as
  /// in Difference::isWeak.
  static constexpr double kMax = kWeakBound;
  /// Whether the bound is that large.
  bool isWeak(double elements) const {
    return bound(elements).relative >= kMax;
  }
};

/// An op whose result jumps where its operands, which are not exact, cross a
/// limit: floor, ceil, round, sign, a cast to integers or i1, a compare, or an
/// argmax.
struct Jump {
  /// The op's index among the program's steps.
  size_t step = 0;
  /// The type of the result that jumps.
  TensorType result;
  std::vector<ValueTolerance> operands;
};

/// How far an element that is near a jump reaches.
struct JumpInfluence {
  /// The index of the jump in Tolerance::jumps.
  size_t jump = 0;
  /// The most elements of the value that depend on one element of the jump's
  /// result.
  double elements = 0;
};

/// The tolerances of a program for one signature. Immutable and thread-safe.
struct Tolerance {
  std::vector<Jump> jumps;
  /// One for each output of the program.
  std::vector<ValueTolerance> outputs;
  /// For each output, the jumps that it depends on.
  std::vector<std::vector<JumpInfluence>> influences;
  /// The types of all slots of the program for these inputs.
  std::vector<TensorType> types;
};

/// Derives the tolerances of an eager program for inputs of these static types.
/// Fails for kernels, and where the inputs do not fit the program.
Expected<Tolerance> deriveTolerance(const Program &program,
                                    std::span<const TensorType> inputs,
                                    Precision precision = Precision::strict);

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_CERTIFICATE_TOLERANCE_H
