//===- Image.h - Images as oneDNN describes them ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_IMAGE_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_IMAGE_H

#include "../Spatial.h"

#include <utility>

#include <dnnl.hpp>

namespace tandem::onednn {

using dnnl::memory;

/// Appends the last `count` of three spatial values, each less `minus`.
inline void append(memory::dims &dims, const eager::Spatial3 &values, int count,
                   int64_t minus = 0) {
  for (int i = 3 - count; i < 3; ++i)
    dims.push_back(values[i] - minus);
}

inline memory::dims tail(const eager::Spatial3 &values, int count,
                         int64_t minus = 0) {
  memory::dims dims;
  append(dims, values, count, minus);
  return dims;
}

/// The description of an image of any layout: dims in the order N, C, spatial
/// dims, with the strides of the layout.
inline memory::desc imageDesc(const eager::SpatialTensor &image,
                              memory::data_type type) {
  memory::dims dims{image.batchSize, image.channelSize};
  memory::dims strides{image.batch, image.channel};
  append(dims, image.size, image.numSpatial);
  append(strides, image.stride, image.numSpatial);
  return {dims, type, strides};
}

/// A kernel as (groups,) O, I, spatial dims with strides; if `isTransposed`, as
/// (groups,) I, O, spatial dims, which is the order of deconvolutions.
inline memory::desc kernelDesc(const eager::SpatialTensor &kernel,
                               int64_t groups, memory::data_type type,
                               bool isTransposed = false) {
  const int64_t outputs = kernel.batchSize / groups;
  memory::dims dims{outputs, kernel.channelSize};
  memory::dims strides{kernel.batch, kernel.channel};
  if (isTransposed) {
    std::swap(dims[0], dims[1]);
    std::swap(strides[0], strides[1]);
  }
  if (groups > 1) {
    dims.insert(dims.begin(), groups);
    strides.insert(strides.begin(), outputs * kernel.batch);
  }
  append(dims, kernel.size, kernel.numSpatial);
  append(strides, kernel.stride, kernel.numSpatial);
  return {dims, type, strides};
}

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_IMAGE_H
