//===- CompilerSession.cpp - One thread's share of a compiler -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/CompilerSession.h"

#include "Calibration/AutotuneContractions.h"
#include "Kernels/KernelDriver.h"
#include "Session/Diagnostics.h"
#include "Session/Fallback.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/Transforms/Specialize.h"
#include "tandem/Pipelines/DebugOutput.h"
#include "tandem/Pipelines/Pipelines.h"
#include "tandem/ProgramTransforms/MemoryPlan.h"
#include "tandem/ProgramTransforms/Recompute.h"
#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tandem {
namespace {

/// Operations of a kernel's ops, and the bytes of its operands and results.
OpCost costOf(func::FuncOp kernel) {
  OpCost cost;
  for (auto op : kernel.getOps<ir::TandemOpInterface>())
    if (FailureOr<OpCost> one = op.getCost(); succeeded(one))
      cost.flops += one->flops;
  auto count = [&](TypeRange types) {
    for (Type type : types)
      cost.bytes += ir::toTandemType(cast<RankedTensorType>(type)).bytes();
  };
  count(kernel.getArgumentTypes());
  count(kernel.getResultTypes());
  return cost;
}

} // namespace

CompilerSession::CompilerSession(
    std::shared_ptr<const SerializedGraph> graph, const CompilerConfig &config,
    const DialectRegistry &registry,
    std::unique_ptr<const DeviceLibraryModel> libraries)
    : source(std::move(graph)), config(config), target(*config.target),
      libraries(std::move(libraries)),
      context(registry, MLIRContext::Threading::DISABLED) {}

/// The libraries of the target's device; null where it has none.
static Expected<std::unique_ptr<const DeviceLibraryModel>>
findLibraries(const Target &target, const CompileOptions &options) {
  const LibraryModel *model = target.libraryModel();
  if (!model)
    return nullptr;
  TANDEM_ASSIGN_OR_RETURN(Device * device, target.device());
  return std::make_unique<const DeviceLibraryModel>(
      *model, device->providers(libraryOptions(options)));
}

Expected<std::unique_ptr<CompilerSession>>
CompilerSession::create(std::shared_ptr<const SerializedGraph> graph,
                        const CompilerConfig &config) {
  enableDebugOutput();
  const Target &target = *config.target;
  DialectRegistry registry = graphDialects();
  target.registerDialects(registry);
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<const DeviceLibraryModel> libraries,
                          findLibraries(target, config.options));
  if (libraries)
    LibraryModels::add(registry, *libraries);
  std::unique_ptr<CompilerSession> session(new CompilerSession(
      std::move(graph), config, registry, std::move(libraries)));
  MLIRContext &context = session->context;
  context.loadAllAvailableDialects();
  ir::share(&context, sharedConstants(*session->source));

  DiagnosticCollector diagnostics(&context);
  session->graph = readModule(*session->source, &context);
  if (!session->graph)
    return tl::unexpected(
        diagnostics.takeError("compile", "the graph cannot be read again"));
  session->buildPhases();
  return session;
}

PipelineOptions CompilerSession::pipelineOptions() const {
  const CompileOptions &options = config.options;
  PipelineOptions pipeline;
  pipeline.target = &target;
  pipeline.deviceSpec = config.deviceSpec;
  pipeline.fusionFuel = options.fusionFuel;
  pipeline.keepsPhasesApart = options.keepsPhasesApart;
  pipeline.fusionReport = options.fusionReport;
  pipeline.targetOptions = options.targetOptions;
  // Autotuning has marked the ops with their backends.
  pipeline.areBackendsChosen =
      target.autotunesContractions(options.targetOptions);
  if (libraries)
    pipeline.libraries = libraries->name().str();
  return pipeline;
}

void CompilerSession::buildPhases() {
  const PipelineOptions pipeline = pipelineOptions();
  for (Phase phase :
       {Phase::Simplify, Phase::Layout, Phase::Fuse, Phase::Kernels}) {
    auto passes = std::make_unique<PassManager>(&context);
    // Once at the end of a phase is enough.
    passes->enableVerifier(false);
    buildPhase(*passes, phase, pipeline);
    phases.push_back({phase, std::move(passes)});
  }
}

LogicalResult CompilerSession::specializeTo(ModuleOp module,
                                            std::span<const TensorType> inputs,
                                            PhaseTimes &times) {
  PhaseTimer timer(times, "specialize");
  SmallVector<RankedTensorType> types;
  for (const TensorType &type : inputs)
    types.push_back(ir::toMlirType(&context, type));
  return specialize(module.lookupSymbol<func::FuncOp>(source->function), types);
}

LogicalResult CompilerSession::runPhases(ModuleOp module,
                                         ArrayRef<PhasePasses> phases,
                                         PhaseTimes &times) {
  for (const PhasePasses &phase : phases) {
    if (phase.phase == Phase::Fuse && target.isHost() &&
        target.autotunesContractions(config.options.targetOptions)) {
      PhaseTimer timer(times, "autotune");
      autotuneContractions(module.lookupSymbol<func::FuncOp>(source->function),
                           config.options);
    }
    // A literal, which outlives the timer.
    const std::string_view phaseName = name(phase.phase, target);
    if (config.options.progress)
      config.options.progress({phaseName});
    PhaseTimer timer(times, phaseName);
    if (failed(phase.passes->run(module)) || failed(verify(module)))
      return failure();
  }
  return success();
}

/// The locations of all ops of all launches of a kernel.
static std::vector<std::string> sourcesOf(ModuleOp kernel, ModuleOp program) {
  SmallVector<Location> locations;
  for (auto function : program.getOps<func::FuncOp>())
    function.walk([&](ir::LaunchOp launch) {
      if (launch.getKernel() == kernel.getSymName())
        locations.push_back(launch.getLoc());
    });
  return renderLocations(FusedLoc::get(program.getContext(), locations));
}

/// "kernel_0 runs op by op: …", with a reproducer where one can be written.
static Warning describeFailure(ModuleOp kernel, ModuleOp program,
                               const Error &cause, const Target &target,
                               const CompileOptions &options) {
  Warning warning;
  warning.location = renderLocation(kernel.getLoc());
  warning.sources = sourcesOf(kernel, program);
  warning.message =
      kernel.getSymName()->str() +
      " runs op by op, because it could not be compiled: " + cause.phase +
      ": " + cause.message;
  if (!cause.hint.empty())
    warning.message += " (" + cause.hint + ")";
  if (auto file = writeReproducer(kernel, cause, target, options.reproducerDir))
    warning.reproducer = *file;
  else
    warning.message += "; no reproducer: " + file.error().message;
  return warning;
}

Status CompilerSession::fallBack(ModuleOp module, ArrayRef<ModuleOp> kernels,
                                 ArrayRef<KernelOutcome> outcomes,
                                 Compiled &compiled) {
  SmallVector<ModuleOp> failed;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (outcomes[i].compiled)
      continue;
    failed.push_back(kernels[i]);
    const Error &cause = outcomes[i].compiled.error();
    if (!config.options.fallback)
      return tl::unexpected(Error{
          failed.back().getSymName()->str() + ": " + cause.message, cause.phase,
          renderLocation(failed.back().getLoc()), cause.hint});
    compiled.warnings.push_back(
        describeFailure(failed.back(), module, cause, target, config.options));
  }
  compiled.kernelCounts.fellBack = failed.size();
  if (!failed.empty())
    inlineKernels(module, failed);
  return {};
}

/// The kernel as it is listed in a program that calls it `kernel`.
static std::unique_ptr<fb::KernelT> nameKernel(const CompiledKernel &compiled,
                                               ModuleOp kernel) {
  auto result = std::make_unique<fb::KernelT>(compiled.kernel);
  result->symbol = symbolOf(*result);
  result->name = kernel.getSymName()->str();
  OpCost cost = costOf(kernel.lookupSymbol<func::FuncOp>(result->name));
  result->flops = cost.flops;
  result->bytes = cost.bytes;
  return result;
}

static KernelReport reportOn(const KernelOutcome &outcome, ModuleOp kernel) {
  const CompiledKernel &compiled = **outcome.compiled;
  return {kernel.getSymName()->str(),
          renderLocation(kernel.getLoc()),
          outcome.isCached,
          outcome.isCached ? 0 : outcome.times.sum(),
          std::ssize(compiled.kernel.code),
          compiled.listing};
}

Expected<Compiled> CompilerSession::generate(ModuleOp module, PhaseTimes &times,
                                             double &overlapNs) {
  Compiled compiled;
  SmallVector<ModuleOp> kernels(module.getOps<ModuleOp>());
  Stopwatch watch;
  std::vector<KernelOutcome> outcomes = compileKernels(config, kernels);
  overlapNs = -watch.ns();
  for (const KernelOutcome &outcome : outcomes) {
    times.add(outcome.times.phases());
    overlapNs += outcome.times.sum() + outcome.otherNs;
  }
  PhaseTimer timer(times, "emit");
  TANDEM_RETURN_IF_ERROR(fallBack(module, kernels, outcomes, compiled));
  KernelIndices indices;
  std::vector<std::unique_ptr<fb::KernelT>> listed;
  for (auto [kernel, outcome] : llvm::zip_equal(kernels, outcomes)) {
    if (!outcome.compiled)
      continue;
    KernelCounts &counts = compiled.kernelCounts;
    ++(outcome.isStored   ? counts.stored
       : outcome.isCached ? counts.cached
                          : counts.compiled);
    indices[*kernel.getSymName()] = listed.size();
    compiled.kernels.push_back((*outcome.compiled)->loaded);
    compiled.kernelReports.push_back(reportOn(outcome, kernel));
    listed.push_back(nameKernel(**outcome.compiled, kernel));
    if (config.options.keepsOps) {
      TANDEM_ASSIGN_OR_RETURN(Program ops, emitOps(kernel));
      compiled.kernelOps.push_back(
          std::make_shared<const Program>(std::move(ops)));
    }
  }
  FailureOr<Program> program =
      emitProgram(module.lookupSymbol<func::FuncOp>(source->function), indices);
  if (failed(program))
    return fail("emit", "no program can be emitted");
  program->kernels = std::move(listed);
  TANDEM_RETURN_IF_ERROR(planMemory(*program));
  TANDEM_ASSIGN_OR_RETURN(compiled.recomputation,
                          recomputeForMemory(*program, config.model));
  TANDEM_RETURN_IF_ERROR(verify(*program));
  compiled.program = std::make_shared<const Program>(std::move(*program));
  return compiled;
}

Expected<Compiled>
CompilerSession::compile(std::span<const TensorType> inputs) {
  ++compilations;
  TANDEM_RETURN_IF_ERROR(checkInputs(*source->eager, inputs));
  Stopwatch watch;
  DiagnosticCollector diagnostics(&context);
  PhaseTimes times;
  double overlapNs = 0;
  const int64_t rearranged = ir::countRelayoutedBytes(&context);
  OwningOpRef<ModuleOp> module = graph->clone();
  if (failed(specializeTo(*module, inputs, times)))
    return tl::unexpected(
        diagnostics.takeError("specialize", "the shapes do not fit"));
  if (failed(runPhases(*module, phases, times)))
    return tl::unexpected(
        diagnostics.takeError("compile", "a pass has failed"));

  Expected<Compiled> compiled = generate(*module, times, overlapNs);
  if (!compiled) {
    // The diagnostic, where there is one, says where and why.
    if (diagnostics.hasError())
      compiled.error() = diagnostics.takeError(compiled.error().phase, {});
    return compiled;
  }
  compiled->relayoutedBytes = ir::countRelayoutedBytes(&context) - rearranged;
  compiled->wallNs = watch.ns();
  times.add("other", std::max(0.0, compiled->wallNs + overlapNs - times.sum()));
  compiled->phases = times.take();
  return compiled;
}

Expected<std::vector<ContractionEstimate>>
CompilerSession::estimateContractions(std::span<const TensorType> inputs) {
  TANDEM_RETURN_IF_ERROR(checkInputs(*source->eager, inputs));
  TANDEM_ASSIGN_OR_RETURN(const CPUOptions options,
                          parseCPUOptions(config.options.targetOptions));
  DiagnosticCollector diagnostics(&context);
  PhaseTimes times;
  OwningOpRef<ModuleOp> module = graph->clone();
  auto isBeforeFusion = [&](const PhasePasses &phase) {
    return phase.phase != Phase::Fuse;
  };
  if (failed(specializeTo(*module, inputs, times)) ||
      failed(runPhases(*module, ArrayRef(phases).take_while(isBeforeFusion),
                       times)))
    return tl::unexpected(
        diagnostics.takeError("specialize", "the shapes do not fit"));
  std::vector<ContractionEstimate> estimates;
  module->walk([&](Operation *op) {
    if (!isa<ir::ContractionOpInterface>(op))
      return;
    auto costs = compareWithLibrary(op, config.model, options);
    if (!costs)
      return;
    BackendCosts whole = *costs;
    whole.libraryNs += getLeftoverNs(op, config.model);
    estimates.push_back({renderLocation(op->getLoc()), costs->generatedNs,
                         costs->libraryNs, prefersLibrary(whole)});
  });
  return estimates;
}

static std::string print(ModuleOp module) {
  constexpr int64_t kMaxElements = 16, kMaxCharacters = 64;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags()
                           .elideLargeElementsAttrs(kMaxElements)
                           .elideLargeResourceString(kMaxCharacters));
  return text;
}

Expected<std::string>
CompilerSession::printIR(std::string_view phaseName,
                         std::span<const TensorType> inputs) {
  std::string valid;
  FailureOr<Phase> last = parsePhase(phaseName, target, valid);
  if (failed(last))
    return fail("compile", "there is no phase '" + std::string(phaseName) + "'",
                "there are " + valid);
  TANDEM_RETURN_IF_ERROR(checkInputs(*source->eager, inputs));
  DiagnosticCollector diagnostics(&context);
  PhaseTimes times;
  OwningOpRef<ModuleOp> module = graph->clone();
  auto isWanted = [&](const PhasePasses &phase) {
    return phase.phase <= *last;
  };
  if (failed(specializeTo(*module, inputs, times)) ||
      failed(runPhases(*module, ArrayRef(phases).take_while(isWanted), times)))
    return tl::unexpected(
        diagnostics.takeError("specialize", "the shapes do not fit"));
  for (Phase phase : {Phase::Linalg, Phase::Target}) {
    if (phase > *last)
      break;
    PassManager passes(&context);
    buildPhase(passes, phase, pipelineOptions());
    if (failed(passes.run(*module)))
      return tl::unexpected(
          diagnostics.takeError("compile", "a pass has failed"));
  }
  return print(*module);
}

} // namespace tandem
