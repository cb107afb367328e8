//===- Graph.cpp - Parsing graphs -----------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"

#include "GraphImpl.h"
#include "Session/CompilerSession.h"
#include "Session/Diagnostics.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Import/ONNX/Import.h"
#include "tandem/Support/NestingDepth.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tandem {

namespace {

/// "@f, @g": the functions of a module.
std::string listFunctions(ModuleOp module) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    names += (names.empty() ? "@" : ", @") + function.getName().str();
  return names.empty() ? "it has none" : "it has " + names;
}

/// Refuses what refers to other symbols: compiling makes kernels, and functions
/// of loops, and a graph that is to be compiled has neither.
LogicalResult verifyIsNotCompiled(func::FuncOp function) {
  const WalkResult walk = function.walk([](Operation *op) {
    if (!isa<ir::LaunchOp, ir::RunLoopOp>(op))
      return WalkResult::advance();
    op->emitOpError("is what a compiled graph has; one that is to be run has ")
        << (isa<ir::LaunchOp>(op) ? "the kernel's ops" : "tandem.loop")
        << " in its place";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Puts the bodies of functions in the place of their calls.
LogicalResult inlineCalls(ModuleOp module, func::FuncOp function) {
  auto findCall = [&] {
    func::CallOp found;
    function.walk([&](func::CallOp call) { found = call; });
    return found;
  };
  if (!findCall())
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass());
  if (failed(passes.run(module)))
    return failure();
  if (func::CallOp call = findCall())
    return call.emitOpError("cannot be replaced by the body of '")
           << call.getCallee() << "', as that is recursive or not there";
  return success();
}

/// Leaves `keep` as the only op of the module.
void eraseOthers(ModuleOp module, func::FuncOp keep) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (&op != keep.getOperation())
      op.erase();
}

/// Gives the graph the intermediates that the options ask for. All tiers and
/// cache keys see the graph that results.
Status setIntermediates(ModuleOp module, const ImportOptions &options,
                        DiagnosticCollector &diagnostics) {
  if (options.f16Intermediates == DType::f16)
    return {};
  if (options.f16Intermediates != DType::f32)
    return fail("parse", "intermediates of f16 are f16 or f32");
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createTandemWidenF16());
  if (failed(passes.run(module)))
    return tl::unexpected(diagnostics.takeError("parse", "f32 intermediates"));
  return {};
}

Expected<std::shared_ptr<const SerializedGraph>>
parse(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &name,
      const ImportOptions &options = {}) {
  std::string file = buffer->getBufferIdentifier().str();
  if (!isBytecode(buffer->getMemBufferRef()))
    TANDEM_RETURN_IF_ERROR(checkNesting(buffer->getBuffer(), file));
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);

  // Shared, so that resources of bytecode are not copied.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return tl::unexpected(diagnostics.takeError("parse", "no module in it"));
  auto function = module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    return tl::unexpected(
        Error{"no function @" + name, "parse", file, listFunctions(*module)});

  if (failed(verifyIsNotCompiled(function)))
    return tl::unexpected(diagnostics.takeError("parse", "a compiled graph"));
  if (failed(inlineCalls(*module, function)))
    return tl::unexpected(diagnostics.takeError("parse", "a call"));
  eraseOthers(*module, function);
  TANDEM_RETURN_IF_ERROR(setIntermediates(*module, options, diagnostics));
  return makeSerializedGraph(*module, name);
}

/// Options that only models have.
Status checkMLIROptions(const ImportOptions &options) {
  if (options.dims.empty() && options.values.empty())
    return {};
  return fail("parse", "only models have dims and values to be fixed",
              "the sizes of MLIR graphs are those of the call's inputs");
}

/// Lets the model compute with quantized numbers as integers.
Status useIntegers(ModuleOp module, DiagnosticCollector &diagnostics) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createTandemQuantizeBeforeMoves());
  passes.addNestedPass<func::FuncOp>(createTandemTabulateBytes());
  passes.addNestedPass<func::FuncOp>(createTandemContractIntegers());
  if (failed(passes.run(module)))
    return tl::unexpected(diagnostics.takeError("import", "quantized numbers"));
  return {};
}

Expected<std::shared_ptr<const SerializedGraph>>
importModel(const std::string &name, const std::string &function,
            const ImportOptions &options, const ModelBytes *bytes = nullptr) {
  if (function != "main")
    return tl::unexpected(Error{"no function @" + function, "import", name,
                                "a model is the function @main"});
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  DiagnosticCollector diagnostics(&context);
  FailureOr<ImportedModel> model = bytes ? importONNX(&context, *bytes, options)
                                         : importONNX(&context, name, options);
  if (failed(model))
    return tl::unexpected(
        diagnostics.takeError("import", "the model cannot be imported"));
  TANDEM_RETURN_IF_ERROR(useIntegers(*model->module, diagnostics));
  TANDEM_RETURN_IF_ERROR(
      setIntermediates(*model->module, options, diagnostics));
  return makeSerializedGraph(std::move(*model));
}

} // namespace

Graph::Graph(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Graph::~Graph() = default;

Expected<std::unique_ptr<Graph>>
Graph::make(Expected<std::shared_ptr<const SerializedGraph>> source) {
  if (!source)
    return tl::unexpected(std::move(source.error()));
  return std::unique_ptr<Graph>(
      new Graph(std::make_unique<Impl>(Impl{std::move(*source)})));
}

Expected<std::unique_ptr<Graph>>
Graph::parseFile(const std::string &path, const std::string &function,
                 const ImportOptions &options) {
  if (isONNXFile(path))
    return make(importModel(path, function, options));
  TANDEM_RETURN_IF_ERROR(checkMLIROptions(options));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return tl::unexpected(
        Error{"cannot read the file: " + buffer.getError().message(),
              "parse",
              path,
              {}});
  return make(tandem::parse(std::move(*buffer), function, options));
}

Expected<std::unique_ptr<Graph>>
Graph::parseString(std::string_view text, const std::string &function) {
  // The lexer needs a terminating NUL, hence the copy.
  return make(tandem::parse(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text), "<string>"),
      function));
}

Expected<std::unique_ptr<Graph>> Graph::parse(GraphSource source,
                                              const std::string &function,
                                              const ImportOptions &options) {
  if (isONNX(source.bytes)) {
    if (!source.owner) {
      auto copy = std::make_shared<std::string>(source.bytes);
      source.bytes = *copy;
      source.owner = std::move(copy);
    }
    const ModelBytes model{
        {{source.bytes.data(), source.bytes.size()}, source.owner},
        source.name};
    return make(importModel(source.name, function, options, &model));
  }
  TANDEM_RETURN_IF_ERROR(checkMLIROptions(options));
  // The lexer needs a terminating NUL, and bytecode an alignment.
  return make(tandem::parse(
      llvm::MemoryBuffer::getMemBufferCopy(source.bytes, source.name), function,
      options));
}

const std::vector<std::string> &Graph::inputNames() const {
  return impl->source->inputNames;
}

const std::vector<std::string> &Graph::outputNames() const {
  return impl->source->outputNames;
}

const std::vector<ModelNode> &Graph::nodes() const {
  return impl->source->nodes;
}

std::shared_ptr<const Program> Graph::eagerProgram() const {
  return impl->source->eager;
}

Expected<std::unique_ptr<Compiler>>
Graph::createCompiler(CompileOptions options) const {
  return createGraphCompiler(impl->source, std::move(options));
}

Expected<std::unique_ptr<Function>>
Graph::createFunction(CompileOptions options, TieringOptions tiering) const {
  TANDEM_ASSIGN_OR_RETURN(std::shared_ptr<Compiler> compiler,
                          createCompiler(std::move(options)));
  return std::make_unique<Function>(eagerProgram(), std::move(compiler),
                                    ExecutorOptions(), std::move(tiering));
}

Expected<std::unique_ptr<Function>> loadFunction(const std::string &path,
                                                 const std::string &function,
                                                 CompileOptions options,
                                                 TieringOptions tiering) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseFile(path, function));
  return graph->createFunction(std::move(options), std::move(tiering));
}

Expected<std::string> Graph::printIR(std::string_view phase,
                                     std::span<const TensorType> inputs,
                                     const CompileOptions &options) const {
  CompileOptions uncached = options;
  uncached.diskCache = false;
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(std::move(uncached)));
  TANDEM_ASSIGN_OR_RETURN(auto session,
                          CompilerSession::create(impl->source, config));
  return session->printIR(phase, inputs);
}

Expected<std::string>
Graph::explainFusion(std::span<const TensorType> inputs,
                     const CompileOptions &options) const {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tandem-fusion", "json", path))
    return fail("compile", "no temporary file: " + error.message());
  llvm::FileRemover remover(path);
  CompileOptions reporting = options;
  reporting.fusionReport = path.str();
  TANDEM_ASSIGN_OR_RETURN(std::string ir, printIR("fuse", inputs, reporting));
  auto report = llvm::MemoryBuffer::getFile(path);
  if (!report)
    return fail("compile", "cannot read the fusion report: " +
                               report.getError().message());
  return (*report)->getBuffer().str();
}

Expected<std::vector<ContractionEstimate>>
Graph::estimateContractions(std::span<const TensorType> inputs,
                            const CompileOptions &options) const {
  CompileOptions given = options, relevant;
  moveFormerOptions(given);
  relevant.targetOptions = std::move(given.targetOptions);
  relevant.diskCache = false;
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          CompilerConfig::create(relevant));
  TANDEM_ASSIGN_OR_RETURN(auto session,
                          CompilerSession::create(impl->source, config));
  return session->estimateContractions(inputs);
}

} // namespace tandem
