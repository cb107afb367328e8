//===- Device.cpp - What a graph can be compiled for ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/CUDA/CUDATarget.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {
namespace {

Expected<fb::KernelT> compileForHost(mlir::ModuleOp kernel,
                                     const std::string &spec,
                                     PhaseTimes &times) {
  return compileKernelForCPU(kernel, {.deviceSpec = spec}, times);
}

Expected<fb::KernelT> compileCUDAForHost(mlir::ModuleOp kernel,
                                         const std::string & /*spec*/,
                                         PhaseTimes &times) {
  return compileKernelForCUDA(kernel, CUDATargetOptions{}, times);
}

/// The CUDA C++ is the same for all devices.
std::string fingerprintNothing() { return {}; }

constexpr Device kDevices[] = {
    {"cpu", registerCPUTargetDialects, compileForHost, loadCPUKernels, false,
     describeCPUTarget, warmUpCPUTarget},
    {"cuda-host", registerCUDATargetDialects, compileCUDAForHost,
     loadCUDAKernelsOnHost, true, fingerprintNothing, nullptr},
};

} // namespace

Expected<const Device *> findDevice(std::string_view name) {
  TANDEM_RETURN_IF_ERROR(checkHostProcessor());
  std::string names;
  for (const Device &device : kDevices) {
    if (device.name == name)
      return &device;
    names += (names.empty() ? "" : ", ") + std::string(device.name);
  }
  return fail("compile", "no device '" + std::string(name) + "'",
              "there is " + names);
}

} // namespace tandem
