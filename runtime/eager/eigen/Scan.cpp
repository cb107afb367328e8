//===- Scan.cpp - Scans along a dim -----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines that lie side by side are scanned in order, a row of them at a time.
// Lines that are contiguous are scanned in blocks of a fixed size: each block
// by itself, and what is before a block is combined with its elements
// afterwards. Threads share the lines or, where there are few, the blocks. The
// results do not depend on that.
//
//===----------------------------------------------------------------------===//

#include "../AxisView.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include "tandem/Runtime/Memory/Storage.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// Lines that are scanned by one task.
constexpr int64_t kColumns = 256;
/// Elements of a block of a contiguous line: 64 KiB of f64, which caches of the
/// first and the second level hold.
constexpr int64_t kBlock = 8192;

BinaryKind combiner(ScanKind kind) {
  switch (kind) {
  case ScanKind::prod:
    return BinaryKind::mul;
  case ScanKind::max:
    return BinaryKind::max;
  case ScanKind::min:
    return BinaryKind::min;
  case ScanKind::sum:
  case ScanKind::log_sum_exp:
    break;
  }
  return BinaryKind::add;
}

/// The bytes of an element.
using ElementBytes = std::array<char, sizeof(uint64_t)>;

template <typename T> T identityOf(ScanKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case ScanKind::prod:
    return 1;
  case ScanKind::max:
  case ScanKind::log_sum_exp:
    return Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest();
  case ScanKind::min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  case ScanKind::sum:
    break;
  }
  return 0;
}

ElementBytes identityOf(ScanKind kind, DType dtype) {
  ElementBytes bytes{};
  withStorage(dtype, [&]<typename T>(T) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T identity = identityOf<T>(kind);
      std::memcpy(bytes.data(), &identity, sizeof identity);
    }
  });
  return bytes;
}

/// The lines of a scan, and the order in which they are read.
struct ScanLines {
  ScanLines(const Signature &signature)
      : lines(signature.result().shape, signature.op.attrs.AsScanAttrs()->axis),
        isExclusive(signature.op.attrs.AsScanAttrs()->exclusive),
        isReverse(signature.op.attrs.AsScanAttrs()->reverse) {}

  /// The distance between elements in the order of the scan.
  int64_t stride() const { return isReverse ? -lines.inner : lines.inner; }
  /// The offset of element i in the order of the scan.
  int64_t offset(int64_t outer, int64_t i) const {
    return (outer * lines.size + (isReverse ? lines.size - 1 - i : i)) *
           lines.inner;
  }

  AxisView lines;
  bool isExclusive, isReverse;
};

class ScanOp final : public PreparedOp {
public:
  explicit ScanOp(const Signature &signature)
      : view(signature), lines(view.lines),
        width(byteWidth(signature.result().dtype)),
        identity(identityOf(signature.op.attrs.AsScanAttrs()->kind,
                            signature.result().dtype)),
        scan(kernels().scan(signature.op.attrs.AsScanAttrs()->kind,
                            signature.result().dtype)) {
    const BinaryKind kind = combiner(signature.op.attrs.AsScanAttrs()->kind);
    combine = kernels().binary(kind, signature.result().dtype, 0);
    combineFirst = kernels().binary(kind, signature.result().dtype, 1);
  }

  bool hasKernels() const { return scan && combine && combineFirst; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    char *out = results[0].as<char>();
    const int64_t blocks = countParts(lines.size, kBlock);
    if (lines.inner > 1)
      scanColumns(in, out);
    else if (blocks > 1 && lines.outer < kManyLines)
      scanBlocks(in, out, blocks);
    else
      parallelFor(lines.outer, grainFor(lines.size),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t line = begin; line < end; ++line)
                      scanLine(in, out, line);
                  });
    return {};
  }

private:
  /// The number of contiguous lines that keep all threads of a large machine
  /// busy.
  static constexpr int64_t kManyLines = 64;

  void scanColumns(const char *in, char *out) const {
    const int64_t across = countParts(lines.inner, kColumns);
    parallelFor(lines.outer * across,
                grainFor(lines.size * std::min(lines.inner, kColumns)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t task = begin; task < end; ++task)
                    scanColumns(in, out, task / across,
                                task % across * kColumns);
                });
  }

  /// Up to kColumns lines from column `first` on.
  void scanColumns(const char *in, char *out, int64_t outer,
                   int64_t first) const {
    const int64_t n = std::min(kColumns, lines.inner - first);
    const int64_t at = (view.offset(outer, 0) + first) * width;
    if (!view.isExclusive)
      return scan(in + at, out + at, lines.size, n, view.stride());
    for (int64_t j = 0; j < n; ++j)
      std::memcpy(out + at + j * width, identity.data(), width);
    if (lines.size > 1)
      scan(in + at, out + at + view.stride() * width, lines.size - 1, n,
           view.stride());
  }

  int64_t blockSize(int64_t block) const {
    return std::min(kBlock, lines.size - block * kBlock);
  }

  /// Scans a block of a contiguous line by itself and returns the combination
  /// of its elements. The first element of an exclusive scan is not written.
  ElementBytes scanBlock(const char *in, char *out, int64_t line,
                         int64_t block) const {
    const int64_t size = blockSize(block), step = view.stride() * width;
    const char *from = in + view.offset(line, block * kBlock) * width;
    char *to = out + view.offset(line, block * kBlock) * width;
    ElementBytes total{};
    if (!view.isExclusive) {
      scan(from, to, size, 1, view.stride());
      std::memcpy(total.data(), to + (size - 1) * step, width);
    } else if (size == 1) {
      std::memcpy(total.data(), from, width);
    } else {
      scan(from, to + step, size - 1, 1, view.stride());
      combine(to + (size - 1) * step, from + (size - 1) * step, total.data(),
              1);
    }
    return total;
  }

  /// Combines `before` with the elements of a scanned block; with none for the
  /// first block of a line.
  void finishBlock(char *out, int64_t line, int64_t block,
                   const ElementBytes &before) const {
    const int64_t skipped = view.isExclusive ? 1 : 0;
    const int64_t size = blockSize(block) - skipped;
    char *first = out + view.offset(line, block * kBlock) * width;
    if (view.isExclusive)
      std::memcpy(first, block == 0 ? identity.data() : before.data(), width);
    if (block == 0 || size == 0)
      return;
    char *lowest =
        first + (view.isReverse ? -(size - 1 + skipped) : skipped) * width;
    combineFirst(before.data(), lowest, lowest, size);
  }

  /// Makes `before` what is before the block after `block`.
  void advance(ElementBytes &before, const ElementBytes &total,
               int64_t block) const {
    if (block == 0)
      before = total;
    else
      combine(before.data(), total.data(), before.data(), 1);
  }

  void scanLine(const char *in, char *out, int64_t line) const {
    ElementBytes before{};
    for (int64_t block = 0; block * kBlock < lines.size; ++block) {
      const ElementBytes total = scanBlock(in, out, line, block);
      finishBlock(out, line, block, before);
      advance(before, total, block);
    }
  }

  /// Few long lines: all blocks, then what is before each block, then all
  /// blocks again.
  void scanBlocks(const char *in, char *out, int64_t blocks) const {
    const int64_t count = lines.outer * blocks;
    std::vector<ElementBytes> totals(count), before(count);
    const auto forBlocks = [&](auto body) {
      parallelFor(count, kGrain / kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          body(i, i / blocks, i % blocks);
      });
    };
    forBlocks([&](int64_t i, int64_t line, int64_t block) {
      totals[i] = scanBlock(in, out, line, block);
    });
    for (int64_t i = 0; i + 1 < count; ++i)
      if (i % blocks != blocks - 1) {
        before[i + 1] = before[i];
        advance(before[i + 1], totals[i], i % blocks);
      }
    forBlocks([&](int64_t i, int64_t line, int64_t block) {
      finishBlock(out, line, block, before[i]);
    });
  }

  ScanLines view;
  AxisView lines;
  int64_t width;
  ElementBytes identity;
  ScanKernel scan;
  /// Kernels that combine two elements, and one element with several.
  BinaryKernel combine, combineFirst;
};

/// Every line in order, by one thread.
class LogSumExpOp final : public PreparedOp {
public:
  explicit LogSumExpOp(const Signature &signature)
      : view(signature), width(byteWidth(signature.result().dtype)),
        kernel(kernels().logSumExp(signature.result().dtype)) {}

  bool hasKernels() const { return kernel; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    char *out = results[0].as<char>();
    const AxisView &lines = view.lines;
    parallelFor(lines.outer * lines.inner, grainFor(lines.size * kWork),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t at =
                        (view.offset(i / lines.inner, 0) + i % lines.inner) *
                        width;
                    kernel(in + at, out + at, lines.size, view.stride(),
                           view.isExclusive);
                  }
                });
    return {};
  }

private:
  /// Additions that take as long as the exponential and the logarithm of an
  /// element, about.
  static constexpr int64_t kWork = 64;

  ScanLines view;
  int64_t width;
  LogSumExpKernel kernel;
};

template <typename Op> Prepared prepare(const Signature &signature) {
  auto op = std::make_unique<Op>(signature);
  return op->hasKernels() ? std::move(op) : nullptr;
}

} // namespace

Prepared eager::prepareScan(const Signature &signature) {
  return signature.op.attrs.AsScanAttrs()->kind == ScanKind::log_sum_exp
             ? prepare<LogSumExpOp>(signature)
             : prepare<ScanOp>(signature);
}
