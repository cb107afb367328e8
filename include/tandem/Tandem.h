//===- Tandem.h - The public C++ API ----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TANDEM_H
#define TANDEM_TANDEM_H

#include "tandem/Coverage.h"
#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Support/Choices.h"
#include "tandem/Support/TargetOptions.h"
#include "tandem/Target/CPU/CPUOptions.h"

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
  /// The name of the device, as CompileOptions::device takes it, and a one-line
  /// description of the device.
  std::string_view name, description;
  /// The options that CompileOptions::targetOptions takes for the device.
  std::span<const TargetOptionInfo> targetOptions = {};
};

/// Returns all devices of this machine. The first one is the default device.
/// Thread-safe.
std::span<const DeviceInfo> devices();
/// Returns the runtime device that runs graphs compiled for the device `name`.
/// An empty name selects the default device. If no device has this name, the
/// error lists all devices. The library owns the returned device. Thread-safe.
Expected<Device *> findDevice(std::string_view name);

/// The progress of a compilation.
struct CompileProgress {
  /// The name of the compilation phase that is about to begin, or "kernels"
  /// while kernels are being compiled.
  std::string_view phase;
  /// In phase "kernels", `done` is the number of kernels that are ready, and
  /// `total` is the number of kernels to compile or load from a cache. In all
  /// other phases, both are 0.
  size_t done = 0, total = 0;
};

/// Options for compiling a graph.
struct CompileOptions {
  /// The name of the device to compile for: the name of one of devices(), or a
  /// name such as "cuda:1" that selects one of several GPUs. If empty, the
  /// default device is used.
  std::string device;
  /// The maximum number of fusion decisions that the compiler carries out.
  /// Lower this limit to bisect a wrong result to one fusion. -1 means no
  /// limit.
  int64_t fusionFuel = -1;
  /// The file to which all fusion decisions are written as JSON
  /// (docs/Fusion.md), each time a program is compiled. If empty, no file is
  /// written.
  std::string fusionReport;
  /// Options of the target that compiles for `device`, by name
  /// (DeviceInfo::targetOptions; CPUOptions describes those of the target
  /// "cpu"). The creation of a compiler fails if the target does not have one
  /// of the options, or if the value of an option is invalid.
  TargetOptions targetOptions = {};
#include "tandem/Target/CPU/FormerCompileOptions.inc"
  /// The precision of contractions in the device's libraries, if the libraries
  /// offer a choice.
  Precision precision = Precision::strict;
  /// True to reuse kernels that this process has already compiled, including
  /// kernels compiled for other graphs or for other input shapes.
  bool kernelCache = true;
  /// True to load compiled programs and kernels from the disk cache, which all
  /// processes of this user share, and to store newly compiled programs and
  /// kernels there (docs/Cache.md). If this option is not set, the disk cache
  /// is used unless $TANDEM_DISK_CACHE is "off". The disk cache is never used
  /// if `kernelCache`, `keepsOps` or `keepsPhasesApart` differs from its
  /// default, if `fusionReport` or `failKernels` is not empty, if the target
  /// option "contractions" is "autotune", or if $TANDEM_DEBUG is set.
  std::optional<bool> diskCache;
  /// The directory of the disk cache. If empty, the directory named by
  /// $TANDEM_CACHE_DIR is used. If that variable is not set either, the disk
  /// cache is in the subdirectory `tandem` of the user's cache directory.
  std::string cacheDir;
  /// The path of the executable that runs as a helper process and compiles
  /// functions in the background (TieringOptions::compileIn). If empty, the
  /// path in $TANDEM_COMPILE_HELPER is used. If that variable is not set
  /// either, `tandem-compile-helper` is used, from the directory of this
  /// library or from the `bin` directory of the installation. The value "off"
  /// disables helper processes.
  std::string compileHelper;
  /// The time limit of a compilation in a helper process, in seconds. If a
  /// helper process exceeds this limit, the calling process compiles instead.
  double compileHelperSeconds = 300;
  /// If true, the ops of a kernel that cannot be compiled are executed as op
  /// steps, and a Warning is reported. If false, the compilation fails with the
  /// kernel's Error.
  bool fallback = true;
  /// The directory for reproducers. The compiler writes one reproducer for each
  /// kernel that cannot be compiled. If empty, the directory named by
  /// $TANDEM_REPRODUCER_DIR is used. If that variable is not set either, the
  /// directory is `tandem-reproducers-UID` in the system's temporary directory,
  /// where UID is the user's ID. Only this user can access that directory.
  std::string reproducerDir;
  /// Selects kernels whose compilation is forced to fail, for testing and
  /// bisecting. The text is either the index of one kernel in program order,
  /// e.g. "0", or a regular expression that matches the whole name of each
  /// selected kernel, e.g. "kernel_.*". If empty, no kernel is forced to fail.
  std::string failKernels;
  /// True to keep the ops of each kernel (Compiled::kernelOps).
  bool keepsOps = false;
  /// True to keep ops of the forward pass, of the backward pass and of the
  /// update in different kernels, so that a profile shows the time of each
  /// phase of a training step (docs/Training.md). Fewer fusions are possible
  /// then, so the step may be slower.
  bool keepsPhasesApart = false;
  /// A callback that receives the progress of the compilation. Several
  /// compiling threads may call it at the same time. May be empty.
  std::function<void(const CompileProgress &)> progress;
};

/// The estimated times, in nanoseconds per call, of a convolution or matrix
/// product that both a generated kernel and the library can compute.
struct ContractionEstimate {
  /// The location of the op, `file:line:col`.
  std::string location;
  /// The estimated time of the op in a generated kernel and in the library
  /// (oneDNN), both in nanoseconds per call.
  double generatedNs = 0, libraryNs = 0;
  /// True if Contractions::predict chooses the library.
  bool isLibrary = false;
};

struct SerializedGraph;

/// Options for importing an ONNX model.
struct ImportOptions {
  /// The maximum number of elements of an input that determines shapes.
  static constexpr int64_t kMaxValues = 1024;

  /// Sizes of free (named, dynamic) dims, by dim name. Free dims without an
  /// entry remain free.
  std::map<std::string, int64_t> dims;
  /// Shapes of inputs, by input name. A shape also sets the sizes of the
  /// input's free dims. An input with a default value, i.e. with an initializer
  /// of the same name, becomes an input of the graph only if `shapes` or
  /// `values` has an entry for the input.
  std::map<std::string, Shape> shapes;
  /// Values of inputs with at most kMaxValues elements, by input name. If an
  /// input determines shapes, the import replaces the input by a constant with
  /// the given value, and the graph does not have this input. Values given for
  /// other inputs are ignored.
  std::map<std::string, std::vector<double>> values;
  /// The type in which values between two contractions are computed and kept if
  /// the model specifies f16 for them: f16 or f32 (docs/Rationale.md, "16-bit
  /// floats"). With f16, each op rounds its result to f16. With f32, these
  /// results are computed and kept in f32. This option applies to MLIR files
  /// too.
  DType f16Intermediates = DType::f16;
  /// If true, the import continues after a node that cannot be imported. The
  /// graph then contains the nodes that could be imported (Graph::nodes), and
  /// may lack outputs of the model. If false, the import fails.
  bool keepsGoing = false;
  /// If true, the outputs of the imported graph are the model's outputs and the
  /// results of all other nodes in the model's main graph, except for results
  /// that are constants.
  bool allResults = false;
};

/// A node of an imported model, and the result of importing the node.
struct ModelNode {
  /// The node's location, as in Step::location and Step::sources of programs.
  std::string location;
  /// The op type of the node, qualified by its domain unless that is the
  /// default domain, e.g. "Conv" or "com.microsoft.FusedMatMul".
  std::string op;
  /// The number of Tandem ops that the node was converted to. The number is 0
  /// if the node's results are existing values, or constants that the import
  /// has computed. The number is also 0 for a node that is followed by inner
  /// nodes (Graph::nodes), because each inner node has its own number.
  size_t ops = 0;
  /// The reason why the node cannot be imported. Empty if the node was imported
  /// or skipped.
  std::string refusal;
  /// True if the import skipped the node, because the node reads a result of
  /// another node that cannot be imported.
  bool isBehindRefusal = false;
};

/// A graph in memory: MLIR text, MLIR bytecode or an ONNX model. The first
/// bytes determine which of the three it is.
struct GraphSource {
  std::string_view bytes;
  /// Keeps `bytes` alive and unchanged. The weights of an ONNX model then stay
  /// in this memory, and the graph and all programs made from it hold `owner`.
  /// If null, the bytes are copied.
  std::shared_ptr<const void> owner = nullptr;
  /// The name of the graph in errors and locations.
  std::string name = "<memory>";
};

/// Options for differentiating a graph (docs/Gradients.md): the loss, and the
/// inputs with respect to which the loss is differentiated.
struct GradientOptions {
  /// The numbers of the inputs to differentiate with respect to. They must have
  /// a float type. If the list is empty, the gradients of all float inputs are
  /// computed.
  std::vector<int64_t> wrt = {};
  /// The number of the output that is the loss.
  int64_t loss = 0;
  /// Whether the new graph has one more input, the seed, with the type of the
  /// loss. The gradients are then those of sum(loss * seed), where `*`
  /// multiplies element by element. Without a seed, the loss must have one
  /// element.
  bool hasSeed = false;
};

/// Output number `output` of a graph updates input number `input`: a call
/// writes the output to the memory of the input, such as new weights over the
/// old ones (docs/Updates.md).
struct InputUpdate {
  int64_t input = 0, output = 0;
};

/// A graph: one function of a parsed MLIR file, an imported ONNX model, or the
/// result of a GraphBuilder (tandem/GraphBuilder.h). Dims of the graph may be
/// dynamic. Immutable and thread-safe.
class Graph {
public:
  /// Parses the function `function` of an MLIR file, or imports an ONNX model.
  /// The content of the file determines whether it is read as MLIR or as a
  /// model. For a model, `function` must be "main". Errors contain the
  /// diagnostics of the parser, the importer or the verifier, with locations.
  /// In a model, a location is the name of a node. The weights of a model are
  /// read from the file when they are needed. The file must therefore not
  /// change while the graph, or a program made from the graph, is in use. For
  /// an MLIR file, `options.dims` and `options.values` must be empty.
  static Expected<std::unique_ptr<Graph>>
  parseFile(const std::string &path, const std::string &function = "main",
            const ImportOptions &options = {});
  /// Like parseFile, but for a graph in memory. An ONNX model must contain its
  /// weights: files of external data are not found.
  static Expected<std::unique_ptr<Graph>>
  parse(GraphSource source, const std::string &function = "main",
        const ImportOptions &options = {});
  /// Parses the function `function` of an MLIR text. The text is copied.
  static Expected<std::unique_ptr<Graph>>
  parseString(std::string_view source, const std::string &function = "main");
  ~Graph();

  /// Returns the names of the inputs, one each, or none if the graph has no
  /// names: an imported model has names, and a built graph may have them; an
  /// MLIR graph has none. Valid as long as the graph.
  const std::vector<std::string> &inputNames() const;
  /// Returns the names of the outputs, like inputNames. Valid as long as the
  /// graph.
  const std::vector<std::string> &outputNames() const;
  /// Returns the nodes of an imported model, in the model's order. A node that
  /// calls a function, or has imported subgraphs, is followed by its inner
  /// nodes, i.e. the nodes of that function or of those subgraphs. For a graph
  /// that is not an imported model, the list is empty. The returned reference
  /// is valid as long as the graph exists.
  const std::vector<ModelNode> &nodes() const;

  /// Returns the graph as a program in which every op is a step. The eager tier
  /// and the reference tier run this program.
  std::shared_ptr<const Program> eagerProgram() const;

  /// Creates a compiler of this graph. The compiler may outlive the Graph.
  Expected<std::unique_ptr<Compiler>>
  createCompiler(CompileOptions options = {}) const;

  /// Creates a function that runs this graph. `tiering` controls how the
  /// function chooses the tier of a call. The caller of the function can also
  /// specify the tier of each call. The function may outlive the Graph.
  Expected<std::unique_ptr<Function>>
  createFunction(CompileOptions options = {},
                 TieringOptions tiering = {}) const;

  /// Returns a graph that also computes gradients. The new graph accepts only
  /// inputs of the given types, which must be static. Its outputs are the
  /// outputs of this graph, followed by the gradients of the loss with respect
  /// to the inputs `options.wrt`, in the order of `wrt`. Each gradient has the
  /// type of its input. If this graph has names of inputs and outputs, the seed
  /// is named "seed", and the gradient of input x is named "gradient of x".
  /// Fails with phase "differentiate" if the types do not fit, or if an op
  /// between these inputs and the loss has no gradient.
  Expected<std::unique_ptr<Graph>>
  withGradient(std::span<const TensorType> inputs,
               const GradientOptions &options = {}) const;

  /// Returns a copy of this graph with other updates. When a function of the
  /// new graph is called, it writes each output in `updates` to the memory of
  /// the input that the output updates (Function::call). The graph computes
  /// with the old value of the input. The output and the input must have the
  /// same type. The updates of this graph are not copied. Fails with phase
  /// "build" if an update names an input or output that does not exist, if two
  /// updates name the same input or output, or if the types differ.
  Expected<std::unique_ptr<Graph>>
  withUpdates(std::span<const InputUpdate> updates) const;

  /// Returns the estimated times that Contractions::predict compares if the
  /// inputs have these types. The estimates are in the order of the ops in the
  /// simplified graph, and always for the default device. Only
  /// `options.targetOptions` is used; the other options are ignored. No code is
  /// generated.
  Expected<std::vector<ContractionEstimate>>
  estimateContractions(std::span<const TensorType> inputs,
                       const CompileOptions &options = {}) const;

  /// Returns the IR of the graph after a phase of its compilation for inputs of
  /// these types. Phases are "specialize", "simplify", "layout", "fuse",
  /// "kernels" and "linalg", and "llvm" on the CPU or "emitc" on GPUs. Elements
  /// of large constants are left out. Fails with phase "compile" for an unknown
  /// phase; the hint lists all phases.
  Expected<std::string> printIR(std::string_view phase,
                                std::span<const TensorType> inputs,
                                const CompileOptions &options = {}) const;

  /// Returns the decisions of fusion for inputs of these types, with their
  /// reasons, as a JSON object (docs/Fusion.md). Generates no code.
  Expected<std::string> explainFusion(std::span<const TensorType> inputs,
                                      const CompileOptions &options = {}) const;

  /// Returns how each node of the graph is executed in a tier for inputs of
  /// these types, and why no code is generated for a node. For the compiled
  /// tier, the graph is compiled without the disk cache, because a cached
  /// program may contain the locations of an equal graph in another file. Fails
  /// for the captured tier, which executes the same steps as the compiled tier.
  Expected<Coverage> coverage(std::span<const TensorType> inputs,
                              const CompileOptions &options = {},
                              Tier tier = Tier::compiled) const;

private:
  friend class GraphBuilder;
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  static Expected<std::unique_ptr<Graph>>
  make(Expected<std::shared_ptr<const SerializedGraph>> source);
  std::unique_ptr<Impl> impl;
};

/// Loads the function `function` of an MLIR file or an ONNX model as a function
/// that can be called with tensors. Equivalent to Graph::parseFile followed by
/// Graph::createFunction.
Expected<std::unique_ptr<Function>>
loadFunction(const std::string &path, const std::string &function = "main",
             CompileOptions options = {}, TieringOptions tiering = {});

/// Sets whether this process may measure the speed of the host's processor and
/// memory on a background thread (docs/Device.md). The default is true. The
/// host is measured at most once: the measurement starts one second after the
/// first compiler was created, and stops when no compiler exists. A program
/// that times its own code should pass false, because a measurement in the
/// background disturbs such times. The setting applies to compilers that are
/// created after this call. Thread-safe.
void allowBackgroundCalibration(bool isAllowed);

/// Statistics of the process's in-memory cache of compiled kernels, counted
/// since the process started.
struct KernelCacheStats {
  /// The number of lookups that found the kernel (`hits`), that did not find
  /// the kernel (`misses`), and that waited until another thread had compiled
  /// the kernel (`awaited`).
  uint64_t hits = 0, misses = 0, awaited = 0;
  /// The number of kernels that were removed from the cache to make room for
  /// others.
  uint64_t evictions = 0;
  /// The number of kernels that are in the cache now, and the total size of
  /// their object code in bytes.
  size_t entries = 0, bytes = 0;
  /// The largest stack frame of all kernels that have ever been in the cache,
  /// in bytes.
  int64_t largestFrame = 0;
};

/// Returns the current statistics of the in-memory kernel cache. Thread-safe.
KernelCacheStats kernelCacheStats();

} // namespace tandem

#endif // TANDEM_TANDEM_H
