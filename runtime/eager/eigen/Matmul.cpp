//===- Matmul.cpp - Matrix products of f64 and integers ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

using namespace tandem;
using namespace tandem::eager;

namespace {
/// Shared out over batches and, where the left matrix is not transposed, over
/// blocks of its rows.
class MatmulOp final : public PreparedOp {
public:
  MatmulOp(const MatmulDims &dims, const fb::MatmulAttrsT &attrs, DType dtype)
      : dims(dims), transposeLhs(attrs.transpose_lhs),
        transposeRhs(attrs.transpose_rhs), width(byteWidth(dtype)),
        rowBlock(transposeLhs ? dims.m : 64), kernel(kernels().matmul(dtype)) {}

  bool hasKernels() const { return kernel; }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const int64_t blocks = countParts(dims.m, rowBlock);
    parallelFor(dims.batch.numElements() * blocks,
                grainFor(rowBlock * dims.n * dims.k / 8),
                [&](int64_t begin, int64_t end) {
                  for (int64_t task = begin; task < end; ++task)
                    runBlock(operands, results[0], task / blocks,
                             task % blocks * rowBlock);
                });
    return {};
  }

private:
  void runBlock(std::span<const Tensor> operands, Tensor &result, int64_t batch,
                int64_t row) const {
    StridedIndex<2> at(dims.batch, {dims.lhsBatch, dims.rhsBatch});
    at.advance(batch);
    const int64_t rows = rowBlock < dims.m - row ? rowBlock : dims.m - row;
    const int64_t out = (batch * dims.m + row) * dims.n;
    kernel(operands[0].as<char>() + (at.offset(0) + row * dims.lhsM) * width,
           operands[1].as<char>() + at.offset(1) * width,
           result.as<char>() + out * width, rows, dims.n, dims.k, transposeLhs,
           transposeRhs, dims.n);
  }

  MatmulDims dims;
  bool transposeLhs, transposeRhs;
  int64_t width, rowBlock;
  MatmulKernel kernel;
};
} // namespace

Prepared eager::prepareMatmul(const Signature &signature) {
  const auto &attrs = *signature.op.attrs.AsMatmulAttrs();
  const MatmulDims dims = MatmulDims::of(
      attrs.transpose_lhs, attrs.transpose_rhs, signature.operands[0].shape,
      signature.operands[1].shape, signature.result().shape);
  if (attrs.widen)
    return prepareByteMatmul(signature, dims);
  auto op = std::make_unique<MatmulOp>(dims, attrs, signature.result().dtype);
  return dims.k != 0 && op->hasKernels() ? std::move(op) : nullptr;
}
