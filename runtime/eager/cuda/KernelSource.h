//===- KernelSource.h - CUDA C++ of the GPU's own kernels -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that execute single ops on a GPU. They are generic over shapes
// and strides, and come in programs, one for each family of ops, element type
// and width of indices, so that a graph waits for those that it needs alone.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_KERNELSOURCE_H
#define TANDEM_RUNTIME_EAGER_CUDA_KERNELSOURCE_H

#include "tandem/Support/TensorType.h"

#include <compare>
#include <string>
#include <vector>

namespace tandem::cuda {

enum class KernelFamily {
  // Elementwise ops, as FunctionGroup has them.
  unary,
  nary,
  cast,
  transcendental,
  // Other ops.
  shape,
  transpose, ///< Of two dims, through shared memory.
  reduction,
  window,
  normalization,
  contraction,
  indexing,
  resize,
  line, ///< scan and fft.
};

/// A program.
struct ProgramKey {
  KernelFamily family;
  DType dtype;
  /// Whether indices have 64 bits, for tensors with about 2^31 elements.
  bool isWide = false;

  auto operator<=>(const ProgramKey &) const = default;
  /// "reduction.f32", "shape.i8.wide".
  std::string str() const;
};

/// All programs whose indices have 32 bits.
std::vector<ProgramKey> allPrograms();

/// The CUDA C++ of a program of `allPrograms`, with either width of indices.
std::string programSource(const ProgramKey &key);

/// The number of kernels in a program's source.
int64_t countKernels(const std::string &source);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_KERNELSOURCE_H
