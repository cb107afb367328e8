//===- StepPlan.h - What an executor prepares per step --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_STEPPLAN_H
#define TANDEM_RUNTIME_EXEC_STEPPLAN_H

#include "TypesTable.h"

#include "tandem/Runtime/Executor.h"

namespace tandem::exec {

/// An op that is prepared for one signature. Immutable.
struct PreparedEntry {
  /// The types of the operands; for a step with expressions of sizes followed
  /// by the values of the program's symbols (addSymbols).
  Types types;
  Types results;
  /// Null for a view.
  std::unique_ptr<PreparedOp> op;
  /// The op of a step with expressions of sizes, with all sizes.
  std::unique_ptr<OpDesc> resolved;
};
using PreparedRef = std::shared_ptr<const PreparedEntry>;

/// The prepared ops of one step, by operand types. Frames remember the op that
/// they used last, so a frame searches this cache only when shapes change.
/// Thread-safe.
///
/// The key is not the signature of the program. Signatures that give a step the
/// same operand types share the prepared op, and an executor also runs without
/// an engine, which has the table of signatures.
class PreparedCache {
public:
  /// Finds the entry for `operands`, or prepares the step's op with the first
  /// of `providers` that implements it. No lock is held while preparing; where
  /// two threads prepare the same signature, the entry of the first to finish
  /// is kept.
  Expected<PreparedRef> get(const fb::StepT &step,
                            std::span<const TensorType> operands,
                            std::span<const TensorType> results,
                            ProviderList providers);
  /// The same for a step with expressions of sizes. Nothing is prepared for a
  /// view.
  Expected<PreparedRef> getSized(const fb::StepT &step,
                                 std::span<const TensorType> operands,
                                 std::span<const int64_t> symbols, bool isView,
                                 ProviderList providers);

private:
  /// Finds the entry for `key`, or keeps the one that `prepare` returns.
  template <typename Prepare>
  Expected<PreparedRef> findOr(std::span<const TensorType> key,
                               const Prepare &prepare);

  /// The limit bounds the memory of a process that sees ever new shapes.
  TypesTable<const PreparedEntry> entries{512};
};

/// Appends the values of a program's symbols to the types of operands, as
/// shapes of kMaxRank dims at most.
void addSymbols(std::span<const int64_t> symbols, Types &operands);

struct LoopPlan;

/// What an executor knows of one step before it runs.
struct StepPlan {
  const fb::StepT *step = nullptr;
  /// Set for kernel steps.
  const fb::KernelT *kernel = nullptr;
  const LoadedKernel *loaded = nullptr;
  /// Types of the results where they are known ahead of time: those of kernels,
  /// of custom calls, and of op steps of compiled programs.
  Types resultTypes;
  /// The prepared op, for an op step of a compiled program.
  PreparedRef prepared;
  /// Set for loop steps.
  std::shared_ptr<const LoopPlan> loop;
  /// The slots whose value no later step reads.
  std::vector<uint32_t> dead;
  /// Whether the result is a view of the operand (isView in ProgramMemory.h),
  /// and where it begins in the operand, in bytes.
  bool isView = false;
  int64_t viewOffset = 0;
  /// Whether the step is a concat that copies nothing, as all operands are in
  /// the result (findOperandsInPlace).
  bool isInPlace = false;
  /// What errors call it: StepContext::step.
  std::string label;

  bool isKernel() const { return kernel != nullptr; }
};

/// The bytes of workspace that the step needs, as far as they are known ahead
/// of time. For a loop, all memory that it holds besides its operands and
/// results.
int64_t workspaceBytes(const StepPlan &plan);

/// Whether all steps are prepared already. Steps of unknown shapes are prepared
/// when they run.
bool areStepsPrepared(const Program &program, std::span<const StepPlan> plans);

/// Whether all types of a program are static and its memory is planned, so that
/// shape rules need not be applied at run time.
bool isCompiled(const Program &program);

using Kernels = std::vector<std::unique_ptr<fb::KernelT>>;

/// Makes the plans of all steps, in order. Fails for a kernel that was not
/// loaded, and an op of static types that no provider implements. `kernels` are
/// those of the outermost program, and `constants` are this program's, where
/// steps read them.
Expected<std::vector<StepPlan>> planSteps(const Program &program,
                                          const Kernels &kernels,
                                          const ExecutorOptions &options,
                                          std::span<const Constant> constants);

/// Adds the op's name and, where `error` has no location, that of the step.
tl::unexpected<Error> locate(Error error, const fb::StepT &step);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_STEPPLAN_H
