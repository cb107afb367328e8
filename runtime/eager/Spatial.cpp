//===- Spatial.cpp - Convolutions and pools, by role of dim -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spatial.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::eager;

/// Copies an attribute's 1 to 3 values into the last places of a Spatial3. An
/// empty attribute leaves the default.
static void assign(Spatial3 &to, const std::vector<int64_t> &from) {
  std::copy(from.begin(), from.end(), to.end() - from.size());
}

SpatialTensor SpatialTensor::of(const Shape &shape, std::string_view layout,
                                bool isKernel) {
  const LayoutDims dims = *parseLayout(layout, isKernel);
  const Strides strides = rowMajorStrides(shape);
  SpatialTensor tensor;
  tensor.batchSize = shape[dims.batch];
  tensor.channelSize = shape[dims.channel];
  tensor.batch = strides[dims.batch];
  tensor.channel = strides[dims.channel];
  tensor.numSpatial = dims.numSpatial;
  for (int i = 0; i < dims.numSpatial; ++i) {
    const int to = 3 - dims.numSpatial + i;
    tensor.size[to] = shape[dims.spatial[i]];
    tensor.stride[to] = strides[dims.spatial[i]];
  }
  return tensor;
}

SpatialConv SpatialConv::of(const fb::ConvAttrsT &attrs, const Shape &input,
                            const Shape &kernel, const Shape &result) {
  SpatialConv conv;
  conv.in = SpatialTensor::of(input, attrs.input_layout, false);
  conv.out = SpatialTensor::of(result, attrs.output_layout, false);
  conv.weights = SpatialTensor::of(kernel, attrs.kernel_layout, true);
  conv.window = conv.weights.size;
  conv.output = conv.out.size;
  assign(conv.strides, attrs.strides);
  assign(conv.padLow, attrs.pad_low);
  assign(conv.padHigh, attrs.pad_high);
  assign(conv.dilations, attrs.dilations);
  conv.batch = conv.in.batchSize;
  conv.outputChannels = conv.weights.batchSize;
  conv.groups = attrs.groups;
  conv.groupInputChannels = conv.weights.channelSize;
  return conv;
}

SpatialConv SpatialConv::ofBackwardData(const fb::ConvAttrsT &attrs,
                                        const Shape &input, const Shape &kernel,
                                        const Shape &result) {
  fb::ConvAttrsT forward = attrs;
  std::swap(forward.input_layout, forward.output_layout);
  return of(forward, result, kernel, input);
}

SpatialPool SpatialPool::of(const fb::PoolAttrsT &attrs, const Shape &input,
                            const Shape &result) {
  SpatialPool pool;
  pool.in = SpatialTensor::of(input, attrs.layout, false);
  pool.out = SpatialTensor::of(result, attrs.layout, false);
  pool.output = pool.out.size;
  assign(pool.window, attrs.window);
  assign(pool.strides, attrs.strides);
  assign(pool.padLow, attrs.pad_low);
  assign(pool.padHigh, attrs.pad_high);
  assign(pool.dilations, attrs.dilations);
  pool.batch = pool.in.batchSize;
  pool.channels = pool.in.channelSize;
  return pool;
}

MatmulDims MatmulDims::of(bool transposeLhs, bool transposeRhs,
                          const Shape &lhs, const Shape &rhs,
                          const Shape &result) {
  const int l = lhs.rank() - 2, r = rhs.rank() - 2, o = result.rank() - 2;
  MatmulDims dims;
  dims.batch = Shape(std::span(result.begin(), o));
  dims.m = result[o];
  dims.n = result[o + 1];
  dims.k = lhs[transposeLhs ? l : l + 1];
  const Strides left = rowMajorStrides(lhs), right = rowMajorStrides(rhs);
  dims.lhsM = left[transposeLhs ? l + 1 : l];
  dims.lhsK = left[transposeLhs ? l : l + 1];
  dims.rhsK = right[transposeRhs ? r + 1 : r];
  dims.rhsN = right[transposeRhs ? r : r + 1];
  // Dims of the operands line up with the last batch dims of the result.
  for (int dim = 0; dim < l; ++dim)
    dims.lhsBatch[o - l + dim] = lhs[dim] == 1 ? 0 : left[dim];
  for (int dim = 0; dim < r; ++dim)
    dims.rhsBatch[o - r + dim] = rhs[dim] == 1 ? 0 : right[dim];
  return dims;
}
