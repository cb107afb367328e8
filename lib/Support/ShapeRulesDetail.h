//===- ShapeRulesDetail.h - Shape rules by family -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape rules of each family of ops, which inferType calls, and their
// helpers. inferType has checked that the number of operands is right and that
// the attributes are present. Operand ranks are at most kMaxRank.
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
Expected<TensorType> inferScatter(const OpDesc &op, Operands operands);
Expected<TensorType> inferTopK(const OpDesc &op, Operands operands);
Expected<TensorType> inferSort(const OpDesc &op, Operands operands);
Expected<TensorType> inferScan(const OpDesc &op, Operands operands);
Expected<TensorType> inferFFT(const OpDesc &op, Operands operands);
Expected<TensorType> inferConv(const OpDesc &op, Operands operands);
Expected<TensorType> inferConvBackwardData(const OpDesc &op, Operands operands);
Expected<TensorType> inferConvBackwardWeights(const OpDesc &op,
                                              Operands operands);
Expected<TensorType> inferMatmul(const OpDesc &op, Operands operands);
Expected<TensorType> inferPool(const OpDesc &op, Operands operands);
Expected<TensorType> inferPoolBackward(const OpDesc &op, Operands operands);
Expected<TensorType> inferMoments(const OpDesc &op, Operands operands);
Expected<TensorType> inferRandom(const OpDesc &op, Operands operands);
/// The type of the only operand.
Expected<TensorType> inferSameType(const OpDesc &op, Operands operands);
Expected<TensorType> inferResize(const OpDesc &op, Operands operands);
Expected<TensorType> inferReduce(const OpDesc &op, Operands operands);
Expected<TensorType> inferBatchNorm(const OpDesc &op, Operands operands);
Expected<TensorType> inferSoftmax(const OpDesc &op, Operands operands);
Expected<TensorType> inferSoftmaxBackward(const OpDesc &op, Operands operands);
Expected<TensorType> inferLayerNorm(const OpDesc &op, Operands operands);
Expected<TensorType> inferLayerNormBackward(const OpDesc &op,
                                            Operands operands);

inline std::string_view text(DType dtype) { return tandem::name(dtype); }
inline std::string text(const TensorType &type) { return type.str(); }
template <typename T> const T &text(const T &value) { return value; }

/// Makes the error of a violated constraint, C`label` of op `kind`: "add C3:
/// …".
template <typename... Parts>
[[gnu::cold, gnu::noinline]] tl::unexpected<Error>
broken(OpKind kind, int label, const Parts &...parts) {
  std::ostringstream stream;
  stream << tandem::name(kind) << " C" << label << ": ";
  (stream << ... << text(parts));
  return fail("shape", stream.str());
}

/// The size of a dim as text; "?" if it is dynamic.
inline std::string dimText(int64_t dim) {
  return dim == kDynamic ? "?" : std::to_string(dim);
}

/// Merges two dims that must be equal, either of which may be dynamic; nothing
/// where both are static and differ.
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
