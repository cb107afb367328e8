//===- ByteTables.cpp - Reading tables of bytes ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/ByteTables.h"
#include "VectorShuffles.h"

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
  /// up to 16 bytes, it takes about four instructions for each register of the
  /// table; a load takes about four for each byte.
  bool isShuffled(int64_t count) const {
    return shuffledBytes > 0 && count > cpu::kByteTableSize / shuffledBytes;
  }
  static Value load(cpu::LookUpBytesOp op, PatternRewriter &rewriter);
  static Value findInRegisters(cpu::LookUpBytesOp op,
                               PatternRewriter &rewriter);
  Value shuffle(cpu::LookUpBytesOp op, PatternRewriter &rewriter) const;

  bool vbmi;
  /// The number of bytes of the registers that pshufb reads, or 0 if pshufb
  /// must not be used.
  int64_t shuffledBytes;
};

/// Picks `count` elements of the vector `value`. Element i of the result is
/// element `from(i)`, or undefined if `value` has no such element.
Value pick(PatternRewriter &rewriter, Location loc, Value value, int64_t count,
           function_ref<int64_t(int64_t)> from) {
  const int64_t size = cast<VectorType>(value.getType()).getNumElements();
  SmallVector<int32_t> picked;
  for (int64_t i = 0; i < count; ++i)
    picked.push_back(static_cast<int32_t>(from(i) < size ? from(i) : -1));
  return LLVM::ShuffleVectorOp::create(rewriter, loc, value, value, picked);
}

Value number(PatternRewriter &rewriter, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                  rewriter.getI64IntegerAttr(value));
}

/// Returns eight elements of `bytes`, from element `first` on, as an integer of
/// 64 bits. Bytes beyond the last element are undefined.
Value readScalar(PatternRewriter &rewriter, Location loc, Value bytes,
                 int64_t first) {
  Value part =
      pick(rewriter, loc, bytes, 8, [&](int64_t i) { return first + i; });
  return LLVM::BitcastOp::create(rewriter, loc, rewriter.getI64Type(), part);
}

/// Loads a vector of bytes of the table, from byte `first` on.
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

/// Loads each byte separately, because LLVM expands a gather of bytes to code
/// that takes several times as long. LLVM would also extract each index from
/// the vector with `pextrb`. Indices are therefore extracted as scalars of 64
/// bits, from which one index takes a shift.
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
/// Reads a table with pshufb, which looks up the low four bits of indices in a
/// part of 16 bytes. The upper bits of an index then choose among the bytes
/// that were found in all parts.
class ShuffledTable {
public:
  /// Finds `count` bytes at a time, a power of two from 16 on, in registers of
  /// `size` bytes. A register holds as many copies of the indices as fit, and
  /// each copy is looked up in another part of the table.
  ShuffledTable(PatternRewriter &rewriter, Location loc, Value table,
                int64_t size, int64_t count)
      : rewriter(rewriter), loc(loc), table(table), size(size), count(count),
        copies(size / count) {}

  /// Returns the bytes of the table at `count` indices.
  Value find(Value indices) const;

private:
  Value splat(int64_t value, int64_t elements) const;
  /// Loads the `copies` parts from part `copies * number` on. Each part is
  /// repeated to the length of a copy of the indices.
  Value loadParts(int64_t number) const;
  /// Looks up the indices in `registers` registers, from `loadParts(first)` on.
  Value findIn(int64_t first, int64_t registers, Value indices,
               Value lowBits) const;
  /// Returns, for each index, the element of `upper` if bit `bit` of the index
  /// is set, and otherwise the element of `lower`.
  Value choose(Value indices, unsigned bit, Value upper, Value lower) const;

  PatternRewriter &rewriter;
  Location loc;
  Value table;
  int64_t size, count, copies;
};

Value ShuffledTable::splat(int64_t value, int64_t elements) const {
  const auto type = VectorType::get({elements}, rewriter.getI8Type());
  return arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type, rewriter.getI8IntegerAttr(value)));
}

Value ShuffledTable::loadParts(int64_t number) const {
  const auto type = VectorType::get({kLane * copies}, rewriter.getI8Type());
  Value parts =
      loadPart(rewriter, loc, table, type, number * type.getNumElements());
  return pick(rewriter, loc, parts, size,
              [&](int64_t i) { return i / count * kLane + i % kLane; });
}

Value ShuffledTable::choose(Value indices, unsigned bit, Value upper,
                            Value lower) const {
  const int64_t elements = cast<VectorType>(upper.getType()).getNumElements();
  Value first =
      pick(rewriter, loc, indices, elements, [](int64_t i) { return i; });
  Value sign = arith::ShLIOp::create(rewriter, loc, first,
                                     splat(7 - int64_t(bit), elements));
  Value isSet = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                      sign, splat(0, elements));
  return arith::SelectOp::create(rewriter, loc, isSet, upper, lower);
}

Value ShuffledTable::findIn(int64_t first, int64_t registers, Value indices,
                            Value lowBits) const {
  if (registers == 1)
    return LLVM::CallIntrinsicOp::create(
               rewriter, loc, lowBits.getType(),
               rewriter.getStringAttr(size == kRegister
                                          ? "llvm.x86.avx512.pshuf.b.512"
                                          : "llvm.x86.avx2.pshuf.b"),
               ValueRange{loadParts(first), lowBits})
        .getResult(0);
  const int64_t half = registers / 2;
  Value lower = findIn(first, half, indices, lowBits);
  Value upper = findIn(first + half, half, indices, lowBits);
  return choose(indices, llvm::Log2_64(kLane * copies * half), upper, lower);
}

Value ShuffledTable::find(Value indices) const {
  Value repeated =
      pick(rewriter, loc, indices, size, [&](int64_t i) { return i % count; });
  Value lowBits =
      arith::AndIOp::create(rewriter, loc, repeated, splat(kLane - 1, size));
  Value found =
      findIn(0, cpu::kByteTableSize / (kLane * copies), repeated, lowBits);
  for (int64_t half = copies / 2; half > 0; half /= 2)
    found = choose(
        repeated, llvm::Log2_64(kLane * half),
        pick(rewriter, loc, found, half * count,
             [&](int64_t i) { return half * count + i; }),
        pick(rewriter, loc, found, half * count, [](int64_t i) { return i; }));
  return found;
}

} // namespace

Value LookUpBytes::shuffle(cpu::LookUpBytesOp op,
                           PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  const int64_t count = op.getBytes().getType().getNumElements();
  const int64_t together = std::min<int64_t>(
      shuffledBytes, llvm::PowerOf2Ceil(std::max(count, kLane)));
  const ShuffledTable table(rewriter, loc, op.getTable(), shuffledBytes,
                            together);
  SmallVector<Value> found;
  for (int64_t first = 0; first < count; first += together)
    found.push_back(table.find(pick(rewriter, loc, op.getBytes(), together,
                                    [&](int64_t i) { return first + i; })));
  return pick(rewriter, loc, concatenate(rewriter, loc, std::move(found)),
              count, [](int64_t i) { return i; });
}

void populateByteTablePatterns(RewritePatternSet &patterns, bool vbmi,
                               int64_t shuffledBytes) {
  patterns.add<LookUpBytes>(patterns.getContext(), vbmi, shuffledBytes);
}

} // namespace tandem
