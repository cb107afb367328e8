//===- ErrorBounds.h - How far correct results may differ -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tolerance model: how far an element of a correct result may be from what
// the reference computes. docs/Measuring.md describes it. The bounds are found
// by Monte Carlo arithmetic (Parker, UCLA CSD-970002, 1997).
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

/// An output as the reference tier computes it, with the error bound of each
/// element.
struct BoundedTensor {
  Tensor value;
  ErrorBounds bounds;
};

/// How error bounds are sampled.
struct ErrorBoundOptions {
  /// Number of runs with randomly perturbed roundings. With too few runs, all
  /// may by chance be near the unperturbed result, and correct code is refused.
  /// Each run costs as much as a run of the reference.
  int samples = 8;
  /// Seed of the random perturbations.
  uint64_t seed = 1;
  /// How exact the contractions of f32 are that are compared.
  Precision precision = Precision::strict;
  /// Asked before each step; may be empty. Where it is true, evaluating fails.
  std::function<bool()> isStopped = {};
};

/// Runs an eager program on the reference tier and computes, for each element
/// of each output, how far a correct result may be from it. The inputs must fit
/// the program (checkInputs). A custom_call is run by its function's reference,
/// and errs as much as that was registered with.
Expected<std::vector<BoundedTensor>>
evaluateWithBounds(const Program &program, std::span<const Tensor> inputs,
                   const ErrorBoundOptions &options = {});

/// The same for a single op on `operands`.
Expected<BoundedTensor>
evaluateWithBounds(const OpDesc &op, std::span<const Tensor> operands,
                   const ErrorBoundOptions &options = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_ERRORBOUNDS_H
