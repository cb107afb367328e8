//===- LibraryCall.h - A contraction by oneDNN alone ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_LIBRARYCALL_H
#define TANDEM_TOOLS_TANDEM_BENCH_LIBRARYCALL_H

#include "tandem/Measure/ConvShapes.h"
#include "tandem/Runtime/Tensor.h"

#include <memory>

namespace tandem::bench {

/// In which formats oneDNN gets tensors.
enum class Formats {
  plain,      ///< As the graph has them.
  ownWeights, ///< Weights of its choice (`any`), reordered ahead of time.
  own,        ///< Of its choice for images, too, as between two of its calls.
};

struct MatmulShape {
  int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::f32;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
  }
};

/// One oneDNN primitive, its memory objects and its reordered weights: the
/// yardstick for generated code, with nothing of Tandem's around it but the
/// allocator, so that both sides' memory has pages of the same size. Not
/// thread-safe. What is too small for a second thread runs on one, as the eager
/// provider's primitives do.
class LibraryCall {
public:
  /// Input and output are channels-last or channels-first, weights …HWIO or
  /// OI…; all of the weights' type, f32 or bf16. Errors where the library has
  /// no implementation.
  static Expected<LibraryCall> conv(const measure::ConvShape &shape,
                                    bool channelsLast, Formats formats,
                                    const Tensor &weights);
  /// Row-major `m x k` by `k x n`, likewise.
  static Expected<LibraryCall> matmul(const MatmulShape &shape, Formats formats,
                                      const Tensor &weights);

  /// `input` in the format that run takes: itself where that is its own.
  Expected<Tensor> toOwn(const Tensor &input);
  /// Room for a result in the format that run gives: `output` itself where that
  /// is its own.
  Expected<Tensor> roomFor(const Tensor &output);
  /// Puts such a result into `output`.
  Status fromOwn(const Tensor &result, Tensor &output);

  /// Both in the formats of the call.
  Status run(const Tensor &input, Tensor &output);
  /// As oneDNN names it: "jit:avx512_core".
  const std::string &implementation() const;

  LibraryCall(LibraryCall &&) noexcept;
  LibraryCall &operator=(LibraryCall &&) noexcept;
  ~LibraryCall();

private:
  struct Impl;
  struct Plain;
  template <typename Desc>
  static Expected<LibraryCall> create(const Desc &desc, const Plain &plain,
                                      bool isSmall, const Tensor &weights);
  explicit LibraryCall(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_LIBRARYCALL_H
