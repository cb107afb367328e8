//===- Deconv.cpp - Transposed convolutions with oneDNN -------------------===//
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
using dnnl::deconvolution_forward;
using dnnl::memory;
using eager::SpatialConv;

namespace {
/// A conv_backward_data as oneDNN's deconvolution, in f32.
struct DeconvBuilder {
  /// The convolution whose gradient the op is: `in` is the op's result.
  SpatialConv conv;
  memory::desc input, kernel, bias, output;
  memory::dims padHigh;

  explicit DeconvBuilder(const Signature &signature);
  deconvolution_forward::primitive_desc describe(const memory::desc &in,
                                                 const memory::desc &out) const;
};
} // namespace

DeconvBuilder::DeconvBuilder(const Signature &signature)
    : conv(SpatialConv::ofBackwardData(
          *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
          signature.operands[1].shape, signature.result().shape)),
      input(imageDesc(conv.out, memory::data_type::f32)),
      kernel(kernelDesc(conv.weights, conv.groups, memory::data_type::f32,
                        /*isTransposed=*/true)),
      output(imageDesc(conv.in, memory::data_type::f32)) {
  if (signature.operands.size() > 2)
    bias = {
        {conv.in.channelSize}, memory::data_type::f32, memory::format_tag::a};
  // The library wants the padding that the sizes follow from.
  const auto &padding = signature.op.attrs.AsConvAttrs()->output_padding;
  padHigh = tail(conv.padHigh, conv.in.numSpatial);
  for (size_t i = 0; i < padHigh.size(); ++i)
    padHigh[i] -= padding[i];
}

deconvolution_forward::primitive_desc
DeconvBuilder::describe(const memory::desc &in, const memory::desc &out) const {
  const int rank = conv.in.numSpatial;
  const memory::dims strides = tail(conv.strides, rank),
                     dilations = tail(conv.dilations, rank, 1),
                     padLow = tail(conv.padLow, rank);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::deconvolution_direct;
  const auto desc =
      bias.is_zero()
          ? deconvolution_forward::desc(kind, algorithm, in, anyFormat(kernel),
                                        out, strides, dilations, padLow,
                                        padHigh)
          : deconvolution_forward::desc(kind, algorithm, in, anyFormat(kernel),
                                        bias, out, strides, dilations, padLow,
                                        padHigh);
  return {desc, Plan::attributes(), engine()};
}

/// Whether the library's code fills its vectors with channels, and elements of
/// the result are sums of several windows, or windows have one element.
/// Otherwise a matrix product is faster (eager/Columns.cpp), as it pads no
/// channels and adds little.
static bool isSuited(const SpatialConv &conv) {
  constexpr int64_t kVector = 8;
  bool overlaps = false, isPointwise = true;
  for (int i = 0; i < 3; ++i) {
    overlaps |= conv.window[i] > conv.strides[i];
    isPointwise &= conv.window[i] == 1;
  }
  return (overlaps || isPointwise) && conv.in.channelSize % kVector == 0 &&
         conv.out.channelSize % kVector == 0;
}

/// Throws where the library has no generated code, or where that is slow.
void onednn::buildDeconv(const Signature &signature, Plan &plan) {
  const auto unimplemented = [] {
    return dnnl::error(dnnl_unimplemented, "no generated deconvolution");
  };
  if (signature.result().dtype != DType::f32)
    throw unimplemented();
  const DeconvBuilder builder(signature);
  const auto &[conv, input, kernel, bias, output, padHigh] = builder;
  if (!isSuited(conv))
    throw unimplemented();
  auto desc = builder.describe(input, output);
  if (!isGenerated(desc.impl_info_str()))
    desc = builder.describe(anyFormat(input), anyFormat(output));
  if (!isGenerated(desc.impl_info_str()))
    throw unimplemented();

  const Buffer from = plan.converted(Plan::operand(0), input, desc.src_desc());
  const Buffer weights =
      converted(signature, plan, 1, kernel, desc.weights_desc());
  const bool direct = desc.dst_desc() == output;
  const Buffer to = direct ? Plan::result() : plan.temporary(desc.dst_desc());
  std::vector<Argument> arguments = {
      {DNNL_ARG_SRC, desc.src_desc(), from},
      {DNNL_ARG_WEIGHTS, desc.weights_desc(), weights},
      {DNNL_ARG_DST, desc.dst_desc(), to}};
  if (!bias.is_zero())
    arguments.push_back({DNNL_ARG_BIAS, desc.bias_desc(), Plan::operand(2)});
  plan.add(deconvolution_forward(desc), desc.scratchpad_desc(),
           std::move(arguments));
  if (!direct)
    plan.reorder(to, desc.dst_desc(), Plan::result(), output);
}
