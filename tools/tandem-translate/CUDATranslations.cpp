//===- CUDATranslations.cpp - Graphs to CUDA C++ and PTX ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDATranslations.h"

#include "tandem/Analysis/GPUSpec.h"
#include "tandem/InitAll.h"
#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Support/NestingDepth.h"
#include "tandem/Target/CUDA/CUDATarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("CUDA (Tandem)");

cl::opt<std::string>
    gpu("gpu", cl::cat(category), cl::init("sm_90"),
        cl::desc("The GPU to compile for: an architecture (sm_80, sm_90, "
                 "sm_100), a device of "
                 "utils/gpu-specs (h200), or a file like those there"),
        cl::value_desc("name"));
cl::list<std::string> shapes(
    "shapes", cl::cat(category), cl::CommaSeparated,
    cl::desc("Dims of each argument, in order; required where a type has '?'"),
    cl::value_desc("1000x100x1,..."));
cl::opt<std::string> function("function", cl::cat(category), cl::init("main"),
                              cl::desc("The function to compile"),
                              cl::value_desc("name"));
cl::opt<int64_t> fusionFuel("fusion-fuel", cl::cat(category), cl::init(-1),
                            cl::desc("The most fusion decisions to take"),
                            cl::value_desc("n"));

LogicalResult report(Operation *op, const tandem::Error &error) {
  InFlightDiagnostic diagnostic = emitError(op->getLoc()) << error.message;
  if (!error.hint.empty())
    diagnostic.attachNote() << error.hint;
  return diagnostic;
}

/// Runs the phases that end with a kernel module for each fusion.
LogicalResult makeKernels(ModuleOp module) {
  if (!module.lookupSymbol<func::FuncOp>(function))
    return emitError(module.getLoc())
           << "there is no function @" << function << " (see --function)";
  tandem::PipelineOptions options;
  options.shapes.assign(shapes.begin(), shapes.end());
  options.function = function;
  options.target = &tandem::cudaTarget();
  options.fusionFuel = fusionFuel;
  options.deviceSpec = gpu;
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  tandem::buildPipeline(passes, tandem::Phase::Kernels, options);
  return passes.run(module);
}

FailureOr<std::string> translateToCUDA(ModuleOp module) {
  if (auto spec = tandem::findGPUSpec(gpu.getValue()); !spec)
    return report(module, spec.error());
  if (failed(makeKernels(module)))
    return failure();
  tandem::Expected<std::string> source = tandem::emitCUDASource(module, gpu);
  if (!source)
    return report(module, source.error());
  return std::move(*source);
}

LogicalResult printCUDA(ModuleOp module, raw_ostream &os) {
  FailureOr<std::string> source = translateToCUDA(module);
  if (failed(source))
    return failure();
  os << *source;
  return success();
}

LogicalResult printPTX(ModuleOp module, raw_ostream &os) {
  FailureOr<std::string> source = translateToCUDA(module);
  if (failed(source))
    return failure();
  tandem::Expected<std::string> ptx = tandem::compileToPTX(
      *source, function, tandem::findGPUSpec(gpu.getValue())->arch);
  if (!ptx)
    return report(module, ptx.error());
  os << *ptx;
  return success();
}

/// Reads a graph and prints it by `print`.
TranslateFunction readThen(LogicalResult (*print)(ModuleOp, raw_ostream &)) {
  return [print](const std::shared_ptr<llvm::SourceMgr> &sources,
                 raw_ostream &os, MLIRContext *context) -> LogicalResult {
    const llvm::MemoryBuffer *input =
        sources->getMemoryBuffer(sources->getMainFileID());
    if (auto isRight = tandem::checkNesting(input->getBuffer(),
                                            input->getBufferIdentifier().str());
        !isRight) {
      llvm::errs() << isRight.error().str() << "\n";
      return failure();
    }
    DialectRegistry registry;
    tandem::registerAllDialects(registry);
    context->appendDialectRegistry(registry);
    auto module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
    return module ? print(*module, os) : failure();
  };
}

} // namespace

void tandem::registerCUDATranslations() {
  static TranslateRegistration toCUDA("tandem-to-cuda",
                                      "compile a graph's fusions to CUDA C++",
                                      readThen(printCUDA));
  static TranslateRegistration toPTX(
      "tandem-to-ptx", "compile a graph's fusions to PTX, through NVRTC",
      readThen(printPTX));
}
