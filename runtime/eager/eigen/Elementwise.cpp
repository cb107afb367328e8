//===- Elementwise.cpp - Elementwise ops with broadcasting ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are dense, so that once dims are merged each operand's innermost dim
// is either contiguous or one repeated element: kernels need no other form.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::eager;

namespace {

template <size_t N> using Pointers = std::array<const char *, N>;

void call(UnaryKernel kernel, const Pointers<1> &in, char *out, int64_t n) {
  kernel(in[0], out, n);
}
void call(BinaryKernel kernel, const Pointers<2> &in, char *out, int64_t n) {
  kernel(in[0], in[1], out, n);
}
void call(TernaryKernel kernel, const Pointers<3> &in, char *out, int64_t n) {
  kernel(in[0], in[1], in[2], out, n);
}

/// An elementwise op's walk, in bytes: rows of `inner` elements.
template <size_t N> struct Walk {
  Shape outer;
  std::array<Strides, N> strides;
  int64_t inner = 1;
  /// Bytes per element of each operand along a row: 0 where it is repeated.
  std::array<int64_t, N> step;
  unsigned mask = 0;
  int64_t resultWidth;

  explicit Walk(const Signature &signature);
};

template <size_t N> Walk<N>::Walk(const Signature &signature) {
  outer = signature.result().shape;
  resultWidth = byteWidth(signature.result().dtype);
  for (size_t n = 0; n < N; ++n)
    strides[n] = broadcastStrides(signature.operands[n].shape, outer);
  mergeDims(outer, strides);
  const int last = outer.rank() - 1;
  if (last >= 0) {
    inner = outer[last];
    outer = Shape(outer.span().first(last));
  }
  for (size_t n = 0; n < N; ++n) {
    const int64_t width = byteWidth(signature.operands[n].dtype);
    const bool repeated = last < 0 ? false : strides[n][last] == 0;
    step[n] = repeated ? 0 : width;
    mask |= unsigned(repeated) << n;
    for (int64_t &stride : strides[n])
      stride *= width;
  }
}

template <size_t N, typename Kernel>
class ElementwiseOp final : public PreparedOp {
public:
  ElementwiseOp(const Walk<N> &walk, Kernel kernel, int64_t weight)
      : walk(walk), kernel(kernel), weight(weight) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    Pointers<N> in;
    for (size_t n = 0; n < N; ++n)
      in[n] = operands[n].as<char>();
    char *out = results[0].as<char>();
    if (walk.outer.rank() == 0)
      runRow(in, out);
    else
      runRows(in, out);
    return {};
  }

private:
  void runRow(const Pointers<N> &in, char *out) const {
    parallelFor(walk.inner, kGrain / weight, [&](int64_t begin, int64_t end) {
      Pointers<N> from;
      for (size_t n = 0; n < N; ++n)
        from[n] = in[n] + begin * walk.step[n];
      call(kernel, from, out + begin * walk.resultWidth, end - begin);
    });
  }

  void runRows(const Pointers<N> &in, char *out) const {
    const int64_t rowBytes = walk.inner * walk.resultWidth;
    parallelFor(walk.outer.numElements(), grainFor(walk.inner * weight),
                [&](int64_t begin, int64_t end) {
                  StridedIndex<N> index(walk.outer, walk.strides);
                  index.advance(begin);
                  for (int64_t row = begin; row < end; ++row, index.next()) {
                    Pointers<N> from;
                    for (size_t n = 0; n < N; ++n)
                      from[n] = in[n] + index.offset(n);
                    call(kernel, from, out + row * rowBytes, walk.inner);
                  }
                });
  }

  Walk<N> walk;
  Kernel kernel;
  int64_t weight;
};

/// A binary op of a matrix and a short row, as a bias: the row is repeated to
/// a length that makes a kernel call worthwhile.
class ShortRowOp final : public PreparedOp {
public:
  static constexpr int64_t kBytes = 4096;

  /// Whether `walk` has this form; `row` is then the operand that repeats.
  static bool applies(const Walk<2> &walk, int &row) {
    if (walk.outer.rank() != 1 || walk.mask != 0 || walk.inner > 256)
      return false;
    row = walk.strides[0][0] == 0 ? 0 : 1;
    return walk.strides[row][0] == 0 &&
           walk.strides[1 - row][0] == walk.inner * walk.step[1 - row];
  }

  ShortRowOp(const Walk<2> &walk, BinaryKernel kernel, int64_t weight, int row)
      : kernel(kernel), rows(walk.outer[0]), inner(walk.inner), row(row),
        width(walk.step[row]), resultWidth(walk.resultWidth), weight(weight),
        repeats(std::clamp<int64_t>(kBytes / (inner * width), 1, rows)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    alignas(64) char tile[kBytes];
    for (int64_t i = 0; i < repeats; ++i)
      std::memcpy(tile + i * inner * width, operands[row].data(),
                  inner * width);
    const char *matrix = operands[1 - row].as<char>();
    char *out = results[0].as<char>();
    parallelFor(rows, grainFor(inner * weight),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; i += repeats)
                    runRows(matrix, tile, out, i, std::min(repeats, end - i));
                });
    return {};
  }

private:
  void runRows(const char *matrix, const char *tile, char *out, int64_t first,
               int64_t count) const {
    const char *part = matrix + first * inner * width;
    kernel(row == 0 ? tile : part, row == 0 ? part : tile,
           out + first * inner * resultWidth, count * inner);
  }

  BinaryKernel kernel;
  int64_t rows, inner;
  int row;
  int64_t width, resultWidth, weight, repeats;
};

} // namespace

/// The cost of an element, relative to an addition's.
static int64_t weightOf(OpKind kind) {
  return getOpInfo(kind).isTranscendental() ? 8 : 1;
}

static Prepared prepareUnary(const Signature &signature) {
  const OpKind kind = signature.op.kind;
  const DType dtype = signature.operands[0].dtype;
  const auto *gelu = signature.op.attrs.AsGeluAttrs();
  const UnaryKernel kernel =
      kind == OpKind::cast ? kernels().cast(dtype, signature.result().dtype)
                           : kernels().unary(UnaryKind(kind), dtype,
                                             gelu && gelu->approximate_tanh);
  if (!kernel)
    return nullptr;
  return std::make_unique<ElementwiseOp<1, UnaryKernel>>(
      Walk<1>(signature), kernel, weightOf(kind));
}

static Prepared prepareBinary(const Signature &signature) {
  const OpKind kind = signature.op.kind;
  const DType dtype = signature.operands[0].dtype;
  const Walk<2> walk(signature);
  const BinaryKernel kernel =
      kind == OpKind::compare
          ? kernels().compare(signature.op.attrs.AsCompareAttrs()->predicate,
                              dtype, walk.mask)
          : kernels().binary(BinaryKind(kind), dtype, walk.mask);
  if (!kernel)
    return nullptr;
  int row;
  if (ShortRowOp::applies(walk, row))
    return std::make_unique<ShortRowOp>(walk, kernel, weightOf(kind), row);
  return std::make_unique<ElementwiseOp<2, BinaryKernel>>(walk, kernel,
                                                          weightOf(kind));
}

static Prepared prepareTernary(const Signature &signature) {
  const Walk<3> walk(signature);
  const TernaryKernel kernel =
      signature.op.kind == OpKind::select
          ? kernels().select(walk.resultWidth, walk.mask)
          : kernels().clamp(signature.result().dtype, walk.mask);
  if (!kernel)
    return nullptr;
  return std::make_unique<ElementwiseOp<3, TernaryKernel>>(walk, kernel, 1);
}

Prepared eager::prepareElementwise(const Signature &signature) {
  switch (signature.operands.size()) {
  case 1:
    return prepareUnary(signature);
  case 2:
    return prepareBinary(signature);
  default:
    return prepareTernary(signature);
  }
}
