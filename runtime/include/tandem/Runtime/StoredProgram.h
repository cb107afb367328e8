//===- StoredProgram.h - Compiled programs in the cache ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_STOREDPROGRAM_H
#define TANDEM_RUNTIME_STOREDPROGRAM_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/DiskCache.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

class Descriptor;

/// A constant that whoever reads an entry has from other programs of the graph.
struct KnownConstant {
  std::string digest;
  /// Null on the side that only refers to it.
  Tensor data;
};

/// The graph that a program was compiled from, as far as entries refer to it.
struct GraphReference {
  /// The eager program: its steps have the locations, and its constants are not
  /// stored again.
  const Program &eager;
  /// digestConstants of it.
  std::span<const std::string> constants;
  /// What is not stored again either; none in entries that are kept.
  std::span<const KnownConstant> known = {};
};

/// The bytes of a program's constants that are not those of its graph.
int64_t ownConstantBytes(const Program &program, const Program &eager);

/// The digest of each constant, in order.
std::vector<std::string> digestConstants(const Program &program);

/// A compiled program as an entry holds it.
struct StoredProgram {
  Program program;
  Recomputation recomputation;
};

/// Keeps a program that was compiled from `graph`. `key` must contain
/// everything that the program depends on, the graph's constants included.
void storeProgram(DiskCache &cache, const CacheKey &key,
                  const StoredProgram &stored, const GraphReference &graph);

/// The program of that key, verified. Its constants are mapped from the file or
/// shared with the graph, which must be equal to the one that was stored with.
std::optional<StoredProgram> findProgram(DiskCache &cache, const CacheKey &key,
                                         const GraphReference &graph);

/// The same for another process: an entry in memory, as a descriptor.
Expected<Descriptor> packProgram(const CacheKey &key,
                                 const StoredProgram &stored,
                                 const GraphReference &graph);
/// Reads such an entry. Fails where it is not for that key, or damaged.
Expected<StoredProgram> unpackProgram(int entry, const CacheKey &key,
                                      const GraphReference &graph);

/// Keeps and finds a kernel.
void storeKernel(DiskCache &cache, const CacheKey &key,
                 const fb::KernelT &kernel);
std::optional<fb::KernelT> findKernel(DiskCache &cache, const CacheKey &key);

} // namespace tandem

#endif // TANDEM_RUNTIME_STOREDPROGRAM_H
