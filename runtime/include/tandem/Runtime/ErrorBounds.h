//===- ErrorBounds.h - How far correct results may be apart -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one home of the tolerance model. It is documented in docs/Measuring.md.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ERRORBOUNDS_H
#define TANDEM_RUNTIME_ERRORBOUNDS_H

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <span>
#include <vector>

namespace tandem {

/// An output as reference computes it, with the error bound of each element.
struct BoundedTensor {
  Tensor value;
  ErrorBounds bounds;
};

struct ErrorBoundOptions {
  /// Runs with perturbed roundings. Few of them may by chance all be near the
  /// unperturbed result, so that correct code is refused; each costs as much as
  /// a run of the reference.
  int samples = 8;
  uint64_t seed = 1;
};

/// Runs an eager program on the reference, and finds for each element of each
/// output how far from it a correct result may be. The inputs must fit the
/// program. Fails for a custom_call, of which nothing is known.
Expected<std::vector<BoundedTensor>>
evaluateWithBounds(const Program &program, std::span<const Tensor> inputs,
                   const ErrorBoundOptions &options = {});

/// The same for one op.
Expected<BoundedTensor>
evaluateWithBounds(const OpDesc &op, std::span<const Tensor> operands,
                   const ErrorBoundOptions &options = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_ERRORBOUNDS_H
