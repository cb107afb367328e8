//===- KernelPrograms.cpp - The own kernels, loaded on a GPU --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPrograms.h"

#include "ProgramCache.h"

#include "../../device/cuda/ModuleCache.h"

#include "tandem/Runtime/Program/Preparation.h"

using namespace tandem;
using namespace tandem::cuda;

KernelPrograms::Entry &KernelPrograms::entryOf(const ProgramKey &program) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Entry> &entry = entries[program];
  if (!entry)
    entry = std::make_unique<Entry>();
  return *entry;
}

Expected<ModuleHandle> KernelPrograms::compile(const ProgramKey &program) {
  const PreparationTimer timer("prebuilt kernels");
  const std::string source = programSource(program), name = program.str();
  TANDEM_ASSIGN_OR_RETURN(const CompiledProgram compiled,
                          compileOrLoad(source, name, context.arch()));
  const std::string failure = "the kernels of " + name + " cannot be loaded";
  Expected<ModuleHandle> module = loadModule(context, compiled.cubin, failure);
  if (module || !compiled.wasKept)
    return module;
  // What was kept may be of a driver that is no longer there.
  forgetProgram(source, context.arch());
  TANDEM_ASSIGN_OR_RETURN(const CompiledProgram anew,
                          compileOrLoad(source, name, context.arch()));
  return loadModule(context, anew.cubin, failure);
}

Expected<ModuleHandle> KernelPrograms::moduleOf(const ProgramKey &program) {
  Entry &entry = entryOf(program);
  std::lock_guard lock(entry.mutex);
  if (!entry.module) {
    TANDEM_ASSIGN_OR_RETURN(entry.module, compile(program));
  }
  return entry.module;
}

Status KernelPrograms::load(const ProgramKey &program) {
  TANDEM_RETURN_IF_ERROR(moduleOf(program));
  return {};
}

Expected<FunctionHandle> KernelPrograms::find(const ProgramKey &program,
                                              const std::string &kernel) {
  TANDEM_ASSIGN_OR_RETURN(ModuleHandle module, moduleOf(program));
  TANDEM_RETURN_IF_ERROR(context.enter());
  FunctionHandle function = nullptr;
  TANDEM_RETURN_IF_ERROR(context.check(
      context.driver().moduleGetFunction(&function, module, kernel.c_str()),
      "load", "kernel '" + kernel + "' of " + program.str()));
  return function;
}
