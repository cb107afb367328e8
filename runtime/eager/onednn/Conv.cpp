//===- Conv.cpp - oneDNN: convolutions --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "Builders.h"
#include "Image.h"

#include "tandem/Runtime/Kernels/LibraryFormats.h"

using namespace tandem;
using namespace tandem::onednn;
using dnnl::convolution_forward;
using dnnl::memory;
using eager::SpatialConv;
using eager::SpatialTensor;

/// oneDNN multiplies bf16 in pairs of channels. It treats a row of a window as
/// one if it has at most four channels, and 16 channels of a group as if they
/// were 32. In each case, it fills up the data with that of the next pixel and
/// multiplies it by zero, which gives NaN if that data is infinite or NaN (seen
/// with oneDNN 2.6). Such convolutions are computed in f32.
static memory::data_type computeType(const SpatialConv &conv, DType dtype) {
  bool readsNeighbors = conv.groupInputChannels % 2 != 0 ||
                        conv.groupInputChannels <= 4 ||
                        (conv.groups > 1 && conv.groupInputChannels == 16);
  return dtype == DType::bf16 && readsNeighbors ? memory::data_type::f32
                                                : dataType(dtype);
}

static memory::desc biasDesc(const SpatialConv &conv, memory::data_type type) {
  return {{conv.outputChannels}, type, memory::format_tag::a};
}

namespace {
struct ConvBuilder {
  SpatialConv conv;
  /// In the types that are computed in.
  memory::desc input, kernel, bias, output;

  explicit ConvBuilder(const Signature &signature);
  /// A primitive for these image formats; the kernel's is the library's choice,
  /// as copying it costs little and lets the vectorized ones be used.
  convolution_forward::primitive_desc describe(const memory::desc &in,
                                               const memory::desc &out) const;
};
} // namespace

ConvBuilder::ConvBuilder(const Signature &signature)
    : conv(SpatialConv::of(
          *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
          signature.operands[1].shape, signature.result().shape)) {
  const auto typeOf = [&](const TensorType &type) {
    return computeType(conv, type.dtype);
  };
  input = imageDesc(conv.in, typeOf(signature.operands[0]));
  kernel = kernelDesc(conv.weights, conv.groups, typeOf(signature.operands[1]));
  output = imageDesc(conv.out, typeOf(signature.result()));
  if (signature.operands.size() > 2)
    bias = biasDesc(conv, typeOf(signature.operands[2]));
}

convolution_forward::primitive_desc
ConvBuilder::describe(const memory::desc &in, const memory::desc &out) const {
  const int rank = conv.in.numSpatial;
  const memory::dims strides = tail(conv.strides, rank),
                     dilations = tail(conv.dilations, rank, 1),
                     padLow = tail(conv.padLow, rank),
                     padHigh = tail(conv.padHigh, rank);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto desc =
      bias.is_zero()
          ? convolution_forward::desc(kind, algorithm, in, anyFormat(kernel),
                                      out, strides, dilations, padLow, padHigh)
          : convolution_forward::desc(kind, algorithm, in, anyFormat(kernel),
                                      bias, out, strides, dilations, padLow,
                                      padHigh);
  return {desc, Plan::attributes(), engine()};
}

/// Whether all taps of some window lie in the padding.
static bool hasEmptyWindow(const SpatialConv &conv) {
  for (int i = 0; i < 3; ++i)
    for (const int64_t at : {int64_t(0), conv.output[i] - 1})
      if (const auto [first, last] = conv.insideTaps(i, at); first >= last)
        return true;
  return false;
}

/// Refuses a convolution with which oneDNN's kernels for AMX end the process:
/// if a window of the outermost dim lies behind the end of the data, they read
/// memory that is not there (seen with oneDNN 2.6).
static void
refuseEmptyWindows(const SpatialConv &conv,
                   const convolution_forward::primitive_desc &desc) {
  const std::string_view name = desc.impl_info_str();
  if (name.find("amx") != std::string_view::npos && hasEmptyWindow(conv))
    throw dnnl::error(dnnl_unimplemented, "windows without data");
}

void onednn::buildConv(const Signature &signature, Plan &plan) {
  const ConvBuilder builder(signature);
  const auto &[conv, input, kernel, bias, output] = builder;
  auto desc = builder.describe(input, output);
  const bool channelsLast = conv.in.channel == 1 && conv.out.channel == 1;
  const int64_t taps = conv.window[0] * conv.window[1] * conv.window[2];
  if (isFallback(desc.impl_info_str()) ||
      (!channelsLast &&
       changesImageFormats(conv.groups, taps, conv.groupInputChannels)))
    desc = builder.describe(anyFormat(input), anyFormat(output));
  refuseEmptyWindows(conv, desc);

  const memory::data_type type = dataType(signature.result().dtype);
  const memory::desc result = imageDesc(conv.out, type);
  const Buffer from =
      plan.converted(Plan::operand(0),
                     imageDesc(conv.in, dataType(signature.operands[0].dtype)),
                     desc.src_desc());
  const Buffer weights =
      converted(signature, plan, 1,
                kernelDesc(conv.weights, conv.groups,
                           dataType(signature.operands[1].dtype)),
                desc.weights_desc());
  const bool direct = desc.dst_desc() == result;
  const Buffer to = direct ? Plan::result() : plan.temporary(desc.dst_desc());
  std::vector<Argument> arguments = {
      {DNNL_ARG_SRC, desc.src_desc(), from},
      {DNNL_ARG_WEIGHTS, desc.weights_desc(), weights},
      {DNNL_ARG_DST, desc.dst_desc(), to}};
  if (!bias.is_zero())
    arguments.push_back({DNNL_ARG_BIAS, desc.bias_desc(),
                         plan.converted(Plan::operand(2), biasDesc(conv, type),
                                        desc.bias_desc())});
  plan.add(convolution_forward(desc), desc.scratchpad_desc(),
           std::move(arguments));
  if (!direct)
    plan.reorder(to, desc.dst_desc(), Plan::result(), result);
}
