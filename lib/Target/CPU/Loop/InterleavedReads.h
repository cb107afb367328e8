//===- InterleavedReads.h - Strided reads that share loads ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_INTERLEAVEDREADS_H
#define TANDEM_LIB_TARGET_CPU_LOOP_INTERLEAVEDREADS_H

#include "Loop/LaneEmitter.h"

namespace tandem {

/// Binds inputs of `op` that together read every element of a run: with a
/// stride of s elements along the lanes, a power of two up to 8, and s
/// neighboring origins, as a reduction of rows of s elements does. The run is
/// loaded once, in s vectors in order, and taken apart by s log2(s) shuffles of
/// two vectors; alone, each input would take a gather. `lanes` iterations of
/// the innermost loop begin at `loops`, and all of them exist.
void bindInterleavedReads(LaneEmitter &emitter, mlir::OpBuilder &builder,
                          mlir::linalg::GenericOp op, mlir::ValueRange loops,
                          int64_t lanes,
                          llvm::function_ref<Buffer(mlir::Value)> getBuffer);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_INTERLEAVEDREADS_H
