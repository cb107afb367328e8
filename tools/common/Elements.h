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

/// Element number `index`, in row-major order, as a double. Values of i64
/// beyond 2^53 are rounded.
double loadElement(const Tensor &tensor, int64_t index);
/// Stores `value` as element number `index`, rounded to the tensor's dtype.
/// Integers saturate; i1 becomes value != 0.
void storeElement(Tensor &tensor, int64_t index, double value);

/// Formats a tensor in nested brackets, as NumPy does, with one line per
/// innermost row. Floats have `digits` significant digits. After `maxElements`
/// elements follows "…".
std::string formatElements(const Tensor &tensor, int digits = 5,
                           int64_t maxElements = 4096);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_ELEMENTS_H
