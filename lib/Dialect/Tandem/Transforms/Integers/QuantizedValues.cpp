//===- QuantizedValues.cpp - Values that are quantized numbers ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedValues.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tandem {

/// True for types that hold all differences of integers of 8 bits.
static bool isWide(Value value) {
  const Type type = getElementTypeOrSelf(value);
  return type.isF32() || type.isF64() || type.isInteger(32);
}

/// The operand of 8 bits of casts that keep the values of such integers; null
/// if there is none.
static Value findBytes(Value value) {
  while (auto cast = value.getDefiningOp<ir::CastOp>()) {
    if (!isWide(value))
      return {};
    value = cast.getInput();
    if (isByte(value))
      return value;
  }
  return {};
}

/// The integer that an element of i32 or f32 is, of a magnitude of at most 255;
/// nothing for others.
static std::optional<int64_t> getInteger(Attribute element) {
  constexpr double kLargest = 255;
  double number = std::numeric_limits<double>::infinity();
  if (auto integer = dyn_cast<IntegerAttr>(element); integer)
    number = double(integer.getValue().getSExtValue());
  else if (auto real = dyn_cast<FloatAttr>(element); real)
    number = real.getValueAsDouble();
  return number == std::trunc(number) && std::fabs(number) <= kLargest
             ? std::optional(int64_t(number))
             : std::nullopt;
}

std::optional<int64_t> getSplat(Value value) {
  while (auto view = value.getDefiningOp<ir::ReshapeOp>())
    value = view.getInput();
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (isByte(value)) {
    const ArrayRef<char> bytes = ir::getRawData(constant);
    if (bytes.empty() || !llvm::all_equal(bytes))
      return std::nullopt;
    return isUnsigned(value) ? int64_t(uint8_t(bytes[0]))
                             : int64_t(int8_t(bytes[0]));
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  return dense && dense.isSplat() ? getInteger(dense.getSplatValue<Attribute>())
                                  : std::nullopt;
}

/// The zero point that `value` is for numbers of the type of `bytes`; null if
/// it is none.
static Value findZeroPoint(Value value, Value bytes) {
  if (Value zeroPoint = findBytes(value))
    return getElementTypeOrSelf(zeroPoint) == getElementTypeOrSelf(bytes)
               ? zeroPoint
               : Value();
  const Type type = getElementTypeOrSelf(value);
  DenseElementsAttr constant;
  if (!(type.isF32() || type.isInteger(32)) ||
      !matchPattern(value, m_Constant(&constant)))
    return {};
  const int64_t least = isUnsigned(bytes) ? 0 : -128;
  const bool areAll =
      llvm::all_of(constant.getValues<Attribute>(), [&](Attribute element) {
        const std::optional<int64_t> number = getInteger(element);
        return number && *number >= least && *number < least + 256;
      });
  return areAll ? value : Value();
}

/// The bytes and the zero point of `value`, the difference of both or the bytes
/// alone.
static std::optional<Quantized> matchCentered(Value value) {
  if (Value bytes = findBytes(value))
    return Quantized{bytes, {}, {}};
  while (auto cast = value.getDefiningOp<ir::CastOp>()) {
    if (!isWide(value))
      return std::nullopt;
    value = cast.getInput();
  }
  auto sub = value.getDefiningOp<ir::SubOp>();
  if (!sub)
    return std::nullopt;
  Quantized result{findBytes(sub.getLhs()), {}, {}};
  if (result.bytes)
    result.zeroPoint = findZeroPoint(sub.getRhs(), result.bytes);
  if (!result.zeroPoint ||
      typeOf(sub.getLhs()).getShape() != typeOf(sub.getResult()).getShape())
    return std::nullopt;
  return result;
}

std::optional<Quantized> matchQuantized(Value value) {
  auto mul = value.getDefiningOp<ir::MulOp>();
  if (!mul)
    return matchCentered(value);
  std::optional<Quantized> result = matchCentered(mul.getLhs());
  if (!result || !getElementTypeOrSelf(mul.getRhs()).isF32() ||
      typeOf(mul.getLhs()).getShape() != typeOf(mul.getResult()).getShape())
    return std::nullopt;
  result->scale = mul.getRhs();
  return result;
}

bool isAlong(Value parameter, int64_t rank, int64_t dim) {
  if (!parameter)
    return true;
  RankedTensorType type = typeOf(parameter);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.getDimSize(i) != 1 && i + rank - type.getRank() != dim)
      return false;
  return type.getRank() <= rank;
}

} // namespace tandem
