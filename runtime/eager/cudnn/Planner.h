//===- Planner.h - Execution plans of cuDNN ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_PLANNER_H
#define TANDEM_RUNTIME_EAGER_CUDNN_PLANNER_H

#include "ConvGraph.h"
#include "PlanCache.h"

#include "tandem/Runtime/Function.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace tandem::cudnn {

struct EngineConfig;

/// Engines of cuDNN by their global index.
using EngineSet = std::set<int64_t>;

/// What a plan may be like.
struct PlanOptions {
  Precision precision = Precision::strict;
  /// Whether a fused relu may turn NaN into 0.
  bool mayDropNaN = false;
  /// Whether engines may be used that compile their kernels when the plan is
  /// made, which takes 0.3 to 1.7 s.
  bool mayCompile = false;
  /// The most workspace, in bytes.
  int64_t maxWorkspaceBytes = int64_t(1) << 30;
  /// Whether the first plan of a convolution may be on the engine of one that
  /// differs in the sizes of its images alone, while the heuristics, which take
  /// milliseconds, are asked in the background.
  bool nearestFirst = false;

  /// Returns the options that a plan depends on, as text.
  std::string key() const;
};

/// An execution plan. Immutable.
struct Plan {
  Descriptor descriptor;
  int64_t engine = 0;
  int64_t workspaceBytes = 0;
  /// Whether its kernels were compiled for it.
  bool isCompiled = false;
  /// What cuDNN notes of the engine's numerics: NumericalNote.
  std::vector<int> numericalNotes = {};
  EngineChoice choice = {};
};

/// A plan that can be used at once, and the better one that may come later.
/// Thread-safe.
class PlanChoice {
public:
  explicit PlanChoice(std::shared_ptr<const Plan> first)
      : first(std::move(first)), present(this->first.get()) {}

  /// The plan to run now.
  const Plan &now() const { return *present.load(std::memory_order_acquire); }
  /// What any of them needs.
  int64_t workspaceBytes() const { return first->workspaceBytes; }
  /// Sets the better plan. Called at most once. A plan that needs more
  /// workspace than the first one is only used by later choices.
  void improve(std::shared_ptr<const Plan> plan);

  const std::shared_ptr<const Plan> first;

private:
  std::shared_ptr<const Plan> better;
  std::atomic<const Plan *> present;
};

/// Makes plans for one device, and keeps them. Thread-safe.
class Planner {
public:
  /// Makes the calling thread fit for the device, and returns a handle of the
  /// background's own; null where that fails.
  using HandleMaker = std::function<cudnnContext *()>;
  /// Runs a plan, and tells whether it is right where engines were seen not to
  /// be (Trials.cpp). An Error where it cannot be run.
  using Trial = std::function<Expected<bool>(std::shared_ptr<const Plan>,
                                             const ConvProblem &)>;
  /// For the device of `handle` and of the handle for the background, both of
  /// which must outlive the planner. Without the latter, nothing is done in the
  /// background.
  Planner(const cuda::CUDNN &library, cudnnContext *handle,
          HandleMaker makeHandle = {})
      : library(library), handle(handle), makeHandle(std::move(makeHandle)) {}
  /// Waits for what it does in the background.
  ~Planner();
  /// For a device that is described by its properties, as a JSON text in
  /// cuDNN's form (utils/gpu-specs/cudnn has some). Such plans cannot be
  /// executed. An Error for versions of cuDNN before 9.8, and for a text that
  /// cuDNN does not take.
  static Expected<std::unique_ptr<Planner>>
  forProperties(const cuda::CUDNN &library, std::string_view json);

  /// Stores plans for other processes, and uses the plans that they have stored
  /// for the same device. `device` must contain all properties of the device
  /// that plans depend on. Call it before anything is planned.
  void keepOnDisk(std::string device) {
    disk.emplace(library, std::move(device));
  }

  /// Excludes engines that fail a trial. Each engine has one trial for each
  /// type and, if there are groups or bytes are multiplied, for each family,
  /// when it is first proposed. Call it before anything is planned.
  void tryEngines(Trial trial) { this->trial = std::move(trial); }

  /// Returns the best plan by cuDNN's heuristics, if possible of an engine that
  /// comes with compiled kernels. Returns null if no engine computes the
  /// problem. For a relu that must keep NaN, also returns null if only engines
  /// far down the list keep it, because these are slower than a separate relu.
  /// Returns an Error if a call fails unexpectedly.
  Expected<std::shared_ptr<const Plan>> plan(const ConvProblem &problem,
                                             const PlanOptions &options);
  /// The same, which with PlanOptions::nearestFirst may become better.
  Expected<std::shared_ptr<const PlanChoice>>
  choose(const ConvProblem &problem, const PlanOptions &options);
  /// Waits until nothing is planned in the background.
  void wait();
  /// One plan for every engine that comes with its kernels.
  Expected<std::vector<std::shared_ptr<const Plan>>>
  plansByEngine(const ConvProblem &problem, const PlanOptions &options);

  /// Adds engines whose fused relu has been observed to keep NaN in this type
  /// to those for which cuDNN documents it.
  void noteThatNaNIsKept(DType dtype, EngineSet engines);

private:
  class SearchJob;
  using ChoicePtr = std::shared_ptr<PlanChoice>;
  /// What is kept of a plan that the heuristics have proposed, for others of
  /// its family: the sizes of the images that it is for.
  struct KnownSizes {
    std::vector<int64_t> sizes;
    EngineChoice choice;
  };

  explicit Planner(const cuda::CUDNN &library) : library(library) {}
  bool worksInBackground() const {
    return (properties || makeHandle) && isBackgroundWorkAllowed();
  }
  /// The configurations that the heuristics propose, the best first.
  std::vector<Descriptor> propose(const Descriptor &graph, int mode) const;
  static bool isAllowed(const EngineConfig &config, const ConvProblem &problem,
                        const PlanOptions &options);
  /// Whether the configuration's relu, if any, does what the options ask for.
  bool hasRightRelu(const EngineConfig &config, const ConvProblem &problem,
                    const PlanOptions &options);
  /// Whether the plan's engine passes its trial.
  bool passesTrial(const std::shared_ptr<const Plan> &plan,
                   const ConvProblem &problem, const PlanOptions &options,
                   cudnnContext *with);
  /// Null where the engine refuses.
  std::shared_ptr<const Plan> finalize(const EngineConfig &config,
                                       const PlanOptions &options,
                                       cudnnContext *with) const;
  /// Asks the heuristics. `with` is null for a device that is described.
  Expected<std::shared_ptr<const Plan>> search(const ConvProblem &problem,
                                               const PlanOptions &options,
                                               cudnnContext *with);
  /// What other processes have planned: null as for `plan`; nothing where that
  /// is not known, or cannot be planned any more.
  std::optional<std::shared_ptr<const Plan>> load(const ConvProblem &problem,
                                                  const PlanOptions &options);
  /// What it is kept by.
  std::string diskKeyOf(const ConvProblem &problem, const PlanOptions &options);
  void remember(const ConvProblem &problem, const PlanOptions &options,
                std::optional<EngineChoice> choice);
  /// What is known of the images whose sizes are nearest, of the same family.
  std::optional<EngineChoice> findNearest(const ConvProblem &problem,
                                          const PlanOptions &options);
  /// A plan of an engine that is chosen already; null where it cannot be.
  std::shared_ptr<const Plan> planOn(const EngineChoice &choice,
                                     const ConvProblem &problem,
                                     const PlanOptions &options,
                                     cudnnContext *with);
  /// Searches on a background thread, and puts the plan where `first` is.
  void improve(const ConvProblem &problem, const PlanOptions &options,
               const ChoicePtr &first);
  /// Keeps the plan, which the heuristics have proposed; `mutex` must be held.
  ChoicePtr keep(const ConvProblem &problem, const PlanOptions &options,
                 std::shared_ptr<const Plan> plan);
  /// The plan that is kept, which may be none; nothing where none was made.
  std::optional<ChoicePtr> find(const std::string &key);

  const cuda::CUDNN &library;
  cudnnContext *handle = nullptr;
  const HandleMaker makeHandle;
  Trial trial;
  std::optional<Descriptor> properties;
  std::optional<PlanCache> disk;
  /// Held while a plan is made: a handle is for one thread at a time.
  std::mutex planning;
  std::mutex improving; // the same in the background
  std::mutex mutex;     // guards the rest; not held while a plan is made
  std::map<std::string, ChoicePtr> plans;
  std::map<std::string, std::vector<KnownSizes>> families;
  std::map<DType, EngineSet> keepsNaN;
  /// What trials have come to.
  std::map<std::string, bool> triedEngines;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_PLANNER_H
