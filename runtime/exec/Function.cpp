//===- Function.cpp - A graph to call -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Function.h"

#include "StepPlan.h"

#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Runtime/Preparation.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::exec;

//===----------------------------------------------------------------------===//
// Tiers
//===----------------------------------------------------------------------===//

std::span<const Tier> tandem::allTiers() {
  static constexpr Tier tiers[] = {Tier::reference, Tier::eager, Tier::compiled,
                                   Tier::captured};
  return tiers;
}

std::span<const Tier> tandem::tiersOf(const Device &device) {
  return allTiers().first(allTiers().size() - !device.canCapture());
}

Status tandem::checkTier(Tier tier, const Device &device) {
  std::string names;
  for (Tier there : tiersOf(device)) {
    if (there == tier)
      return {};
    names += (names.empty() ? "" : ", ") + std::string(name(there));
  }
  return fail("execute",
              "device '" + std::string(device.name()) + "' has no tier '" +
                  std::string(name(tier)) + "'",
              "its tiers are " + names);
}

std::string_view tandem::name(Tier tier) {
  switch (tier) {
  case Tier::reference:
    return "reference";
  case Tier::eager:
    return "eager";
  case Tier::compiled:
    return "compiled";
  case Tier::captured:
    return "captured";
  }
  return "";
}

std::optional<Tier> tandem::parseTier(std::string_view text) {
  for (Tier tier : allTiers())
    if (text == name(tier))
      return tier;
  return std::nullopt;
}

Expected<PreparedTier> tandem::compileTier(Compiler &compiler,
                                           std::span<const TensorType> inputs,
                                           ExecutorOptions options) {
  if (options.capture)
    TANDEM_RETURN_IF_ERROR(checkTier(Tier::captured, compiler.device()));
  Stopwatch watch;
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, compiler.compile(inputs));
  PreparedTier prepared;
  static_cast<Compiled &>(prepared) = std::move(compiled);
  options.kernels = prepared.kernels;
  options.libraries = compiler.libraries();
  if (!options.stream)
    options.stream = &compiler.device().defaultStream();
  PreparationScope preparation;
  TANDEM_ASSIGN_OR_RETURN(
      prepared.executor,
      Executor::create(prepared.program, std::move(options)));
  prepared.prebuiltNs = preparation.times.sum();
  for (PhaseTime &phase : preparation.times.take())
    prepared.phases.push_back(std::move(phase));
  prepared.compileNs = watch.ns();
  return prepared;
}

Expected<PreparedTier> tandem::captureTier(const Compiled &compiled,
                                           ExecutorOptions options) {
  TANDEM_RETURN_IF_ERROR(checkTier(Tier::captured, options.stream->device()));
  PreparedTier prepared;
  static_cast<Compiled &>(prepared) = compiled;
  options.kernels = prepared.kernels;
  options.capture = true;
  TANDEM_ASSIGN_OR_RETURN(
      prepared.executor,
      Executor::create(prepared.program, std::move(options)));
  return prepared;
}

Expected<PreparedTier>
tandem::interpretTier(std::shared_ptr<const Program> program, Tier tier,
                      ExecutorOptions options) {
  if (tier == Tier::reference) {
    options.stream = &hostDevice().defaultStream();
    options.providers = referenceProviders();
  }
  PreparedTier prepared;
  prepared.program = program;
  PreparationScope preparation;
  TANDEM_ASSIGN_OR_RETURN(
      prepared.executor,
      Executor::create(std::move(program), std::move(options)));
  prepared.prebuiltNs = prepared.compileNs = preparation.times.sum();
  prepared.phases = preparation.times.take();
  return prepared;
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

namespace {
using PreparedPtr = std::shared_ptr<const PreparedTier>;

/// One tier for one signature. Whoever finds it empty makes it, and holds the
/// mutex meanwhile, for which those wait that want the same.
struct Slot {
  std::mutex mutex;
  PreparedPtr prepared; // Guarded by `mutex`.
  uint64_t lastUse = 0; // Guarded by Slots::mutex.
};
} // namespace

class Function::Slots {
public:
  /// Null where there is none for these types.
  std::shared_ptr<Slot> find(const Types &inputs, Tier tier);
  /// The same, made where there is none.
  std::shared_ptr<Slot> findOrAdd(const Types &inputs, Tier tier);

private:
  /// Guards all that follows; held for a look-up or an insertion.
  std::mutex mutex;
  uint64_t clock = 0;
  using ByTypes = std::unordered_map<Types, std::shared_ptr<Slot>, TypesHash>;
  ByTypes &of(Tier tier) {
    return tier == Tier::captured ? captured : compiled;
  }
  ByTypes compiled, captured;
  /// Tiers whose one executor takes all types.
  const std::shared_ptr<Slot> reference = std::make_shared<Slot>(),
                              eager = std::make_shared<Slot>();
};

std::shared_ptr<Slot> Function::Slots::find(const Types &inputs, Tier tier) {
  if (tier == Tier::eager || tier == Tier::reference)
    return tier == Tier::eager ? eager : reference;
  std::lock_guard lock(mutex);
  auto found = of(tier).find(inputs);
  if (found == of(tier).end())
    return nullptr;
  found->second->lastUse = ++clock;
  return found->second;
}

std::shared_ptr<Slot> Function::Slots::findOrAdd(const Types &inputs,
                                                 Tier tier) {
  if (std::shared_ptr<Slot> slot = find(inputs, tier))
    return slot;
  std::lock_guard lock(mutex);
  ByTypes &known = of(tier);
  if (known.size() >= kMaxCompiled)
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

Function::Function(std::shared_ptr<const Program> program,
                   std::shared_ptr<Compiler> compiler, ExecutorOptions options)
    : eagerProgram(std::move(program)), compiler(std::move(compiler)),
      options(std::move(options)), slots(std::make_unique<Slots>()) {
  if (this->compiler)
    this->options.libraries = this->compiler->libraries();
  Stream *&stream = this->options.stream;
  if (!stream)
    stream = &(this->compiler ? this->compiler->device() : hostDevice())
                  .defaultStream();
}

Function::~Function() = default;

Expected<PreparedPtr> Function::make(std::span<const TensorType> inputs,
                                     Tier tier) {
  TANDEM_RETURN_IF_ERROR(checkTier(tier, options.stream->device()));
  auto prepared = std::make_shared<PreparedTier>();
  if (tier == Tier::compiled) {
    if (!compiler)
      return fail("execute", "the function has no compiler");
    TANDEM_ASSIGN_OR_RETURN(*prepared, compileTier(*compiler, inputs, options));
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

Expected<PreparedPtr> Function::prepare(std::span<const TensorType> inputs,
                                        Tier tier) {
  const Types types(inputs.begin(), inputs.end());
  std::shared_ptr<Slot> slot = slots->find(types, tier);
  if (!slot) {
    TANDEM_RETURN_IF_ERROR(checkInputs(*eagerProgram, types));
    slot = slots->findOrAdd(types, tier);
  }
  std::lock_guard lock(slot->mutex);
  if (!slot->prepared) {
    // A failure is not remembered: the next call tries again.
    TANDEM_ASSIGN_OR_RETURN(slot->prepared, make(types, tier));
  }
  return slot->prepared;
}

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs,
                                             Tier tier) {
  Types types;
  for (const Tensor &input : inputs)
    types.push_back(input.type());
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr prepared, prepare(types, tier));
  std::vector<Tensor> outputs;
  if (tier != Tier::reference) {
    TANDEM_RETURN_IF_ERROR(prepared->executor->run(inputs, outputs));
    return outputs;
  }
  // Which runs on the host, wherever the others do.
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost(inputs, *options.stream));
  TANDEM_RETURN_IF_ERROR(prepared->executor->run(here, outputs));
  return copyToDevice(outputs, *options.stream);
}
