//===- ByteTables.cpp - Reading tables of bytes ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/ByteTables.h"

#include "tandem/Target/CPU/CPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {
namespace {

/// The number of bytes of a register of AVX-512.
constexpr int64_t kRegister = 64;

/// The number of bytes of a lane of a register. pshufb finds bytes in a lane.
constexpr int64_t kLane = 16;

class LookUpBytes : public OpRewritePattern<cpu::LookUpBytesOp> {
public:
  LookUpBytes(MLIRContext *context, bool vbmi, int64_t shuffledBytes)
      : OpRewritePattern(context), vbmi(vbmi), shuffledBytes(shuffledBytes) {}

  LogicalResult matchAndRewrite(cpu::LookUpBytesOp op,
                                PatternRewriter &rewriter) const override {
    const int64_t count = op.getBytes().getType().getNumElements();
    if (vbmi && count <= kRegister)
      rewriter.replaceOp(op, findInRegisters(op, rewriter));
    else if (shuffledBytes > 0 && count >= kLane / 2)
      rewriter.replaceOp(op, shuffle(op, rewriter));
    else
      rewriter.replaceOp(op, load(op, rewriter));
    return success();
  }

private:
  static Value load(cpu::LookUpBytesOp op, PatternRewriter &rewriter);
  static Value findInRegisters(cpu::LookUpBytesOp op,
                               PatternRewriter &rewriter);
  Value shuffle(cpu::LookUpBytesOp op, PatternRewriter &rewriter) const;

  bool vbmi;
  /// The number of bytes of the registers that pshufb reads; 0 to not use it.
  int64_t shuffledBytes;
};

/// Elements of `value`, a vector: element i of the `count` of the result is
/// element `from(i)`; undefined if there is none.
Value pick(PatternRewriter &rewriter, Location loc, Value value, int64_t count,
           function_ref<int64_t(int64_t)> from) {
  const int64_t size = cast<VectorType>(value.getType()).getNumElements();
  SmallVector<int32_t> picked;
  for (int64_t i = 0; i < count; ++i)
    picked.push_back(static_cast<int32_t>(from(i) < size ? from(i) : -1));
  return LLVM::ShuffleVectorOp::create(rewriter, loc, value, value, picked);
}

Value concatenate(PatternRewriter &rewriter, Location loc, Value lhs,
                  Value rhs) {
  const int64_t size = cast<VectorType>(lhs.getType()).getNumElements();
  const auto numbers = llvm::seq<int32_t>(static_cast<int32_t>(2 * size));
  return LLVM::ShuffleVectorOp::create(rewriter, loc, lhs, rhs,
                                       llvm::to_vector(numbers));
}

/// The bytes of the table from byte `first` on, as a vector.
Value loadPart(PatternRewriter &rewriter, Location loc, Value table,
               VectorType type, int64_t first) {
  Value from = LLVM::GEPOp::create(
      rewriter, loc, table.getType(), rewriter.getI8Type(), table,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(first)),
      LLVM::GEPNoWrapFlags::inbounds);
  auto part = LLVM::LoadOp::create(rewriter, loc, type, from, /*alignment=*/1);
  part.setInvariant(true);
  return part;
}

} // namespace

/// LLVM expands a gather of bytes to code that takes several times as long.
Value LookUpBytes::load(cpu::LookUpBytesOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  const VectorType type = op.getBytes().getType();
  Type wide = rewriter.getI64Type();
  Value found = LLVM::PoisonOp::create(rewriter, loc, type);
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value at = LLVM::ConstantOp::create(rewriter, loc, wide,
                                        rewriter.getI64IntegerAttr(lane));
    Value byte =
        LLVM::ExtractElementOp::create(rewriter, loc, op.getBytes(), at);
    Value offset = LLVM::ZExtOp::create(rewriter, loc, wide, byte);
    Value from = LLVM::GEPOp::create(
        rewriter, loc, op.getTable().getType(), rewriter.getI8Type(),
        op.getTable(), ValueRange(offset), LLVM::GEPNoWrapFlags::inbounds);
    Value loaded =
        LLVM::LoadOp::create(rewriter, loc, rewriter.getI8Type(), from);
    found = LLVM::InsertElementOp::create(rewriter, loc, found, loaded, at);
  }
  return found;
}

Value LookUpBytes::findInRegisters(cpu::LookUpBytesOp op,
                                   PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  const auto type = VectorType::get({kRegister}, rewriter.getI8Type());
  const auto itself = [](int64_t i) { return i; };
  Value bytes = pick(rewriter, loc, op.getBytes(), kRegister, itself);
  // The instruction reads the low 7 bits of each byte.
  const auto findInHalf = [&](int64_t first) -> Value {
    Value low = loadPart(rewriter, loc, op.getTable(), type, first);
    Value high =
        loadPart(rewriter, loc, op.getTable(), type, first + kRegister);
    return LLVM::CallIntrinsicOp::create(
               rewriter, loc, type,
               rewriter.getStringAttr("llvm.x86.avx512.vpermi2var.qi.512"),
               ValueRange{low, bytes, high})
        .getResult(0);
  };
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
  Value isUpper = arith::CmpIOp::create(rewriter, loc,
                                        arith::CmpIPredicate::slt, bytes, zero);
  Value found = arith::SelectOp::create(
      rewriter, loc, isUpper, findInHalf(2 * kRegister), findInHalf(0));
  return pick(rewriter, loc, found, op.getBytes().getType().getNumElements(),
              itself);
}

namespace {
/// Reads a table with pshufb, which gives 0 where the upper bit of an index is
/// set.
class ShuffledTable {
public:
  /// Splits the table into parts of 16 bytes, one for each lane of a few
  /// registers of `size` bytes.
  ShuffledTable(PatternRewriter &rewriter, Location loc, Value table,
                int64_t size);

  /// The bytes of the table at 16 indices. Each lane looks for all of them in
  /// its part. An addition that saturates sets the upper bit of indices that
  /// are not in the part.
  Value find(Value indices) const;

private:
  Value constant(function_ref<int64_t(int64_t)> byteAt) const;
  Value call(StringRef name, Value lhs, Value rhs) const;

  PatternRewriter &rewriter;
  Location loc;
  VectorType type;
  SmallVector<Value> parts;
};

ShuffledTable::ShuffledTable(PatternRewriter &rewriter, Location loc,
                             Value table, int64_t size)
    : rewriter(rewriter), loc(loc),
      type(VectorType::get({size}, rewriter.getI8Type())) {
  for (int64_t first = 0; first < cpu::kByteTableSize; first += size)
    parts.push_back(loadPart(rewriter, loc, table, type, first));
}

Value ShuffledTable::constant(function_ref<int64_t(int64_t)> byteAt) const {
  SmallVector<char> bytes;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    bytes.push_back(static_cast<char>(byteAt(i)));
  return arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::getFromRawBuffer(type, bytes));
}

Value ShuffledTable::call(StringRef name, Value lhs, Value rhs) const {
  return LLVM::CallIntrinsicOp::create(rewriter, loc, type,
                                       rewriter.getStringAttr(name),
                                       ValueRange{lhs, rhs})
      .getResult(0);
}

Value ShuffledTable::find(Value indices) const {
  const int64_t size = type.getNumElements();
  const StringRef shuffle = size == kRegister ? "llvm.x86.avx512.pshuf.b.512"
                                              : "llvm.x86.avx2.pshuf.b";
  Value repeated =
      pick(rewriter, loc, indices, size, [](int64_t i) { return i % kLane; });
  Value limit = constant([](int64_t) { return 128 - kLane; });
  Value found;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Value start = constant([&](int64_t i) {
      return static_cast<int64_t>(number) * size + i / kLane * kLane;
    });
    Value index =
        call("llvm.uadd.sat",
             arith::XOrIOp::create(rewriter, loc, repeated, start), limit);
    Value here = call(shuffle, part, index);
    found = found ? arith::OrIOp::create(rewriter, loc, found, here).getResult()
                  : here;
  }
  for (int64_t half = size / 2; half >= kLane; half /= 2)
    found = arith::OrIOp::create(
        rewriter, loc,
        pick(rewriter, loc, found, half, [](int64_t i) { return i; }),
        pick(rewriter, loc, found, half, [&](int64_t i) { return half + i; }));
  return found;
}

} // namespace

Value LookUpBytes::shuffle(cpu::LookUpBytesOp op,
                           PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  const int64_t count = op.getBytes().getType().getNumElements();
  const ShuffledTable table(rewriter, loc, op.getTable(), shuffledBytes);
  SmallVector<Value> found;
  for (int64_t first = 0; first < count; first += kLane)
    found.push_back(table.find(pick(rewriter, loc, op.getBytes(), kLane,
                                    [&](int64_t i) { return first + i; })));
  // Pairs of equal length become one vector, until there is one.
  for (; found.size() > 1; found.resize(found.size() / 2))
    for (size_t i = 0; 2 * i < found.size(); ++i)
      found[i] = concatenate(rewriter, loc, found[2 * i], found[2 * i + 1]);
  return pick(rewriter, loc, found.front(), count, [](int64_t i) { return i; });
}

void populateByteTablePatterns(RewritePatternSet &patterns, bool vbmi,
                               int64_t shuffledBytes) {
  patterns.add<LookUpBytes>(patterns.getContext(), vbmi, shuffledBytes);
}

} // namespace tandem
