//===- Resize.h - Tables of resize ------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dims that the op `resize` resizes, for given shapes, and a table of the
// taps of each dim. The reference, the eager kernels and the pass
// tandem-decompose-resize read these tables.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_RESIZE_H
#define TANDEM_SUPPORT_RESIZE_H

#include "tandem/Support/ResizeTaps.h"
#include "tandem/Support/TensorType.h"

#include <cstdint>
#include <vector>

namespace tandem {

/// The largest number of entries in the table of a dim: the size of the result
/// times the largest number of taps. A table has 16 bytes for each entry.
inline constexpr int64_t kMaxResizeTable = int64_t(1) << 24;

/// Returns the size of a dim that is resized by a scale: floor(scale * from),
/// computed in f32 as ONNX says (5 * 1.4f is 7, and less than 7 in f64). The
/// result is negative if the size is larger than kMaxResizeTable.
int64_t scaledSize(int64_t from, double scale);

/// Returns how the i-th of the dims in `attrs.dims` is resized. Sizes that are
/// not known may be given as 1. `attrs` satisfies the constraints of the op.
ResizeDim resizeDim(const fb::ResizeAttrsT &attrs, size_t i, int64_t from,
                    int64_t to);
/// Returns how all dims in `attrs.dims` are resized, for static shapes.
std::vector<ResizeDim> resizeDims(const fb::ResizeAttrsT &attrs,
                                  const Shape &from, const Shape &to);

/// The taps of all positions of the result along one dim.
struct ResizeTable {
  struct Tap {
    int64_t index;
    double weight;
  };

  explicit ResizeTable(const ResizeDim &dim);

  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  int64_t numTaps(int64_t i) const { return starts[i + 1] - starts[i]; }
  const Tap *tapsOf(int64_t i) const { return taps.data() + starts[i]; }
  /// Returns exactly `count` taps for position i, which must have at least one
  /// tap and at most `count` taps. To reach `count`, some taps are repeated
  /// with half their weight, which is exact. No additional elements are read.
  std::vector<Tap> repeatedTaps(int64_t i, int64_t count) const;
  /// Returns true if the dim keeps its size `from` and each position copies the
  /// element at the same position.
  bool isIdentity(int64_t from) const;
  /// If each position has exactly one tap, with weight 1, returns the index of
  /// that tap for each position. Otherwise returns an empty vector.
  std::vector<int64_t> onlyIndices() const;

  std::vector<Tap> taps;
  /// Position i has taps starts[i] to starts[i + 1] - 1.
  std::vector<int64_t> starts;
  /// The largest number of taps of a position.
  int64_t maxTaps = 0;
  /// Whether each position is the extrapolation value; empty if none is.
  std::vector<bool> isExtrapolated;
};

/// Returns whether interpolated integers are rounded toward zero, as in ONNX
/// Runtime, and not half to even, as in the reference of the onnx package.
inline bool truncatesIntegers(const fb::ResizeAttrsT &attrs) {
  return attrs.mode == fb::ResizeMode::linear && !attrs.antialias;
}
} // namespace tandem

#endif // TANDEM_SUPPORT_RESIZE_H
