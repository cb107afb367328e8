//===- Device.h - What a graph can be compiled for -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_DEVICE_H
#define TANDEM_LIB_COMPILER_DEVICE_H

#include "tandem/Runtime/PhaseTimes.h"

#include <memory>
#include <string_view>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tandem {

/// The entry points of one target.
struct Device {
  std::string_view name;
  void (*registerDialects)(mlir::DialectRegistry &registry);
  /// `spec`: a core of the machine, as findDeviceModel takes it.
  Expected<fb::KernelT> (*compile)(mlir::ModuleOp kernel,
                                   const std::string &spec, PhaseTimes &times);
  Expected<std::shared_ptr<LoadedKernels>> (*load)(const Program &program);
  /// Whether loading kernels one by one would cost much more.
  bool loadsTogether;
  /// The machine that code is for, as far as it decides the code beside `spec`.
  std::string (*fingerprint)();
  /// Makes what the first kernel of a process would wait for; may be null.
  void (*warmUp)();
};

/// An error that lists the devices where there is none of that name.
Expected<const Device *> findDevice(std::string_view name);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_DEVICE_H
