//===- tandem-opt.cpp - Run passes on Tandem IR ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/InitAll.h"
#include "tandem/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

namespace {

constexpr const char kToolName[] = "Tandem optimizer driver\n";

cl::OptionCategory category("Tandem: compile up to a phase");

cl::opt<std::string> until(
    "until", cl::cat(category),
    cl::desc("Run the phases of a compilation up to this one: specialise, "
             "simplify, layout, fuse, kernels, linalg, then llvm or emitc"),
    cl::value_desc("phase"));
cl::list<std::string>
    shapes("shapes", cl::cat(category), cl::CommaSeparated,
           cl::desc("With --until: dims of each argument, in order"),
           cl::value_desc("1000x100x1,..."));
cl::opt<std::string> function("function", cl::cat(category), cl::init("main"),
                              cl::desc("With --until: the function to compile"),
                              cl::value_desc("name"));
cl::opt<std::string> device("device", cl::cat(category), cl::init("cpu"),
                            cl::desc("With --until: cpu, cuda or cuda-host"),
                            cl::value_desc("device"));
cl::opt<int64_t>
    fusionFuel("fusion-fuel", cl::cat(category), cl::init(-1),
               cl::desc("With --until: at most this many fusion decisions"),
               cl::value_desc("n"));

/// --until and its companions as a textual pipeline.
std::string pipelineText() {
  std::string text = "tandem-compile{until=" + until + " device=" + device +
                     " function=" + function +
                     " fusion-fuel=" + std::to_string(fusionFuel);
  if (!shapes.empty())
    text += " shapes=" + llvm::join(shapes, ",");
  return text + "}";
}

/// As MlirOptMain, with the phases up to `until` for the pipeline.
mlir::LogicalResult runUntil(llvm::StringRef inputFile,
                             llvm::StringRef outputFile,
                             mlir::DialectRegistry &registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([](mlir::PassManager &pm) {
    return mlir::parsePassPipeline(pipelineText(), pm);
  });
  std::string message;
  auto input = mlir::openInputFile(inputFile, &message);
  auto output = input ? mlir::openOutputFile(outputFile, &message) : nullptr;
  if (!output) {
    llvm::errs() << "tandem-opt: error: " << message << "\n";
    return mlir::failure();
  }
  if (failed(
          mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tandem::registerAllDialects(registry);
  tandem::registerAllPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kToolName, registry);
  if (until.getNumOccurrences())
    return mlir::asMainReturnCode(runUntil(input, output, registry));
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
