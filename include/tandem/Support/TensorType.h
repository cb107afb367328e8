//===- TensorType.h - Element types, shapes and tensor types ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_TENSORTYPE_H
#define TANDEM_SUPPORT_TENSORTYPE_H

#include "tandem/Support/Error.h"
#include "tandem/Support/Op_generated.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace tandem {

using fb::DType;

/// The kind of an element type.
enum class DTypeKind : uint8_t { floating, boolean, signedInt, unsignedInt };

/// Returns the kind of an element type, e.g. DTypeKind::signedInt for i32.
constexpr DTypeKind kindOf(DType dtype) {
  constexpr DTypeKind kinds[] = {
#define TANDEM_DTYPE(dtype, kind, bytes, storage) DTypeKind::kind,
#include "tandem/Support/DTypes.def"
  };
  return kinds[static_cast<size_t>(dtype)];
}
/// Returns the size of one element in bytes. An i1 takes one byte.
constexpr int64_t byteWidth(DType dtype) {
  constexpr int64_t widths[] = {
#define TANDEM_DTYPE(dtype, kind, bytes, storage) bytes,
#include "tandem/Support/DTypes.def"
  };
  return widths[static_cast<size_t>(dtype)];
}
/// Returns the name of an element type in MLIR syntax, e.g. "f32" or "bf16".
std::string_view name(DType dtype);
constexpr bool isFloat(DType d) { return kindOf(d) == DTypeKind::floating; }
constexpr bool isUnsigned(DType d) {
  return kindOf(d) == DTypeKind::unsignedInt;
}
/// Returns true if the type is an integer type other than i1. An i1 is a truth
/// value, not a number.
constexpr bool isInteger(DType d) {
  return kindOf(d) == DTypeKind::signedInt || isUnsigned(d);
}
constexpr bool isNumber(DType d) { return kindOf(d) != DTypeKind::boolean; }

/// The size of a dynamic dim, i.e. a dim whose size is known only at run time.
/// The value is the same as that of MLIR's ShapedType::kDynamic.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();
/// The maximum rank of a tensor. A Shape stores up to this many dims inline, so
/// that eager ops do not allocate memory for shapes.
inline constexpr int kMaxRank = 8;

/// The sizes of a tensor's dims, outermost first. Shape is a value type that
/// does not allocate memory.
class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  /// Creates the shape with these dims. If there are more than kMaxRank dims,
  /// the dims after the first kMaxRank are dropped. This does not happen for
  /// types of graphs and programs: the verifiers of the dialect and of programs
  /// (`verify` in Program.h) reject higher ranks.
  explicit Shape(std::span<const int64_t> dims)
      : size(static_cast<int>(std::min<size_t>(dims.size(), kMaxRank))) {
    std::copy_n(dims.begin(), size, this->dims.begin());
  }

  int rank() const { return size; }
  int64_t operator[](int i) const { return dims[i]; }
  int64_t &operator[](int i) { return dims[i]; }
  const int64_t *begin() const { return dims.data(); }
  const int64_t *end() const { return dims.data() + size; }
  std::span<const int64_t> span() const { return {begin(), end()}; }
  void push_back(int64_t dim) { dims[size++] = dim; }

  bool isStatic() const { return std::find(begin(), end(), kDynamic) == end(); }
  /// Returns the number of elements, i.e. the product of the dims. The shape
  /// must be static, and the product must not overflow. checkedBytes detects
  /// overflow.
  int64_t numElements() const {
    int64_t product = 1;
    for (int64_t dim : *this)
      product *= dim;
    return product;
  }
  bool operator==(const Shape &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  /// Returns the shape as text, e.g. "1000x100x?", in which "?" stands for a
  /// dynamic dim. The text is empty for rank 0.
  std::string str() const;

private:
  std::array<int64_t, kMaxRank> dims{};
  int size = 0;
};

/// The element type and shape of a dense row-major tensor.
struct TensorType {
  DType dtype = DType::f32;
  Shape shape;

  bool operator==(const TensorType &) const = default;
  bool isStatic() const { return shape.isStatic(); }
  /// Returns the size of the tensor in bytes. The type must be static.
  int64_t bytes() const { return shape.numElements() * byteWidth(dtype); }
  /// Returns the type in MLIR syntax, e.g. "tensor<4x?xf32>".
  std::string str() const;
};

/// Returns the size of a tensor of this type in bytes. Fails if a dim is
/// dynamic or negative, or if the product of the non-zero dims and the element
/// size overflows int64_t.
Expected<int64_t> checkedBytes(const TensorType &type);

/// Converts a type from the FlatBuffers object API of Op.fbs to a TensorType.
/// Dims beyond kMaxRank are dropped. Callers must therefore check the rank
/// first, as `verify` (Program.h) does.
TensorType fromFlat(const fb::TensorTypeT &type);
/// Converts a TensorType to the FlatBuffers object API of Op.fbs.
fb::TensorTypeT toFlat(const TensorType &type);

} // namespace tandem

#endif // TANDEM_SUPPORT_TENSORTYPE_H
