//===- Normalize.cpp - Batch norm, softmax and its gradient -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

/// A shape seen along one dim: [outer, size, inner].
namespace {
struct Along {
  int64_t outer, size, inner;

  Along(const Shape &shape, int64_t axis)
      : outer(Shape(shape.span().first(axis)).numElements()), size(shape[axis]),
        inner(Shape(shape.span().subspan(axis + 1)).numElements()) {}
};

/// The scale is folded with the variance at each call; (x - mean) is not, as
/// that would cancel where the mean is large.
class BatchNormOp final : public PreparedOp {
public:
  BatchNormOp(const Along &dims, double epsilon, DType dtype)
      : dims(dims), epsilon(epsilon), width(byteWidth(dtype)),
        normalize(kernels().normalize(dtype, dims.inner != 1)),
        makeScale(kernels().normalizeScale(dtype)) {}

  bool hasKernels() const { return normalize && makeScale; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    std::vector<double> scale(dims.size);
    makeScale(operands[1].data(), operands[4].data(), epsilon, scale.data(),
              dims.size);
    const char *in = operands[0].as<char>();
    const char *s = reinterpret_cast<const char *>(scale.data());
    const char *offset = operands[2].as<char>(), *mean = operands[3].as<char>();
    char *out = results[0].as<char>();
    const bool last = dims.inner == 1;
    const int64_t rows = last ? dims.outer : dims.outer * dims.size;
    const int64_t length = last ? dims.size : dims.inner;
    parallelFor(rows, grainFor(length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t c = last ? 0 : row % dims.size * width;
        const int64_t at = row * length * width;
        normalize(in + at, mean + c, s + c, offset + c, out + at, length);
      }
    });
    return {};
  }

private:
  Along dims;
  double epsilon;
  int64_t width;
  NormalizeKernel normalize;
  ScaleKernel makeScale;
};

/// Runs `kernel(at, lines)` for each group of up to kSoftmaxLines lines that
/// lie side by side. The first element of the group is at `at`. `work` is the
/// work per element, relative to that of a simple elementwise op.
template <typename Kernel>
void forEachLines(const Along &dims, int64_t work, Kernel kernel) {
  const int64_t across = countParts(dims.inner, kSoftmaxLines);
  const int64_t lines = std::min(dims.inner, kSoftmaxLines);
  parallelFor(dims.outer * across, grainFor(work * dims.size * lines),
              [&](int64_t begin, int64_t end) {
                for (int64_t task = begin; task < end; ++task) {
                  const int64_t line = task % across * kSoftmaxLines;
                  kernel(task / across * dims.size * dims.inner + line,
                         std::min(kSoftmaxLines, dims.inner - line));
                }
              });
}

class SoftmaxOp final : public PreparedOp {
public:
  SoftmaxOp(const Along &dims, DType dtype)
      : dims(dims), width(byteWidth(dtype)), kernel(kernels().softmax(dtype)) {}

  bool hasKernels() const { return kernel; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *in = operands[0].as<char>();
    char *out = results[0].as<char>();
    forEachLines(dims, /*work=*/8, [&](int64_t at, int64_t lines) {
      kernel(in + at * width, out + at * width, dims.size, dims.inner, lines);
    });
    return {};
  }

private:
  Along dims;
  int64_t width;
  SoftmaxKernel kernel;
};

/// Reads each group of lines twice, the second time from a cache unless the
/// group is too large.
class SoftmaxBackwardOp final : public PreparedOp {
public:
  SoftmaxBackwardOp(const Along &dims, DType dtype)
      : dims(dims), width(byteWidth(dtype)),
        kernel(kernels().softmaxBackward(dtype)) {}

  bool hasKernels() const { return kernel; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const char *y = operands[0].as<char>(), *g = operands[1].as<char>();
    char *out = results[0].as<char>();
    forEachLines(dims, /*work=*/2, [&](int64_t at, int64_t lines) {
      kernel(y + at * width, g + at * width, out + at * width, dims.size,
             dims.inner, lines);
    });
    return {};
  }

private:
  Along dims;
  int64_t width;
  SoftmaxBackwardKernel kernel;
};
} // namespace

Prepared eager::prepareBatchNorm(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsBatchNormAttrs();
  auto op =
      std::make_unique<BatchNormOp>(Along(signature.result().shape, attrs.axis),
                                    attrs.epsilon, signature.result().dtype);
  return op->hasKernels() ? std::move(op) : nullptr;
}

Prepared eager::prepareSoftmax(const Signature &signature) {
  auto op = std::make_unique<SoftmaxOp>(
      Along(signature.result().shape, signature.op.attrs.AsAxisAttrs()->axis),
      signature.result().dtype);
  return op->hasKernels() ? std::move(op) : nullptr;
}

Prepared eager::prepareSoftmaxBackward(const Signature &signature) {
  auto op = std::make_unique<SoftmaxBackwardOp>(
      Along(signature.result().shape, signature.op.attrs.AsAxisAttrs()->axis),
      signature.result().dtype);
  return op->hasKernels() ? std::move(op) : nullptr;
}
