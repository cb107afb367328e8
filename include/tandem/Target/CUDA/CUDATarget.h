//===- CUDATarget.h - The CUDA targets --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CUDA_CUDATARGET_H
#define TANDEM_TARGET_CUDA_CUDATARGET_H

#include "tandem/Target/Target.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tandem {

/// Returns the target "cuda". If a CUDA driver is installed, the code of the
/// target runs on GPU number `index`. Thread-safe.
const Target &cudaTarget(int index = 0);

/// The form of code to which a kernel is compiled, and the device.
struct CUDATargetOptions {
  /// The GPU to compile for. For PTX, this is the name of a spec in
  /// utils/gpu-specs, such as "sm_80", "sm_90" or "sm_100". For a cubin, this
  /// is any architecture; no spec is needed.
  std::string gpu = "sm_90";
  /// The device that costs are estimated for (findDeviceModel).
  std::string deviceSpec = "sm_90";
  /// The form of fb::KernelT::code: cuda_source (CUDA C++, to be read), or ptx
  /// or cubin (NVRTC).
  KernelTarget form = KernelTarget::cuda_source;
};

/// Registers the dialects that the lowering of kernels to EmitC needs.
void registerCUDATargetDialects(mlir::DialectRegistry &registry);

/// Adds the passes that lower a kernel module to EmitC. The module has the form
/// that phase `linalg` produces. `kernel` is anchored on the module.
void buildCUDAKernelPipeline(mlir::OpPassManager &kernel);

/// Compiles one kernel to CUDA C++, PTX or cubin. `kernel` is a module in the
/// form that phase `kernels` leaves: one function of the module's name, on
/// tandem ops with static types. The module is lowered in place and cannot be
/// used afterwards.
///
/// Sets name, target, code, extent (blocks), grain and block (threads); bytes
/// and flops are left to the caller. Adds to the phases "linalg" (tandem to
/// linalg on tensors) and "codegen" (EmitC, printing, NVRTC). MLIR's
/// diagnostics go to the context's handler; the Error has phase "codegen".
Expected<fb::KernelT> compileKernelForCUDA(mlir::ModuleOp kernel,
                                           const CUDATargetOptions &options,
                                           PhaseTimes &times);

/// Compiles kernels whose form is cuda_source to one cubin for `arch`
/// ("sm_90"), which becomes the code of each. If there are several kernels,
/// they are renamed. If `listings` is not empty, sets listings[i] to a
/// description of kernel i. The Error has phase "codegen".
Status assembleCubin(llvm::ArrayRef<fb::KernelT *> kernels,
                     const std::string &arch,
                     llvm::MutableArrayRef<KernelListing> listings = {});

/// Returns the CUDA C++ of all kernel modules in `module`, which must be in the
/// form that phase `kernels` leaves, as one source, for the device that
/// `deviceSpec` names (findDeviceModel). Kernels are lowered in place. Errors
/// as above.
Expected<std::string> emitCUDASource(mlir::ModuleOp module,
                                     const std::string &deviceSpec);

} // namespace tandem

#endif // TANDEM_TARGET_CUDA_CUDATARGET_H
