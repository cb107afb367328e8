//===- TierStore.h - The executors of a graph ----------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_POLICY_TIERSTORE_H
#define TANDEM_RUNTIME_ENGINE_POLICY_TIERSTORE_H

#include "background/ContentionTrackedLock.h"
#include "exec/StepPlan.h"

#include "tandem/Runtime/Tier.h"

#include <mutex>
#include <unordered_map>

namespace tandem::tiering {

using exec::Types;
using PreparedPtr = std::shared_ptr<const PreparedTier>;

/// The executors of one graph: one each of the tiers that take any types, and
/// one per signature of those that compile. Thread-safe. Threads that want the
/// same one wait for one of them to make it; others do not wait.
class TierStore {
public:
  /// The parameters are those of the constructor of Function.
  TierStore(std::shared_ptr<const Program> program,
            std::shared_ptr<Compiler> compiler, ExecutorOptions options);

  /// The executor that runs inputs of these types in a tier, made where there
  /// is none. A failure is not remembered: the next call tries again.
  Expected<PreparedPtr> prepare(const Types &inputs, Tier tier,
                                const CompileRequest &request = {});
  /// Forgets what was compiled for these types; it lives on as long as callers
  /// hold it.
  void drop(const Types &inputs);
  /// Runs it. The outputs are in the memory of the stream's device, as the
  /// inputs are, whatever the tier; in the tensors `given` if there are any.
  Expected<std::vector<Tensor>> run(const PreparedTier &prepared, Tier tier,
                                    std::span<const Tensor> inputs,
                                    std::span<const Tensor> given = {}) const;

  const std::shared_ptr<const Program> &program() const { return eagerProgram; }
  /// Null where nothing is ever compiled.
  Compiler *compiler() const { return graphCompiler.get(); }
  const ExecutorOptions &executorOptions() const { return options; }
  Stream &stream() const { return *options.stream; }

private:
  struct Slot {
    std::mutex mutex;
    PreparedPtr prepared; // Guarded by `mutex`.
    uint64_t lastUse = 0; // Guarded by TierStore::mutex.
  };
  using SlotPtr = std::shared_ptr<Slot>;
  using SlotsByTypes = std::unordered_map<Types, SlotPtr, exec::TypesHash>;

  /// Null where there is none for these types.
  SlotPtr find(const Types &inputs, Tier tier);
  /// The same, made where there is none.
  SlotPtr findOrAdd(const Types &inputs, Tier tier);
  SlotsByTypes &slotsOf(Tier tier) {
    return tier == Tier::captured ? captured : compiled;
  }
  Expected<PreparedPtr> make(const Types &inputs, Tier tier,
                             const CompileRequest &request);

  const std::shared_ptr<const Program> eagerProgram;
  const std::shared_ptr<Compiler> graphCompiler;
  ExecutorOptions options;

  /// Guards `clock` and the two maps; held for a look-up or an insertion.
  std::mutex mutex;
  uint64_t clock = 0;
  SlotsByTypes compiled, captured;
  /// Tiers whose one executor takes all types.
  const SlotPtr reference = std::make_shared<Slot>(),
                eager = std::make_shared<Slot>();
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_POLICY_TIERSTORE_H
