//===- Columns.h - Gradients of convolutions as products --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_COLUMNS_H
#define TANDEM_RUNTIME_EAGER_COLUMNS_H

#include "tandem/Runtime/Provider.h"

#include <memory>

namespace tandem::eager {

/// The provider of conv_backward_data and conv_backward_weights for f32 and f64
/// with any attributes. `inner` multiplies matrices and transposes tensors.
///
/// A run allocates memory for tensors in other layouts and for a matrix of
/// columns. The result of conv_backward_data is the sum of the columns. The
/// result of conv_backward_weights is a product with the columns. A run
/// computes the columns in blocks. A block takes no more memory than the
/// operands and the result together, unless one row of the columns and the
/// least work of a task take more.
std::unique_ptr<Provider> createColumnsProvider(ProviderList inner);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_COLUMNS_H
