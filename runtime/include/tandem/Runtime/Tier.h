//===- Tier.h - The ways to run a graph ----------------------- -*- C++ -*-===//
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

/// The ways to run a graph. Their results agree within the tolerance model
/// (docs/Measuring.md).
enum class Tier {
  reference, ///< Plain loops, f64 accumulation: the oracle.
  eager,     ///< A library call per op, at once and for any shapes.
  compiled,  ///< Fused kernels and planned memory, for one signature.
  captured,  ///< The compiled program as one piece of captured work.
};

/// All tiers, from the slowest to the fastest.
std::span<const Tier> allTiers();
/// Those that a device has, in the same order: all, or those before captured.
std::span<const Tier> tiersOf(const Device &device);
/// An Error, which lists those that there are, where `device` has not got it.
Status checkTier(Tier tier, const Device &device);
/// "reference", "eager", "compiled", "captured".
std::string_view name(Tier tier);
/// The tier of that name; nothing where there is none.
std::optional<Tier> parseTier(std::string_view text);

/// A program of one tier and its executor. For the tiers that compile nothing,
/// only `program` is set of the fields that are inherited, and `phases` where
/// prebuilt kernels had to be made ready.
struct PreparedTier : Compiled {
  /// Thread-safe.
  std::unique_ptr<Executor> executor;
  /// Wall time from the input types to the executor, in nanoseconds; 0 where
  /// nothing was compiled.
  double compileNs = 0;
  /// What compiling prebuilt kernels of a GPU, or reading them from disk, and
  /// loading them took, of all threads, which share it.
  double prebuiltNs = 0;
};

/// Compiles for inputs of these types, as `request` says, and creates the
/// executor, that of the captured tier where `options` ask for capture. The
/// `kernels` of `options` are replaced by those that were compiled.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   ExecutorOptions options = {},
                                   const CompileRequest &request = {});

/// Creates the executor that runs a compiled program as captured work.
/// `options` as compileTier's.
Expected<PreparedTier> captureTier(const Compiled &compiled,
                                   ExecutorOptions options);

/// Creates the executor of a tier that compiles nothing, for inputs of any
/// types. `program` is the eager program of the graph: every op is a step. The
/// reference tier runs on the host, whatever the stream.
Expected<PreparedTier> interpretTier(std::shared_ptr<const Program> program,
                                     Tier tier, ExecutorOptions options = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_TIER_H
