//===- ByteFaults.cpp - Wrong products of 8-bit integers ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutation/ByteFaults.h"

#include "Mutation/RoundingFaults.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

namespace {

/// vpdpbusd, whose operands are a sum, unsigned bytes and signed bytes.
bool isQuadProduct(LLVM::CallIntrinsicOp call) {
  return call.getIntrin().contains("vpdpbusd");
}

/// The product of AMX, whose operands are three sizes, a tile of sums, and
/// tiles of data and of weights.
bool isMatrixProduct(LLVM::CallIntrinsicOp call) {
  return call.getIntrin().contains("x86.tdp");
}

/// vpmaddwd, whose operands are words.
bool isWordProduct(LLVM::CallIntrinsicOp call) {
  return call.getIntrin().contains("pmadd");
}

Value makeConstant(OpBuilder &builder, Value like, int64_t number) {
  auto type = cast<VectorType>(like.getType());
  return arith::ConstantOp::create(
      builder, like.getLoc(),
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), number)));
}

/// Replaces the sum of products that an instruction computes by the result of
/// `change`.
bool changeProducts(LLVM::LLVMFuncOp body, size_t place,
                    function_ref<Value(OpBuilder &, Value)> change) {
  auto calls = collect<LLVM::CallIntrinsicOp>(body);
  llvm::erase_if(calls, [](auto call) {
    return !isQuadProduct(call) && !isWordProduct(call);
  });
  if (place >= calls.size())
    return false;
  LLVM::CallIntrinsicOp call = calls[place];
  OpBuilder builder(call);
  const Value result = call.getResult(0);
  Value before;
  if (isQuadProduct(call)) {
    before = call.getArgs()[0];
    call.getArgsMutable()[0].assign(makeConstant(builder, before, 0));
  }
  // Collect the uses first, because the ops that `change` adds must read the
  // unchanged result.
  auto uses = llvm::to_vector(llvm::make_pointer_range(result.getUses()));
  builder.setInsertionPointAfter(call);
  Value changed = change(builder, result);
  if (before)
    changed = arith::AddIOp::create(builder, call.getLoc(), before, changed);
  for (OpOperand *use : uses)
    use->set(changed);
  return true;
}

/// Whether `op` moves the highest byte of each element down.
bool extractsByte(Operation *op) {
  DenseElementsAttr amounts;
  if (!isa<arith::ShRSIOp, arith::ShRUIOp>(op) ||
      !matchPattern(op->getOperand(1), m_Constant(&amounts)) ||
      !amounts.isSplat())
    return false;
  const unsigned bits =
      getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  return amounts.getSplatValue<APInt>() == bits - 8;
}

bool readsBytes(Operation *op) {
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return getElementTypeOrSelf(op->getOperand(0)).isInteger(8);
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call ? isQuadProduct(call) || isMatrixProduct(call) : extractsByte(op);
}

/// Replaces a product of AMX by the sum to which it would be added.
bool dropMatrixProduct(LLVM::LLVMFuncOp body, size_t place) {
  auto calls = collect<LLVM::CallIntrinsicOp>(body);
  llvm::erase_if(calls, [](auto call) { return !isMatrixProduct(call); });
  if (place >= calls.size())
    return false;
  LLVM::CallIntrinsicOp call = calls[place];
  call.getResult(0).replaceAllUsesWith(call.getArgs()[3]);
  call.erase();
  return true;
}

/// Swaps the operands of vpdpbusd. Gives the data of AMX another sign.
void swapSignOfProduct(LLVM::CallIntrinsicOp call) {
  if (isMatrixProduct(call)) {
    const bool isSigned = call.getIntrin().contains("tdpbssd");
    call.setIntrin(isSigned ? "llvm.x86.tdpbusd.internal"
                            : "llvm.x86.tdpbssd.internal");
    return;
  }
  const Value data = call.getArgs()[1], weights = call.getArgs()[2];
  call.getArgsMutable()[1].assign(weights);
  call.getArgsMutable()[2].assign(data);
}

/// Replaces `op` by an op of another kind.
template <typename Op> void replaceBy(Operation *op) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(Op::create(builder, op->getLoc(), op->getResultTypes(),
                                    op->getOperands()));
  op->erase();
}

} // namespace

bool tandem::dropByteProducts(LLVM::LLVMFuncOp body, size_t place) {
  if (dropMatrixProduct(body, place))
    return true;
  return changeProducts(body, place, [](OpBuilder &builder, Value products) {
    return makeConstant(builder, products, 0);
  });
}

bool tandem::saturateProducts(LLVM::LLVMFuncOp body, size_t place) {
  return changeProducts(body, place, [](OpBuilder &builder, Value products) {
    const Location loc = products.getLoc();
    Value least = arith::MaxSIOp::create(
        builder, loc, products, makeConstant(builder, products, INT16_MIN));
    return arith::MinSIOp::create(builder, loc, least,
                                  makeConstant(builder, products, INT16_MAX))
        .getResult();
  });
}

bool tandem::swapSign(LLVM::LLVMFuncOp body, size_t place) {
  SmallVector<Operation *> ops;
  body.walk([&](Operation *op) {
    if (readsBytes(op))
      ops.push_back(op);
  });
  if (place >= ops.size())
    return false;
  TypeSwitch<Operation *>(ops[place])
      .Case([](arith::ExtSIOp op) { replaceBy<arith::ExtUIOp>(op); })
      .Case([](arith::ExtUIOp op) { replaceBy<arith::ExtSIOp>(op); })
      .Case([](arith::SIToFPOp op) { replaceBy<arith::UIToFPOp>(op); })
      .Case([](arith::UIToFPOp op) { replaceBy<arith::SIToFPOp>(op); })
      .Case([](arith::ShRSIOp op) { replaceBy<arith::ShRUIOp>(op); })
      .Case([](arith::ShRUIOp op) { replaceBy<arith::ShRSIOp>(op); })
      .Case([](LLVM::CallIntrinsicOp op) { swapSignOfProduct(op); });
  return true;
}
