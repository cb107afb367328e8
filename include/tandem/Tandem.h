//===- Tandem.h - The public C++ API ---------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TANDEM_H
#define TANDEM_TANDEM_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Support/Choices.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// What graphs can be compiled for and run on.
struct DeviceInfo {
  /// As options have it, and one line for a user.
  std::string_view name, description;
};

/// All there are; the first is the default, where eager runs, too. Thread-safe.
std::span<const DeviceInfo> devices();
/// What runs graphs that are compiled for the device of that name; empty: the
/// first.
Expected<Device *> findDevice(std::string_view name);

struct CompileOptions {
  /// A name of devices(); empty: the first.
  std::string device;
  /// At most this many fusion decisions are taken; -1 is no limit.
  int64_t fusionFuel = -1;
  /// Where every fusion decision is written to, as JSON (docs/Fusion.md), each
  /// time a program is compiled. Empty: nowhere.
  std::string fusionReport;
  /// On the default device.
  Contractions contractions = Contractions::predict;
  /// On the default device.
  Winograd winograd = Winograd::automatic;
  /// Whether kernels that this process has compiled before, for whatever graph
  /// and shapes, are taken from memory.
  bool kernelCache = true;
  /// Whether a kernel that cannot be compiled runs op by op instead, with a
  /// Warning; else compilation fails with its Error.
  bool fallback = true;
  /// Where a kernel that could not be compiled is written to. Empty:
  /// $TANDEM_REPRODUCER_DIR, or `tandem-reproducers-UID`, which is this user's
  /// alone, among the system's temporary files.
  std::string reproducerDir;
  /// For tests and for bisecting: kernels that are taken to fail, by number in
  /// the order of the program ("0"), or by a regular expression that matches
  /// the whole of their names ("kernel_.*"). Empty: none.
  std::string failKernels;
};

/// What a model says of a convolution or matrix product that a kernel and the
/// library both can compute; ns a call.
struct ContractionEstimate {
  /// `file:line:col` of the op.
  std::string location;
  double generatedNs = 0, libraryNs = 0;
  /// What Contractions::predict chooses.
  bool isLibrary = false;
};

/// A graph: one function of a parsed MLIR file, with dims that may be dynamic.
/// Immutable once parsed; thread-safe.
class Graph {
public:
  /// Errors carry the parser's or verifier's diagnostics, located.
  static Expected<std::unique_ptr<Graph>>
  parseFile(const std::string &path, const std::string &function = "main");
  static Expected<std::unique_ptr<Graph>>
  parseString(std::string_view source, const std::string &function = "main");
  ~Graph();

  /// The graph as written, every op a step: what eager and reference run.
  std::shared_ptr<const Program> eagerProgram() const;

  /// A compiler of this graph; may outlive the Graph.
  Expected<std::unique_ptr<Compiler>>
  createCompiler(CompileOptions options = {}) const;

  /// The graph, to be called in any tier; may outlive the Graph.
  Expected<std::unique_ptr<Function>>
  createFunction(CompileOptions options = {}) const;

  /// What Contractions::predict compares for inputs of these types, in the
  /// order of the graph once it is simplified. Generates no code; of `options`
  /// only `winograd` counts, and the device is the default one.
  Expected<std::vector<ContractionEstimate>>
  estimateContractions(std::span<const TensorType> inputs,
                       const CompileOptions &options = {}) const;

private:
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The function `function` of an MLIR file, to be called with tensors:
/// Graph::parseFile and Graph::createFunction.
Expected<std::unique_ptr<Function>>
loadFunction(const std::string &path, const std::string &function = "main",
             CompileOptions options = {});

/// Whether a process with compilers may measure this machine on a thread in the
/// background (docs/Device.md), as it does by default, once: a second after the
/// first compiler was made, and for as long as there are any. Not for programs
/// that measure themselves. Counts for compilers made later. Thread-safe.
void allowBackgroundCalibration(bool isAllowed);

/// What the kernels that this process has compiled and keeps have been good
/// for, since its start.
struct KernelCacheStats {
  /// Kernels found; made, for they were not there; and waited for, while
  /// another thread made them.
  uint64_t hits = 0, misses = 0, awaited = 0;
  /// Given up for lack of room.
  uint64_t evictions = 0;
  /// Kept now, and the size of their objects.
  size_t entries = 0, bytes = 0;
  /// The most stack that a kernel took that was ever kept, in bytes.
  int64_t largestFrame = 0;
};

/// Thread-safe.
KernelCacheStats kernelCacheStats();

} // namespace tandem

#endif // TANDEM_TANDEM_H
