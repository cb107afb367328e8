//===- CompilerConfig.cpp - What all sessions of a compiler share ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/CompilerConfig.h"

#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Support/Environment.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

namespace tandem {

/// Whether only the program is wanted of a compilation. With keepsPhasesApart,
/// the program depends on the training phases of ops. These follow from the
/// locations of ops, which are not part of the key of a stored program.
static bool isProgramAllThatIsWanted(const CompileOptions &options,
                                     const Target &target) {
  return options.kernelCache && options.fusionReport.empty() &&
         options.failKernels.empty() && !options.keepsOps &&
         !options.keepsPhasesApart &&
         !target.autotunesContractions(options.targetOptions) &&
         !lookUp(Variable::debug);
}

/// Whether programs may come from the disk.
static bool usesDisk(const CompileOptions &options) {
  const char *setting = lookUp(Variable::diskCache);
  return options.diskCache.value_or(!setting || std::string(setting) != "off");
}

Expected<CompilerConfig> CompilerConfig::create(const CompileOptions &options) {
  CompilerConfig config;
  config.options = options;
  TANDEM_RETURN_IF_ERROR(checkHostProcessor());
  config.target = &defaultTarget();
  if (!options.device.empty()) {
    TANDEM_ASSIGN_OR_RETURN(config.target, findRunnableTarget(options.device));
  }
  const Target &target = *config.target;
  if (target.isHost())
    moveFormerOptions(config.options);
  TANDEM_RETURN_IF_ERROR(checkTargetOptions(
      target.name().str(), target.options(), config.options.targetOptions));
  if (auto device = target.device(); !device)
    return tl::unexpected(std::move(device.error()));
  TANDEM_ASSIGN_OR_RETURN(config.failures,
                          FailureRequest::parse(options.failKernels));
  config.wantsProgramOnly = isProgramAllThatIsWanted(config.options, target);
  if (config.wantsProgramOnly && usesDisk(options))
    config.disk = &DiskCache::in(options.cacheDir.empty() ? cacheDirectory()
                                                          : options.cacheDir);
  config.threads = numThreads();
  if (!target.isHost()) {
    config.deviceSpec = config.coreSpec = target.deviceSpec();
    TANDEM_ASSIGN_OR_RETURN(config.model, findDeviceModel(config.deviceSpec));
    return config;
  }
  // Asked for once: what "host" is may be known better a moment later.
  const std::string named = target.deviceModel(config.options.targetOptions);
  TANDEM_ASSIGN_OR_RETURN(config.model, named.empty()
                                            ? hostDeviceModel()
                                            : findModelForHost(named));
  TANDEM_RETURN_IF_ERROR(target.checkDevice(config.model));
  config.coreSpec = writeDeviceModel(config.model.withThreads(1));
  config.model = config.model.withThreads(config.threads);
  config.deviceSpec = writeDeviceModel(config.model);
  return config;
}

} // namespace tandem
