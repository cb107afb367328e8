//===- PrebuiltKernels.cpp - What the GPU's own kernels cost --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/PrebuiltKernels.h"

#include "eager/cuda/KernelSource.h"

#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Runtime/PhaseTimes.h"

#include <cstdio>

namespace tandem::bench {

namespace {

struct Cost {
  int64_t kernels = 0, bytes = 0;
  double ms = 0;

  Cost &operator+=(const Cost &other) {
    kernels += other.kernels;
    bytes += other.bytes;
    ms += other.ms;
    return *this;
  }
};

Expected<Cost> compile(const cuda::ProgramKey &key, const std::string &arch) {
  const std::string source = cuda::programSource(key);
  const Stopwatch watch;
  TANDEM_ASSIGN_OR_RETURN(const std::string cubin,
                          compileToCubin(source, key.str(), arch));
  return Cost{cuda::countKernels(source), std::ssize(cubin), watch.ns() / 1e6};
}

void print(const std::string &name, const Cost &cost) {
  std::printf("%-26s %7lld %10lld %8.0f\n", name.c_str(),
              static_cast<long long>(cost.kernels),
              static_cast<long long>(cost.bytes), cost.ms);
}

} // namespace

Status runPrebuiltKernels(const PrebuiltKernelsOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(const std::string version, nvrtcVersion());
  std::printf("NVRTC %s, cubin for %s, one thread\n", version.c_str(),
              options.arch.c_str());
  std::printf("%-26s %7s %10s %8s\n", "program", "kernels", "bytes", "ms");
  // The first call of a process loads more than it compiles.
  TANDEM_RETURN_IF_ERROR(
      compileToCubin("__global__ void first() {}\n", "first", options.arch));
  Cost all;
  for (cuda::ProgramKey key : cuda::allPrograms()) {
    key.isWide = options.isWide;
    if (key.str().find(options.filter) == std::string::npos)
      continue;
    TANDEM_ASSIGN_OR_RETURN(const Cost cost, compile(key, options.arch));
    print(key.str(), cost);
    std::fflush(stdout);
    all += cost;
  }
  print("all", all);
  return {};
}

} // namespace tandem::bench
