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

/// The state that all layers of the compiler of one graph share.
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

/// A request for the program for inputs of static types. Not thread-safe.
class ProgramRequest {
public:
  ProgramRequest(CompilerState &state, std::span<const TensorType> inputs,
                 CompileRequest how = {})
      : inputs(inputs), how(std::move(how)), state(state) {}

  const std::span<const TensorType> inputs;
  const CompileRequest how;

  /// The program's key. The key is made when a layer first needs it, because
  /// the digests of the graph's constants, which it contains, take time.
  const CacheKey &key() {
    if (!made)
      made = state.store.keyOf(inputs);
    return *made;
  }

private:
  CompilerState &state;
  std::optional<CacheKey> made;
};

/// One way to obtain a program. A layer that cannot provide the program asks
/// the layer below. The layers are, from the top, StoredCompiler (disk cache),
/// RemoteCompiler (helper processes) and LocalCompiler. Thread-safe.
class CompileLayer {
public:
  virtual ~CompileLayer() = default;
  /// Returns the requested program. The result contains the phases and the wall
  /// time of this layer and of the layers below.
  virtual Expected<Compiled> compile(ProgramRequest &request) = 0;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_COMPILELAYER_H
