//===- HostKernels.cpp - CUDA C++ kernels executed on the host ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"

#include "tandem/Runtime/HostKernel.h"
#include "tandem/Target/CUDA/CUDATarget.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <vector>

namespace tandem {
namespace {

/// Kernels of this process by their source and block size.
class KernelCache {
public:
  using Kernel = std::shared_ptr<const LoadedKernel>;

  /// Null where there is none.
  Kernel find(const std::string &key) {
    std::lock_guard lock(mutex);
    return kernels.lookup(key);
  }
  void insert(const std::string &key, Kernel kernel) {
    std::lock_guard lock(mutex);
    // Enough for a test suite's graphs; a fuzzer's are never seen again.
    if (kernels.size() >= 4096)
      kernels.clear();
    kernels[key] = std::move(kernel);
  }

private:
  /// Guards `kernels`; not held while compiling.
  std::mutex mutex;
  llvm::StringMap<Kernel> kernels;
};

KernelCache &cache() {
  static KernelCache instance;
  return instance;
}

std::string cacheKey(const fb::KernelT &kernel) {
  return std::to_string(kernel.block ? kernel.block->x() : 1) + "\n" +
         std::string(kernel.code.begin(), kernel.code.end());
}

std::string entryName(size_t number) {
  return "tandem_entry_" + std::to_string(number);
}

/// The source in a namespace, since kernels repeat the functions they share,
/// and an entry with the signature of CPU kernels.
std::string wrap(const fb::KernelT &kernel, size_t number) {
  std::string scope = "kernel_scope_" + std::to_string(number);
  std::string threads = std::to_string(kernel.block ? kernel.block->x() : 1);
  return "namespace " + scope + " {\n" +
         std::string(kernel.code.begin(), kernel.code.end()) +
         "}\nextern \"C\" void " + entryName(number) +
         "(void *const *args, const long *, void *, long begin, long end) {\n  "
         "tandem_host::run(" +
         scope + "::" + symbolOf(kernel) + ", " + threads +
         ", args, begin, end);\n}\n";
}

Status checkTarget(const fb::KernelT &kernel) {
  if (kernel.target == KernelTarget::cuda_source)
    return {};
  return fail("load", "kernel '" + kernel.name +
                          "' is not CUDA C++, and only that "
                          "is executed on the host");
}

/// Compiles the kernels of these numbers together.
Status compileMissing(const Program &program,
                      const std::vector<size_t> &missing,
                      LoadedKernels &loaded) {
  std::string source;
  for (size_t number : missing)
    source += wrap(*program.kernels[number], number);
  TANDEM_ASSIGN_OR_RETURN(auto library, compileOnHost(source));
  for (size_t number : missing) {
    const fb::KernelT &kernel = *program.kernels[number];
    void *entry = library->symbol(entryName(number));
    if (!entry)
      return fail("load", "kernel '" + kernel.name + "' has no entry");
    loaded[number] = std::make_shared<HostKernel>(
        reinterpret_cast<KernelFn>(entry), library);
    cache().insert(cacheKey(kernel), loaded[number]);
  }
  return {};
}

} // namespace

Expected<LoadedKernels> loadCUDAKernelsOnHost(const Program &program) {
  std::vector<size_t> missing;
  LoadedKernels loaded(program.kernels.size());
  for (size_t number = 0; number < loaded.size(); ++number) {
    const fb::KernelT &kernel = *program.kernels[number];
    TANDEM_RETURN_IF_ERROR(checkTarget(kernel));
    loaded[number] = cache().find(cacheKey(kernel));
    if (!loaded[number])
      missing.push_back(number);
  }
  if (missing.empty())
    return loaded;
  TANDEM_RETURN_IF_ERROR(compileMissing(program, missing, loaded));
  return loaded;
}

} // namespace tandem
