//===- Resize.cpp - Reference: interpolation --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Wide.h"

#include "tandem/Support/Resize.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace tandem;
using namespace tandem::reference;

namespace {

/// The taps of all resized dims of an op.
class Taps {
public:
  Taps(const fb::ResizeAttrsT &attrs, const Shape &from, const Shape &to)
      : kept(rowMajorStrides(from)) {
    for (const ResizeDim &dim : resizeDims(attrs, from, to))
      tables.emplace_back(dim);
    for (int64_t dim : attrs.dims) {
      dims.push_back(static_cast<int>(dim));
      strides.push_back(kept[dim]);
      kept[dim] = 0;
    }
  }

  /// The strides of the operand along the dims that are not resized.
  const Strides &keptStrides() const { return kept; }

  template <typename Index> bool isExtrapolated(const Index &at) const {
    for (size_t i = 0; i < dims.size(); ++i)
      if (!tables[i].isExtrapolated.empty() &&
          tables[i].isExtrapolated[at[dims[i]]])
        return true;
    return false;
  }

  /// Calls combine(offset of a tap, weight) for all taps of the element at
  /// `at`, from the i-th resized dim on.
  template <typename Index, typename Combine>
  void forEach(const Index &at, int64_t offset, double weight,
               const Combine &combine, size_t i = 0) const {
    if (i == dims.size())
      return combine(offset, weight);
    const ResizeTable &table = tables[i];
    const int64_t position = at[dims[i]];
    for (int64_t k = 0; k < table.numTaps(position); ++k) {
      const ResizeTable::Tap &tap = table.tapsOf(position)[k];
      forEach(at, offset + tap.index * strides[i], weight * tap.weight, combine,
              i + 1);
    }
  }

private:
  std::vector<ResizeTable> tables;
  std::vector<int> dims;
  std::vector<int64_t> strides;
  Strides kept;
};

/// A sum as an integer of `dtype`; 0 for a NaN.
template <typename T>
T roundTo(DType dtype, double sum, const fb::ResizeAttrsT &attrs) {
  const double value = std::isnan(sum)
                           ? 0
                           : roundResized(sum, gridOf(byteWidth(dtype)),
                                          truncatesIntegers(attrs));
  const auto most = static_cast<double>(highest(dtype)),
             least = static_cast<double>(lowest(dtype));
  return value >= most    ? static_cast<T>(highest(dtype))
         : value <= least ? static_cast<T>(lowest(dtype))
                          : static_cast<T>(value);
}

/// Copies the nearest elements, whatever their type is.
void copyNearest(const Taps &taps, const Tensor &operand, Tensor &result,
                 const std::vector<std::byte> &extrapolation) {
  const int64_t width = byteWidth(result.dtype());
  char *to = result.as<char>();
  for (StridedIndex<1> i(result.shape(), {taps.keptStrides()}); !i.done();
       i.next(), to += width) {
    if (taps.isExtrapolated(i)) {
      std::memcpy(to, extrapolation.data(), width);
      continue;
    }
    taps.forEach(i, i.offset(0), 1, [&](int64_t offset, double) {
      std::memcpy(to, operand.as<char>() + offset * width, width);
    });
  }
}

/// The sums over all taps, each computed by `term` of an element and a weight.
template <typename T, typename Term>
std::vector<double> interpolate(const Taps &taps, const std::vector<T> &from,
                                const Shape &shape, double extrapolation,
                                Term term) {
  std::vector<double> sums;
  for (StridedIndex<1> i(shape, {taps.keptStrides()}); !i.done(); i.next()) {
    double sum = taps.isExtrapolated(i) ? extrapolation : 0;
    if (!taps.isExtrapolated(i))
      taps.forEach(i, i.offset(0), 1, [&](int64_t offset, double weight) {
        sum += term(static_cast<double>(from[offset]), weight);
      });
    sums.push_back(sum);
  }
  return sums;
}

} // namespace

std::vector<std::byte> reference::resizeExtrapolation(const OpDesc &op,
                                                      DType dtype) {
  const auto &attrs = *op.attrs.AsResizeAttrs();
  const double number = attrs.extrapolation_value;
  std::array<uint64_t, 1> storage{};
  Tensor value = Tensor::borrow({dtype, {1}}, storage.data());
  withWideType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, double>)
      narrow<T>({number}, value);
    else
      narrow<T>({dtype == DType::i1 ? T(number != 0)
                                    : roundTo<T>(dtype, number, attrs)},
                value);
  });
  const auto *bytes = value.as<std::byte>();
  return {bytes, bytes + byteWidth(dtype)};
}

void reference::evaluateResize(const OpDesc &op, Operands operands,
                               Tensor &result) {
  const auto &attrs = *op.attrs.AsResizeAttrs();
  const Taps taps(attrs, operands[0].shape(), result.shape());
  const DType dtype = result.dtype();
  if (attrs.mode == fb::ResizeMode::nearest)
    return copyNearest(taps, operands[0], result,
                       resizeExtrapolation(op, dtype));
  withWideType(dtype, [&]<typename T>(T) {
    const std::vector<double> sums = interpolate(
        taps, widen<T>(operands[0]), result.shape(), attrs.extrapolation_value,
        [](double x, double weight) { return x * weight; });
    if constexpr (std::is_same_v<T, double>) {
      narrow(sums, result);
    } else {
      std::vector<T> rounded;
      for (double sum : sums)
        rounded.push_back(roundTo<T>(dtype, sum, attrs));
      narrow(rounded, result);
    }
  });
}

std::vector<double> reference::resizedMagnitudes(const OpDesc &op,
                                                 const Tensor &operand,
                                                 const Shape &shape) {
  const Taps taps(*op.attrs.AsResizeAttrs(), operand.shape(), shape);
  return interpolate(taps, widen<double>(operand), shape, 0,
                     [](double x, double weight) {
                       return std::isfinite(x) ? std::fabs(x * weight) : 0;
                     });
}
