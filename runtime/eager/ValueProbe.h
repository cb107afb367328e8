//===- ValueProbe.h - What an op makes of NaN and infinity ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_VALUEPROBE_H
#define TANDEM_RUNTIME_EAGER_VALUEPROBE_H

#include "tandem/Runtime/Provider.h"

namespace tandem::eager {

/// Runs an op on operands of NaN alone, and tells whether its result is NaN
/// alone: whether a library's fused relu is the dialect's. All types are those
/// of floats.
Expected<bool> keepsNaN(const PreparedOp &op,
                        std::span<const TensorType> operands,
                        const TensorType &result, Stream &stream);

/// Runs a contraction of ones with weights of -inf, and tells whether results
/// are that, or could not be: where zeros are padded, a library may have NaN,
/// and where there is nothing else, 0. All types are those of floats; the
/// weights are the second operand.
Expected<bool> keepsInfinity(const PreparedOp &op,
                             std::span<const TensorType> operands,
                             const TensorType &result, Stream &stream);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_VALUEPROBE_H
