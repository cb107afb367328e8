//===- ErrorBounds.h - Error bounds of correct results ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tolerance model: bounds on the distance of a correct result from the
// result of the reference tier, for each element. docs/Measuring.md describes
// the model. The bounds are computed by Monte Carlo arithmetic (Parker, UCLA
// CSD-970002, 1997).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ERRORBOUNDS_H
#define TANDEM_RUNTIME_ERRORBOUNDS_H

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/Choices.h"

#include <functional>
#include <span>
#include <vector>

namespace tandem {

/// An output as computed by the reference tier, and the error bound of each
/// element.
struct BoundedTensor {
  Tensor value;
  ErrorBounds bounds;
};

/// Options of the sampling of error bounds.
struct ErrorBoundOptions {
  /// Number of runs with randomly perturbed rounding. If there are too few
  /// runs, all of them may by chance be close to the unperturbed result, so
  /// that correct results are rejected. Each run costs as much as a run of the
  /// reference tier.
  int samples = 8;
  /// Seed of the random perturbations.
  uint64_t seed = 1;
  /// Precision of the f32 contractions in the results to be compared.
  Precision precision = Precision::strict;
  /// Called before each step of a program. If the function returns true, the
  /// evaluation fails. May be empty.
  std::function<bool()> isStopped = {};
};

/// Runs an eager program on the reference tier. Returns one BoundedTensor per
/// output, with bounds on the distance of a correct result from each element.
/// The inputs must be in host memory and must fit the program (checkInputs). A
/// custom_call runs its reference function, and its registered relativeError is
/// its rounding error. Fails with phase "check" if the program contains a
/// kernel or if `isStopped` returns true. Thread-safe.
Expected<std::vector<BoundedTensor>>
evaluateWithBounds(const Program &program, std::span<const Tensor> inputs,
                   const ErrorBoundOptions &options = {});

/// Like the other overload, for a single op on `operands`. Returns one
/// BoundedTensor per result.
Expected<std::vector<BoundedTensor>>
evaluateWithBounds(const OpDesc &op, std::span<const Tensor> operands,
                   const ErrorBoundOptions &options = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_ERRORBOUNDS_H
