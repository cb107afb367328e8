//===- Prefetch.cpp - Prefetching lines into caches -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

void prefetch(OpBuilder &builder, Location loc, Value pointer, int64_t bytes,
              bool isWritten, PrefetchLevel level) {
  constexpr unsigned kDataCache = 1;
  Value line = LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(bytes)));
  LLVM::Prefetch::create(builder, loc, line, isWritten,
                         static_cast<unsigned>(level), kDataCache);
}

} // namespace tandem
