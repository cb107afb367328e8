//===- PeerCheck.h - Comparing a model with ONNX Runtime --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_PEERCHECK_H
#define TANDEM_TOOLS_TANDEM_RUN_PEERCHECK_H

#include "OutputCheck.h"
#include "Run.h"

namespace tandem::tools {

/// What was found for the values of a model.
struct PeerChecks {
  struct Value {
    /// The name of the value, and the location of its node.
    std::string name, location;
    Check check;
  };
  /// In the order of the graph.
  std::vector<Value> values;
  /// The values that ONNX Runtime gives in no type that can be read.
  std::vector<std::string> missing;
  std::string version;
  /// The outputs of the model by the reference, with their bounds.
  std::vector<BoundedTensor> outputs;

  bool passed() const;
};

/// Compares the result of every node of the model, and its outputs, as the
/// reference computes them on `inputs`, with ONNX Runtime's. Runs ONNX Runtime
/// in a child process, by `options.python`.
Expected<PeerChecks> checkAgainstOnnxRuntime(const RunOptions &options,
                                             std::span<const Tensor> inputs,
                                             const ErrorBoundOptions &bounds);

/// "ONNX Runtime 1.32.0: 124 values, all agree", or which do not, the first of
/// them first.
std::string format(const PeerChecks &checks, const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_PEERCHECK_H
