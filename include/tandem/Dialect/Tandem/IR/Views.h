//===- Views.h - Slices and concats that copy nothing -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions find the slices and concats of a graph that can be steps of a
// Program which copy no bytes (ProgramMemory.h). The memory plan decides later
// whether a step does so.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_VIEWS_H
#define TANDEM_DIALECT_TANDEM_IR_VIEWS_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include <optional>
#include <vector>

namespace tandem::ir {

/// Returns where the result of `slice` begins in the operand, in bytes, if a
/// step can make the result a view of the operand: the result is consecutive
/// bytes of the operand (findContiguousSlice) and begins at a multiple of
/// Allocator::kAlignment.
std::optional<int64_t> findViewOffset(SliceOp slice);

/// Returns the value that `value` is a view of, through reshapes and slices
/// that can be views; `value` itself if another op computes it.
mlir::Value findViewRoot(mlir::Value value);

/// True if `slice` can be a view of an argument of its function or of a
/// constant. Both are always in memory, so the slice costs nothing as a step of
/// its own.
bool isViewOfArgument(SliceOp slice);

/// Returns where each operand of `concat` begins in the result, in bytes, if
/// each is consecutive bytes of the result (findContiguousOperands), and an
/// empty vector otherwise. A step can compute an operand that begins at a
/// multiple of Allocator::kAlignment at its place in the result.
std::vector<int64_t> findConcatOffsets(ConcatOp concat);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_VIEWS_H
