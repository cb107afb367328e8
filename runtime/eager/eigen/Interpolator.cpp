//===- Interpolator.cpp - Inner loops of resize ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpolator.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::eager;

Interpolator::Interpolator(DType computed, const OpSignature &signature)
    : dtype(signature.result().dtype), computed(computed),
      width(byteWidth(dtype)), wideWidth(byteWidth(computed)),
      inner(kernels().interpolation(computed)),
      truncates(truncatesIntegers(*signature.op.attrs.AsResizeAttrs())) {
  if (dtype == computed)
    return;
  widen = kernels().cast(dtype, computed);
  narrow = kernels().cast(computed, dtype);
}

void Interpolator::resize(const char *in, const RowSegment &table,
                          bool isExpanded, int64_t block, char *out) const {
  const void *weights = computed == DType::f64
                            ? static_cast<const void *>(table.weights.data())
                            : table.floatWeights.data();
  const int64_t bytes = block * wideWidth;
  if (isExpanded)
    inner.alongRow(in, table.picked(), weights, table.taps, out);
  else
    resizeBlocks(in, table, static_cast<const char *>(weights), block, out);
  for (int64_t i = 0; i < table.size() && table.hasNoTaps; ++i)
    if (table.numTaps[i] == 0)
      std::memset(out + i * bytes, 0, bytes);
}

void Interpolator::resizeBlocks(const char *in, const RowSegment &table,
                                const char *weights, int64_t block,
                                char *out) const {
  const int64_t bytes = block * wideWidth, n = table.size();
  std::vector<const void *> rows(table.taps);
  std::vector<double> factors(table.taps);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < table.taps; ++k) {
      rows[k] = in + table.index[k * n + i] * bytes;
      std::memcpy(reinterpret_cast<char *>(factors.data()) + k * wideWidth,
                  weights + (k * n + i) * wideWidth, wideWidth);
    }
    inner.acrossRows(rows.data(), factors.data(),
                     std::max<int64_t>(1, table.numTaps[i]), out + i * bytes,
                     block);
  }
}

void Interpolator::finish(char *row, int64_t count, char *out) const {
  if (!isFloat(dtype))
    inner.round(row, count, gridOf(width), truncates);
  narrow(row, out, count);
}
