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

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A device that graphs can be compiled for and run on.
struct DeviceInfo {
  /// The name that options take, and a description of one line.
  std::string_view name, description;
};

/// All devices. The first is the default, on which the eager tier runs too.
/// Thread-safe.
std::span<const DeviceInfo> devices();
/// The runtime's device that runs graphs which are compiled for the device
/// called `name`; an empty name stands for the default. The error lists the
/// devices.
Expected<Device *> findDevice(std::string_view name);

/// How far a compilation has come.
struct CompileProgress {
  /// A phase that begins, by its name, or "kernels" while these are compiled.
  std::string_view phase;
  /// How many kernels are ready, and how many there are; 0 in other phases.
  size_t done = 0, total = 0;
};

/// How a graph is compiled.
struct CompileOptions {
  /// The name of one of devices(); empty stands for the default.
  std::string device;
  /// The most fusion decisions that are taken, for bisecting; -1 is no limit.
  int64_t fusionFuel = -1;
  /// The file that every fusion decision is written to, as JSON
  /// (docs/Fusion.md), each time a program is compiled. Empty: no file is
  /// written.
  std::string fusionReport;
  /// Whether kernels or the library compute convolutions and matrix products.
  /// Applies to the default device only.
  Contractions contractions = Contractions::predict;
  /// When Winograd's method is used. Applies to the default device only.
  Winograd winograd = Winograd::automatic;
  /// The model of the machine by which programs are planned, as findDeviceModel
  /// takes it, with the vectors that this processor has. Empty stands for
  /// hostDeviceModel(). Applies to the default device only.
  std::string deviceModel;
  /// How exact the contractions of the device's libraries are, where it has a
  /// choice.
  Precision precision = Precision::strict;
  /// Whether to reuse kernels that this process has compiled before, for any
  /// graph and shapes.
  bool kernelCache = true;
  /// Whether to use compiled programs and kernels that any process of this user
  /// has kept on disk, and to keep those that are compiled (docs/Cache.md). By
  /// default, unless $TANDEM_DISK_CACHE is "off". Never where `kernelCache` is
  /// not set, where fusions are reported, contractions are measured, kernels
  /// made to fail or ops kept.
  std::optional<bool> diskCache;
  /// The directory in which they are kept; empty stands for $TANDEM_CACHE_DIR,
  /// or else for `tandem` among the user's caches.
  std::string cacheDir;
  /// The program that compiles in other processes what functions compile in the
  /// background (TieringOptions::compileIn). Empty stands for
  /// $TANDEM_COMPILE_HELPER, or else for `tandem-compile-helper` beside this
  /// library or in the `bin` of its installation; "off" for none.
  std::string compileHelper;
  /// How long a compilation may take there, in seconds; then it is repeated in
  /// this process.
  double compileHelperSeconds = 300;
  /// Whether the ops of a kernel that cannot be compiled become op steps, with
  /// a Warning. Otherwise compilation fails with the kernel's Error.
  bool fallback = true;
  /// The directory to which a kernel that could not be compiled is written, to
  /// reproduce the failure. Empty stands for $TANDEM_REPRODUCER_DIR, or else
  /// for `tandem-reproducers-UID` in the system's directory of temporary files,
  /// which only this user can access.
  std::string reproducerDir;
  /// Kernels whose compilation is made to fail, for tests and for bisecting: a
  /// number in the order of the program ("0"), or a regular expression that
  /// must match a kernel's whole name ("kernel_.*"). Empty: none.
  std::string failKernels;
  /// Whether to keep the ops of each kernel (Compiled::kernelOps).
  bool keepsOps = false;
  /// Called as compiling goes on, from any of the threads that compile, also
  /// from several at a time. May be empty.
  std::function<void(const CompileProgress &)> progress;
};

/// The estimated times of a convolution or matrix product that both a generated
/// kernel and the library can compute, in nanoseconds per call.
struct ContractionEstimate {
  /// `file:line:col` of the op.
  std::string location;
  double generatedNs = 0, libraryNs = 0;
  /// Whether Contractions::predict chooses the library.
  bool isLibrary = false;
};

struct GraphSource;

/// What is fixed when a model is imported.
struct ImportOptions {
  /// The most elements of an input that may determine shapes.
  static constexpr int64_t kMaxValues = 1024;

  /// Sizes of free dims, by name. All others stay free.
  std::map<std::string, int64_t> dims;
  /// Shapes of inputs, by name, which give their free dims these sizes, too. An
  /// input that has a default (an initializer of its name) is one of the graph
  /// only if it is here or in `values`.
  std::map<std::string, Shape> shapes;
  /// Values of inputs of at most kMaxValues elements, by name. Those that
  /// determine shapes are fixed to their value, and are no inputs of the graph;
  /// the others are ignored.
  std::map<std::string, std::vector<double>> values;
  /// In which type results of f16 are held between two contractions: f16, so
  /// that each op rounds, or f32 (docs/Rationale.md, "16-bit floats"). Applies
  /// to MLIR files, too.
  DType f16Intermediates = DType::f16;
  /// Whether to go on where a node cannot be imported. The graph then has all
  /// that could be (Graph::nodes), and may lack outputs of the model.
  bool keepsGoing = false;
  /// Whether the results of all nodes of the model's graph are outputs, too,
  /// where they are no constants.
  bool allResults = false;
};

/// A node of an imported model, and what the import made of it.
struct ModelNode {
  /// What Step::location and Step::sources of programs call it.
  std::string location;
  /// Its op: "Conv", or "com.microsoft.FusedMatMul".
  std::string op;
  /// How many ops it became; 0 where its results are values that are there
  /// anyway, or that the import has computed.
  size_t ops = 0;
  /// Why it cannot be imported; empty where it was.
  std::string refusal;
  /// Whether it was not looked at, because it reads a result of a node that
  /// cannot be imported.
  bool isBehindRefusal = false;
};

/// A graph: one function of a parsed MLIR file, an imported ONNX model, or what
/// a GraphBuilder (tandem/GraphBuilder.h) has built. Its dims may be dynamic.
/// Immutable and thread-safe.
class Graph {
public:
  /// Parses a graph, or imports an ONNX model, which its content tells. Errors
  /// carry the diagnostics of the parser or the verifier, with locations: of a
  /// model, the name of the node. A model's weights are read from the file when
  /// they are needed, so that it must not change as long as the graph, or a
  /// program made of it, is in use. `options` are for models alone.
  static Expected<std::unique_ptr<Graph>>
  parseFile(const std::string &path, const std::string &function = "main",
            const ImportOptions &options = {});
  static Expected<std::unique_ptr<Graph>>
  parseString(std::string_view source, const std::string &function = "main");
  ~Graph();

  /// The names of the inputs and outputs of an imported model; empty for
  /// others.
  const std::vector<std::string> &inputNames() const;
  const std::vector<std::string> &outputNames() const;
  /// The nodes of an imported model, in its order; empty for others. Nodes of
  /// functions and of graphs within nodes that were taken follow the node that
  /// they are of.
  const std::vector<ModelNode> &nodes() const;

  /// The graph as it is written, with every op as a step. The eager and the
  /// reference tier run this program.
  std::shared_ptr<const Program> eagerProgram() const;

  /// Creates a compiler of this graph, which may outlive the Graph.
  Expected<std::unique_ptr<Compiler>>
  createCompiler(CompileOptions options = {}) const;

  /// Creates a function that runs this graph, in the tiers that `tiering`
  /// chooses or that the caller asks for. It may outlive the Graph.
  Expected<std::unique_ptr<Function>>
  createFunction(CompileOptions options = {},
                 TieringOptions tiering = {}) const;

  /// The estimates that Contractions::predict compares for inputs of these
  /// types, in the order of the simplified graph. Generates no code. Uses only
  /// `winograd` of the options, and always estimates for the default device.
  Expected<std::vector<ContractionEstimate>>
  estimateContractions(std::span<const TensorType> inputs,
                       const CompileOptions &options = {}) const;

private:
  friend class GraphBuilder;
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  static Expected<std::unique_ptr<Graph>>
  make(Expected<std::shared_ptr<const GraphSource>> source);
  std::unique_ptr<Impl> impl;
};

/// Loads the function `function` of an MLIR file, to be called with tensors:
/// Graph::parseFile followed by Graph::createFunction.
Expected<std::unique_ptr<Function>>
loadFunction(const std::string &path, const std::string &function = "main",
             CompileOptions options = {}, TieringOptions tiering = {});

/// Sets whether this process may measure the host on a background thread
/// (docs/Device.md). By default it may: it does so once, starting a second
/// after the first compiler was created, and only while there are compilers.
/// Programs that measure times themselves should forbid it. Applies to
/// compilers that are created afterwards. Thread-safe.
void allowBackgroundCalibration(bool isAllowed);

/// Statistics of the process's in-memory cache of compiled kernels, since the
/// process started.
struct KernelCacheStats {
  /// Kernels that were found; that were missing and had to be compiled; and
  /// that were waited for while another thread compiled them.
  uint64_t hits = 0, misses = 0, awaited = 0;
  /// Kernels that were dropped to make room.
  uint64_t evictions = 0;
  /// Kernels in the cache now, and the size of their objects in bytes.
  size_t entries = 0, bytes = 0;
  /// The largest stack frame of any kernel that was ever in the cache, in
  /// bytes.
  int64_t largestFrame = 0;
};

/// The present statistics. Thread-safe.
KernelCacheStats kernelCacheStats();

} // namespace tandem

#endif // TANDEM_TANDEM_H
