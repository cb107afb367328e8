//===- ContractionShapeRules.cpp - conv and matmul ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels:
//   conv    C1  layouts name N, C (input, output) or O, I (kernel) and the same
//               one to three spatial dims; ranks are those of the layouts
//           C2  operands have one element type, a float; or the input is of ui8
//               or i8, the kernel of i8, and there is no bias
//           C3  one stride, pad and dilation per spatial dim; strides and
//               dilations are >= 1, pads >= 0
//           C4  groups is >= 1 and divides the output channels
//           C5  input channels are the kernel's I times groups
//           C6  the bias is 1-D, of the output channels
//           C7  the kernel fits into the padded input
//   conv_backward_data and conv_backward_weights: the same, as said in the
//   dialect
//   matmul  C1  ranks are 2 or more
//           C2  operands have one element type, not i1; with `widen`, they are
//               of ui8 or i8, and of i8
//           C3  the contracted dims are equal
//           C4  batch dims broadcast as in NumPy
//
//===----------------------------------------------------------------------===//

#include "ShapeRulesDetail.h"

using namespace tandem;
using namespace tandem::shape_rules;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Expected<LayoutDims> tandem::parseLayout(std::string_view layout,
                                         bool isKernel) {
  const char batch = isKernel ? 'O' : 'N', channel = isKernel ? 'I' : 'C';
  constexpr std::string_view kSpatial = "DHW";
  LayoutDims result;
  std::array<int, 3> spatial = {-1, -1, -1};
  bool ok = layout.size() >= 3 && layout.size() <= 5;
  for (size_t i = 0; ok && i < layout.size(); ++i) {
    size_t letter = kSpatial.find(layout[i]);
    int *position = layout[i] == batch                 ? &result.batch
                    : layout[i] == channel             ? &result.channel
                    : letter != std::string_view::npos ? &spatial[letter]
                                                       : nullptr;
    ok = position && *position < 0;
    if (ok)
      *position = static_cast<int>(i);
  }
  // Spatial dims are W, HW or DHW; all letters being different and of the right
  // number, the batch and channel letters are there when these are.
  int count = static_cast<int>(layout.size()) - 2;
  for (int i = 3 - count; ok && i < 3; ++i) {
    ok = spatial[i] >= 0;
    result.spatial[result.numSpatial++] = spatial[i];
  }
  if (ok && result.batch >= 0 && result.channel >= 0)
    return result;
  return fail("shape", "layout \"" + std::string(layout) + "\" does not name " +
                           batch + ", " + channel +
                           " and W, HW or DHW once each");
}

//===----------------------------------------------------------------------===//
// conv and conv_backward_data
//===----------------------------------------------------------------------===//

namespace {

struct ConvLayouts {
  LayoutDims input, kernel, output;
};

Expected<ConvLayouts> parseLayouts(const OpDesc &op, Operands operands) {
  const fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  Expected<LayoutDims> input = parseLayout(attrs.input_layout, false);
  Expected<LayoutDims> kernel = parseLayout(attrs.kernel_layout, true);
  Expected<LayoutDims> output = parseLayout(attrs.output_layout, false);
  for (const Expected<LayoutDims> *layout : {&input, &kernel, &output})
    if (!*layout)
      return broken(op.kind, 1, layout->error().message);
  if (input->numSpatial != kernel->numSpatial ||
      input->numSpatial != output->numSpatial)
    return broken(op.kind, 1, "layouts ", attrs.input_layout, ", ",
                  attrs.kernel_layout, " and ", attrs.output_layout,
                  " differ in their spatial dims");
  int rank = input->numSpatial + 2;
  if (operands[0].shape.rank() != rank || operands[1].shape.rank() != rank)
    return broken(op.kind, 1, "layout ", attrs.input_layout, " for ",
                  operands[0], " and ", operands[1]);
  return ConvLayouts{*input, *kernel, *output};
}

/// True if a contraction of these operands multiplies integers of 8 bits and
/// sums them in i32.
bool areBytes(Operands operands) {
  const DType data = operands[0].dtype;
  return (data == DType::ui8 || data == DType::i8) &&
         operands[1].dtype == DType::i8;
}

/// Constraint 2.
Status checkConvTypes(OpKind kind, Operands operands) {
  if (kind == OpKind::conv && operands.size() == 2 && areBytes(operands))
    return {};
  for (const TensorType &type : operands)
    if (!isFloat(type.dtype) || type.dtype != operands[0].dtype)
      return broken(kind, 2, operands[0].dtype, " and ", type.dtype);
  return {};
}

/// Constraints 2 and 3, and the first half of 4.
Status checkConvAttrs(const OpDesc &op, Operands operands, size_t numSpatial) {
  const fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  const bool isBackward = op.kind == OpKind::conv_backward_data,
             isWeights = op.kind == OpKind::conv_backward_weights;
  TANDEM_RETURN_IF_ERROR(checkConvTypes(op.kind, operands));
  if (attrs.strides.size() != numSpatial ||
      attrs.pad_low.size() != numSpatial ||
      attrs.pad_high.size() != numSpatial ||
      attrs.dilations.size() != numSpatial ||
      attrs.output_padding.size() != (isBackward ? numSpatial : 0) ||
      attrs.window.size() != (isWeights ? numSpatial : 0))
    return broken(op.kind, 3,
                  isBackward  ? "strides, pads, dilations and output_padding"
                  : isWeights ? "window, strides, pads and dilations"
                              : "strides, pads and dilations",
                  " must have ", numSpatial, " entries each");
  for (size_t i = 0; i < numSpatial; ++i) {
    if (attrs.strides[i] < 1 || attrs.dilations[i] < 1 ||
        attrs.pad_low[i] < 0 || attrs.pad_high[i] < 0)
      return broken(op.kind, 3, "stride ", attrs.strides[i], ", dilation ",
                    attrs.dilations[i], ", pads ", attrs.pad_low[i], " and ",
                    attrs.pad_high[i], " of spatial dim ", i);
    if (isBackward && attrs.output_padding[i] < 0)
      return broken(op.kind, 3, "output_padding ", attrs.output_padding[i],
                    " of spatial dim ", i);
    if (isWeights && attrs.window[i] < 1)
      return broken(op.kind, 3, "window ", attrs.window[i], " of spatial dim ",
                    i);
  }
  if (attrs.groups < 1)
    return broken(op.kind, 4, "groups is ", attrs.groups);
  return {};
}

/// `count` times `groups`; nothing where it overflows.
std::optional<int64_t> inAllGroups(int64_t count, int64_t groups) {
  int64_t product;
  if (count == kDynamic)
    return kDynamic;
  if (__builtin_mul_overflow(count, groups, &product))
    return std::nullopt;
  return product;
}

/// The number of output channels, which the bias may give (C6).
Expected<int64_t> checkBias(OpKind kind, Operands operands, int64_t channels) {
  if (operands.size() < 3)
    return channels;
  const Shape &bias = operands[2].shape;
  std::optional<int64_t> merged =
      bias.rank() == 1 ? mergeDims(channels, bias[0]) : std::nullopt;
  if (!merged)
    return broken(kind, 6, "bias ", operands[2], " for ", dimText(channels),
                  " output channels");
  return *merged;
}

/// Constraint 4: `outputs` are the kernel's output channels.
Status checkGroups(OpKind kind, int64_t outputs, int64_t groups) {
  if (outputs != kDynamic && outputs % groups != 0)
    return broken(kind, 4, outputs, " output channels in ", groups, " groups");
  return {};
}

/// Constraints 4 to 6. Returns the number of channels of the result.
Expected<int64_t> checkChannels(int64_t groups, Operands operands,
                                const ConvLayouts &layouts) {
  int64_t in = operands[0].shape[layouts.input.channel];
  int64_t out = operands[1].shape[layouts.kernel.batch];
  int64_t perGroup = operands[1].shape[layouts.kernel.channel];
  TANDEM_RETURN_IF_ERROR(checkGroups(OpKind::conv, out, groups));
  std::optional<int64_t> expected = inAllGroups(perGroup, groups);
  if (!expected || !mergeDims(in, *expected))
    return broken(OpKind::conv, 5, in, " input channels, but the kernel has ",
                  perGroup, " in each of ", groups, " groups");
  return checkBias(OpKind::conv, operands, out);
}

/// The same of conv_backward_data, whose operand and result have the channels
/// of the result and of the operand of a conv.
Expected<int64_t> checkBackwardChannels(int64_t groups, Operands operands,
                                        const ConvLayouts &layouts) {
  constexpr OpKind kKind = OpKind::conv_backward_data;
  int64_t in = operands[0].shape[layouts.input.channel];
  int64_t outputs = operands[1].shape[layouts.kernel.batch];
  int64_t perGroup = operands[1].shape[layouts.kernel.channel];
  TANDEM_RETURN_IF_ERROR(checkGroups(kKind, outputs, groups));
  if (!mergeDims(in, outputs))
    return broken(kKind, 5, in, " input channels, but the kernel has ", outputs,
                  " output channels");
  std::optional<int64_t> out = inAllGroups(perGroup, groups);
  if (!out)
    return broken(kKind, 5, perGroup, " channels in each of ", groups,
                  " groups are too many");
  return checkBias(kKind, operands, *out);
}

/// The same of conv_backward_weights. Returns the numbers of output channels
/// and of input channels in a group of the result.
Expected<std::pair<int64_t, int64_t>>
checkWeightsChannels(int64_t groups, Operands operands,
                     const ConvLayouts &layouts) {
  constexpr OpKind kKind = OpKind::conv_backward_weights;
  int64_t in = operands[0].shape[layouts.input.channel];
  int64_t out = operands[1].shape[layouts.output.channel];
  TANDEM_RETURN_IF_ERROR(checkGroups(kKind, out, groups));
  if (in != kDynamic && in % groups != 0)
    return broken(kKind, 5, in, " input channels in ", groups, " groups");
  return std::pair{out, in == kDynamic ? kDynamic : in / groups};
}

/// The size of conv_backward_data's result along spatial dim `i`; nothing where
/// it is negative or overflows.
std::optional<int64_t> backwardSize(int64_t in, int64_t window,
                                    const fb::ConvAttrsT &attrs, int i) {
  if (in == kDynamic || window == kDynamic)
    return kDynamic;
  int64_t size, extent;
  if (window < 1 || __builtin_mul_overflow(attrs.strides[i], in - 1, &size) ||
      __builtin_mul_overflow(attrs.dilations[i], window - 1, &extent) ||
      __builtin_add_overflow(size, extent, &size) ||
      __builtin_add_overflow(size, 1, &size) ||
      __builtin_sub_overflow(size, attrs.pad_low[i], &size) ||
      __builtin_sub_overflow(size, attrs.pad_high[i], &size) ||
      __builtin_add_overflow(size, attrs.output_padding[i], &size) || size < 0)
    return std::nullopt;
  return size;
}

} // namespace

/// The size of conv's result along spatial dim `i`; nothing where the window
/// does not fit.
static std::optional<int64_t> forwardSize(int64_t in, int64_t window,
                                          const fb::ConvAttrsT &attrs, int i) {
  return windowResult(in, {window, attrs.strides[i], attrs.pad_low[i],
                           attrs.pad_high[i], attrs.dilations[i]});
}

/// The result of an op whose channels `checkChannels` counts and whose spatial
/// sizes `sizeOf` gives; `explain` makes the error of a size that there is not.
template <typename Check, typename SizeOf, typename Explain>
static Expected<TensorType> inferSpatial(const OpDesc &op, Operands operands,
                                         Check checkChannels, SizeOf sizeOf,
                                         Explain explain) {
  const fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  TANDEM_ASSIGN_OR_RETURN(ConvLayouts layouts, parseLayouts(op, operands));
  int numSpatial = layouts.input.numSpatial;
  TANDEM_RETURN_IF_ERROR(checkConvAttrs(op, operands, numSpatial));
  TANDEM_ASSIGN_OR_RETURN(int64_t channels,
                          checkChannels(attrs.groups, operands, layouts));

  TensorType result = operands[0];
  if (!isFloat(result.dtype))
    result.dtype = DType::i32;
  result.shape[layouts.output.batch] = operands[0].shape[layouts.input.batch];
  result.shape[layouts.output.channel] = channels;
  for (int i = 0; i < numSpatial; ++i) {
    int64_t in = operands[0].shape[layouts.input.spatial[i]];
    int64_t window = operands[1].shape[layouts.kernel.spatial[i]];
    std::optional<int64_t> out = sizeOf(in, window, attrs, i);
    if (!out)
      return explain(in, window, attrs, i);
    result.shape[layouts.output.spatial[i]] = *out;
  }
  return result;
}

Expected<TensorType> shape_rules::inferConv(const OpDesc &op,
                                            Operands operands) {
  return inferSpatial(
      op, operands, checkChannels, forwardSize,
      [](int64_t in, int64_t window, const fb::ConvAttrsT &attrs, int i) {
        return broken(OpKind::conv, 7, "a window of ", dimText(window),
                      " with dilation ", attrs.dilations[i],
                      " does not fit into ", dimText(in),
                      " elements padded by ", attrs.pad_low[i], " and ",
                      attrs.pad_high[i]);
      });
}

Expected<TensorType> shape_rules::inferConvBackwardData(const OpDesc &op,
                                                        Operands operands) {
  return inferSpatial(
      op, operands, checkBackwardChannels, backwardSize,
      [](int64_t in, int64_t window, const fb::ConvAttrsT &attrs, int i) {
        return broken(OpKind::conv_backward_data, 7, "spatial dim ", i,
                      ": no result for ", dimText(in), " elements with stride ",
                      attrs.strides[i], ", a window of ", dimText(window),
                      " with dilation ", attrs.dilations[i], ", pads ",
                      attrs.pad_low[i], " and ", attrs.pad_high[i],
                      " and output_padding ", attrs.output_padding[i]);
      });
}

/// Constraints 6 and 7 of conv_backward_weights: `operands[1]` has the batch
/// and the spatial sizes of the result of the conv.
static Status checkGradient(const OpDesc &op, Operands operands,
                            const ConvLayouts &layouts) {
  const fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  const Shape &input = operands[0].shape, &gradient = operands[1].shape;
  const int64_t images = input[layouts.input.batch],
                given = gradient[layouts.output.batch];
  if (!mergeDims(images, given))
    return broken(op.kind, 6, dimText(images), " images, but the gradient has ",
                  dimText(given));
  for (int i = 0; i < layouts.input.numSpatial; ++i) {
    const int64_t size = input[layouts.input.spatial[i]],
                  count = gradient[layouts.output.spatial[i]];
    const std::optional<int64_t> expected =
        forwardSize(size, attrs.window[i], attrs, i);
    if (!expected)
      return broken(
          op.kind, 7, "a window of ", attrs.window[i], " with dilation ",
          attrs.dilations[i], " does not fit into ", dimText(size),
          " elements padded by ", attrs.pad_low[i], " and ", attrs.pad_high[i]);
    if (!mergeDims(*expected, count))
      return broken(op.kind, 7, "spatial dim ", i, ": conv has ",
                    dimText(*expected), " positions, but the gradient has ",
                    dimText(count));
  }
  return {};
}

Expected<TensorType> shape_rules::inferConvBackwardWeights(const OpDesc &op,
                                                           Operands operands) {
  const fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  TANDEM_ASSIGN_OR_RETURN(ConvLayouts layouts, parseLayouts(op, operands));
  const int numSpatial = layouts.input.numSpatial;
  TANDEM_RETURN_IF_ERROR(checkConvAttrs(op, operands, numSpatial));
  TANDEM_ASSIGN_OR_RETURN(
      const auto channels,
      checkWeightsChannels(attrs.groups, operands, layouts));
  TANDEM_RETURN_IF_ERROR(checkGradient(op, operands, layouts));
  TensorType result = operands[0];
  result.shape[layouts.kernel.batch] = channels.first;
  result.shape[layouts.kernel.channel] = channels.second;
  for (int i = 0; i < numSpatial; ++i)
    result.shape[layouts.kernel.spatial[i]] = attrs.window[i];
  return result;
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

/// Broadcasts the batch dims (all but the last two) into `result` (C4).
static Status inferBatchDims(const Shape &lhs, const Shape &rhs,
                             Shape &result) {
  int rank = std::max(lhs.rank(), rhs.rank());
  for (int i = 0; i < rank - 2; ++i) {
    int l = i - (rank - lhs.rank()), r = i - (rank - rhs.rank());
    std::optional<int64_t> dim =
        broadcastDims(l < 0 ? 1 : lhs[l], r < 0 ? 1 : rhs[r]);
    if (!dim)
      return broken(OpKind::matmul, 4, "batch dims of ", lhs.str(), " and ",
                    rhs.str(), " do not broadcast");
    result.push_back(*dim);
  }
  return {};
}

Expected<TensorType> shape_rules::inferMatmul(const OpDesc &op,
                                              Operands operands) {
  const fb::MatmulAttrsT &attrs = *op.attrs.AsMatmulAttrs();
  const Shape &lhs = operands[0].shape, &rhs = operands[1].shape;
  int l = lhs.rank(), r = rhs.rank();
  if (l < 2 || r < 2)
    return broken(OpKind::matmul, 1, "ranks are ", l, " and ", r);
  DType dtype = operands[0].dtype;
  if (attrs.widen ? !areBytes(operands)
                  : dtype != operands[1].dtype || !isNumber(dtype))
    return broken(OpKind::matmul, 2, dtype, " and ", operands[1].dtype);
  if (attrs.widen)
    dtype = DType::i32;
  int64_t m = lhs[l - (attrs.transpose_lhs ? 1 : 2)];
  int64_t lhsK = lhs[l - (attrs.transpose_lhs ? 2 : 1)];
  int64_t rhsK = rhs[r - (attrs.transpose_rhs ? 1 : 2)];
  int64_t n = rhs[r - (attrs.transpose_rhs ? 2 : 1)];
  if (!mergeDims(lhsK, rhsK))
    return broken(OpKind::matmul, 3, "contracted dims are ", lhsK, " and ",
                  rhsK);
  TensorType result{dtype, {}};
  TANDEM_RETURN_IF_ERROR(inferBatchDims(lhs, rhs, result.shape));
  result.shape.push_back(m);
  result.shape.push_back(n);
  return result;
}
