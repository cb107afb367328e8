//===- VectorShuffles.cpp - Shuffles of whole vectors ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorShuffles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

/// The numbers [first, first + count), as a mask of a shuffle.
static SmallVector<int32_t> getRange(int64_t first, int64_t count) {
  const auto from = static_cast<int32_t>(first);
  return llvm::to_vector(
      llvm::seq<int32_t>(from, from + static_cast<int32_t>(count)));
}

Value tandem::concatenate(OpBuilder &builder, Location loc,
                          SmallVector<Value> parts) {
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t i = 0; 2 * i < parts.size(); ++i) {
      const int64_t size =
          cast<VectorType>(parts[2 * i].getType()).getNumElements();
      parts[i] = LLVM::ShuffleVectorOp::create(
          builder, loc, parts[2 * i], parts[2 * i + 1], getRange(0, 2 * size));
    }
  return parts.front();
}

Value tandem::sliceVector(OpBuilder &builder, Location loc, Value vector,
                          int64_t first, int64_t count) {
  return LLVM::ShuffleVectorOp::create(builder, loc, vector, vector,
                                       getRange(first, count));
}
