//===- OneDNNPrimitive.h - A contraction by oneDNN alone --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_ONEDNNPRIMITIVE_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_ONEDNNPRIMITIVE_H

#include "tandem/Measure/ConvShapes.h"
#include "tandem/Runtime/Tensor.h"

#include <memory>

namespace tandem::bench {

/// The memory formats in which oneDNN gets tensors.
enum class Formats {
  plain,      ///< Those of the graph.
  ownWeights, ///< Weights in its own (`any`), reordered ahead.
  own,        ///< Its own for images, too, as between two of its calls.
};

/// The product of an `m x k` and a `k x n` matrix.
struct MatmulShape {
  int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::f32;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
  }
};

/// A call of one oneDNN primitive, with its memory objects and reordered
/// weights, to compare generated code with. Of Tandem it only uses the
/// allocator, so that the memory of both sides has pages of the same size.
/// Primitives that are too small for a second thread run on one, as those of
/// the eager provider do. Not thread-safe.
class OneDNNPrimitive {
public:
  /// A convolution. Input and output are channels-last with weights …HWIO, or
  /// channels-first with weights OI…. The input has the type `dtype`: f32 or
  /// bf16, as the weights and the output, or ui8 or i8, with weights of i8 and
  /// an output of i32. Fails where the library has no implementation.
  static Expected<OneDNNPrimitive> conv(const measure::ConvShape &shape,
                                        DType dtype, bool channelsLast,
                                        Formats formats, const Tensor &weights);
  /// A product of row-major matrices, likewise.
  static Expected<OneDNNPrimitive>
  matmul(const MatmulShape &shape, Formats formats, const Tensor &weights);

  /// Returns `input` in the format that run takes: `input` itself if it has
  /// that format.
  Expected<Tensor> toOwn(const Tensor &input);
  /// Returns a tensor for a result in the format that run writes: `output`
  /// itself if it has that format.
  Expected<Tensor> roomFor(const Tensor &output);
  /// Converts such a result to `output`.
  Status fromOwn(const Tensor &result, Tensor &output);

  /// Runs the primitive. Both tensors must be in the formats of the call.
  Status run(const Tensor &input, Tensor &output);
  /// oneDNN's name of the implementation: "jit:avx512_core".
  const std::string &implementation() const;

  OneDNNPrimitive(OneDNNPrimitive &&) noexcept;
  OneDNNPrimitive &operator=(OneDNNPrimitive &&) noexcept;
  ~OneDNNPrimitive();

private:
  struct Impl;
  struct Plain;
  template <typename Desc>
  static Expected<OneDNNPrimitive> create(const Desc &desc, const Plain &plain,
                                          bool isSmall, const Tensor &weights);
  explicit OneDNNPrimitive(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_ONEDNNPRIMITIVE_H
