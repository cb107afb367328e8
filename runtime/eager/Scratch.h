//===- Scratch.h - Tensors in an op's workspace -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_SCRATCH_H
#define TANDEM_RUNTIME_EAGER_SCRATCH_H

#include "tandem/Runtime/Memory/AlignedBytes.h"
#include "tandem/Runtime/Provider.h"

#include <cstddef>
#include <span>

namespace tandem::eager {

/// The workspace of a run, from which an op takes tensors. The caller has
/// reserved alignedBytes of each of them.
class Scratch {
public:
  explicit Scratch(const StepContext &context)
      : context(context), rest(context.workspace) {}

  Tensor take(const TensorType &type, const Device *device = nullptr) {
    Tensor tensor = Tensor::borrow(type, rest.data(), device);
    rest = rest.subspan(alignedBytes(type.bytes()));
    return tensor;
  }
  /// The context of an op that uses what is left.
  StepContext left() const { return {context.stream, rest, context.step}; }

private:
  const StepContext &context;
  std::span<std::byte> rest;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_SCRATCH_H
