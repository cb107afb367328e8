//===- Planner.cpp - Execution plans of cuDNN -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::cudnn;

/// How many plans that turn NaN into 0 may rank before one that keeps it.
static constexpr int kMaxPassedOver = 3;

std::string PlanOptions::key() const {
  return std::to_string(int(precision)) + std::to_string(mayDropNaN) +
         std::to_string(mayCompile) + ";" + std::to_string(maxWorkspaceBytes);
}

/// An engine with its knobs, and what is noted of it.
struct Planner::Config {
  Config(const cuda::CUDNN &library, Descriptor descriptor);

  bool isNoted(int note) const {
    return std::find(numerical.begin(), numerical.end(), note) !=
           numerical.end();
  }
  bool isCompiled() const {
    return std::find(behavior.begin(), behavior.end(),
                     BehaviorNote::runtimeCompilation) != behavior.end();
  }

  Descriptor descriptor;
  int64_t engine = -1;
  std::vector<int> numerical, behavior;
};

Planner::Config::Config(const cuda::CUDNN &library, Descriptor config)
    : descriptor(std::move(config)) {
  Descriptor read(library, Kind::engine);
  void *into = read.get();
  descriptor.get(Attribute::configEngine, Type::descriptor, 1, &into);
  engine = read.getInt64(Attribute::engineIndex).value_or(-1);
  numerical =
      read.getEnumerators(Attribute::engineNumericalNotes, Type::numericalNote);
  behavior =
      read.getEnumerators(Attribute::engineBehaviorNotes, Type::behaviorNote);
}

Expected<std::unique_ptr<Planner>>
Planner::forProperties(const cuda::CUDNN &library, std::string_view json) {
  if (library.getVersion() < 90800)
    return fail("execute",
                "cuDNN " + library.version +
                    " plans for no other device than that which is "
                    "there",
                "cuDNN 9.8 and later do");
  std::unique_ptr<Planner> planner(new Planner(library));
  planner->properties.emplace(library, Kind::deviceProperties);
  TANDEM_RETURN_IF_ERROR(planner->properties
                             ->setRaw(Attribute::deviceJson, Type::character,
                                      int64_t(json.size()), json.data())
                             .finalize("device properties"));
  return planner;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

std::vector<Descriptor> Planner::propose(const Descriptor &graph,
                                         int mode) const {
  Descriptor heuristics(library, Kind::heuristics);
  heuristics.set(Attribute::heuristicGraph, graph)
      .set(Attribute::heuristicMode, Type::heuristicMode, mode);
  if (properties)
    heuristics.set(Attribute::heuristicDevice, *properties);
  // Fails for a graph that cuDNN has no engine for.
  if (!heuristics.finalize("heuristics"))
    return {};
  const int64_t count =
      heuristics.get(Attribute::heuristicResults, Type::descriptor, 0, nullptr)
          .value_or(0);
  std::vector<Descriptor> configs;
  std::vector<void *> handles;
  for (int64_t i = 0; i < count; ++i) {
    configs.emplace_back(library, Kind::engineConfig);
    handles.push_back(configs.back().get());
  }
  const int64_t found = heuristics
                            .get(Attribute::heuristicResults, Type::descriptor,
                                 count, handles.data())
                            .value_or(0);
  while (int64_t(configs.size()) > found)
    configs.pop_back();
  return configs;
}

/// FFT and Winograd's method mix neighbours, so that one infinity or NaN
/// spreads, and lose bits; sums in 16 bits lose more.
static bool isRounding(int note) {
  return note == NumericalNote::reducedPrecisionReduction ||
         note == NumericalNote::fft || note == NumericalNote::winograd ||
         note == NumericalNote::winograd4x4 ||
         note == NumericalNote::winograd6x6 ||
         note == NumericalNote::winograd13x13;
}

bool Planner::isAllowed(const Config &config, const ConvProblem &problem,
                        const PlanOptions &options) {
  if (config.isCompiled() && !options.mayCompile)
    return false;
  if (config.isNoted(NumericalNote::downConvertInputs) ||
      std::any_of(config.numerical.begin(), config.numerical.end(), isRounding))
    return false;
  return problem.dtype != DType::f32 || options.precision == Precision::tf32 ||
         !config.isNoted(NumericalNote::tensorCore);
}

bool Planner::hasRightRelu(const Config &config, const ConvProblem &problem,
                           const PlanOptions &options) {
  if (problem.activation != Activation::relu || options.mayDropNaN ||
      config.isNoted(NumericalNote::strictNaN))
    return true;
  std::lock_guard lock(mutex);
  return keepsNaN[problem.dtype].contains(config.engine);
}

void Planner::noteThatNaNIsKept(DType dtype, EngineSet engines) {
  std::lock_guard lock(mutex);
  keepsNaN[dtype] = std::move(engines);
  plans.clear(); // Some were chosen without.
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::shared_ptr<const Plan>
Planner::finalize(const Config &config, const PlanOptions &options) const {
  Descriptor descriptor(library, Kind::plan);
  descriptor.set(Attribute::planConfig, config.descriptor);
  if (handle)
    descriptor.set(Attribute::planHandle, handle);
  if (properties)
    descriptor.set(Attribute::planDevice, *properties);
  // That an engine refuses what its heuristic has proposed is usual.
  if (!descriptor.finalize("execution plan"))
    return nullptr;
  const auto bytes = descriptor.getInt64(Attribute::planWorkspaceSize);
  if (!bytes || *bytes > options.maxWorkspaceBytes)
    return nullptr;
  return std::make_shared<const Plan>(Plan{std::move(descriptor), config.engine,
                                           *bytes, config.isCompiled(),
                                           config.numerical});
}

Expected<std::shared_ptr<const Plan>>
Planner::search(const ConvProblem &problem, const PlanOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(Descriptor graph,
                          createGraph(library, handle, problem));
  int numPassedOver = 0;
  for (bool isCompiled : {false, true})
    for (int mode : {HeuristicMode::a, HeuristicMode::fallback}) {
      if (isCompiled && !options.mayCompile)
        continue;
      for (Descriptor &proposal : propose(graph, mode)) {
        Config config(library, std::move(proposal));
        if (config.isCompiled() != isCompiled ||
            !isAllowed(config, problem, options))
          continue;
        auto plan = finalize(config, options);
        if (plan && hasRightRelu(config, problem, options))
          return plan;
        if (plan && ++numPassedOver == kMaxPassedOver)
          return nullptr;
      }
    }
  return nullptr;
}

std::optional<std::shared_ptr<const Plan>>
Planner::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto known = plans.find(key);
  return known == plans.end() ? std::nullopt : std::optional(known->second);
}

Expected<std::shared_ptr<const Plan>>
Planner::plan(const ConvProblem &problem, const PlanOptions &options) {
  const std::string key = problem.key() + ";" + options.key();
  if (auto known = find(key))
    return *known;
  std::lock_guard oneAtATime(planning);
  if (auto known = find(key)) // Another thread has made it meanwhile.
    return *known;
  TANDEM_ASSIGN_OR_RETURN(auto made, search(problem, options));
  std::lock_guard lock(mutex);
  return plans.emplace(key, std::move(made)).first->second;
}

Expected<std::vector<std::shared_ptr<const Plan>>>
Planner::plansByEngine(const ConvProblem &problem, const PlanOptions &options) {
  std::lock_guard oneAtATime(planning);
  TANDEM_ASSIGN_OR_RETURN(Descriptor graph,
                          createGraph(library, handle, problem));
  std::vector<std::shared_ptr<const Plan>> plans;
  EngineSet seen;
  for (int mode : {HeuristicMode::a, HeuristicMode::fallback})
    for (Descriptor &proposal : propose(graph, mode)) {
      Config config(library, std::move(proposal));
      if (isAllowed(config, problem, options) && !seen.contains(config.engine))
        if (auto plan = finalize(config, options)) {
          seen.insert(config.engine);
          plans.push_back(std::move(plan));
        }
    }
  return plans;
}
