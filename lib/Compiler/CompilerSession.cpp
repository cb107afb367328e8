//===- CompilerSession.cpp - One thread's share of a compiler -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerSession.h"

#include "Diagnostics.h"

#include "tandem/Analysis/MemoryPlan.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/Transforms/Specialise.h"
#include "tandem/Pipelines/Pipelines.h"
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

CompilerSession::CompilerSession(std::shared_ptr<const GraphSource> graph,
                                 const Device &device,
                                 const DialectRegistry &registry)
    : source(std::move(graph)), device(device),
      context(registry, MLIRContext::Threading::DISABLED) {}

Expected<std::unique_ptr<CompilerSession>>
CompilerSession::create(std::shared_ptr<const GraphSource> graph,
                        const Device &device, const CompileOptions &options) {
  DialectRegistry registry;
  registry.insert<ir::TandemDialect, func::FuncDialect, arith::ArithDialect,
                  math::MathDialect>();
  device.registerDialects(registry);
  std::unique_ptr<CompilerSession> session(
      new CompilerSession(std::move(graph), device, registry));
  MLIRContext &context = session->context;
  context.loadAllAvailableDialects();

  DiagnosticCollector diagnostics(&context);
  session->graph = parseSourceString<ModuleOp>(session->source->bytecode,
                                               ParserConfig(&context));
  if (!session->graph)
    return tl::unexpected(
        diagnostics.takeError("compile", "the graph cannot be read again"));
  PipelineOptions pipeline;
  pipeline.device = device.name;
  pipeline.fusionFuel = options.fusionFuel;
  for (Phase phase : {Phase::Simplify, Phase::Fuse, Phase::Kernels}) {
    auto passes = std::make_unique<PassManager>(&context);
    // Once at the end of a phase is enough.
    passes->enableVerifier(false);
    buildPhase(*passes, phase, pipeline);
    session->phases.push_back(
        {name(phase, pipeline.device).str(), std::move(passes)});
  }
  return session;
}

LogicalResult CompilerSession::specialiseTo(ModuleOp module,
                                            std::span<const TensorType> inputs,
                                            PhaseTimes &times) {
  PhaseTimer timer(times, "specialise");
  SmallVector<RankedTensorType> types;
  for (const TensorType &type : inputs)
    types.push_back(ir::toMlirType(&context, type));
  return specialise(module.lookupSymbol<func::FuncOp>(source->function), types);
}

LogicalResult CompilerSession::runPhases(ModuleOp module, PhaseTimes &times) {
  for (PhasePasses &phase : phases) {
    PhaseTimer timer(times, phase.name);
    if (failed(phase.passes->run(module)) || failed(verify(module)))
      return failure();
  }
  return success();
}

Expected<Program> CompilerSession::compileKernels(ModuleOp module,
                                                  PhaseTimes &times) {
  KernelIndices indices;
  std::vector<std::unique_ptr<fb::KernelT>> kernels;
  for (auto kernel : module.getOps<ModuleOp>()) {
    std::string name = kernel.getSymName()->str();
    OpCost cost = costOf(kernel.lookupSymbol<func::FuncOp>(name));
    TANDEM_ASSIGN_OR_RETURN(fb::KernelT compiled,
                            device.compile(kernel, times));
    compiled.flops = cost.flops;
    compiled.bytes = cost.bytes;
    indices[name] = kernels.size();
    kernels.push_back(std::make_unique<fb::KernelT>(std::move(compiled)));
  }
  PhaseTimer timer(times, "emit");
  FailureOr<Program> program =
      emitProgram(module.lookupSymbol<func::FuncOp>(source->function), indices);
  if (failed(program))
    return fail("emit", "no program can be emitted");
  program->kernels = std::move(kernels);
  TANDEM_RETURN_IF_ERROR(planMemory(*program));
  TANDEM_RETURN_IF_ERROR(verify(*program));
  return std::move(*program);
}

Expected<Compiled>
CompilerSession::compile(std::span<const TensorType> inputs) {
  TANDEM_RETURN_IF_ERROR(checkInputs(*source->eager, inputs));
  DiagnosticCollector diagnostics(&context);
  PhaseTimes times;
  OwningOpRef<ModuleOp> module = graph->clone();
  if (failed(specialiseTo(*module, inputs, times)))
    return tl::unexpected(
        diagnostics.takeError("specialise", "the shapes do not fit"));
  if (failed(runPhases(*module, times)))
    return tl::unexpected(
        diagnostics.takeError("compile", "a pass has failed"));

  Expected<Program> program = compileKernels(*module, times);
  if (!program) {
    // The diagnostic says where and why; the target's Error names the kernel.
    Error &error = program.error();
    return tl::unexpected(diagnostics.takeError(error.phase, error.message));
  }
  Compiled compiled;
  compiled.program = std::make_shared<const Program>(std::move(*program));
  {
    PhaseTimer timer(times, "load");
    TANDEM_ASSIGN_OR_RETURN(compiled.kernels, device.load(*compiled.program));
  }
  compiled.phases = times.take();
  return compiled;
}

} // namespace tandem
