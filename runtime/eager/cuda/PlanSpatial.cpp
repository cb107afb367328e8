//===- PlanSpatial.cpp - Pooling and contractions on a GPU ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Spatial.h"
#include "LaunchPlan.h"

using namespace tandem;
using namespace tandem::cuda;
using eager::SpatialConv;
using eager::SpatialPool;
using eager::SpatialTensor;
using eager::SpatialWindow;

namespace {

/// The number of rows and of columns in a tile of contractions.
constexpr int64_t kTile = 64;

/// By role; a dim of space that there is not has one element.
std::array<int64_t, 5> stridesOf(const SpatialTensor &tensor) {
  std::array<int64_t, 5> strides = {tensor.batch, tensor.channel};
  for (int i = 0; i < 3; ++i)
    strides[2 + i] = std::max<int64_t>(tensor.stride[i], 1);
  return strides;
}

/// A struct SpatialWindow whose windows read `from` and whose results are `to`.
Indices describe(const SpatialWindow &window, const SpatialTensor &from,
                 const SpatialTensor &to, int64_t channels, int64_t results) {
  return Indices{results,    to.batchSize, channels,
                 to.size[0], to.size[1],   to.size[2]}
      .add(stridesOf(to))
      .add(stridesOf(from))
      .add(from.size)
      .add(window.window)
      .add(window.strides)
      .add(window.padLow)
      .add(window.dilations);
}

/// The last position that a tap may have, in the image or behind it.
int64_t lastPosition(const SpatialWindow &window) {
  int64_t last = 0;
  for (int i = 0; i < 3; ++i)
    last = std::max(last, window.output[i] * window.strides[i] +
                              window.window[i] * window.dilations[i]);
  return last;
}

int64_t tilesOf(int64_t m, int64_t n) {
  return divideUp(m, kTile) * divideUp(n, kTile);
}

} // namespace

/// The kernel `name` of a contraction: that of integers of 8 bits has the type
/// of the data behind its name.
static std::string kernelOf(std::string name, const OpSignature &signature) {
  const DType data = signature.operands[0].dtype;
  return data == signature.result().dtype
             ? name
             : name + "_" + std::string(tandem::name(data));
}

Planned cuda::planMatmul(const OpSignature &signature) {
  const auto *attrs = signature.op.attrs.AsMatmulAttrs();
  const TensorType &result = signature.result();
  const auto dims = eager::MatmulDims::of(
      attrs && attrs->transpose_lhs, attrs && attrs->transpose_rhs,
      signature.operands[0].shape, signature.operands[1].shape, result.shape);
  Shape batch = dims.batch;
  std::array<Strides, 2> strides = {dims.lhsBatch, dims.rhsBatch};
  mergeDims(batch, strides);
  const int64_t tiles = tilesOf(dims.m, dims.n);
  LaunchPlan plan{KernelFamily::contraction, result.dtype,
                  kernelOf("matmul", signature), tiles * batch.numElements()};
  plan.pointers = {0, 1, kResult};
  plan.values = {Indices{dims.m, dims.n, dims.k, tiles, dims.lhsM, dims.lhsK,
                         dims.rhsN, dims.rhsK}
                     .add(batch)
                     .add(strides[0])
                     .add(strides[1])};
  return OpPlan{{plan}, {}};
}

Planned cuda::planConv(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const auto conv = SpatialConv::of(*signature.op.attrs.AsConvAttrs(),
                                    signature.operands[0].shape,
                                    signature.operands[1].shape, result.shape);
  const int64_t outputs = conv.outputChannels / conv.groups;
  const int64_t positions =
      conv.batch * conv.output[0] * conv.output[1] * conv.output[2];
  const int64_t taps = conv.window[0] * conv.window[1] * conv.window[2];
  const int64_t tiles = tilesOf(positions, outputs);
  const int64_t size = result.shape.numElements();
  const bool hasBias = signature.operands.size() > 2;
  // Most of a tile would be empty.
  const bool isDirect = outputs < kTile / 4;
  LaunchPlan plan{KernelFamily::contraction, result.dtype,
                  kernelOf(isDirect ? "conv_direct" : "conv_tiled", signature),
                  isDirect ? blocksFor(size) : tiles * conv.groups};
  // Without a bias, something that is never read.
  plan.pointers = {0, 1, hasBias ? 2 : 1, kResult};
  plan.values = {
      describe(conv, conv.in, conv.out, outputs, size)
          .add(std::array{positions, taps, tiles, conv.groupInputChannels,
                          conv.outputChannels, conv.weights.batch,
                          conv.weights.channel})
          .add(conv.weights.stride)
          .add(std::array{conv.groupInputChannels * conv.in.channel,
                          outputs * conv.out.channel,
                          outputs * conv.weights.batch, int64_t(hasBias)})};
  plan.largest = lastPosition(conv);
  return OpPlan{{plan}, {}};
}

Planned cuda::planConvBackwardData(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const auto conv = SpatialConv::ofBackwardData(
      *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
      signature.operands[1].shape, result.shape);
  const int64_t inputs = conv.outputChannels / conv.groups;
  const int64_t size = result.shape.numElements();
  const bool hasBias = signature.operands.size() > 2;
  LaunchPlan plan{KernelFamily::contraction, result.dtype, "conv_backward_data",
                  blocksFor(size)};
  // Without a bias, something that is never read.
  plan.pointers = {0, 1, hasBias ? 2 : 1, kResult};
  plan.values = {
      describe(conv, conv.out, conv.in, conv.groupInputChannels, size)
          // What only tiles need.
          .add(std::array<int64_t, 3>{})
          .add(std::array{inputs, conv.groupInputChannels * conv.groups,
                          conv.weights.channel, conv.weights.batch})
          .add(conv.weights.stride)
          .add(std::array{inputs * conv.out.channel,
                          conv.groupInputChannels * conv.in.channel,
                          inputs * conv.weights.batch, int64_t(hasBias)})};
  plan.largest = lastPosition(conv);
  return OpPlan{{plan}, {}};
}

Planned cuda::planConvBackwardWeights(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const auto conv = SpatialConv::ofBackwardWeights(
      *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
      signature.operands[1].shape, result.shape);
  const int64_t outputs = conv.outputChannels / conv.groups;
  const int64_t positions =
      conv.batch * conv.output[0] * conv.output[1] * conv.output[2];
  const int64_t taps = conv.window[0] * conv.window[1] * conv.window[2];
  const int64_t rows = taps * conv.groupInputChannels;
  const int64_t tiles = tilesOf(rows, outputs);
  LaunchPlan plan{KernelFamily::contraction, result.dtype,
                  "conv_backward_weights", tiles * conv.groups};
  plan.pointers = {0, 1, kResult};
  // The members of struct Conv, where `window` lies over the op's input and has
  // the positions of its gradient.
  plan.values = {
      describe(conv, conv.in, conv.out, outputs, positions)
          .add(std::array{positions, taps, tiles, conv.groupInputChannels,
                          conv.outputChannels, conv.weights.batch,
                          conv.weights.channel})
          .add(conv.weights.stride)
          .add(std::array{conv.groupInputChannels * conv.in.channel,
                          outputs * conv.out.channel,
                          outputs * conv.weights.batch, int64_t(0)})};
  plan.largest = lastPosition(conv);
  return OpPlan{{plan}, {}};
}

Planned cuda::planPool(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsPoolAttrs();
  const TensorType &result = signature.result();
  const auto pool =
      SpatialPool::of(attrs, signature.operands[0].shape, result.shape);
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::window, result.dtype,
                  std::string(name(signature.op.kind)), blocksFor(size)};
  plan.pointers = {0, kResult};
  plan.values = {describe(pool, pool.in, pool.out, pool.channels, size)};
  plan.largest = lastPosition(pool);
  if (signature.op.kind == OpKind::avg_pool)
    plan.values.emplace_back(Indices{attrs.count_include_pad});
  return OpPlan{{plan}, {}};
}

Planned cuda::planMaxPoolWithIndex(const OpSignature &signature) {
  const TensorType &result = signature.result();
  const auto pool = SpatialPool::of(*signature.op.attrs.AsPoolAttrs(),
                                    signature.operands[0].shape, result.shape);
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::window, result.dtype, "max_pool_with_index",
                  blocksFor(size)};
  plan.pointers = {0, kResult, kSecondResult};
  plan.values = {describe(pool, pool.in, pool.out, pool.channels, size)};
  plan.largest = lastPosition(pool);
  return OpPlan{{plan}, {}};
}

Planned cuda::planPoolBackward(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsPoolAttrs();
  const TensorType &result = signature.result();
  const auto pool =
      SpatialPool::of(attrs, result.shape, signature.operands[0].shape);
  const int64_t size = result.shape.numElements();
  LaunchPlan plan{KernelFamily::window, result.dtype,
                  std::string(name(signature.op.kind)), blocksFor(size)};
  plan.values = {describe(pool, pool.out, pool.in, pool.channels, size)};
  plan.largest = lastPosition(pool);
  if (signature.op.kind == OpKind::max_pool_backward) {
    plan.pointers = {0, 1, kResult};
  } else {
    plan.pointers = {0, kResult};
    plan.values.emplace_back(Indices{attrs.count_include_pad});
  }
  return OpPlan{{plan}, {}};
}
