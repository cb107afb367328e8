//===- FasterOp.h - Comparison of the times of two ops ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_FASTEROP_H
#define TANDEM_RUNTIME_EAGER_FASTEROP_H

#include "tandem/Runtime/Provider.h"

namespace tandem::eager {

/// Whether `op` takes less time on the stream's device than `other`. Both are
/// prepared for these types. Runs each 13 times on zeros, in alternation, and
/// waits for the results.
Expected<bool> isFaster(const PreparedOp &op, const PreparedOp &other,
                        std::span<const TensorType> operands,
                        const TensorType &result, Stream &stream);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_FASTEROP_H
