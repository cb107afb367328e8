//===- AvgPool.cpp - oneDNN: means of windows -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Builders.h"
#include "Image.h"

using namespace tandem;
using namespace tandem::onednn;
using dnnl::memory;
using dnnl::pooling_v2_forward;
using eager::SpatialPool;

/// If the stride leaves a remainder, the library would compute one more output
/// than the op has. The padding is reduced, and may become negative, so that
/// the number of outputs agrees.
static memory::dims exactPadHigh(const SpatialPool &pool) {
  memory::dims dims;
  for (int i = 3 - pool.in.numSpatial; i < 3; ++i)
    dims.push_back((pool.output[i] - 1) * pool.strides[i] +
                   (pool.window[i] - 1) * pool.dilations[i] + 1 -
                   pool.in.size[i] - pool.padLow[i]);
  return dims;
}

void onednn::buildAvgPool(const Signature &signature, Plan &plan) {
  const auto &attrs = *signature.op.attrs.AsPoolAttrs();
  const SpatialPool pool = SpatialPool::of(attrs, signature.operands[0].shape,
                                           signature.result().shape);
  const auto algorithm = attrs.count_include_pad
                             ? dnnl::algorithm::pooling_avg_include_padding
                             : dnnl::algorithm::pooling_avg_exclude_padding;
  const memory::data_type type = dataType(signature.result().dtype);
  const memory::desc input = imageDesc(pool.in, type);
  const memory::desc output = imageDesc(pool.out, type);
  const int rank = pool.in.numSpatial;
  const pooling_v2_forward::primitive_desc desc(
      pooling_v2_forward::desc(dnnl::prop_kind::forward_inference, algorithm,
                               input, output, tail(pool.strides, rank),
                               tail(pool.window, rank),
                               tail(pool.dilations, rank, 1),
                               tail(pool.padLow, rank), exactPadHigh(pool)),
      Plan::attributes(), engine());
  plan.add(pooling_v2_forward(desc), desc.scratchpad_desc(),
           {{DNNL_ARG_SRC, input, Plan::operand(0)},
            {DNNL_ARG_DST, output, Plan::result()}});
}
