//===- CTypes.cpp - How types are spelled in CUDA C++ ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace mlir;

static std::string integerTypeName(IntegerType type) {
  switch (type.getWidth()) {
  case 1:
    return "bool";
  case 8:
    return type.isUnsigned() ? "unsigned char" : "signed char";
  case 16:
    return type.isUnsigned() ? "unsigned short" : "short";
  case 32:
    return type.isUnsigned() ? "unsigned" : "int";
  case 64:
    return type.isUnsigned() ? "unsigned long long" : "long long";
  default:
    return {};
  }
}

std::string tandem::conversion::cTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerTypeName(integer);
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::string element = cTypeName(vector.getElementType());
    return element.empty() ? element
                           : "pack<" + element + ", " +
                                 std::to_string(vector.getNumElements()) + ">";
  }
  return {};
}

int64_t tandem::conversion::byteSize(Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

static std::string integerLiteral(const APInt &value, unsigned width) {
  if (width == 1)
    return value.isZero() ? "false" : "true";
  std::string digits = llvm::toString(value, 10, /*Signed=*/true);
  if (value.isMinSignedValue() && width >= 32) {
    // The positive number does not exist in the type.
    APInt next = value + 1;
    digits = llvm::toString(next, 10, /*Signed=*/true);
    return "(" + digits + (width == 64 ? "ll - 1)" : " - 1)");
  }
  if (width == 64)
    digits += "ll";
  return value.isNegative() ? "(" + digits + ")" : digits;
}

/// The shortest decimal that reads back as `value`.
static std::string shortestDecimal(double value, bool isDouble) {
  std::string text;
  for (int digits = 1, most = isDouble ? 17 : 9; digits <= most; ++digits) {
    text.clear();
    llvm::raw_string_ostream os(text);
    os << llvm::format("%.*g", digits, value);
    double back = isDouble ? std::strtod(text.c_str(), nullptr)
                           : std::strtof(text.c_str(), nullptr);
    if (back == value)
      break;
  }
  if (StringRef(text).find_first_of(".e") == StringRef::npos)
    text += ".0";
  return text;
}

static std::string nonFiniteLiteral(const APFloat &value, bool isDouble) {
  // Bit for bit, NaN payloads included, and without <math_constants.h>.
  std::string text;
  llvm::raw_string_ostream os(text);
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (isDouble)
    os << "__longlong_as_double(0x" << llvm::utohexstr(bits, true, 16) << "ll)";
  else
    os << "__int_as_float(0x" << llvm::utohexstr(bits, true, 8) << ")";
  return text;
}

static std::string floatLiteral(APFloat value, Type type) {
  bool isDouble = type.isF64();
  bool exact;
  value.convert(isDouble ? APFloat::IEEEdouble() : APFloat::IEEEsingle(),
                APFloat::rmNearestTiesToEven, &exact);
  if (!value.isFinite())
    return nonFiniteLiteral(value, isDouble);
  double number = isDouble ? value.convertToDouble() : value.convertToFloat();
  std::string text = shortestDecimal(number, isDouble);
  if (!isDouble)
    text += "f";
  return value.isNegative() ? "(" + text + ")" : text;
}

std::string tandem::conversion::cLiteral(TypedAttr value, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    unsigned width = type.getIntOrFloatBitWidth();
    return integerLiteral(integer.getValue().sextOrTrunc(width), width);
  }
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || cTypeName(type).empty())
    return {};
  std::string text = floatLiteral(number.getValue(), type);
  return isHalf(type) ? "narrow<" + cTypeName(type) + ">(" + text + ")" : text;
}
