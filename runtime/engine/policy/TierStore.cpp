//===- TierStore.cpp - The executors of a graph ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/TierStore.h"

using namespace tandem;
using namespace tandem::tiering;

TierStore::TierStore(std::shared_ptr<const Program> program,
                     std::shared_ptr<Compiler> compiler,
                     ExecutorOptions options)
    : eagerProgram(std::move(program)), graphCompiler(std::move(compiler)),
      options(std::move(options)) {
  if (graphCompiler)
    this->options.libraries = graphCompiler->libraries();
  Stream *&stream = this->options.stream;
  if (!stream)
    stream = &(graphCompiler ? graphCompiler->device() : hostDevice())
                  .defaultStream();
}

SignatureExecutors::SlotPtr SignatureExecutors::slotOf(Tier tier) {
  ContentionTrackedLock lock(mutex);
  SlotPtr &slot = tier == Tier::captured ? captured : compiled;
  if (!slot)
    slot = std::make_shared<ExecutorSlot>();
  return slot;
}

void SignatureExecutors::drop() {
  ContentionTrackedLock lock(mutex);
  compiled = captured = nullptr;
}

/// Moves a new executor to where threads share it.
static Expected<PreparedPtr> share(Expected<PreparedTier> made) {
  if (!made)
    return tl::unexpected(std::move(made.error()));
  return std::make_shared<const PreparedTier>(std::move(*made));
}

Expected<PreparedPtr> TierStore::prepare(Tier tier) {
  return (tier == Tier::reference ? reference : eager).getOr([&] {
    return share(interpretTier(eagerProgram, tier, options));
  });
}

Expected<PreparedPtr> TierStore::compile(const Types &inputs,
                                         const CompileRequest &request) {
  if (!graphCompiler)
    return fail("execute", "the function has no compiler");
  return share(compileTier(*graphCompiler, inputs, options, request));
}

Expected<PreparedPtr> TierStore::capture(SignatureExecutors &executors,
                                         const Types &inputs) {
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr compiled,
                          prepare(executors, inputs, Tier::compiled));
  return share(captureTier(*compiled, options));
}

Expected<PreparedPtr> TierStore::prepare(SignatureExecutors &executors,
                                         const Types &inputs, Tier tier,
                                         const CompileRequest &request) {
  return executors.slotOf(tier)->getOr([&]() -> Expected<PreparedPtr> {
    TANDEM_RETURN_IF_ERROR(checkTier(tier, options.stream->device()));
    return tier == Tier::captured ? capture(executors, inputs)
                                  : compile(inputs, request);
  });
}

Expected<std::vector<Tensor>>
TierStore::run(const PreparedTier &prepared, Tier tier,
               std::span<const Tensor> inputs,
               std::span<const Tensor> given) const {
  std::vector<Tensor> outputs;
  if (tier != Tier::reference) {
    TANDEM_RETURN_IF_ERROR(
        given.empty() ? prepared.executor->run(inputs, outputs)
                      : prepared.executor->runInto(inputs, given, outputs));
    return outputs;
  }
  // The reference tier runs on the host, wherever the other tiers run.
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost(inputs, *options.stream));
  TANDEM_RETURN_IF_ERROR(prepared.executor->run(here, outputs));
  return copyToDevice(outputs, *options.stream);
}
