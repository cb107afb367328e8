//===- MatmulProblem.cpp - Matrix products in cuBLASLt's terms ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulProblem.h"

#include "../LibraryTypes.h"
#include "../Spatial.h"

#include "tandem/Runtime/Libraries/ByteProducts.h"

#include <algorithm>
#include <numeric>

using namespace tandem;
using namespace tandem::cublaslt;
using eager::MatmulDims;

namespace {

/// More are left to kernels of our own.
constexpr int64_t kMaxCalls = 64;

/// The batch dims, merged as far as the three tensors' strides allow.
struct Batch {
  Batch(const MatmulDims &dims, const Shape &result)
      : shape(dims.batch),
        strides{dims.lhsBatch, dims.rhsBatch, rowMajorStrides(result)} {
    mergeDims(shape, strides);
  }

  Shape shape;
  std::array<Strides, 3> strides;
};

bool isEmpty(const TensorType &type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

bool isSupported(const FusedContraction &matmul) {
  const OpSignature &signature = matmul.contraction;
  return signature.op.kind == OpKind::matmul &&
         eager::hasLibraryTypes(matmul) && !isEmpty(signature.result()) &&
         std::none_of(signature.operands.begin(), signature.operands.end(),
                      isEmpty);
}

/// Takes the last batch dim into one call: as more rows of one product where
/// that is possible, else as its batch.
void takeInnerDim(MatmulProblem &problem, Batch &batch) {
  const int last = batch.shape.rank() - 1;
  const int64_t size = batch.shape[last];
  const auto strides = [&](int i) { return batch.strides[i][last]; };
  const bool isRows =
      !problem.transposeLhs && strides(1) == 0 &&
      strides(0) == problem.lhs.rows * problem.lhs.rowStride &&
      strides(2) == problem.result.rows * problem.result.rowStride;
  if (isRows) {
    problem.lhs.rows *= size;
    problem.result.rows *= size;
  } else {
    problem.batch = size;
    problem.lhs.batchStride = strides(0);
    problem.rhs.batchStride = strides(1);
    problem.result.batchStride = strides(2);
  }
  batch.shape = Shape(batch.shape.span().first(size_t(last)));
}

/// A call for every index of the batch dims that are left.
void addCalls(MatmulProblem &problem, const Batch &batch) {
  for (StridedIndex<3> i(batch.shape, batch.strides); !i.done(); i.next())
    problem.calls.push_back({i.offset(0), i.offset(1), i.offset(2)});
  const int64_t width = byteWidth(problem.factors);
  for (const auto &[lhs, rhs, result] : problem.calls)
    for (int64_t bytes :
         {lhs * width, rhs * width, result * byteWidth(problem.dtype)})
      problem.callAlignment = std::gcd(problem.callAlignment, bytes);
}

} // namespace

std::optional<MatmulProblem> MatmulProblem::of(const FusedContraction &matmul) {
  if (!isSupported(matmul))
    return std::nullopt;
  const OpSignature &signature = matmul.contraction;
  const auto &attrs = *signature.op.attrs.AsMatmulAttrs();
  const TensorType &result = signature.result();
  const MatmulDims dims = MatmulDims::of(
      attrs.transpose_lhs, attrs.transpose_rhs, signature.operands[0].shape,
      signature.operands[1].shape, result.shape);
  MatmulProblem problem;
  problem.dtype = result.dtype;
  problem.factors = signature.operands[0].dtype;
  problem.transposeLhs = attrs.transpose_lhs;
  problem.transposeRhs = attrs.transpose_rhs;
  problem.lhs = attrs.transpose_lhs ? Matrix{dims.k, dims.m, dims.lhsK}
                                    : Matrix{dims.m, dims.k, dims.lhsM};
  problem.rhs = attrs.transpose_rhs ? Matrix{dims.n, dims.k, dims.rhsN}
                                    : Matrix{dims.k, dims.n, dims.rhsK};
  problem.result = {dims.m, dims.n, dims.n};
  const bool isAlongRows = !problem.transposeLhs && problem.transposeRhs;
  if (problem.factors == DType::i8 &&
      !(isAlongRows && canMultiplyBytes(dims.n, dims.k)))
    return std::nullopt;
  problem.hasBias = matmul.numBiases() > 0;
  problem.hasResidual = matmul.hasResidual;
  problem.activation = matmul.activation;
  Batch batch(dims, result.shape);
  if (batch.shape.rank() > 0)
    takeInnerDim(problem, batch);
  if (batch.shape.numElements() > kMaxCalls)
    return std::nullopt;
  addCalls(problem, batch);
  return problem;
}

std::string MatmulProblem::key() const {
  std::string text(name(factors));
  text.append(",").append(name(dtype));
  for (const Matrix *matrix : {&lhs, &rhs, &result})
    for (int64_t value : {matrix->rows, matrix->columns, matrix->rowStride,
                          matrix->batchStride})
      text += ',' + std::to_string(value);
  for (int64_t value :
       {int64_t(transposeLhs), int64_t(transposeRhs), batch, int64_t(hasBias),
        int64_t(hasResidual), int64_t(activation), alignment, callAlignment})
    text += ',' + std::to_string(value);
  return text;
}
