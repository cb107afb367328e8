//===- ElementaryArithmetic.cpp - What functions expand to ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/ElementaryArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>
#include <numeric>

using namespace mlir;

namespace tandem {

/// The number of lanes of an AVX-512 register.
static int64_t widthOf(Type element) { return element.isF64() ? 8 : 16; }

Value Arithmetic::estrin(Value x, ArrayRef<double> coefficients) const {
  SmallVector<Value> terms; // The term of the lowest power is the first.
  for (double coefficient : llvm::reverse(coefficients))
    terms.push_back(f(coefficient));
  while (terms.size() > 1) {
    size_t number = 0;
    for (size_t i = 0; i < terms.size(); i += 2)
      terms[number++] =
          i + 1 < terms.size() ? fma(terms[i + 1], x, terms[i]) : terms[i];
    terms.resize(number);
    if (number > 1)
      x = mul(x, x);
  }
  return terms[0];
}

bool Arithmetic::isWide() const {
  auto vector = dyn_cast<VectorType>(like);
  return avx512 && vector &&
         vector.getNumElements() % widthOf(vector.getElementType()) == 0 &&
         llvm::isPowerOf2_64(vector.getNumElements());
}

static Value shuffle(const Arithmetic &a, Value x, Value y, int32_t first,
                     int64_t count) {
  SmallVector<int32_t> lanes(count);
  std::iota(lanes.begin(), lanes.end(), first);
  return LLVM::ShuffleVectorOp::create(a.b, a.loc, x, y, lanes);
}

/// Applies `emit` to two vectors, one register of each at a time.
static Value perRegister(const Arithmetic &a, Value x, Value y,
                         function_ref<Value(Value, Value)> emit) {
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  if (lanes == widthOf(getElementTypeOrSelf(a.like)))
    return emit(x, y);
  auto half = [&](Value vector, int64_t first) {
    return shuffle(a, vector, vector, first, lanes / 2);
  };
  Value low = perRegister(a, half(x, 0), half(y, 0), emit);
  Value high = perRegister(a, half(x, lanes / 2), half(y, lanes / 2), emit);
  return shuffle(a, low, high, 0, lanes);
}

static Value callIntrinsic(const Arithmetic &a, StringRef name,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(a.b, a.loc, operands[0].getType(),
                                       a.b.getStringAttr(name), operands)
      .getResult(0);
}

static Value makeConstant(const Arithmetic &a, IntegerType type,
                          int64_t value) {
  return LLVM::ConstantOp::create(a.b, a.loc, type,
                                  a.b.getIntegerAttr(type, value));
}

/// Returns the operands that make an AVX-512 instruction process all lanes and
/// use the current rounding mode.
static std::array<Value, 2> makeMaskAndRounding(const Arithmetic &a) {
  IntegerType mask = a.isF64() ? a.b.getI8Type() : a.b.getI16Type();
  return {makeConstant(a, mask, -1), makeConstant(a, a.b.getI32Type(), 4)};
}

Value Arithmetic::scale(Value x, Value n) const {
  auto [all, rounding] = makeMaskAndRounding(*this);
  return perRegister(*this, x, n, [&](Value x, Value n) {
    return callIntrinsic(*this,
                         isF64() ? "llvm.x86.avx512.mask.scalef.pd.512"
                                 : "llvm.x86.avx512.mask.scalef.ps.512",
                         {x, n, x, all, rounding});
  });
}

Value Arithmetic::canonicalNaN(Value x) const {
  // The two lowest nibbles of the table replace quiet and signalling NaN by the
  // default NaN.
  Value table = i(0x33);
  auto [all, rounding] = makeMaskAndRounding(*this);
  Value noFlags = makeConstant(*this, b.getI32Type(), 0);
  return perRegister(*this, x, table, [&](Value x, Value table) {
    return callIntrinsic(*this,
                         isF64() ? "llvm.x86.avx512.mask.fixupimm.pd.512"
                                 : "llvm.x86.avx512.mask.fixupimm.ps.512",
                         {x, x, table, noFlags, all, rounding});
  });
}

Value Arithmetic::lookUp(ArrayRef<float> table, Value index) const {
  const int64_t width = widthOf(b.getF32Type());
  auto type = VectorType::get({width}, b.getF32Type());
  SmallVector<Value> registers;
  for (; !table.empty(); table = table.drop_front(width))
    registers.push_back(arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, table.take_front(width))));
  return perRegister(*this, index, index, [&](Value index, Value) {
    if (registers.size() == 1)
      return callIntrinsic(*this, "llvm.x86.avx512.permvar.sf.512",
                           {registers[0], index});
    return callIntrinsic(*this, "llvm.x86.avx512.vpermi2var.ps.512",
                         {registers[0], index, registers[1]});
  });
}

} // namespace tandem
