//===- Matmul.cpp - oneDNN: matrix products ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Builders.h"

using namespace tandem;
using namespace tandem::onednn;
using dnnl::memory;
using eager::MatmulDims;
using eager::Strides;

/// A batch of matrices of `rows` x `columns`; a batch dim with stride 0 is one
/// that the operand repeats over.
static memory::desc matrices(const MatmulDims &dims, const Strides &batch,
                             memory::data_type type, int64_t rows,
                             int64_t columns, int64_t rowStride,
                             int64_t columnStride) {
  memory::dims sizes, strides;
  for (int dim = 0; dim < dims.batch.rank(); ++dim) {
    sizes.push_back(batch[dim] == 0 ? 1 : dims.batch[dim]);
    strides.push_back(batch[dim] == 0 ? rows * columns : batch[dim]);
  }
  sizes.insert(sizes.end(), {rows, columns});
  strides.insert(strides.end(), {rowStride, columnStride});
  return {sizes, type, strides};
}

void onednn::buildMatmul(const Signature &signature, Plan &plan) {
  const auto &attrs = *signature.op.attrs.AsMatmulAttrs();
  const MatmulDims dims = MatmulDims::of(
      attrs.transpose_lhs, attrs.transpose_rhs, signature.operands[0].shape,
      signature.operands[1].shape, signature.result.shape);
  const memory::data_type type = dataType(signature.result.dtype);
  const memory::desc lhs =
      matrices(dims, dims.lhsBatch, type, dims.m, dims.k, dims.lhsM, dims.lhsK);
  const memory::desc rhs =
      matrices(dims, dims.rhsBatch, type, dims.k, dims.n, dims.rhsK, dims.rhsN);
  const memory::desc result =
      matrices(dims, eager::rowMajorStrides(signature.result.shape), type,
               dims.m, dims.n, dims.n, 1);
  // Converting weights at each call would cost more than it gains.
  const memory::desc weights = signature.isConstant(1) ? anyFormat(rhs) : rhs;
  const dnnl::matmul::primitive_desc desc(
      dnnl::matmul::desc(lhs, weights, result), Plan::attributes(), engine());
  plan.add(dnnl::matmul(desc), desc.scratchpad_desc(),
           {{DNNL_ARG_SRC, lhs, Plan::operand(0)},
            {DNNL_ARG_WEIGHTS, desc.weights_desc(),
             signature.converted(plan, 1, rhs, desc.weights_desc())},
            {DNNL_ARG_DST, result, Plan::result()}});
}
