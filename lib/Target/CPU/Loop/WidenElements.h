//===- WidenElements.h - Short runs moved as one element --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_WIDENELEMENTS_H
#define TANDEM_LIB_TARGET_CPU_LOOP_WIDENELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tandem {

/// The op that does the same on wider elements where `op` only moves runs of 2,
/// 4 or 8 elements, its innermost loop, that are contiguous on both sides and
/// fit 64 bits: pairs of bf16 in packed weights, for one. It has a loop less,
/// reads an unrealized conversion of the input to a tensor of one dim, and is
/// inserted before `op`. Null, and nothing is inserted, where `op` does other
/// things.
mlir::linalg::GenericOp widenElements(mlir::linalg::GenericOp op);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_WIDENELEMENTS_H
