//===- ConvGraph.h - Convolutions as cuDNN's operation graphs ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_CONVGRAPH_H
#define TANDEM_RUNTIME_EAGER_CUDNN_CONVGRAPH_H

#include "Backend.h"

#include "../Spatial.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"

#include <string>
#include <utility>

namespace tandem::cudnn {

/// The tensors of an operation graph by their unique ids.
enum TensorId : int64_t { kInput = 1, kKernel, kBias, kResidual, kOutput };

/// A tensor by role of dim: N, C and the spatial dims (of a kernel O and I).
/// Strides are in elements.
struct TensorDims {
  std::vector<int64_t> sizes, strides;

  /// Whether it is packed in the order N, spatial dims, C, or N, C, spatial
  /// dims. The strides of dims of size 1 count for nothing.
  bool isPacked(bool isChannelsLast) const;
  bool isPacked() const { return isPacked(true) || isPacked(false); }
};

enum class ConvDirection { forward, backwardData, backwardWeights };

/// A conv with its epilogue, or one of its gradients, in cuDNN's terms: two or
/// three spatial dims; the layouts are strides. `input` and `kernel` are the
/// op's operands and `output` is its result. For conv_backward_data, cuDNN
/// calls these dy, w and dx. For conv_backward_weights, it calls them x, dy and
/// dw.
struct ConvProblem {
  /// The type of `output`, of bias and residual.
  DType dtype = DType::f32;
  /// The type of `input` and `kernel`: `dtype`, or i8 if that is i32.
  DType factors = DType::f32;
  ConvDirection direction = ConvDirection::forward;
  TensorDims input, kernel, output;
  std::vector<int64_t> strides, padLow, padHigh, dilations;
  bool hasBias = false, hasResidual = false;
  Activation activation = Activation::none;
  /// What the addresses of all tensors are multiples of, in bytes.
  int64_t alignment = 16;

  /// Returns the problem if cuDNN supports its types and activation and no dim
  /// has size 0; returns none otherwise. One spatial dim becomes two, the first
  /// of size 1. Padding is made even where that does not change the output's
  /// size. packLayouts comes next.
  static std::optional<ConvProblem> of(const FusedContraction &conv);

  /// Whether the operands are integers of 8 bits.
  bool isOfBytes() const { return factors == DType::i8; }
  /// Whether Tandem asks cuDNN about tensors of this layout: (N, spatial dims,
  /// C) or, for floats, (N, C, spatial dims). For bytes with channels first,
  /// cuDNN 9.19 has only engine 0.
  bool hasLibraryLayout(const TensorDims &dims) const {
    return isOfBytes() ? dims.isPacked(true) : dims.isPacked();
  }
  /// Whether all tensors have such layouts, all alike where possible. Sets the
  /// strides of dims of size 1 to what cuDNN takes for that. cuDNN is not asked
  /// about other layouts: it plans the kernel's HWIO like OHWI, with the same
  /// engines and workspace (seen with 9.19).
  bool packLayouts();

  /// The tensor that windows lie over, and the tensor that has one element for
  /// each window.
  const TensorDims &windowed() const {
    return direction == ConvDirection::backwardData ? output : input;
  }
  const TensorDims &positions() const {
    switch (direction) {
    case ConvDirection::forward:
      return output;
    case ConvDirection::backwardData:
      return input;
    case ConvDirection::backwardWeights:
      return kernel;
    }
    __builtin_unreachable();
  }
  /// The kernel of the convolution, or its gradient.
  const TensorDims &weights() const {
    return direction == ConvDirection::backwardWeights ? output : kernel;
  }
  /// The number of products in each sum of a forward convolution.
  int64_t productsOfSum() const;
  int64_t groups() const { return windowed().sizes[1] / weights().sizes[1]; }

  /// Returns the same problem for one image with few positions, if the padding
  /// allows a smaller image.
  ConvProblem onFewPositions() const;
  /// Returns the same problem, which has one group and channels last, with
  /// fewer channels: sums of at most about `products` products, or of up to 63
  /// inputs if the window is large, and few outputs. The numbers of channels
  /// stay the same modulo the largest vectors that engines load.
  ConvProblem withFewChannels(int64_t products) const;

  TensorDims &windowed() {
    return const_cast<TensorDims &>(std::as_const(*this).windowed());
  }
  TensorDims &positions() {
    return const_cast<TensorDims &>(std::as_const(*this).positions());
  }

  /// All of it, as text: for caches.
  std::string key() const;
  /// The same without the sizes of the images, but for their channels.
  std::string familyKey() const;
  /// The part of the input's sizes that familyKey leaves out: N and the spatial
  /// sizes.
  std::vector<int64_t> imageSizes() const;
};

/// The operation graph conv, add residual, add bias, relu. Only for this order,
/// with the bias in the type of the images, precompiled engines exist. With a
/// handle, the graph is made for the handle's device; without one, it is made
/// for a device that is described by its properties.
Expected<Descriptor> createGraph(const cuda::CUDNN &library,
                                 cudnnContext *handle,
                                 const ConvProblem &problem);

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_CONVGRAPH_H
