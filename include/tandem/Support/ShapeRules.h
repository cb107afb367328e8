//===- ShapeRules.h - Result types and costs of ops ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape rule and the cost of every op. The dialect's verifiers and type
// inference and the eager runtime all use these functions, so there is one
// definition of each rule. This library does not use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_SHAPERULES_H
#define TANDEM_SUPPORT_SHAPERULES_H

#include "tandem/Support/OpTable.h"
#include "tandem/Support/TensorType.h"

#include <optional>
#include <span>
#include <string_view>

namespace tandem {

/// The kind and attributes of an op; the object form of `Op.fbs`.
using OpDesc = fb::OpT;

/// The mnemonic of a kind: "conv", "batch_norm", ….
std::string_view name(OpKind kind);

/// Infers the result type of `op` on operands of the given types, which may
/// have dynamic dims. Every op of the table has one result, except custom_call,
/// whose result types are in its attributes and are not inferred here. Errors
/// name the violated constraint by its label in the dialect's documentation:
/// "conv C5: ...". Thread-safe; allocates nothing on success.
Expected<TensorType> inferType(const OpDesc &op,
                               std::span<const TensorType> operands);

/// Broadcasts two dims as NumPy does. Returns the size of the result, or
/// nothing where the sizes differ and neither is 1. A dynamic dim and a 1 give
/// a dynamic dim; a dynamic dim and any other size give that size, which is
/// checked at run time.
inline std::optional<int64_t> broadcastDims(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1 || lhs == kDynamic)
    return rhs;
  if (rhs == kDynamic)
    return lhs;
  return std::nullopt;
}

/// A slice of one dim: `size` elements start, start + stride, ….
struct SliceRange {
  int64_t start = 0;
  int64_t size = 0;
};
/// Resolves NumPy's start:limit:stride (stride >= 1) for a dim of size `dim`.
SliceRange resolveSlice(int64_t dim, int64_t start, int64_t limit,
                        int64_t stride);

/// The work of one execution of an op, for static types.
struct OpCost {
  /// Floating-point (or integer) operations; a multiply-add counts two, a
  /// transcendental function counts as `kTranscendentalFlops`.
  int64_t flops = 0;
  /// Bytes read and written, counting each operand and result once. Of the
  /// operand of a slice or gather only the elements that are taken count.
  int64_t bytes = 0;
  /// Elements of the first operand that one element of the result reads
  /// (OpInfo::reads); kSharedWork where elements cannot be computed one at a
  /// time.
  int64_t reads = 1;
};
inline constexpr int64_t kSharedWork = std::numeric_limits<int64_t>::max();

/// The cost of `op` on operands and a result of the given static types.
OpCost cost(const OpDesc &op, std::span<const TensorType> operands,
            const TensorType &result);

/// The dims of a spatial op's operand by role: the index of each letter in its
/// layout string; -1 for a missing letter.
struct LayoutDims {
  int batch = -1;   ///< N; for kernels, O.
  int channel = -1; ///< C; for kernels, I.
  int numSpatial = 0;
  std::array<int, 3> spatial{}; ///< Indices of those of D, H, W present.
};
/// Parses a layout such as "NHWC" or, for a kernel, "OIW". Fails where a letter
/// is missing, repeated or unknown.
Expected<LayoutDims> parseLayout(std::string_view layout, bool isKernel);

} // namespace tandem

#endif // TANDEM_SUPPORT_SHAPERULES_H
