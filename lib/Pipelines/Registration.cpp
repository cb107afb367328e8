//===- Registration.cpp - tandem-compile ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <memory>
#include <vector>

using namespace mlir;

namespace tandem {
namespace {

struct CompileOptions : PassPipelineOptions<CompileOptions> {
  CompileOptions() {
    for (const TargetOptionInfo &info : defaultTarget().options())
      if (!info.values.empty())
        formerOptions.push_back(std::make_unique<Option<std::string>>(
            *this, info.name,
            llvm::cl::desc("Deprecated: an option of target-options.")));
  }

  ListOption<std::string> shapes{
      *this, "shapes",
      llvm::cl::desc("Dims of each argument, in order, as 1000x100x1.")};
  Option<std::string> until{
      *this, "until", llvm::cl::desc("The last phase to run; default: all.")};
  Option<std::string> device{*this, "device",
                             llvm::cl::desc("What to compile for."),
                             llvm::cl::init(defaultTarget().name().str())};
  Option<std::string> function{*this, "function",
                               llvm::cl::desc("The function to compile."),
                               llvm::cl::init("main")};
  ListOption<std::string> targetOptions{
      *this, "target-options",
      llvm::cl::desc("Options of the target, as name=value,...")};
  Option<int64_t> fusionFuel{
      *this, "fusion-fuel",
      llvm::cl::desc("At most this many fusion decisions are taken."),
      llvm::cl::init(-1)};
  Option<bool> phasesApart{
      *this, "phases-apart",
      llvm::cl::desc(
          "Keep the phases of a training step in different kernels."),
      llvm::cl::init(false)};
  Option<std::string> deviceSpec{
      *this, "device-spec",
      llvm::cl::desc("The device that fusion's costs are of; by default one "
                     "of the target's.")};
  Option<std::string> fusionReport{*this, "fusion-report",
                                   llvm::cl::desc("See tandem-report-fusion.")};
  ListOption<std::string> whyNotFused{
      *this, "why-not-fused", llvm::cl::desc("See tandem-report-fusion.")};
  /// Options that have become options of the default target.
  std::vector<std::unique_ptr<Option<std::string>>> formerOptions;
};

/// Reads the target's options.
Expected<TargetOptions> readTargetOptions(const CompileOptions &given,
                                          const Target &target) {
  TargetOptions options;
  for (const auto &former : given.formerOptions) {
    if (former->getValue().empty())
      continue;
    const std::string setting = former->ArgStr.str() + "=" + former->getValue();
    llvm::errs() << "warning: the pipeline option " << setting
                 << " is deprecated: use target-options=" << setting << "\n";
    TANDEM_RETURN_IF_ERROR(addTargetOption(setting, options));
  }
  for (const std::string &setting : given.targetOptions)
    TANDEM_RETURN_IF_ERROR(addTargetOption(setting, options));
  TANDEM_RETURN_IF_ERROR(
      checkTargetOptions(target.name().str(), target.options(), options));
  return options;
}

LogicalResult build(OpPassManager &pm, const CompileOptions &given,
                    llvm::function_ref<LogicalResult(const Twine &)> error) {
  Expected<const Target *> target = findTarget(given.device);
  if (!target)
    return error(target.error().message + ": " + target.error().hint);
  Phase until = Phase::Target;
  if (!given.until.empty()) {
    std::string valid;
    FailureOr<Phase> phase = parsePhase(given.until, **target, valid);
    if (failed(phase))
      return error("no phase '" + given.until + "': there are " + valid);
    until = *phase;
  }
  Expected<TargetOptions> targetOptions = readTargetOptions(given, **target);
  if (!targetOptions)
    return error(targetOptions.error().message + ": " +
                 targetOptions.error().hint);
  PipelineOptions options;
  options.targetOptions = *targetOptions;
  options.shapes.assign(given.shapes.begin(), given.shapes.end());
  options.function = given.function;
  options.target = *target;
  options.fusionFuel = given.fusionFuel;
  options.keepsPhasesApart = given.phasesApart;
  options.deviceSpec = given.deviceSpec.empty() ? (*target)->deviceSpec()
                                                : given.deviceSpec.getValue();
  options.fusionReport = given.fusionReport;
  options.whyNotFused.assign(given.whyNotFused.begin(),
                             given.whyNotFused.end());
  buildPipeline(pm, until, options);
  return success();
}

} // namespace

void registerPipelines() {
  // The registry in its general form, for it alone can report an error.
  registerPassPipeline(
      "tandem-compile",
      "Run the phases of a compilation up to and including `until`",
      [](OpPassManager &pm, StringRef text,
         llvm::function_ref<LogicalResult(const Twine &)> error) {
        CompileOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return build(pm, options, error);
      },
      [](llvm::function_ref<void(const detail::PassOptions &)> visit) {
        visit(CompileOptions());
      });
}

} // namespace tandem
