//===- Elements.h - Single elements of tensors as numbers -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_ELEMENTS_H
#define TANDEM_TOOLS_COMMON_ELEMENTS_H

#include "tandem/Runtime/Tensor.h"

#include <string>

namespace tandem::tools {

/// Element `index` (row-major) as a double; i64 beyond 2^53 loses digits.
double loadElement(const Tensor &tensor, int64_t index);
/// Rounds to the tensor's dtype; integers saturate, i1 is value != 0.
void storeElement(Tensor &tensor, int64_t index, double value);

/// Nested brackets as NumPy prints them, one line per innermost row. Floats
/// with `digits` significant digits; at most `maxElements` elements, then "…".
std::string formatElements(const Tensor &tensor, int digits = 5,
                           int64_t maxElements = 4096);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_ELEMENTS_H
