//===- Constants.h - The elements of constants ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, and much else that an op of ONNX has as an operand, must be known
// while importing. Up to kMaxKnownIntegers integers are computed with wherever
// they occur. Everything else that follows from constants, of any number and
// type of elements, is computed where an op asks for it (Node::elementsOf).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_CONSTANTS_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_CONSTANTS_H

#include "Sizes/SizeFunctions.h"

#include "tandem/Runtime/Tensor.h"
#include "tandem/Tandem.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tandem::onnx {

/// The most integers that are known wherever they occur. It bounds the time and
/// memory of the import: each takes 32 bytes.
inline constexpr int64_t kMaxKnownIntegers = ImportOptions::kMaxValues;

/// The largest cost of computing the elements that an op asks for while the
/// model is imported, in bytes (savedBytes): about 0.1 s.
inline constexpr double kMaxEvaluatedBytes = 1 << 28;

/// The elements of an integer tensor that are known while importing, because
/// shapes are computed with them: a scalar or a vector. Exporters also reverse
/// the pairs of a padding as the rows of a matrix.
struct Integers {
  Sizes elements;
  bool isScalar = false;
  DType dtype = DType::i64;
  /// The length of a matrix's rows; 0 if it is none.
  int64_t columns = 0;
};

/// Whether the type can hold all elements whose value is known, so that none
/// wraps around.
bool fits(const Integers &integers);

/// The elements of a scalar or a vector of integers; nothing where `tensor` is
/// neither, or an element is beyond i64.
std::optional<Integers> asIntegers(const Tensor &tensor);

/// The elements as doubles; those of i1 are 0 and 1.
llvm::SmallVector<double> asNumbers(const Tensor &tensor);

/// An element of a tensor and its place in row-major order.
struct FoundNumber {
  int64_t index;
  double number;
};
/// The first element, as a double, for which `matches` holds; nothing where
/// there is none.
std::optional<FoundNumber> findNumber(const Tensor &tensor,
                                      llvm::function_ref<bool(double)> matches);

/// The elements of `value` where it is a constant of at most kMaxKnownIntegers
/// integers, as a scalar or a vector.
std::optional<Integers> readIntegers(mlir::Value value);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_CONSTANTS_H
