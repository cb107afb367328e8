//===- Resize.cpp - Tables of resize --------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/Resize.h"

#include <algorithm>

using namespace tandem;

// ResizeTaps.h has its own enums because CUDA sources have no Op.fbs.
static_assert(
    int(fb::ResizeMode::cubic) == kCubic &&
    int(fb::ResizeCoordinates::half_pixel_symmetric) == kHalfPixelSymmetric &&
    int(fb::ResizeCoordinates::pytorch_half_pixel) == kPytorchHalfPixel &&
    int(fb::ResizeCoordinates::align_corners) == kAlignCorners &&
    int(fb::ResizeCoordinates::asymmetric) == kAsymmetric &&
    int(fb::ResizeCoordinates::tf_crop_and_resize) == kCropAndResize &&
    int(fb::NearestRounding::round_prefer_ceil) == kPreferCeil &&
    int(fb::NearestRounding::floor) == kFloor &&
    int(fb::NearestRounding::ceil) == kCeil);

int64_t tandem::scaledSize(int64_t from, double scale) {
  const float size =
      std::floor(static_cast<float>(from) * static_cast<float>(scale));
  return size <= static_cast<float>(kMaxResizeTable)
             ? static_cast<int64_t>(size)
             : -1;
}

ResizeDim tandem::resizeDim(const fb::ResizeAttrsT &attrs, size_t i,
                            int64_t from, int64_t to) {
  ResizeDim dim;
  dim.from = static_cast<double>(from);
  dim.to = static_cast<double>(to);
  dim.scale = attrs.scales.empty() ? dim.to / dim.from : attrs.scales[i];
  dim.length = attrs.scales.empty() ? dim.to : dim.scale * dim.from;
  if (attrs.coordinates == fb::ResizeCoordinates::tf_crop_and_resize) {
    dim.start = attrs.starts[i];
    dim.end = attrs.ends[i];
  }
  dim.cubic = attrs.cubic_coeff_a;
  dim.mode = static_cast<int>(attrs.mode);
  dim.coordinates = static_cast<int>(attrs.coordinates);
  dim.rounding = static_cast<int>(attrs.rounding);
  dim.antialias = attrs.antialias;
  dim.excludeOutside = attrs.exclude_outside;
  return dim;
}

std::vector<ResizeDim> tandem::resizeDims(const fb::ResizeAttrsT &attrs,
                                          const Shape &from, const Shape &to) {
  std::vector<ResizeDim> dims;
  for (size_t i = 0; i < attrs.dims.size(); ++i) {
    const int dim = static_cast<int>(attrs.dims[i]);
    dims.push_back(resizeDim(attrs, i, from[dim], to[dim]));
  }
  return dims;
}

ResizeTable::ResizeTable(const ResizeDim &dim) {
  const auto size = static_cast<int64_t>(dim.to);
  std::vector<bool> outside(size);
  starts.push_back(0);
  for (int64_t i = 0; i < size; ++i) {
    forEachTap(dim, static_cast<double>(i), [&](int64_t index, double weight) {
      taps.push_back({index, weight});
    });
    starts.push_back(static_cast<int64_t>(taps.size()));
    maxTaps = std::max(maxTaps, numTaps(i));
    outside[i] = tandem::isExtrapolated(dim, static_cast<double>(i));
  }
  if (std::find(outside.begin(), outside.end(), true) != outside.end())
    isExtrapolated = std::move(outside);
}

std::vector<ResizeTable::Tap> ResizeTable::repeatedTaps(int64_t i,
                                                        int64_t count) const {
  std::vector<Tap> repeated(tapsOf(i), tapsOf(i) + numTaps(i));
  for (size_t k = 0; static_cast<int64_t>(repeated.size()) < count; ++k) {
    repeated[k].weight /= 2;
    repeated.push_back(repeated[k]);
  }
  return repeated;
}

std::vector<int64_t> ResizeTable::onlyIndices() const {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < size(); ++i) {
    if (numTaps(i) != 1 || tapsOf(i)->weight != 1)
      return {};
    indices.push_back(tapsOf(i)->index);
  }
  return indices;
}

bool ResizeTable::isIdentity(int64_t from) const {
  const std::vector<int64_t> indices = onlyIndices();
  if (size() != from || static_cast<int64_t>(indices.size()) != from ||
      !isExtrapolated.empty())
    return false;
  for (int64_t i = 0; i < from; ++i)
    if (indices[i] != i)
      return false;
  return true;
}
