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
#include "exec/TypesTable.h"

#include "tandem/Runtime/Tier.h"

#include <mutex>

namespace tandem::tiering {

using exec::Types;
using PreparedPtr = std::shared_ptr<const PreparedTier>;

/// True if an executor of the tier runs one signature only.
constexpr bool isTierOfSignature(Tier tier) {
  return tier == Tier::compiled || tier == Tier::captured;
}

/// An executor that the first thread that needs it makes. Other threads that
/// need the same executor wait meanwhile. A failure is not remembered: the next
/// thread tries again. Thread-safe.
class ExecutorSlot {
public:
  /// `make` returns an Expected<PreparedPtr>.
  template <typename Make> Expected<PreparedPtr> getOr(const Make &make) {
    std::lock_guard lock(mutex);
    if (!prepared) {
      TANDEM_ASSIGN_OR_RETURN(prepared, make());
    }
    return prepared;
  }

private:
  std::mutex mutex; // Guards `prepared`, also while it is made.
  PreparedPtr prepared;
};

/// The executors of one signature, in the tiers that compile. Thread-safe.
class SignatureExecutors {
public:
  using SlotPtr = std::shared_ptr<ExecutorSlot>;

  SlotPtr slotOf(Tier tier);
  /// Forgets the executors. Each executor lives on as long as callers hold it.
  void drop();

private:
  std::mutex mutex; // Guards the slots.
  SlotPtr compiled, captured;
};

/// Makes and runs the executors of one graph. Holds the executors of the tiers
/// that take any types. Thread-safe.
class TierStore {
public:
  /// The parameters are those of the constructor of Function.
  TierStore(std::shared_ptr<const Program> program,
            std::shared_ptr<Compiler> compiler, ExecutorOptions options);

  /// Returns the executor of a tier that takes inputs of any types.
  Expected<PreparedPtr> prepare(Tier tier);
  /// Returns the executor of a tier that compiles. `executors` are those of the
  /// signature with the input types `inputs`.
  Expected<PreparedPtr> prepare(SignatureExecutors &executors,
                                const Types &inputs, Tier tier,
                                const CompileRequest &request = {});
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
  Expected<PreparedPtr> compile(const Types &inputs,
                                const CompileRequest &request);
  Expected<PreparedPtr> capture(SignatureExecutors &executors,
                                const Types &inputs);

  const std::shared_ptr<const Program> eagerProgram;
  const std::shared_ptr<Compiler> graphCompiler;
  ExecutorOptions options;
  ExecutorSlot reference, eager;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_POLICY_TIERSTORE_H
