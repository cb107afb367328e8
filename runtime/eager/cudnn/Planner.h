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

#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace tandem::cudnn {

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
};

/// Makes plans for one device, and keeps them. Thread-safe.
class Planner {
public:
  /// For the device of `handle`, which must outlive the planner.
  Planner(const cuda::CUDNN &library, cudnnContext *handle)
      : library(library), handle(handle) {}
  /// For a device that is described by its properties, as a JSON text in
  /// cuDNN's form (utils/gpu-specs/cudnn has some). Such plans cannot be
  /// executed. An Error for versions of cuDNN before 9.8, and for a text that
  /// cuDNN does not take.
  static Expected<std::unique_ptr<Planner>>
  forProperties(const cuda::CUDNN &library, std::string_view json);

  /// The best plan by cuDNN's heuristics, of an engine that comes with its
  /// kernels where there is one. Null where no engine does; and for a relu that
  /// keeps NaN where only engines far down the list keep it, as those are
  /// slower than a relu of its own. An Error where a call fails that should
  /// not.
  Expected<std::shared_ptr<const Plan>> plan(const ConvProblem &problem,
                                             const PlanOptions &options);
  /// One plan for every engine that comes with its kernels.
  Expected<std::vector<std::shared_ptr<const Plan>>>
  plansByEngine(const ConvProblem &problem, const PlanOptions &options);

  /// The engines whose fused relu was seen to keep NaN in this type, beside
  /// those of which cuDNN notes it.
  void noteThatNaNIsKept(DType dtype, EngineSet engines);

private:
  struct Config;

  explicit Planner(const cuda::CUDNN &library) : library(library) {}
  /// The configurations that the heuristics propose, the best first.
  std::vector<Descriptor> propose(const Descriptor &graph, int mode) const;
  static bool isAllowed(const Config &config, const ConvProblem &problem,
                        const PlanOptions &options);
  /// Whether the configuration's relu, if any, does what the options ask for.
  bool hasRightRelu(const Config &config, const ConvProblem &problem,
                    const PlanOptions &options);
  /// Null where the engine refuses.
  std::shared_ptr<const Plan> finalize(const Config &config,
                                       const PlanOptions &options) const;
  Expected<std::shared_ptr<const Plan>> search(const ConvProblem &problem,
                                               const PlanOptions &options);
  /// The plan that is kept, which may be none; nothing where none was made.
  std::optional<std::shared_ptr<const Plan>> find(const std::string &key);

  const cuda::CUDNN &library;
  cudnnContext *handle = nullptr;
  std::optional<Descriptor> properties;
  /// Held while a plan is made: a handle is for one thread at a time.
  std::mutex planning;
  std::mutex mutex; // guards the rest; not held while a plan is made
  std::map<std::string, std::shared_ptr<const Plan>> plans;
  std::map<DType, EngineSet> keepsNaN;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_PLANNER_H
