//===- IndexBuilder.cpp - Arithmetic on indices, and loops ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tandem {

static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

Value IndexBuilder::index(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexBuilder::add(Value a, Value b) const {
  return arith::AddIOp::create(builder, loc, a, b, kNoWrap);
}

Value IndexBuilder::add(Value a, int64_t b) const {
  return b == 0 ? a : add(a, index(b));
}

Value IndexBuilder::subtract(Value a, Value b) const {
  return arith::SubIOp::create(builder, loc, a, b, kNoWrap);
}

Value IndexBuilder::scale(Value a, int64_t factor) const {
  return arith::MulIOp::create(builder, loc, a, index(factor), kNoWrap);
}

Value IndexBuilder::atMost(Value a, int64_t bound) const {
  return arith::MinSIOp::create(builder, loc, a, index(bound));
}

Value IndexBuilder::delinearizeInnermost(Value &number, int64_t size) const {
  if (size == 1)
    return index(0);
  Value digit = arith::RemUIOp::create(builder, loc, number, index(size));
  number = arith::DivUIOp::create(builder, loc, number, index(size));
  return digit;
}

void IndexBuilder::forEach(Value upper, int64_t step,
                           function_ref<void(Value)> emit) const {
  auto loop = scf::ForOp::create(builder, loc, index(0), upper, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

} // namespace tandem
