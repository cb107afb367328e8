//===- TierStore.cpp - The executors of a graph ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/TierStore.h"

#include "tandem/Runtime/Function.h"

#include <algorithm>

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

TierStore::SlotPtr TierStore::find(const Types &inputs, Tier tier) {
  if (tier == Tier::eager || tier == Tier::reference)
    return tier == Tier::eager ? eager : reference;
  ContentionTrackedLock lock(mutex);
  auto found = slotsOf(tier).find(inputs);
  if (found == slotsOf(tier).end())
    return nullptr;
  found->second->lastUse = ++clock;
  return found->second;
}

TierStore::SlotPtr TierStore::findOrAdd(const Types &inputs, Tier tier) {
  if (SlotPtr slot = find(inputs, tier))
    return slot;
  ContentionTrackedLock lock(mutex);
  SlotsByTypes &known = slotsOf(tier);
  if (known.size() >= Function::kMaxCompiled)
    known.erase(std::min_element(known.begin(), known.end(),
                                 [](const auto &a, const auto &b) {
                                   return a.second->lastUse < b.second->lastUse;
                                 }));
  // Another thread may have been faster.
  auto [slot, isNew] = known.try_emplace(inputs);
  if (isNew)
    slot->second = std::make_shared<Slot>();
  slot->second->lastUse = ++clock;
  return slot->second;
}

void TierStore::drop(const Types &inputs) {
  ContentionTrackedLock lock(mutex);
  compiled.erase(inputs);
  captured.erase(inputs);
}

Expected<PreparedPtr> TierStore::make(const Types &inputs, Tier tier,
                                      const CompileRequest &request) {
  TANDEM_RETURN_IF_ERROR(checkTier(tier, options.stream->device()));
  auto prepared = std::make_shared<PreparedTier>();
  if (tier == Tier::compiled) {
    if (!graphCompiler)
      return fail("execute", "the function has no compiler");
    TANDEM_ASSIGN_OR_RETURN(
        *prepared, compileTier(*graphCompiler, inputs, options, request));
    return prepared;
  }
  if (tier == Tier::captured) {
    TANDEM_ASSIGN_OR_RETURN(PreparedPtr compiled,
                            prepare(inputs, Tier::compiled));
    TANDEM_ASSIGN_OR_RETURN(*prepared, captureTier(*compiled, options));
    return prepared;
  }
  TANDEM_ASSIGN_OR_RETURN(*prepared,
                          interpretTier(eagerProgram, tier, options));
  return prepared;
}

Expected<PreparedPtr> TierStore::prepare(const Types &inputs, Tier tier,
                                         const CompileRequest &request) {
  SlotPtr slot = find(inputs, tier);
  if (!slot) {
    TANDEM_RETURN_IF_ERROR(checkInputs(*eagerProgram, inputs));
    slot = findOrAdd(inputs, tier);
  }
  std::lock_guard lock(slot->mutex);
  if (!slot->prepared) {
    TANDEM_ASSIGN_OR_RETURN(slot->prepared, make(inputs, tier, request));
  }
  return slot->prepared;
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
