//===- FunctionTable.h - Functions by the types of their inputs -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FUNCTIONTABLE_H
#define TANDEM_RUNTIME_FUNCTIONTABLE_H

#include "tandem/Runtime/Function.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tandem {

/// A table of functions, one for each signature, i.e. for each combination of
/// input types. Gradients and training steps need static types, so a graph with
/// dynamic dims has a function with gradients for each signature:
///
///   FunctionTable gradients(
///       [&](std::span<const TensorType> types)
///           -> Expected<std::unique_ptr<Function>> {
///         TANDEM_ASSIGN_OR_RETURN(auto graph,
///                                 loss.withGradient(types, {.wrt = {1}}));
///         return graph->createFunction();
///       });
///   auto results = gradients.call(inputs);
///
/// Thread-safe if `make` is thread-safe.
class FunctionTable {
public:
  using Make = std::function<Expected<std::unique_ptr<Function>>(
      std::span<const TensorType> inputs)>;
  /// The number of functions that a table keeps by default.
  static constexpr size_t kDefaultLimit = 256;

  /// `make` makes the function for inputs of the given types. The table keeps
  /// at most `limit` functions (one if `limit` is 0). If there are more, the
  /// table drops the functions that were looked up least recently.
  explicit FunctionTable(Make make, size_t limit = kDefaultLimit);
  ~FunctionTable();

  /// Returns the function for inputs of these types, and makes it first if the
  /// table does not have it. If `make` fails, returns the error, and the next
  /// call for these types tries again. If two threads request a new signature
  /// at the same time, both may call `make`, but both get the same function.
  Expected<std::shared_ptr<Function>> find(std::span<const TensorType> inputs);

  /// Calls the function for the types of `inputs` (Function::call).
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs);

  /// Returns all functions of the table, in the order in which they were made.
  std::vector<std::shared_ptr<Function>> functions() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_FUNCTIONTABLE_H
