//===- tandem-opt.cpp - Run passes on Tandem IR ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNames.h"
#include "common/HideOptions.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Import/ONNX/Import.h"
#include "tandem/InitAll.h"
#include "tandem/Pipelines/DebugOutput.h"
#include "tandem/Pipelines/Pipelines.h"
#include "tandem/Support/NestingDepth.h"
#include "tandem/Target/Target.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
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

cl::OptionCategory category("Compile up to a phase (Tandem)");

cl::opt<std::string> until(
    "until", cl::cat(category),
    cl::desc("Run the phases of a compilation up to this one: specialize, "
             "simplify, layout, fuse, kernels, linalg, then llvm or emitc"),
    cl::value_desc("phase"));
cl::list<std::string>
    shapes("shapes", cl::cat(category), cl::CommaSeparated,
           cl::desc("With --until: dims of each argument, in order"),
           cl::value_desc("1000x100x1,..."));
cl::opt<std::string> function("function", cl::cat(category), cl::init("main"),
                              cl::desc("With --until: the function to compile"),
                              cl::value_desc("name"));
cl::opt<std::string> device("device", cl::cat(category),
                            cl::init(tandem::defaultTarget().name().str()),
                            cl::desc("With --until: what to compile for"),
                            cl::value_desc("device"));
cl::opt<int64_t>
    fusionFuel("fusion-fuel", cl::cat(category), cl::init(-1),
               cl::desc("With --until: the most fusion decisions to take"),
               cl::value_desc("n"));
cl::opt<bool> phasesApart(
    "phases-apart", cl::cat(category),
    cl::desc("With --until: keep the phases of a training step in different "
             "kernels"));

cl::list<std::string> targetOptions(
    "target-option", cl::cat(category),
    cl::desc("With --until: an option of the device's target, as tandem-run "
             "takes it"),
    cl::value_desc("name=value"));

/// Flags that have become options of the default target.
std::vector<std::unique_ptr<cl::opt<std::string>>> formerOptions;

/// Adds the flags that --target-option has replaced.
void addFormerOptions() {
  for (const tandem::TargetOptionInfo &info : tandem::defaultTarget().options())
    if (!info.values.empty())
      formerOptions.push_back(std::make_unique<cl::opt<std::string>>(
          llvm::StringRef(info.name), cl::cat(category), cl::Hidden));
}

/// Replaces former flags by --target-option, with a warning.
void replaceFormerOptions() {
  for (const auto &option : formerOptions)
    if (option->getNumOccurrences()) {
      const std::string setting = (option->ArgStr + "=").str() + *option;
      llvm::errs() << "warning: --" << option->ArgStr
                   << " is deprecated: use --target-option " << setting << "\n";
      targetOptions.push_back(setting);
    }
}

cl::opt<bool> fuse("fuse", cl::cat(category),
                   cl::desc("The same as --until=fuse"));
cl::opt<std::string>
    deviceSpec("device-spec", cl::cat(category),
               cl::desc("With --until: the device that costs are estimated "
                        "for: generic (the default for the CPU), host, a "
                        "built-in name (sm_90), or a .json file"),
               cl::value_desc("spec"));
cl::opt<std::string> fusionReport(
    "fusion-report", cl::cat(category),
    cl::desc("With --until: write every fusion decision to this file, as JSON"),
    cl::value_desc("file"));
cl::list<std::string> whyNotFused(
    "why-not-fused", cl::cat(category), cl::CommaSeparated,
    cl::desc("Instead of the result, print whether two values of the file are "
             "computed in one kernel, and if not, why"),
    cl::value_desc("%a,%b"));

/// The phase to run up to; fusion where only it was asked about.
std::string phase() {
  return until.getNumOccurrences() ? until.getValue() : "fuse";
}

/// --until and its companions as a textual pipeline.
std::string pipelineText(const std::vector<std::string> &places) {
  std::string text = "tandem-compile{until=" + phase() + " device=" + device +
                     " function=" + function +
                     " fusion-fuel=" + std::to_string(fusionFuel);
  if (phasesApart)
    text += " phases-apart=true";
  if (!targetOptions.empty())
    text += " target-options=" + llvm::join(targetOptions, ",");
  if (!deviceSpec.empty())
    text += " device-spec={" + deviceSpec + "}";
  if (!fusionReport.empty())
    text += " fusion-report={" + fusionReport + "}";
  if (!places.empty())
    text += " why-not-fused=" + llvm::join(places, ",");
  if (!shapes.empty())
    text += " shapes=" + llvm::join(shapes, ",");
  return text + "}";
}

mlir::LogicalResult emitError(const llvm::Twine &message) {
  llvm::errs() << "tandem-opt: error: " << message << "\n";
  return mlir::failure();
}

/// A model as bytecode; null, with an error on stderr, where it cannot be
/// imported.
std::unique_ptr<llvm::MemoryBuffer>
importModel(llvm::StringRef file, mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry);
  context.loadDialect<tandem::ir::TandemDialect, mlir::func::FuncDialect>();
  llvm::SourceMgr none;
  mlir::SourceMgrDiagnosticHandler handler(none, &context);
  auto model = tandem::importONNX(&context, file.str());
  if (failed(model))
    return nullptr;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (failed(mlir::writeBytecodeToFile(*model->module, stream)))
    return nullptr;
  // Bytecode is aligned as the weights in it are.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), file, llvm::Align(4096));
  llvm::copy(bytes, buffer->getBufferStart());
  return buffer;
}

/// Null, and an error on stderr, where it cannot be read or not be parsed.
std::unique_ptr<llvm::MemoryBuffer> openInput(llvm::StringRef file,
                                              mlir::DialectRegistry &registry) {
  if (file != "-" && tandem::isONNXFile(file.str()))
    return importModel(file, registry);
  std::string message;
  auto input = mlir::openInputFile(file, &message);
  if (!input) {
    (void)emitError(message);
    return nullptr;
  }
  if (auto isRight = tandem::checkNesting(input->getBuffer(),
                                          input->getBufferIdentifier().str());
      !isRight) {
    llvm::errs() << isRight.error().str() << "\n";
    return nullptr;
  }
  return input;
}

/// Does what MlirOptMain does with files.
mlir::LogicalResult run(std::unique_ptr<llvm::MemoryBuffer> input,
                        llvm::StringRef outputFile,
                        mlir::DialectRegistry &registry,
                        const mlir::MlirOptMainConfig &config) {
  std::string message;
  auto output = mlir::openOutputFile(outputFile, &message);
  if (!output)
    return emitError(message);
  if (failed(
          mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

/// Does what MlirOptMain does, with the phases up to `until` for the pipeline.
mlir::LogicalResult runUntil(std::unique_ptr<llvm::MemoryBuffer> input,
                             llvm::StringRef outputFile,
                             mlir::DialectRegistry &registry) {
  std::vector<std::string> places;
  if (!whyNotFused.empty()) {
    auto found =
        tandem::tools::findValues(*input, whyNotFused, function, registry);
    if (!found)
      return emitError(llvm::toString(found.takeError()));
    places = *found;
  }
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    return mlir::parsePassPipeline(pipelineText(places), pm);
  });
  if (!whyNotFused.empty()) // The answer is the output.
    return mlir::MlirOptMain(llvm::nulls(), std::move(input), registry, config);
  return run(std::move(input), outputFile, registry, config);
}

} // namespace

int main(int argc, char **argv) {
  tandem::tools::hideLibraryOptions();
  tandem::enableDebugOutput();
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tandem::registerAllDialects(registry);
  tandem::registerAllPasses();
  addFormerOptions();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kToolName, registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // What needs no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  bool isUntil = until.getNumOccurrences() || fuse || !fusionReport.empty() ||
                 !whyNotFused.empty();
  for (const cl::Option &option :
       std::initializer_list<std::reference_wrapper<const cl::Option>>{
           shapes, function, device, fusionFuel, phasesApart, targetOptions,
           deviceSpec})
    if (option.getNumOccurrences() && !isUntil)
      return mlir::asMainReturnCode(
          emitError("--" + option.ArgStr + " has no effect without --until"));
  replaceFormerOptions();
  auto buffer = openInput(input, registry);
  if (!buffer)
    return EXIT_FAILURE;
  return mlir::asMainReturnCode(
      isUntil ? runUntil(std::move(buffer), output, registry)
              : run(std::move(buffer), output, registry, config));
}
