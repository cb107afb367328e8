//===- Planner.cpp - Execution plans of cuDNN -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "EngineConfig.h"
#include "background/BackgroundQueue.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::cudnn;

/// How many plans that turn NaN into 0 may rank before one that keeps it.
static constexpr int kMaxPassedOver = 3;

std::string PlanOptions::key() const {
  return std::to_string(int(precision)) + std::to_string(mayDropNaN) +
         std::to_string(mayCompile) + ";" + std::to_string(maxWorkspaceBytes);
}

void PlanChoice::improve(std::shared_ptr<const Plan> plan) {
  better = std::move(plan);
  if (better->workspaceBytes <= first->workspaceBytes)
    present.store(better.get(), std::memory_order_release);
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
  return heuristics.getDescriptors(Attribute::heuristicResults,
                                   Kind::engineConfig);
}

/// Engines with FFT or Winograd's method spread an infinity or NaN to
/// neighbors, and lose bits. Engines that sum in 16 bits lose more.
static bool isRounding(int note) {
  return note == NumericalNote::reducedPrecisionReduction ||
         note == NumericalNote::fft || note == NumericalNote::winograd ||
         note == NumericalNote::winograd4x4 ||
         note == NumericalNote::winograd6x6 ||
         note == NumericalNote::winograd13x13;
}

bool Planner::isAllowed(const EngineConfig &config, const ConvProblem &problem,
                        const PlanOptions &options) {
  if (config.isCompiled() && !options.mayCompile)
    return false;
  if (config.isNoted(NumericalNote::downConvertInputs) ||
      std::any_of(config.numerical.begin(), config.numerical.end(), isRounding))
    return false;
  // Repeated calls must give the same bits.
  if (problem.direction == ConvDirection::backwardWeights &&
      config.isNoted(NumericalNote::nondeterministic))
    return false;
  return problem.dtype != DType::f32 || options.precision == Precision::tf32 ||
         !config.isNoted(NumericalNote::tensorCore);
}

bool Planner::hasRightRelu(const EngineConfig &config,
                           const ConvProblem &problem,
                           const PlanOptions &options) {
  if (problem.activation != Activation::relu || options.mayDropNaN ||
      config.isNoted(NumericalNote::strictNaN))
    return true;
  std::lock_guard lock(mutex);
  return keepsNaN[problem.dtype].contains(config.engine);
}

/// The problem on which an engine is tried. An engine of bytes is tried with
/// the window of the convolution, but with at most about 2048 products in each
/// sum. f32 does not represent all sums of more than 1024 products.
static ConvProblem smallProblemOf(const ConvProblem &problem) {
  const ConvProblem small = problem.onFewPositions();
  return problem.isOfBytes() && problem.groups() == 1
             ? small.withFewChannels(2048)
             : small;
}

bool Planner::passesTrial(const std::shared_ptr<const Plan> &plan,
                          const ConvProblem &problem,
                          const PlanOptions &options, cudnnContext *with) {
  if (!trial)
    return true;
  // cuDNN numbers the engines of each kind of convolution from 0.
  std::string key =
      std::to_string(plan->engine) +
      (problem.direction == ConvDirection::forward        ? " "
       : problem.direction == ConvDirection::backwardData ? " backward "
                                                          : " weights ");
  const ConvProblem small = smallProblemOf(problem);
  if (problem.groups() > 1 || problem.isOfBytes())
    key += small.familyKey();
  else
    key += std::string(name(problem.dtype)) + " " +
           std::to_string(int(problem.activation));
  {
    std::lock_guard lock(mutex);
    if (auto known = triedEngines.find(key); known != triedEngines.end())
      return known->second;
  }
  // Run the trial on a small problem, if the engine supports it.
  const auto on = planOn(plan->choice, small, options, with);
  if (!on && problem.isOfBytes()) // The trial would take long.
    return false;
  const Expected<bool> passes = on ? trial(on, small) : trial(plan, problem);
  if (!passes) // It may be another time.
    return false;
  std::lock_guard lock(mutex);
  return triedEngines[key] = *passes;
}

void Planner::noteThatNaNIsKept(DType dtype, EngineSet engines) {
  std::lock_guard lock(mutex);
  keepsNaN[dtype] = std::move(engines);
  plans.clear(); // Some were chosen without.
  families.clear();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::shared_ptr<const Plan> Planner::finalize(const EngineConfig &config,
                                              const PlanOptions &options,
                                              cudnnContext *with) const {
  Descriptor descriptor(library, Kind::plan);
  descriptor.set(Attribute::planConfig, config.descriptor);
  if (with)
    descriptor.set(Attribute::planHandle, with);
  if (properties)
    descriptor.set(Attribute::planDevice, *properties);
  // That an engine refuses what its heuristic has proposed is usual.
  if (!descriptor.finalize("execution plan"))
    return nullptr;
  const auto bytes = descriptor.getInt64(Attribute::planWorkspaceSize);
  if (!bytes || *bytes > options.maxWorkspaceBytes)
    return nullptr;
  return std::make_shared<const Plan>(
      Plan{std::move(descriptor), config.engine, *bytes, config.isCompiled(),
           config.numerical, config.choice(library)});
}

Expected<std::shared_ptr<const Plan>>
Planner::search(const ConvProblem &problem, const PlanOptions &options,
                cudnnContext *with) {
  TANDEM_ASSIGN_OR_RETURN(Descriptor graph,
                          createGraph(library, with, problem));
  int numPassedOver = 0;
  for (bool isCompiled : {false, true})
    for (int mode : {HeuristicMode::a, HeuristicMode::fallback}) {
      if (isCompiled && !options.mayCompile)
        continue;
      for (Descriptor &proposal : propose(graph, mode)) {
        EngineConfig config(library, std::move(proposal));
        if (config.isCompiled() != isCompiled ||
            !isAllowed(config, problem, options))
          continue;
        auto plan = finalize(config, options, with);
        if (plan && !passesTrial(plan, problem, options, with))
          continue;
        if (plan && hasRightRelu(config, problem, options)) {
          remember(problem, options, plan->choice);
          return plan;
        }
        if (plan && ++numPassedOver == kMaxPassedOver) {
          remember(problem, options, std::nullopt);
          return nullptr;
        }
      }
    }
  return nullptr;
}

std::optional<Planner::ChoicePtr> Planner::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto known = plans.find(key);
  return known == plans.end() ? std::nullopt : std::optional(known->second);
}

static std::string keyOf(const ConvProblem &problem,
                         const PlanOptions &options) {
  return problem.key() + ";" + options.key();
}

static std::string familyKeyOf(const ConvProblem &problem,
                               const PlanOptions &options) {
  return problem.familyKey() + ";" + options.key();
}

Planner::ChoicePtr Planner::keep(const ConvProblem &problem,
                                 const PlanOptions &options,
                                 std::shared_ptr<const Plan> plan) {
  if (plan)
    families[familyKeyOf(problem, options)].push_back(
        {problem.imageSizes(), plan->choice});
  ChoicePtr &kept = plans[keyOf(problem, options)];
  kept = plan ? std::make_shared<PlanChoice>(std::move(plan)) : nullptr;
  return kept;
}

Expected<std::shared_ptr<const PlanChoice>>
Planner::choose(const ConvProblem &problem, const PlanOptions &options) {
  const std::string key = keyOf(problem, options);
  if (auto known = find(key))
    return *known;
  std::lock_guard oneAtATime(planning);
  if (auto known = find(key)) // Another thread has made it meanwhile.
    return *known;
  if (auto kept = load(problem, options)) {
    std::lock_guard lock(mutex);
    return keep(problem, options, std::move(*kept));
  }
  if (options.nearestFirst && worksInBackground())
    if (auto nearest = findNearest(problem, options))
      if (auto plan = planOn(*nearest, problem, options, handle)) {
        auto first = std::make_shared<PlanChoice>(std::move(plan));
        improve(problem, options, first);
        return first;
      }
  TANDEM_ASSIGN_OR_RETURN(auto made, search(problem, options, handle));
  std::lock_guard lock(mutex);
  return keep(problem, options, std::move(made));
}

Expected<std::shared_ptr<const Plan>>
Planner::plan(const ConvProblem &problem, const PlanOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(auto choice, choose(problem, options));
  return choice ? choice->first : nullptr;
}

//===----------------------------------------------------------------------===//
// Other processes
//===----------------------------------------------------------------------===//

std::string Planner::diskKeyOf(const ConvProblem &problem,
                               const PlanOptions &options) {
  std::string key = keyOf(problem, options);
  if (problem.activation != Activation::relu || options.mayDropNaN)
    return key;
  key += "; NaN kept by";
  std::lock_guard lock(mutex);
  for (int64_t engine : keepsNaN[problem.dtype])
    key += " " + std::to_string(engine);
  return key;
}

void Planner::remember(const ConvProblem &problem, const PlanOptions &options,
                       std::optional<EngineChoice> choice) {
  if (disk)
    disk->put(diskKeyOf(problem, options), {std::move(choice)});
}

std::optional<std::shared_ptr<const Plan>>
Planner::load(const ConvProblem &problem, const PlanOptions &options) {
  if (!disk)
    return std::nullopt;
  const auto kept = disk->find(diskKeyOf(problem, options));
  if (!kept)
    return std::nullopt;
  if (!kept->choice)
    return nullptr;
  auto plan = planOn(*kept->choice, problem, options, handle);
  return plan ? std::optional(std::move(plan)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

/// How many times as large images are, or as small, dim by dim: the logarithm.
static double distance(const std::vector<int64_t> &a,
                       const std::vector<int64_t> &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += std::abs(std::log(double(a[i]) / double(b[i])));
  return sum;
}

std::optional<EngineChoice> Planner::findNearest(const ConvProblem &problem,
                                                 const PlanOptions &options) {
  const std::vector<int64_t> sizes = problem.imageSizes();
  std::lock_guard lock(mutex);
  auto family = families.find(familyKeyOf(problem, options));
  if (family == families.end())
    return std::nullopt;
  return std::min_element(family->second.begin(), family->second.end(),
                          [&](const KnownSizes &a, const KnownSizes &b) {
                            return distance(a.sizes, sizes) <
                                   distance(b.sizes, sizes);
                          })
      ->choice;
}

std::shared_ptr<const Plan> Planner::planOn(const EngineChoice &choice,
                                            const ConvProblem &problem,
                                            const PlanOptions &options,
                                            cudnnContext *with) {
  const auto graph = createGraph(library, with, problem);
  if (!graph)
    return nullptr;
  auto descriptor = EngineConfig::describe(
      library, *graph, properties ? &*properties : nullptr, choice);
  // An engine that was chosen for other sizes may not support this one.
  if (!descriptor)
    return nullptr;
  const EngineConfig config(library, std::move(*descriptor));
  return isAllowed(config, problem, options) &&
                 hasRightRelu(config, problem, options)
             ? finalize(config, options, with)
             : nullptr;
}

/// Asks the heuristics for what has a plan already.
class Planner::SearchJob final : public tiering::BackgroundJob {
public:
  SearchJob(Planner &planner, const ConvProblem &problem,
            const PlanOptions &options, ChoicePtr first)
      : BackgroundJob(&planner), planner(planner), problem(problem),
        options(options), first(std::move(first)) {}

  void run() override {
    std::lock_guard oneAtATime(planner.improving);
    cudnnContext *own = planner.makeHandle ? planner.makeHandle() : nullptr;
    if (planner.makeHandle && !own)
      return;
    auto found = planner.search(problem, options, own);
    if (!found || !*found)
      return;
    std::lock_guard lock(planner.mutex);
    // If noteThatNaNIsKept was called meanwhile, all plans are made anew.
    auto kept = planner.plans.find(keyOf(problem, options));
    if (kept == planner.plans.end() || kept->second != first)
      return;
    first->improve(*found);
    planner.keep(problem, options, std::move(*found));
  }
  void cancel() override {}

private:
  Planner &planner; // Which waits for its jobs before it ends.
  const ConvProblem problem;
  const PlanOptions options;
  const ChoicePtr first;
};

void Planner::improve(const ConvProblem &problem, const PlanOptions &options,
                      const ChoicePtr &first) {
  {
    std::lock_guard lock(mutex);
    plans[keyOf(problem, options)] = first;
  }
  // If no background thread exists, the first choice is kept.
  (void)tiering::BackgroundQueue::process().add(
      std::make_shared<SearchJob>(*this, problem, options, first));
}

void Planner::wait() { tiering::BackgroundQueue::process().wait(this); }

Planner::~Planner() { tiering::BackgroundQueue::process().cancelAll(this); }

Expected<std::vector<std::shared_ptr<const Plan>>>
Planner::plansByEngine(const ConvProblem &problem, const PlanOptions &options) {
  std::lock_guard oneAtATime(planning);
  TANDEM_ASSIGN_OR_RETURN(Descriptor graph,
                          createGraph(library, handle, problem));
  std::vector<std::shared_ptr<const Plan>> plans;
  EngineSet seen;
  for (int mode : {HeuristicMode::a, HeuristicMode::fallback})
    for (Descriptor &proposal : propose(graph, mode)) {
      EngineConfig config(library, std::move(proposal));
      if (isAllowed(config, problem, options) && !seen.contains(config.engine))
        if (auto plan = finalize(config, options, handle)) {
          seen.insert(config.engine);
          plans.push_back(std::move(plan));
        }
    }
  return plans;
}
