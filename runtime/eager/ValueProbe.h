//===- NaNProbe.h - Whether an op keeps NaN ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_NANPROBE_H
#define TANDEM_RUNTIME_EAGER_NANPROBE_H

#include "tandem/Runtime/Provider.h"

namespace tandem::eager {

/// Runs an op on operands of NaN alone, and tells whether its result is NaN
/// alone: whether a library's fused relu is the dialect's. All types are those
/// of floats.
Expected<bool> keepsNaN(const PreparedOp &op,
                        std::span<const TensorType> operands,
                        const TensorType &result, Stream &stream);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_NANPROBE_H
