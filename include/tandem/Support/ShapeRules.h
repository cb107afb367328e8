//===- ShapeRules.h - Result types and costs of ops -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape rule and the cost of every op. The MLIR dialect's verifiers and
// type inference and the eager runtime all call these functions, so that each
// rule is defined only once. The library that implements this header does not
// depend on LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_SHAPERULES_H
#define TANDEM_SUPPORT_SHAPERULES_H

#include "tandem/Support/OpTable.h"
#include "tandem/Support/TensorType.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tandem {

/// The kind and the attributes of an op. This struct is FlatBuffers' object API
/// of the table `Op` in Op.fbs.
using OpDesc = fb::OpT;

/// Returns the mnemonic of an op kind in the dialect, e.g. "conv" or
/// "batch_norm".
std::string_view name(OpKind kind);

/// Infers the type of the first result of `op` for operands of the given types,
/// which may have dynamic dims. Fails for a custom_call, whose attributes
/// contain the result types. If a constraint is violated, the error
/// message begins with the constraint's label in the dialect's documentation,
/// e.g. "conv C5: ...". Thread-safe. Does not allocate memory on success.
Expected<TensorType> inferType(const OpDesc &op,
                               std::span<const TensorType> operands);
/// Like inferType, for all results of `op`.
Expected<std::vector<TensorType>>
inferTypes(const OpDesc &op, std::span<const TensorType> operands);
/// Returns the number of results of an op that is not a custom_call.
int numResults(OpKind kind);
/// Returns the types of all results of `op`, which is not a custom_call, given
/// the type of the first one.
std::vector<TensorType> resultTypes(const OpDesc &op,
                                    std::span<const TensorType> operands,
                                    const TensorType &first);
/// Returns the type of the statistics of the lines of a layer_norm, given the
/// type of the input and the number of the last dims that are normalized.
/// 16-bit floats have statistics in f32.
TensorType statisticsType(const TensorType &input, int numNormalized);

/// The largest number of elements of a window whose numbers fit into ui8
/// (max_pool_with_index).
inline constexpr int64_t kMaxIndexedTaps = 256;

/// The elements of each line of a tensor along dim `axis` that a topk or a sort
/// returns: the first `k` in ascending or descending order.
struct LineOrder {
  int axis = 0;
  int64_t k = 0;
  bool isAscending = false;
  /// Returns the order of a topk or a sort of a static type.
  static LineOrder of(const OpDesc &op, const TensorType &operand);
};

/// Returns the length of the transform of an fft op whose operand has a static
/// size along the op's axis.
int64_t transformLength(const OpDesc &op, const TensorType &operand);

/// Broadcasts two dims as in NumPy. Returns the size of the result dim, or
/// nullopt if the sizes differ and neither is 1. If one dim is dynamic and the
/// other is 1, the result is dynamic. If one dim is dynamic and the other has a
/// static size other than 1, the result has that static size, and the dynamic
/// dim is checked at run time.
inline std::optional<int64_t> broadcastDims(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1 || lhs == kDynamic)
    return rhs;
  if (rhs == kDynamic)
    return lhs;
  return std::nullopt;
}

/// A slice of one dim. The slice consists of the `size` elements with the
/// indices start, start + stride, start + 2 * stride and so on.
struct SliceRange {
  int64_t start = 0;
  int64_t size = 0;
};
/// Resolves the NumPy slice start:limit:stride for a dim of size `dim`. The
/// stride must be at least 1.
SliceRange resolveSlice(int64_t dim, int64_t start, int64_t limit,
                        int64_t stride);

/// The cost of one execution of an op whose operand and result types are
/// static.
struct OpCost {
  /// The number of floating-point or integer operations. A multiply-add counts
  /// as two operations, and a transcendental function counts as
  /// kTranscendentalFlops.
  int64_t flops = 0;
  /// The number of bytes that the op reads and writes. Each operand and each
  /// result counts once. For the first operand of a slice or gather, only the
  /// elements that occur in the result count.
  int64_t bytes = 0;
  /// The number of elements of the first operand that are read to compute one
  /// element of the result (OpInfo::reads). The number is kSharedWork if result
  /// elements are not computed independently of each other.
  int64_t reads = 1;
};
/// The value of OpCost::reads for ops whose OpInfo::reads is Reads::shared.
inline constexpr int64_t kSharedWork = std::numeric_limits<int64_t>::max();

/// Returns the cost of `op` for operands and a first result of the given static
/// types. `inferTypes` must accept the op and the operands, or the op must be a
/// custom_call. If a number would overflow, it is set to the largest int64_t.
OpCost cost(const OpDesc &op, std::span<const TensorType> operands,
            const TensorType &result);

/// The roles of the dims of an operand of a convolution or pooling op. Each
/// member is the index of a dim, i.e. of a letter in the layout string, or -1
/// if the layout has no such letter.
struct LayoutDims {
  int batch = -1;   ///< The index of N or, for a convolution's kernel, of O.
  int channel = -1; ///< The index of C or, for a convolution's kernel, of I.
  int numSpatial = 0;
  /// The indices of the `numSpatial` spatial dims: of W, of H and W, or of D, H
  /// and W, in that order.
  std::array<int, 3> spatial{};
};
/// Parses a layout such as "NHWC" or, for the kernel of a convolution, "OIW".
/// Fails if a letter is missing, repeated or unknown.
Expected<LayoutDims> parseLayout(std::string_view layout, bool isKernel);

} // namespace tandem

#endif // TANDEM_SUPPORT_SHAPERULES_H
