//===- ProgramStore.h - A graph's programs on disk --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_PROGRAMSTORE_H
#define TANDEM_LIB_COMPILER_SESSION_PROGRAMSTORE_H

#include "Remote/SerializedGraph.h"
#include "Session/CompilerConfig.h"

#include "process/Descriptor.h"
#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Runtime/Program/StoredProgram.h"

#include <mutex>
#include <optional>
#include <span>

namespace tandem {

/// The programs of one graph in the disk cache, if a disk cache is used.
/// Finding a program does not initialize MLIR or LLVM, except for the linker
/// that loads the program's kernels. Thread-safe. `config` must outlive this
/// object.
class ProgramStore {
public:
  ProgramStore(std::shared_ptr<const SerializedGraph> graph,
               const CompilerConfig &config)
      : graph(std::move(graph)), config(config) {}

  /// Finds and loads the program with this key. Returns nothing if the cache
  /// does not have the program. Adds to the phases "read cache" and "load".
  std::optional<Compiled> find(const CacheKey &key, PhaseTimes &times);

  /// Stores the program with this key, unless a kernel fell back. If background
  /// work is allowed, a program whose own constants have many bytes is written
  /// in the background, at the latest when the process ends; others are written
  /// before this returns. Adds to the phase "write cache", and warns once of an
  /// unusable cache.
  void keep(const CacheKey &key, Compiled &compiled, PhaseTimes &times);

  /// The profile of the program for inputs of these types, which processes have
  /// measured by running it. The profile is stored in an entry of its own,
  /// separately from the program.
  ProgramProfile profile(std::span<const TensorType> inputs);
  void keepProfile(std::span<const TensorType> inputs,
                   const ProgramProfile &profile);

  /// Returns a key of everything that the program for inputs of these types
  /// depends on.
  CacheKey keyOf(std::span<const TensorType> inputs);
  /// Packs an entry for another process, and loads an entry that another
  /// process has packed. Loading adds to the phase "load". Both entries may
  /// refer to `known` constants.
  Expected<Descriptor> pack(const CacheKey &key, const Compiled &compiled,
                            std::span<const KnownConstant> known);
  Expected<Compiled> unpack(int entry, const CacheKey &key,
                            std::span<const KnownConstant> known,
                            PhaseTimes &times);

private:
  class WriteJob;

  Expected<Compiled> load(StoredProgram stored, PhaseTimes &times);
  GraphReference reference(std::span<const KnownConstant> known = {}) const {
    return {*graph->eager, graph->constantDigests(), known};
  }

  std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig &config;
  /// The part of the key that is the same for all inputs, made once.
  std::once_flag once;
  std::optional<CacheKey> common;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_PROGRAMSTORE_H
