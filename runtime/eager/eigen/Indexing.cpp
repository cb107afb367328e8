//===- Indexing.cpp - Scattering and sorting --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AxisView.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

using namespace tandem;
using namespace tandem::eager;
using fb::ScatterKind;

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

namespace {

/// The kernel that combines elements with updates; null to replace them.
BinaryKernel combiner(ScatterKind kind, DType dtype) {
  switch (kind) {
  case ScatterKind::replace:
    break;
  case ScatterKind::add:
    return kernels().binary(BinaryKind::add, dtype, 0);
  case ScatterKind::mul:
    return kernels().binary(BinaryKind::mul, dtype, 0);
  case ScatterKind::min:
    return kernels().binary(BinaryKind::min, dtype, 0);
  case ScatterKind::max:
    return kernels().binary(BinaryKind::max, dtype, 0);
  }
  return nullptr;
}

/// Updates of one element come one after another, on one thread: threads have
/// lines of their own.
template <typename Index> class ScatterOp final : public PreparedOp {
public:
  ScatterOp(const AxisView &lines, int64_t count, int64_t width,
            BinaryKernel combine)
      : lines(lines), count(count), width(width), combine(combine) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    char *to = results[0].as<char>();
    const char *updates = operands[2].as<char>();
    const Index *indices = operands[1].as<Index>();
    if (operands[0].data() != results[0].data())
      copyInput(operands[0].as<char>(), to);
    // Elements side by side, which one call of the kernel combines.
    const int64_t across = countParts(lines.inner, kRun);
    parallelFor(
        lines.outer * across, grainFor(count * std::min(lines.inner, kRun)),
        [&](int64_t begin, int64_t end) {
          for (int64_t task = begin; task < end; ++task)
            runTask(task / across, task % across * kRun, indices, updates, to);
        });
    return {};
  }

private:
  static constexpr int64_t kRun = 512;

  void copyInput(const char *from, char *to) const {
    parallelFor(lines.outer * lines.size * lines.inner, kGrain,
                [&](int64_t begin, int64_t end) {
                  std::memcpy(to + begin * width, from + begin * width,
                              (end - begin) * width);
                });
  }

  /// Up to kRun elements from `first` on of each row.
  void runTask(int64_t line, int64_t first, const Index *indices,
               const char *updates, char *to) const {
    const int64_t n = std::min(kRun, lines.inner - first);
    for (int64_t j = 0; j < count; ++j) {
      if (indices[j] < 0 || indices[j] >= lines.size)
        continue;
      const int64_t row = line * lines.size + indices[j];
      update(updates + ((line * count + j) * lines.inner + first) * width,
             to + (row * lines.inner + first) * width, n);
    }
  }

  void update(const char *from, char *to, int64_t n) const {
    char combined[kRun * sizeof(uint64_t)];
    if (combine) {
      combine(to, from, combined, n);
      from = combined;
    }
    if (n * width == 4)
      std::memcpy(to, from, 4);
    else
      std::memcpy(to, from, n * width);
  }

  AxisView lines;
  int64_t count, width;
  BinaryKernel combine;
};

} // namespace

Prepared eager::prepareScatter(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsScatterAttrs();
  const TensorType &result = signature.result(),
                   &indices = signature.operands[1];
  const AxisView lines(result.shape, attrs.axis);
  const int64_t count = indices.shape.numElements(),
                width = byteWidth(result.dtype);
  const BinaryKernel combine = combiner(attrs.kind, result.dtype);
  if (!combine && attrs.kind != ScatterKind::replace)
    return nullptr;
  if (indices.dtype == DType::i32)
    return std::make_unique<ScatterOp<int32_t>>(lines, count, width, combine);
  return std::make_unique<ScatterOp<int64_t>>(lines, count, width, combine);
}

//===----------------------------------------------------------------------===//
// topk and sort
//===----------------------------------------------------------------------===//

namespace {

/// Numbers that are ordered as the elements are; zeros of either sign, and all
/// NaNs, have one.
template <typename Bits, int fractionBits> uint64_t keyOfFloat(Bits bits) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  constexpr Bits infinity = sign - (Bits(1) << fractionBits);
  const Bits magnitude = bits & ~sign;
  if (magnitude > infinity)
    return ~uint64_t(0);
  return bits & sign ? sign - magnitude : sign + magnitude;
}
/// The sign, where there is one, flipped.
template <typename T> uint64_t keyOfInteger(T value) {
  using Bits = std::make_unsigned_t<T>;
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  return Bits(value) ^ (std::is_signed_v<T> ? sign : Bits(0));
}

/// An element of a line.
struct Entry {
  uint64_t key;
  int64_t index;
  bool operator<(const Entry &other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// Some elements of a line, `stride` elements apart, the first of which has the
/// index `first`. There are at most kBlock.
struct Block {
  const char *from;
  int64_t stride, first, count;
};
constexpr int64_t kBlock = 64;

/// Appends the elements of a block whose keys, with the bits of `mask` flipped,
/// are less than `limit`; all elements if there is no limit.
using CollectFunction = void (*)(const Block &block, uint64_t mask,
                                 std::optional<uint64_t> limit,
                                 std::vector<Entry> &entries);
template <typename T, auto key>
void collect(const Block &block, uint64_t mask, std::optional<uint64_t> limit,
             std::vector<Entry> &entries) {
  // Small keys let the compiler compute several at a time.
  using Key = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  Key keys[kBlock];
  const auto load = [&](int64_t stride) {
    for (int64_t i = 0; i < block.count; ++i) {
      T value;
      std::memcpy(&value, block.from + i * stride * sizeof value, sizeof value);
      keys[i] = static_cast<Key>(key(value) ^ mask);
    }
  };
  block.stride == 1 ? load(1) : load(block.stride);
  if (limit) {
    bool isAny = false;
    for (int64_t i = 0; i < block.count; ++i)
      isAny |= keys[i] < static_cast<Key>(*limit);
    if (!isAny)
      return;
  }
  for (int64_t i = 0; i < block.count; ++i)
    if (!limit || keys[i] < *limit)
      entries.push_back({keys[i], block.first + i});
}

CollectFunction collectFunction(DType dtype) {
  return withStorage(dtype, []<typename T>(T) -> CollectFunction {
    if constexpr (std::is_same_v<T, float>)
      return collect<uint32_t, keyOfFloat<uint32_t, 23>>;
    else if constexpr (std::is_same_v<T, double>)
      return collect<uint64_t, keyOfFloat<uint64_t, 52>>;
    else if constexpr (std::is_same_v<T, F16>)
      return collect<uint16_t, keyOfFloat<uint16_t, 10>>;
    else if constexpr (std::is_same_v<T, BF16>)
      return collect<uint16_t, keyOfFloat<uint16_t, 7>>;
    else if constexpr (std::is_same_v<T, bool>)
      return nullptr;
    else
      return collect<T, keyOfInteger<T>>;
  });
}

/// topk and sort.
class OrderOp final : public PreparedOp {
public:
  OrderOp(const LineOrder &order, const TensorType &operand)
      : lines(operand.shape, order.axis), k(order.k),
        mask(order.isAscending ? 0 : ~uint64_t(0)),
        width(byteWidth(operand.dtype)),
        collect(collectFunction(operand.dtype)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    parallelFor(lines.outer * lines.inner, grainFor(lines.size * kSortingWork),
                [&](int64_t begin, int64_t end) {
                  std::vector<Entry> entries;
                  for (int64_t line = begin; line < end; ++line) {
                    selectLine(in, line, entries);
                    write(entries, in, results, line);
                  }
                });
    return {};
  }

private:
  /// Comparisons and moves of an element, about.
  static constexpr int64_t kSortingWork = 16;

  /// The first element of a line, counted in elements of a tensor whose lines
  /// have `size` elements.
  int64_t firstOf(int64_t line, int64_t size) const {
    return line / lines.inner * size * lines.inner + line % lines.inner;
  }

  /// Makes `entries` the first k entries of a line, in order. Entries that may
  /// be among them are collected; whenever there are twice as many as needed,
  /// the first k are selected, and only elements before the last of these count
  /// from then on. An equal element counts as later, since its index is larger.
  void selectLine(const char *in, int64_t line,
                  std::vector<Entry> &entries) const {
    const char *from = in + firstOf(line, lines.size) * width;
    const auto most = static_cast<size_t>(2 * k);
    std::optional<uint64_t> last;
    entries.clear();
    for (int64_t first = 0; first < lines.size; first += kBlock) {
      collect({from + first * lines.inner * width, lines.inner, first,
               std::min(kBlock, lines.size - first)},
              mask, last, entries);
      if (entries.size() >= most)
        last = select(entries);
    }
    if (k < std::ssize(entries))
      select(entries);
    std::sort(entries.begin(), entries.end());
  }

  /// Keeps the first k entries, in any order, and returns the last of their
  /// keys.
  uint64_t select(std::vector<Entry> &entries) const {
    if (k > 0)
      std::nth_element(entries.begin(), entries.begin() + (k - 1),
                       entries.end());
    entries.resize(k);
    return k > 0 ? entries.back().key : 0;
  }

  void write(const std::vector<Entry> &entries, const char *in,
             std::span<Tensor> results, int64_t line) const {
    const char *from = in + firstOf(line, lines.size) * width;
    const int64_t first = firstOf(line, k);
    char *values = results[0].as<char>() + first * width;
    int64_t *indices = results[1].as<int64_t>() + first;
    for (int64_t j = 0; j < k; ++j) {
      const int64_t index = entries[j].index;
      std::memcpy(values + j * lines.inner * width,
                  from + index * lines.inner * width, width);
      indices[j * lines.inner] = index;
    }
  }

  AxisView lines;
  int64_t k;
  uint64_t mask;
  int64_t width;
  CollectFunction collect;
};

} // namespace

Prepared eager::prepareOrder(const Signature &signature) {
  const TensorType &operand = signature.operands[0];
  return std::make_unique<OrderOp>(LineOrder::of(signature.op, operand),
                                   operand);
}
