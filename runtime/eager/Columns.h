//===- Columns.h - Transposed convolutions as matrix products ---*- C++ -*-===//
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

/// The provider of conv_backward_data for f32 and f64 with any attributes.
/// `inner` multiplies matrices and transposes tensors. Beside its operands and
/// its result, a run needs memory for the columns of at least one image: window
/// size times the number of its positions in `input`, times the result's
/// channels.
std::unique_ptr<Provider> createColumnsProvider(ProviderList inner);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_COLUMNS_H
