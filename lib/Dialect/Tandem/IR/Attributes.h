//===- Attributes.h - Attribute lists between MLIR and Op.fbs - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_ATTRIBUTES_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_ATTRIBUTES_H

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace tandem::ir {

inline std::vector<int64_t> toVector(llvm::ArrayRef<int64_t> values) {
  return {values.begin(), values.end()};
}

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_ATTRIBUTES_H
