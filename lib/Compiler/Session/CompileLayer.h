//===- CompileLayer.h - One way to obtain a program ----------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_COMPILELAYER_H
#define TANDEM_LIB_COMPILER_SESSION_COMPILELAYER_H

#include "Prediction/CostForecast.h"
#include "Session/ProgramStore.h"

namespace tandem {

/// A graph, how it is compiled, and what the layers of its compiler share.
struct CompilerState {
  CompilerState(std::shared_ptr<const SerializedGraph> given,
                CompilerConfig config)
      : graph(std::move(given)), config(std::move(config)),
        store(graph, this->config), forecast(graph, this->config) {}
  CompilerState(const CompilerState &) = delete;

  const std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig config;
  ProgramStore store;
  CostForecast forecast;
};

/// A program that is wanted for inputs of static types. Used by one thread.
class ProgramRequest {
public:
  ProgramRequest(CompilerState &state, std::span<const TensorType> inputs,
                 CompileRequest how = {})
      : inputs(inputs), how(std::move(how)), state(state) {}

  const std::span<const TensorType> inputs;
  const CompileRequest how;

  /// The program's key. It is made when a layer needs it for the first time,
  /// because it contains the digests of the graph's constants.
  const CacheKey &key() {
    if (!made)
      made = state.store.keyOf(inputs);
    return *made;
  }

private:
  CompilerState &state;
  std::optional<CacheKey> made;
};

/// One way to obtain a program. A layer that does not have the program asks the
/// layer below: the disk cache asks the helper process, and the helper process
/// asks the compiler of this process. Thread-safe.
class CompileLayer {
public:
  virtual ~CompileLayer() = default;
  /// The result contains the phases and the wall time of this layer and of the
  /// layers below.
  virtual Expected<Compiled> compile(ProgramRequest &request) = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_COMPILELAYER_H
