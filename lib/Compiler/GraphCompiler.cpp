//===- GraphCompiler.cpp - The Compiler of a graph ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackgroundCalibration.h"
#include "CompilerSession.h"
#include "GraphSource.h"
#include "KernelWorker.h"

#include "tandem/Support/ObjectPool.h"

#include <pthread.h>

namespace tandem {
namespace {

/// Keeps a session per thread that has ever compiled at the same time as
/// others. No lock is held while compiling.
class GraphCompiler final : public Compiler {
public:
  GraphCompiler(std::shared_ptr<const GraphSource> graph, const Target &target,
                CompileOptions options,
                std::unique_ptr<CompilerSession> session)
      : graph(std::move(graph)), target(target), options(std::move(options)) {
    sessions.put(std::move(session));
    if (target.isHost())
      calibration = BackgroundCalibration::share();
    // std::thread would end a process that may not start another.
    auto warm = [](void *which) -> void * {
      warmUp(*static_cast<const Target *>(which));
      return nullptr;
    };
    isWarming = pthread_create(&warmer, nullptr, warm,
                               const_cast<Target *>(&target)) == 0;
  }
  ~GraphCompiler() override {
    if (isWarming)
      pthread_join(warmer, nullptr);
  }

  Expected<Compiled> compile(std::span<const TensorType> inputs) override {
    std::unique_ptr<CompilerSession> session = sessions.take();
    if (!session) {
      TANDEM_ASSIGN_OR_RETURN(session, CompilerSession::create(graph, options));
    }
    Expected<Compiled> compiled = session->compile(inputs);
    // The next compilation makes another in the place of a worn-out one.
    if (!session->isWornOut())
      sessions.put(std::move(session));
    return compiled;
  }

  Prediction predict(std::span<const TensorType>) const override {
    // TODO: by the graph and the machine.
    return {5e6 * static_cast<double>(graph->eager->steps.size()), 0};
  }

  std::string_view source() const override {
    return graph->bytecode->getMemoryBuffer(graph->bytecode->getMainFileID())
        ->getBuffer();
  }

  Device &device() const override { return **target.device(); }
  LibraryOptions libraries() const override { return libraryOptions(options); }

private:
  std::shared_ptr<const GraphSource> graph;
  const Target &target;
  CompileOptions options;
  /// Lives as long as compilers that it is for.
  std::shared_ptr<BackgroundCalibration> calibration;
  /// Makes ready what kernels need, while the graph is still being fused.
  pthread_t warmer;
  bool isWarming;
  ObjectPool<CompilerSession> sessions;
};

} // namespace

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options) {
  TANDEM_ASSIGN_OR_RETURN(auto session,
                          CompilerSession::create(graph, options));
  const Target &target = session->getTarget();
  return std::make_unique<GraphCompiler>(
      std::move(graph), target, std::move(options), std::move(session));
}

} // namespace tandem
