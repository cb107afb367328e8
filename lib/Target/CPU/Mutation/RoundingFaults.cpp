//===- RoundingFaults.cpp - Wrong roundings to 16 bits --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutation/RoundingFaults.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tandem;

static SmallVector<arith::TruncFOp> collectRoundings(LLVM::LLVMFuncOp body) {
  auto roundings = collect<arith::TruncFOp>(body);
  llvm::erase_if(roundings, [](arith::TruncFOp op) {
    return getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16 ||
           !getElementTypeOrSelf(op.getIn()).isF32();
  });
  return roundings;
}

/// Replaces the operand of the rounding at `place` by the result of `change`.
static bool
changeRounded(LLVM::LLVMFuncOp body, size_t place,
              function_ref<Value(OpBuilder &, Location, Value)> change) {
  auto roundings = collectRoundings(body);
  if (place >= roundings.size())
    return false;
  arith::TruncFOp op = roundings[place];
  OpBuilder builder(op);
  op.getInMutable().assign(change(builder, op.getLoc(), op.getIn()));
  return true;
}

/// A constant of the type of `like`.
static Value constantLike(OpBuilder &builder, Location loc, Value like,
                          double value) {
  TypedAttr attr =
      builder.getFloatAttr(getElementTypeOrSelf(like.getType()), value);
  if (auto type = dyn_cast<VectorType>(like.getType()))
    attr = SplatElementsAttr::get(type, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

bool tandem::skipRounding(LLVM::LLVMFuncOp body, size_t place) {
  auto widenings = collect<arith::ExtFOp>(body);
  llvm::erase_if(widenings, [](arith::ExtFOp op) {
    auto rounding = op.getIn().getDefiningOp<arith::TruncFOp>();
    return !rounding || rounding.getIn().getType() != op.getType();
  });
  if (place >= widenings.size())
    return false;
  arith::ExtFOp op = widenings[place];
  op.replaceAllUsesWith(op.getIn().getDefiningOp<arith::TruncFOp>().getIn());
  return true;
}

bool tandem::saturate(LLVM::LLVMFuncOp body, size_t place) {
  return changeRounded(body, place, [](OpBuilder &b, Location loc, Value x) {
    Value least =
        arith::MaximumFOp::create(b, loc, x, constantLike(b, loc, x, -65504));
    return arith::MinimumFOp::create(b, loc, least,
                                     constantLike(b, loc, x, 65504));
  });
}

bool tandem::overflowEarly(LLVM::LLVMFuncOp body, size_t place) {
  return changeRounded(body, place, [](OpBuilder &b, Location loc, Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value isLarge =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, magnitude,
                              constantLike(b, loc, x, 0x1p15));
    Value infinity = math::CopySignOp::create(
        b, loc,
        constantLike(b, loc, x, std::numeric_limits<double>::infinity()), x);
    return arith::SelectOp::create(b, loc, isLarge, infinity, x);
  });
}

bool tandem::flushSubnormals(LLVM::LLVMFuncOp body, size_t place) {
  return changeRounded(body, place, [](OpBuilder &b, Location loc, Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value isSmall =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                              constantLike(b, loc, x, 0x1p-14));
    return arith::SelectOp::create(b, loc, isSmall, constantLike(b, loc, x, 0),
                                   x);
  });
}

bool tandem::roundCoarsely(LLVM::LLVMFuncOp body, size_t place) {
  return changeRounded(body, place, [](OpBuilder &b, Location loc, Value x) {
    Type type = b.getI32Type();
    TypedAttr digits = b.getI32IntegerAttr(static_cast<int32_t>(0xffe00000));
    if (auto vector = dyn_cast<VectorType>(x.getType())) {
      type = vector.clone(type);
      digits = SplatElementsAttr::get(cast<VectorType>(type), digits);
    }
    Value bits = arith::BitcastOp::create(b, loc, type, x);
    bits = arith::AndIOp::create(b, loc, bits,
                                 arith::ConstantOp::create(b, loc, digits));
    return arith::BitcastOp::create(b, loc, x.getType(), bits);
  });
}
