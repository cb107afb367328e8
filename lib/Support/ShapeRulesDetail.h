//===- ShapeRulesDetail.h - Shape rules by family -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The families of shape rules behind inferType, and what they share. A rule may
// rely on the operand count and on its attributes being there (inferType has
// checked both) and on operand ranks of at most kMaxRank.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_SUPPORT_SHAPERULESDETAIL_H
#define TANDEM_LIB_SUPPORT_SHAPERULESDETAIL_H

#include "tandem/Support/ShapeRules.h"

#include <sstream>

namespace tandem::shape_rules {

using Operands = std::span<const TensorType>;

Expected<TensorType> inferElementwise(const OpDesc &op, Operands operands);
Expected<TensorType> inferReshape(const OpDesc &op, Operands operands);
Expected<TensorType> inferTranspose(const OpDesc &op, Operands operands);
Expected<TensorType> inferBroadcast(const OpDesc &op, Operands operands);
Expected<TensorType> inferSlice(const OpDesc &op, Operands operands);
Expected<TensorType> inferPad(const OpDesc &op, Operands operands);
Expected<TensorType> inferConcat(const OpDesc &op, Operands operands);
Expected<TensorType> inferIota(const OpDesc &op, Operands operands);
Expected<TensorType> inferGather(const OpDesc &op, Operands operands);
Expected<TensorType> inferConv(const OpDesc &op, Operands operands);
Expected<TensorType> inferMatmul(const OpDesc &op, Operands operands);
Expected<TensorType> inferPool(const OpDesc &op, Operands operands);
Expected<TensorType> inferReduce(const OpDesc &op, Operands operands);
Expected<TensorType> inferBatchNorm(const OpDesc &op, Operands operands);
Expected<TensorType> inferSoftmax(const OpDesc &op, Operands operands);

inline std::string_view text(DType dtype) { return tandem::name(dtype); }
inline std::string text(const TensorType &type) { return type.str(); }
template <typename T> const T &text(const T &value) { return value; }

/// The error of constraint `label` of an op: "add C3: …".
template <typename... Parts>
[[gnu::cold, gnu::noinline]] tl::unexpected<Error>
broken(OpKind kind, int label, const Parts &...parts) {
  std::ostringstream stream;
  stream << tandem::name(kind) << " C" << label << ": ";
  (stream << ... << text(parts));
  return fail("shape", stream.str());
}

/// A dim for a message.
inline std::string dimText(int64_t dim) {
  return dim == kDynamic ? "?" : std::to_string(dim);
}

/// The one dim that two equal dims of unknown or known size stand for; nothing
/// where both are known and differ.
inline std::optional<int64_t> mergeDims(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == kDynamic)
    return lhs;
  if (lhs == kDynamic)
    return rhs;
  return std::nullopt;
}

inline bool axisInRange(int64_t axis, int rank) {
  return axis >= 0 && axis < rank;
}

/// Size of a window's result along one dim: a window of `window` elements,
/// `dilation` apart, moved by `stride` over `dim` padded elements. Nothing
/// where the window does not fit or a size overflows. Attributes are in range.
struct WindowDim {
  int64_t window, stride, padLow, padHigh, dilation;
};
std::optional<int64_t> windowResult(int64_t dim, const WindowDim &window);

} // namespace tandem::shape_rules

#endif // TANDEM_LIB_SUPPORT_SHAPERULESDETAIL_H
