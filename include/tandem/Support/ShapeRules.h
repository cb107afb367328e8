//===- ShapeRules.h - Result types and costs of ops ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one home of every op's shape rule, used by the dialect's verifiers and
// type inference and by the eager runtime. No LLVM here.
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

/// Kind and attributes of an op; the object form of `Op.fbs`.
using OpDesc = fb::OpT;

/// The mnemonic of a kind: "conv", "batch_norm", ….
std::string_view name(OpKind kind);

/// The result type of `op` on operands of the given types, which may have
/// dynamic dims. Every op of the table has one result (custom_call may have
/// more: its result types are in its attributes and not inferred here).
/// Errors name the broken constraint, e.g. "conv C5: ...", the labels being
/// those of docs and dialect. Thread-safe; allocates nothing on success.
Expected<TensorType> inferType(const OpDesc &op,
                               std::span<const TensorType> operands);

/// NumPy broadcasting of two dims: the result, or nothing where the sizes
/// differ and neither is 1. An unknown dim meets 1 as unknown, any other size
/// as that size (run time checks it).
inline std::optional<int64_t> broadcastDims(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1 || lhs == kDynamic)
    return rhs;
  if (rhs == kDynamic)
    return lhs;
  return std::nullopt;
}

/// A slice of one dim of known size: elements start, start + stride, …, `size`
/// of them.
struct SliceRange {
  int64_t start = 0;
  int64_t size = 0;
};
/// Resolves NumPy's start:limit:stride (stride >= 1) against a dim.
SliceRange resolveSlice(int64_t dim, int64_t start, int64_t limit,
                        int64_t stride);

/// What one execution of an op needs, for static types.
struct OpCost {
  /// Floating-point (or integer) operations; a multiply-add counts two, a
  /// transcendental function counts as `kTranscendentalFlops`.
  int64_t flops = 0;
  /// Bytes read and written, each operand and result once; of an operand of
  /// slice and gather only what is taken.
  int64_t bytes = 0;
  /// Elements of its first operand that one element of the result reads
  /// (OpInfo::reads); kSharedWork where they are shared.
  int64_t reads = 1;
};
inline constexpr int64_t kSharedWork = std::numeric_limits<int64_t>::max();

OpCost cost(const OpDesc &op, std::span<const TensorType> operands,
            const TensorType &result);

/// A spatial op's dims by role: index of each letter in a layout string.
struct LayoutDims {
  int batch = -1;   ///< N; for kernels, O.
  int channel = -1; ///< C; for kernels, I.
  int numSpatial = 0;
  std::array<int, 3> spatial{}; ///< positions of D, H, W (those present).
};
/// Parses "NHWC", "OIW", ...; an error for letters missing, twice or unknown.
Expected<LayoutDims> parseLayout(std::string_view layout, bool isKernel);

} // namespace tandem

#endif // TANDEM_SUPPORT_SHAPERULES_H
