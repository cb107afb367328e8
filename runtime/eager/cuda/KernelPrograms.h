//===- KernelPrograms.h - The own kernels, loaded on a GPU ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_KERNELPROGRAMS_H
#define TANDEM_RUNTIME_EAGER_CUDA_KERNELPROGRAMS_H

#include "../../device/cuda/Context.h"
#include "KernelSource.h"

#include <map>
#include <memory>
#include <mutex>

namespace tandem::cuda {

/// The programs of one device. Each is compiled, or read from disk, and loaded
/// when a kernel of it is first asked for, and stays as long as the process.
/// Thread-safe: those who want the same program wait for one compilation.
class KernelPrograms {
public:
  explicit KernelPrograms(Context &context) : context(context) {}

  /// Compiles and loads a program, unless it is there. Errors of this and the
  /// next have phase "codegen" or "load".
  Status load(const ProgramKey &program);
  Expected<FunctionHandle> find(const ProgramKey &program,
                                const std::string &kernel);

private:
  struct Entry {
    std::mutex mutex; // guards module; held while it is compiled
    ModuleHandle module = nullptr;
  };

  Entry &entryOf(const ProgramKey &program);
  Expected<ModuleHandle> moduleOf(const ProgramKey &program);
  Expected<ModuleHandle> compile(const ProgramKey &program);

  Context &context;
  std::mutex mutex; // guards entries; held for a look-up
  std::map<ProgramKey, std::unique_ptr<Entry>> entries;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_KERNELPROGRAMS_H
