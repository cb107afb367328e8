//===- Tier.h - The ways to run a graph -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_TIER_H
#define TANDEM_RUNTIME_TIER_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Executor.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace tandem {

/// The ways to run a graph. The results of all tiers agree within the
/// tolerances of docs/Measuring.md.
enum class Tier {
  reference, ///< Plain loops with f64 accumulation; the test oracle.
  eager,     ///< One library call per op, for inputs of any shapes.
  compiled,  ///< Fused kernels and planned memory, for one signature.
  captured,  ///< The compiled program, launched as captured work.
};

/// All tiers, from the slowest to the fastest.
std::span<const Tier> allTiers();
/// The tiers that a device supports, in the same order. Devices that cannot
/// capture work support all tiers except captured.
std::span<const Tier> tiersOf(const Device &device);
/// Fails with phase "execute" if `device` does not support `tier`. The hint
/// lists the tiers that the device supports.
Status checkTier(Tier tier, const Device &device);
/// Returns "reference", "eager", "compiled" or "captured".
std::string_view name(Tier tier);
/// Inverse of name; empty for any other text.
std::optional<Tier> parseTier(std::string_view text);

/// The program of a graph in one tier, and the executor of the program. The
/// reference and eager tiers compile nothing. For these tiers, the only
/// inherited fields that are set are `program` and, if prebuilt kernels had to
/// be loaded, `phases`.
struct PreparedTier : Compiled {
  /// Thread-safe; not null.
  std::unique_ptr<Executor> executor;
  /// Wall time, in nanoseconds, to produce an executor from the input types; 0
  /// if nothing was compiled.
  double compileNs = 0;
  /// The time, in nanoseconds, to compile the prebuilt kernels of a GPU (or to
  /// read them from disk) and to load them, summed over all threads that share
  /// this work.
  double prebuiltNs = 0;
};

/// Compiles the graph for inputs of the given static types, as specified by
/// `request`, and creates the executor. Creates the executor of the captured
/// tier if `options.capture` is set. `options.kernels` and `options.libraries`
/// are replaced by those of the compiler. If `options.stream` is null, the
/// default stream of the compiler's device is used.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   ExecutorOptions options = {},
                                   const CompileRequest &request = {});

/// Creates the executor that runs a compiled program as captured work.
/// `options.stream` must not be null. `options.kernels` is replaced by the
/// kernels of `compiled`.
Expected<PreparedTier> captureTier(const Compiled &compiled,
                                   ExecutorOptions options);

/// Creates the executor of the reference or eager tier, for inputs of any
/// types. `program` is the eager program of the graph, in which every op is a
/// step. The reference tier always runs on the CPU, regardless of
/// `options.stream`.
Expected<PreparedTier> interpretTier(std::shared_ptr<const Program> program,
                                     Tier tier, ExecutorOptions options = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_TIER_H
