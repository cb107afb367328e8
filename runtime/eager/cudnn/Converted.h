//===- Converted.h - Conversions of layouts around an op --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_CONVERTED_H
#define TANDEM_RUNTIME_EAGER_CUDNN_CONVERTED_H

#include "tandem/Runtime/Provider.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::cudnn {

/// Collects transposes of an op's operands and result, which other providers
/// execute. The converted tensors are in the workspace; constants are converted
/// ahead of time, and kept.
class Converted {
public:
  /// Converts a tensor to (N, spatial dims, C) or (N, C, spatial dims), of a
  /// kernel with O and I. `type` and `layout` become those that the inner op
  /// has. False where no provider transposes it.
  bool convertOperand(size_t index, TensorType &type, std::string &layout,
                      bool isChannelsLast, ProviderList providers);
  bool convertResult(TensorType &type, std::string &layout, bool isChannelsLast,
                     ProviderList providers);

  /// Runs the transposes of operands that are constants, into memory of
  /// `allocator`, and waits for the stream.
  Status convertConstants(std::span<const Tensor> constants,
                          Allocator &allocator, Stream &stream);

  /// The op with its conversions; `inner` is for the types that they made.
  std::unique_ptr<PreparedOp> around(std::unique_ptr<PreparedOp> inner) &&;

private:
  /// A transpose, and the tensor in the inner op's layout.
  struct Step {
    std::unique_ptr<PreparedOp> transpose;
    TensorType type;
    /// The offset of the tensor in the workspace, in bytes.
    int64_t offset = 0;
    size_t operand = 0;
    /// The converted tensor if the operand is a constant, which then needs no
    /// workspace.
    Tensor kept = {};
  };
  class Op;

  void place(Step &step);

  std::vector<Step> operands;
  std::optional<Step> result;
  /// The size of the tensors in the workspace, and the most that a transpose
  /// needs for itself, in bytes.
  int64_t tensorBytes = 0, scratchBytes = 0;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_CONVERTED_H
