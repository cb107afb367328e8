//===- CUDATranslations.cpp - Graphs to CUDA C++ and PTX ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDATranslations.h"

#include "tandem/InitAll.h"
#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Target/CUDA/CUDATarget.h"
#include "tandem/Target/CUDA/GPUSpec.h"
#include "tandem/Target/CUDA/NVRTC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

cl::OptionCategory category("Tandem: CUDA");

cl::opt<std::string>
    gpu("gpu", cl::cat(category), cl::init("sm_90"),
        cl::desc("For PTX: an architecture (sm_80, sm_90, sm_100), a device of "
                 "utils/gpu-specs (h200), or a file like those there"),
        cl::value_desc("name"));
cl::list<std::string> shapes(
    "shapes", cl::cat(category), cl::CommaSeparated,
    cl::desc("Dims of each argument, in order; needed where a type has '?'"),
    cl::value_desc("1000x100x1,..."));
cl::opt<std::string> function("function", cl::cat(category), cl::init("main"),
                              cl::desc("The function to compile"),
                              cl::value_desc("name"));
cl::opt<int64_t> fusionFuel("fusion-fuel", cl::cat(category), cl::init(-1),
                            cl::desc("At most this many fusion decisions"),
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
  options.device = "cuda";
  options.fusionFuel = fusionFuel;
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  tandem::buildPipeline(passes, tandem::Phase::Kernels, options);
  return passes.run(module);
}

FailureOr<std::string> translateToCUDA(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("only a builtin.module can be translated");
  if (failed(makeKernels(module)))
    return failure();
  tandem::Expected<std::string> source = tandem::emitCUDASource(module);
  if (!source)
    return report(op, source.error());
  return std::move(*source);
}

LogicalResult printCUDA(Operation *op, raw_ostream &os) {
  FailureOr<std::string> source = translateToCUDA(op);
  if (failed(source))
    return failure();
  os << *source;
  return success();
}

LogicalResult printPTX(Operation *op, raw_ostream &os) {
  tandem::Expected<tandem::GPUSpec> spec = tandem::findGPUSpec(gpu.getValue());
  if (!spec)
    return report(op, spec.error());
  FailureOr<std::string> source = translateToCUDA(op);
  if (failed(source))
    return failure();
  tandem::Expected<std::string> ptx =
      tandem::compileToPTX(*source, function, spec->arch);
  if (!ptx)
    return report(op, ptx.error());
  os << *ptx;
  return success();
}

} // namespace

void tandem::registerCUDATranslations() {
  auto dialects = [](DialectRegistry &registry) {
    registerAllDialects(registry);
  };
  static TranslateFromMLIRRegistration toCUDA(
      "tandem-to-cuda", "compile a graph's fusions to CUDA C++", printCUDA,
      dialects);
  static TranslateFromMLIRRegistration toPTX(
      "tandem-to-ptx", "compile a graph's fusions to PTX, through NVRTC",
      printPTX, dialects);
}
