//===- StepPlan.h - What an executor prepares per step --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_STEPPLAN_H
#define TANDEM_RUNTIME_EXEC_STEPPLAN_H

#include "tandem/Runtime/Executor.h"

#include <mutex>
#include <unordered_map>

namespace tandem::exec {

/// Types of a step's operands, results, or both. Ops with more than four
/// operands are rare enough to allocate.
using Types = std::vector<TensorType>;

struct TypesHash {
  size_t operator()(const Types &types) const;
};

/// An op made ready for one signature. Immutable.
struct PreparedEntry {
  Types operands;
  Types results;
  std::unique_ptr<PreparedOp> op;
};
using PreparedRef = std::shared_ptr<const PreparedEntry>;

/// The prepared ops of one step by operand types. Frames remember the last one
/// they used, so that this is asked only when shapes change. Thread-safe.
class PreparedCache {
public:
  /// Finds the entry for `operands`, preparing it with the first of `providers`
  /// that supports the op. No lock is held meanwhile; of two threads that
  /// prepare one signature, the first to finish is kept.
  Expected<PreparedRef> get(const OpDesc &op, Types operands, Types results,
                            ProviderList providers);

private:
  /// A process that sees ever new shapes must not grow without bound.
  static constexpr size_t kMaxEntries = 512;

  std::mutex mutex; // guards entries; held for a look-up or an insertion
  std::unordered_map<Types, PreparedRef, TypesHash> entries;
};

/// What does not change between runs of one step.
struct StepPlan {
  const fb::StepT *step = nullptr;
  /// Set for kernel steps.
  const fb::KernelT *kernel = nullptr;
  const LoadedKernel *loaded = nullptr;
  /// Types of the results where they are known ahead: kernels, custom calls,
  /// and op steps of compiled programs.
  Types resultTypes;
  /// An op of a compiled program is prepared once.
  PreparedRef prepared;
  /// Slots whose value nobody reads after this step.
  std::vector<uint32_t> dead;
  /// A reshape whose operand and result are both outside the arena, or at one
  /// place in it: the same bytes under another type.
  bool isView = false;
  /// What errors call it: StepContext::step.
  std::string label;

  bool isKernel() const { return kernel != nullptr; }
};

/// True where every type is known and memory is planned: shape rules need not
/// be applied again at run time.
bool isCompiled(const Program &program);

/// Plans for every step; errors for a kernel without code. `constants` are the
/// values of the program's.
Expected<std::vector<StepPlan>> planSteps(const Program &program,
                                          const ExecutorOptions &options,
                                          std::span<const Tensor> constants);

/// `error` with the op's name and the step's location, where it has none.
tl::unexpected<Error> locate(Error error, const fb::StepT &step);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_STEPPLAN_H
