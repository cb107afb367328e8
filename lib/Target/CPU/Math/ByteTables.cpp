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
    else if (isShuffled(count))
      rewriter.replaceOp(op, shuffle(op, rewriter));
    else
      rewriter.replaceOp(op, load(op, rewriter));
    return success();
  }

private:
  /// Whether pshufb takes fewer instructions than loads, for `count` bytes. For
  /// up to 16 bytes, it takes four instructions for each register of the table;
  /// a load takes about four for each byte.
  bool isShuffled(int64_t count) const {
    return shuffledBytes > 0 && count > cpu::kByteTableSize / shuffledBytes;
  }
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

Value number(PatternRewriter &rewriter, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                  rewriter.getI64IntegerAttr(value));
}

/// The elements of `bytes` from element `first` on, as an integer of 64 bits.
/// Its bytes behind the last element are undefined.
Value readScalar(PatternRewriter &rewriter, Location loc, Value bytes,
                 int64_t first) {
  Value part =
      pick(rewriter, loc, bytes, 8, [&](int64_t i) { return first + i; });
  return LLVM::BitcastOp::create(rewriter, loc, rewriter.getI64Type(), part);
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

/// LLVM expands a gather of bytes to code that takes several times as long. It
/// would also move each index to a register of its own with `pextrb`; of a
/// scalar of 64 bits, an index takes a shift.
Value LookUpBytes::load(cpu::LookUpBytesOp op, PatternRewriter &rewriter) {
  constexpr int64_t kScalar = 8;
  Location loc = op.getLoc();
  const VectorType type = op.getBytes().getType();
  Type byte = rewriter.getI8Type(), wide = rewriter.getI64Type();
  Value found = LLVM::PoisonOp::create(rewriter, loc, type);
  Value indices;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    if (lane % kScalar == 0)
      indices = readScalar(rewriter, loc, op.getBytes(), lane);
    Value offset = LLVM::ZExtOp::create(
        rewriter, loc, wide,
        LLVM::TruncOp::create(
            rewriter, loc, byte,
            LLVM::LShrOp::create(rewriter, loc, indices,
                                 number(rewriter, loc, 8 * (lane % kScalar)))));
    Value from = LLVM::GEPOp::create(rewriter, loc, op.getTable().getType(),
                                     byte, op.getTable(), ValueRange(offset),
                                     LLVM::GEPNoWrapFlags::inbounds);
    found = LLVM::InsertElementOp::create(
        rewriter, loc, found, LLVM::LoadOp::create(rewriter, loc, byte, from),
        number(rewriter, loc, lane));
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
