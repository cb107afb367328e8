//===- Tier.cpp - The ways to run a graph ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tier.h"

#include "tandem/Runtime/Program/Preparation.h"

using namespace tandem;

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
                                           ExecutorOptions options,
                                           const CompileRequest &request) {
  if (options.capture)
    TANDEM_RETURN_IF_ERROR(checkTier(Tier::captured, compiler.device()));
  Stopwatch watch;
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled,
                          request.in == CompileIn::process
                              ? compiler.compileInHelper(inputs, request.stop)
                              : compiler.compile(inputs));
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
  const Stopwatch watch;
  PreparationScope preparation;
  TANDEM_ASSIGN_OR_RETURN(
      prepared.executor,
      Executor::create(std::move(program), std::move(options)));
  prepared.prebuiltNs = preparation.times.sum();
  prepared.compileNs = prepared.prebuiltNs > 0 ? watch.ns() : 0;
  prepared.phases = preparation.times.take();
  return prepared;
}
