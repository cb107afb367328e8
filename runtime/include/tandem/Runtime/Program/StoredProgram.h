//===- StoredProgram.h - Compiled programs in the cache ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_STOREDPROGRAM_H
#define TANDEM_RUNTIME_PROGRAM_STOREDPROGRAM_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/DiskCache.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

class Descriptor;

/// A constant that the reader of an entry already has from other programs of
/// the graph.
struct KnownConstant {
  /// The digest of the constant's bytes, as in digestConstants.
  std::string digest;
  /// The bytes. Empty in the process that writes the entry, which only refers
  /// to the constant.
  Tensor data;
};

/// The parts of the source graph that entries refer to instead of storing them.
/// The caller keeps the referenced objects alive.
struct GraphReference {
  /// The eager program. Entries refer to the locations of its steps and to its
  /// constants.
  const Program &eager;
  /// The result of digestConstants for `eager`.
  std::span<const std::string> constants;
  /// Further constants that are not stored. Empty for entries on disk.
  std::span<const KnownConstant> known = {};
};

/// The total size, in bytes, of the constants of `program` that do not share
/// memory with constants of `eager`.
int64_t ownConstantBytes(const Program &program, const Program &eager);

/// The digest of each constant, in order.
std::vector<std::string> digestConstants(const Program &program);

/// The part of a compiled program that an entry contains.
struct StoredProgram {
  Program program;
  Recomputation recomputation;
};

/// Writes an entry for a program that was compiled from `graph`. `key` must
/// contain everything that the program depends on, including the graph's
/// constants.
void storeProgram(DiskCache &cache, const CacheKey &key,
                  const StoredProgram &stored, const GraphReference &graph);

/// Returns the program of `key`, after verifying it; empty if there is none.
/// The program's constants are mapped from the file or shared with the graph.
/// `graph` must be equal to the graph with which the program was stored.
std::optional<StoredProgram> findProgram(DiskCache &cache, const CacheKey &key,
                                         const GraphReference &graph);

/// Like storeProgram, but writes the entry to sealed memory for another
/// process. Returns the file descriptor of that memory, which the result owns.
Expected<Descriptor> packProgram(const CacheKey &key,
                                 const StoredProgram &stored,
                                 const GraphReference &graph);
/// Reads an entry of packProgram from a file descriptor, which the caller
/// keeps. Fails with phase "read" if the entry is damaged or has another key.
Expected<StoredProgram> unpackProgram(int entry, const CacheKey &key,
                                      const GraphReference &graph);

/// Writes an entry for a kernel.
void storeKernel(DiskCache &cache, const CacheKey &key,
                 const fb::KernelT &kernel);
/// Returns the kernel of `key`; empty if there is none.
std::optional<fb::KernelT> findKernel(DiskCache &cache, const CacheKey &key);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_STOREDPROGRAM_H
