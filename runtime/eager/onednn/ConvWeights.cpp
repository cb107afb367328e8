//===- ConvWeights.cpp - Gradients of weights with oneDNN -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Builders.h"
#include "Image.h"

#include <numeric>

using namespace tandem;
using namespace tandem::onednn;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;
using dnnl::memory;
using eager::SpatialConv;

namespace {
using Primitive = convolution_backward_weights::primitive_desc;

/// A conv_backward_weights in f32.
struct WeightsBuilder {
  SpatialConv conv;
  memory::desc input, gradient, kernel;

  explicit WeightsBuilder(const Signature &signature);
  Primitive describe(const memory::desc &in, const memory::desc &out,
                     const memory::desc &weights) const;
  /// The primitive that is expected to be the fastest one, including the
  /// conversions of its operands.
  Primitive choose() const;

private:
  bool isProduct() const;
};
} // namespace

WeightsBuilder::WeightsBuilder(const Signature &signature)
    : conv(SpatialConv::ofBackwardWeights(
          *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
          signature.operands[1].shape, signature.result().shape)),
      input(imageDesc(conv.in, memory::data_type::f32)),
      gradient(imageDesc(conv.out, memory::data_type::f32)),
      kernel(kernelDesc(conv.weights, conv.groups, memory::data_type::f32)) {}

Primitive WeightsBuilder::describe(const memory::desc &in,
                                   const memory::desc &out,
                                   const memory::desc &weights) const {
  const int rank = conv.in.numSpatial;
  const memory::dims strides = tail(conv.strides, rank),
                     dilations = tail(conv.dilations, rank, 1),
                     padLow = tail(conv.padLow, rank),
                     padHigh = tail(conv.padHigh, rank);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, in, weights, out, strides,
       dilations, padLow, padHigh},
      engine());
  return {{algorithm, in, weights, out, strides, dilations, padLow, padHigh},
          Plan::attributes(),
          engine(),
          forward};
}

/// True if the op is a product of two matrices, without gaps between their
/// rows.
bool WeightsBuilder::isProduct() const {
  bool isProduct = conv.groups == 1;
  for (int i = 0; i < 3; ++i)
    isProduct &= conv.window[i] == 1 && conv.strides[i] == 1 &&
                 conv.padLow[i] == 0 && conv.padHigh[i] == 0;
  return isProduct;
}

/// The weights in a format whose outputs are innermost, before them the inputs.
static memory::desc outputsInnermost(const memory::desc &kernel) {
  const memory::dims dims = kernel.dims();
  memory::dims strides(dims.size());
  strides[0] = 1;
  strides[1] = dims[0];
  for (size_t i = dims.size(), size = dims[0] * dims[1]; i-- > 2;) {
    strides[i] = static_cast<int64_t>(size);
    size *= dims[i];
  }
  return {dims, kernel.data_type(), strides};
}

Primitive WeightsBuilder::choose() const {
  const bool isChannelsLast = conv.in.channel == 1 && conv.out.channel == 1;
  const int64_t taps = std::accumulate(conv.window.begin(), conv.window.end(),
                                       int64_t(1), std::multiplies<>());
  // The sum over many positions is faster in the library's matrix product than
  // in its code for 1x1 convolutions: by up to half for 512 to 128 channels at
  // 28x28 (Zen 4). For 14x14 and 7x7 it is the other way around.
  constexpr int64_t kManyPositions = 2048;
  const int64_t positions =
      conv.batch * conv.output[0] * conv.output[1] * conv.output[2];
  if (isChannelsLast && isProduct() && positions >= kManyPositions)
    return describe(input, gradient, outputsInnermost(kernel));
  // In the formats of channels-first images, the library sums over one image at
  // a time. For three channels of 32x32 pixels, that takes ten times as long as
  // the conversions and the sum in formats of its own (Zen 4).
  const bool mayConvert = !isChannelsLast && (taps > 1 || conv.groups > 1);
  if (!mayConvert) {
    const Primitive own = describe(input, gradient, anyFormat(kernel));
    if (isGenerated(own.impl_info_str()) || conv.groups == 1)
      return own;
  }
  return describe(anyFormat(input), anyFormat(gradient), anyFormat(kernel));
}

/// Throws where the library has no fast code.
void onednn::buildConvBackwardWeights(const Signature &signature, Plan &plan) {
  const auto unimplemented = [] {
    return dnnl::error(dnnl_unimplemented, "no generated code");
  };
  if (signature.result().dtype != DType::f32)
    throw unimplemented();
  const WeightsBuilder builder(signature);
  const Primitive desc = builder.choose();
  // The library's matrix products are slow for few channels in each group.
  if (isFallback(desc.impl_info_str()) ||
      (builder.conv.groups > 1 && !isGenerated(desc.impl_info_str())))
    throw unimplemented();
  const Buffer from =
      converted(signature, plan, 0, builder.input, desc.src_desc());
  const Buffer gradient =
      converted(signature, plan, 1, builder.gradient, desc.diff_dst_desc());
  const memory::desc weights = desc.diff_weights_desc();
  const bool isDirect = weights == builder.kernel;
  const Buffer to = isDirect ? Plan::result() : plan.temporary(weights);
  plan.add(convolution_backward_weights(desc), desc.scratchpad_desc(),
           {{DNNL_ARG_SRC, desc.src_desc(), from},
            {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
            {DNNL_ARG_DIFF_WEIGHTS, weights, to}});
  if (!isDirect)
    plan.reorder(to, weights, Plan::result(), builder.kernel);
}
