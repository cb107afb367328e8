//===- StockMath.cpp - The same loop with MLIR's own functions ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/StockMath.h"

#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tandem::bench {

/// The one kernel of a module that the pipeline has left in phase `kernels`.
static Expected<fb::KernelT> compileOnlyKernel(ModuleOp module) {
  SmallVector<ModuleOp> kernels(module.getOps<ModuleOp>());
  if (kernels.size() != 1)
    return fail("bars", "the graph has " + std::to_string(kernels.size()) +
                            " kernels, not one");
  CPUTargetOptions options;
  options.stockMath = true;
  PhaseTimes times;
  return compileKernelForCPU(kernels.front(), options, times);
}

Expected<Compiled> compileWithStockMath(const std::string &file,
                                        const std::vector<std::string> &shapes,
                                        const Program &ours) {
  DialectRegistry registry;
  defaultTarget().registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(file, ParserConfig(&context));
  PipelineOptions options;
  options.shapes = shapes;
  PassManager passes(&context);
  buildPipeline(passes, Phase::Kernels, options);
  if (!module || failed(passes.run(*module)))
    return fail("bars", file + " cannot be compiled");
  TANDEM_ASSIGN_OR_RETURN(fb::KernelT kernel, compileOnlyKernel(*module));
  if (ours.kernels.size() != 1)
    return fail("bars", "the compiled program is not one kernel");
  Program program = ours;
  program.kernels.front() = std::make_unique<fb::KernelT>(std::move(kernel));
  Compiled compiled;
  TANDEM_ASSIGN_OR_RETURN(compiled.kernels, loadCPUKernels(program));
  compiled.program = std::make_shared<const Program>(std::move(program));
  return compiled;
}

} // namespace tandem::bench
