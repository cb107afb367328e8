//===- GraphCompiler.cpp - The Compiler of a graph ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/HelperPool.h"
#include "Remote/RemoteCompiler.h"
#include "Session/LocalCompiler.h"
#include "Session/StoredCompiler.h"

namespace tandem {
namespace {

/// The layers of a graph's compiler, as the runtime sees them.
class GraphCompiler final : public Compiler {
public:
  GraphCompiler(std::shared_ptr<CompilerState> given, bool usesHelpers,
                std::unique_ptr<CompileLayer> layers)
      : state(std::move(given)), usesHelpers(usesHelpers),
        layers(std::move(layers)) {}

  Expected<Compiled> compile(std::span<const TensorType> inputs) override {
    return compile(inputs, {CompileIn::thread, {}});
  }
  Expected<Compiled> compileInHelper(std::span<const TensorType> inputs,
                                     std::stop_token stop) override {
    return compile(inputs, {CompileIn::process, std::move(stop)});
  }

  Prediction predict(std::span<const TensorType> inputs) const override {
    Prediction prediction = state->forecast.predict(inputs);
    if (usesHelpers && prediction.compileNs > 0)
      prediction.compileNs += HelperPool::process().startNs();
    return prediction;
  }

  ProgramProfile profile(std::span<const TensorType> inputs) override {
    return state->store.profile(inputs);
  }
  void keepProfile(std::span<const TensorType> inputs,
                   const ProgramProfile &profile) override {
    state->store.keepProfile(inputs, profile);
  }

  std::string_view source() const override { return bytecodeOf(*state->graph); }
  Device &device() const override { return **state->config.target->device(); }
  LibraryOptions libraries() const override {
    return libraryOptions(state->config.options);
  }

private:
  Expected<Compiled> compile(std::span<const TensorType> inputs,
                             CompileRequest how) {
    TANDEM_RETURN_IF_ERROR(checkInputs(*state->graph->eager, inputs));
    ProgramRequest request(*state, inputs, std::move(how));
    return layers->compile(request);
  }

  const std::shared_ptr<CompilerState> state;
  const bool usesHelpers;
  const std::unique_ptr<CompileLayer> layers;
};

} // namespace

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const SerializedGraph> graph,
                    CompileOptions options) {
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(options));
  auto state =
      std::make_shared<CompilerState>(std::move(graph), std::move(config));
  auto local = std::make_unique<LocalCompiler>(state);
  const bool usesDisk = state->config.disk != nullptr;
  const bool usesHelpers = HelperClient::isFor(state->config);
  // If programs are kept on disk, nothing may ever have to be compiled here.
  if (!usesDisk)
    TANDEM_RETURN_IF_ERROR(local->start());
  std::unique_ptr<CompileLayer> layers = std::move(local);
  if (usesHelpers)
    layers = std::make_unique<RemoteCompiler>(state, std::move(layers));
  if (usesDisk)
    layers = std::make_unique<StoredCompiler>(state, std::move(layers));
  return std::make_unique<GraphCompiler>(std::move(state), usesHelpers,
                                         std::move(layers));
}

} // namespace tandem
