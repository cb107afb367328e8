//===- Constants.cpp - The elements of constants --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Constants.h"

#include "tandem/Runtime/Memory/Storage.h"
#include "tandem/Target/Program/ConstantEvaluation.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <cstring>
#include <limits>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// Calls `visit` with each element, until it returns false. Returns whether it
/// never did.
template <typename Visit> bool forEach(const Tensor &tensor, Visit visit) {
  return withStorage(tensor.dtype(), [&]<typename T>(T) {
    // Elements in a file may be at any address, and any byte may stand for
    // true.
    using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    for (int64_t i = 0; i < tensor.shape().numElements(); ++i) {
      Stored stored;
      std::memcpy(&stored, tensor.as<char>() + i * sizeof stored,
                  sizeof stored);
      if (!visit(static_cast<T>(stored)))
        return false;
    }
    return true;
  });
}

/// Whether an element of type `dtype`, which is none of floats, can be `value`.
bool holds(DType dtype, int64_t value) {
  return withStorage(dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>)
      return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
             (value < 0 ||
              static_cast<uint64_t>(value) <=
                  static_cast<uint64_t>(std::numeric_limits<T>::max()));
    return false;
  });
}

} // namespace

bool fits(const Integers &integers) {
  return llvm::all_of(integers.elements, [&](const Size &size) {
    return !size.value() || holds(integers.dtype, *size.value());
  });
}

std::optional<Integers> asIntegers(const Tensor &tensor) {
  if (tensor.shape().rank() > 1 || isFloat(tensor.dtype()))
    return std::nullopt;
  Integers integers;
  integers.isScalar = tensor.shape().rank() == 0;
  integers.dtype = tensor.dtype();
  const bool areIntegers = forEach(tensor, [&]<typename T>(T element) {
    if constexpr (std::is_integral_v<T>) {
      if (!std::is_signed_v<T> &&
          uint64_t(element) > uint64_t(std::numeric_limits<int64_t>::max()))
        return false;
      integers.elements.push_back(Size(static_cast<int64_t>(element)));
    }
    return std::is_integral_v<T>;
  });
  return areIntegers ? std::optional(std::move(integers)) : std::nullopt;
}

SmallVector<double> asNumbers(const Tensor &tensor) {
  SmallVector<double> numbers;
  forEach(tensor, [&](auto element) {
    numbers.push_back(static_cast<double>(element));
    return true;
  });
  return numbers;
}

std::optional<FoundNumber>
findNumber(const Tensor &tensor, llvm::function_ref<bool(double)> matches) {
  FoundNumber found{-1, 0};
  const bool isNone = forEach(tensor, [&](auto element) {
    ++found.index;
    found.number = static_cast<double>(element);
    return !matches(found.number);
  });
  return isNone ? std::nullopt : std::optional(found);
}

std::optional<Integers> readIntegers(Value value) {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() > kMaxKnownIntegers ||
      !elements.getElementType().isInteger() ||
      cast<RankedTensorType>(elements.getType()).getRank() > 1)
    return std::nullopt;
  Expected<std::optional<Tensor>> tensor =
      evaluateConstant(value, kMaxEvaluatedBytes);
  return tensor && *tensor ? asIntegers(**tensor) : std::nullopt;
}

} // namespace tandem::onnx
