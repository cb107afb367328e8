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

/// Sums of an odd number of bf16 products are computed in f32. The library
/// takes them in pairs, and with 63 terms, over 64 rows and columns that are no
/// multiple of 16 its AMX kernel runs with tiles that were configured for
/// others: an illegal instruction (oneDNN 2.6).
static memory::data_type computeType(const MatmulDims &dims, DType dtype) {
  return dtype == DType::bf16 && dims.k % 2 != 0 ? memory::data_type::f32
                                                 : dataType(dtype);
}

namespace {
/// The descriptions of both operands and of the result. `typeOf` gives the
/// library's element type for the type of a tensor.
struct Descriptions {
  memory::desc lhs, rhs, result;
  template <typename TypeOf>
  Descriptions(const MatmulDims &dims, const Signature &signature,
               TypeOf typeOf)
      : lhs(matrices(dims, dims.lhsBatch, typeOf(signature.operands[0].dtype),
                     dims.m, dims.k, dims.lhsM, dims.lhsK)),
        rhs(matrices(dims, dims.rhsBatch, typeOf(signature.operands[1].dtype),
                     dims.k, dims.n, dims.rhsK, dims.rhsN)),
        result(matrices(dims, rowMajorStrides(signature.result().shape),
                        typeOf(signature.result().dtype), dims.m, dims.n,
                        dims.n, 1)) {}
};
} // namespace

void onednn::buildMatmul(const Signature &signature, Plan &plan) {
  const auto &attrs = *signature.op.attrs.AsMatmulAttrs();
  const MatmulDims dims = MatmulDims::of(
      attrs.transpose_lhs, attrs.transpose_rhs, signature.operands[0].shape,
      signature.operands[1].shape, signature.result().shape);
  const Descriptions given(dims, signature, dataType),
      used(dims, signature,
           [&](DType dtype) { return computeType(dims, dtype); });
  // Converting weights at each call would cost more than it gains.
  const memory::desc rhs =
      signature.isConstant(1) ? anyFormat(used.rhs) : used.rhs;
  const dnnl::matmul::primitive_desc desc(
      dnnl::matmul::desc(used.lhs, rhs, used.result), Plan::attributes(),
      engine());
  const Buffer from = plan.converted(Plan::operand(0), given.lhs, used.lhs);
  const Buffer weights =
      converted(signature, plan, 1, given.rhs, desc.weights_desc());
  const bool isDirect = used.result == given.result;
  const Buffer to = isDirect ? Plan::result() : plan.temporary(used.result);
  plan.add(dnnl::matmul(desc), desc.scratchpad_desc(),
           {{DNNL_ARG_SRC, used.lhs, from},
            {DNNL_ARG_WEIGHTS, desc.weights_desc(), weights},
            {DNNL_ARG_DST, used.result, to}});
  if (!isDirect)
    plan.reorder(to, used.result, Plan::result(), given.result);
}
