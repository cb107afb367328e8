//===- NaNPropagationProbe.h - Whether an op keeps NaN ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_NANPROPAGATIONPROBE_H
#define TANDEM_RUNTIME_EAGER_NANPROPAGATIONPROBE_H

#include "tandem/Runtime/Provider.h"

#include <functional>

namespace tandem::eager {

/// The value of an element of an operand.
using ProbedValue = std::function<double(size_t operand, int64_t element)>;

/// Runs an op on such operands, and returns its result. The values of integers
/// must be representable.
Expected<std::vector<double>> probe(const PreparedOp &op,
                                    std::span<const TensorType> operands,
                                    const TensorType &result, Stream &stream,
                                    const ProbedValue &value);

/// Runs an op on NaN alone, and tells whether its result is NaN alone: whether
/// a library's fused relu is the dialect's.
Expected<bool> keepsNaN(const PreparedOp &op,
                        std::span<const TensorType> operands,
                        const TensorType &result, Stream &stream);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_NANPROPAGATIONPROBE_H
