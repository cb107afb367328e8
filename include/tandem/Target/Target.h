//===- Target.h - The compiler's interface to a target ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_TARGET_H
#define TANDEM_TARGET_TARGET_H

#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Support/TargetOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace tandem {

class ContractionModel;
class LibraryModel;
struct DeviceModel;
struct PipelineOptions;

/// A target provides everything that the compiler needs to compile for a
/// device: the capabilities of the device, passes of the target, and code
/// generation for kernels. The runtime's interface to the same hardware is
/// Device. A target is immutable and lives as long as the process; all its
/// functions are thread-safe. Code should ask this interface and never compare
/// names of targets; only findTarget knows them.
class Target {
public:
  virtual ~Target() = default;

  /// The name in options and reports: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// A description of one line, for `--help`.
  virtual llvm::StringRef description() const = 0;

  // What it can do.

  /// The device that runs the target's code in this process. The Error says why
  /// there is no device. The first call may take long, because it initializes
  /// the device.
  virtual Expected<Device *> device() const = 0;
  /// Whether there seems to be a device, according to checks that take little
  /// time.
  virtual bool hasDevice() const { return device().has_value(); }
  /// Whether the target compiles for the machine on which the compiler runs, so
  /// that costs can be measured on this machine.
  virtual bool isHost() const { return false; }
  /// The device for which programs are planned by default, as an argument of
  /// findDeviceModel. This is the device that would run the code, or a similar
  /// one.
  virtual std::string deviceSpec() const { return "generic"; }
  /// The model of the target's contraction kernels. Null if contractions become
  /// op steps, which the library computes, or parts of loops.
  virtual const ContractionModel *contractionModel() const { return nullptr; }
  /// The model of the epilogues that the target's libraries compute in one call
  /// with a contraction. Null if there are none.
  virtual const LibraryModel *libraryModel() const { return nullptr; }
  /// Whether kernels can be generated for reductions. Otherwise the library
  /// computes them, as op steps.
  virtual bool generatesReductions() const { return false; }

  // The target's options (CompileOptions::targetOptions). The functions below
  // take options that checkTargetOptions has accepted.

  /// The descriptions of the target's options.
  virtual std::span<const TargetOptionInfo> options() const { return {}; }
  /// Whether kernels may multiply by the factors of weights
  /// (ir::WeightFactors).
  virtual bool multipliesFactors(const TargetOptions &) const { return false; }
  /// Whether `options` ask the compiler to time each contraction in a generated
  /// kernel and in the library. Only for a target with isHost().
  virtual bool autotunesContractions(const TargetOptions & /*options*/) const {
    return false;
  }
  /// The device model for which `options` ask to plan programs, as an argument
  /// of findDeviceModel; empty if not set. Only for a target with isHost().
  virtual std::string deviceModel(const TargetOptions & /*options*/) const {
    return {};
  }

  /// Checks the numbers of a device model that only this target interprets
  /// (DeviceModel::targetNumbers).
  virtual Status checkDevice(const DeviceModel &) const { return {}; }

  // Its passes. Pass managers are anchored on builtin.module.

  /// Adds the passes of the layout phase. They run before fusion, which turns
  /// transposes into indexing.
  virtual void addLayoutPasses(mlir::OpPassManager &,
                               const PipelineOptions &) const {}
  /// Adds passes to the fusion phase, before and after fusion itself.
  virtual void addPassesBeforeFusion(mlir::OpPassManager &,
                                     const PipelineOptions &) const {}
  virtual void addPassesAfterFusion(mlir::OpPassManager &,
                                    const PipelineOptions &) const {}
  /// Adds the passes that lower a kernel module. The pass manager is anchored
  /// on a single kernel module in the form that phase `linalg` leaves.
  virtual void addKernelPasses(mlir::OpPassManager &,
                               const PipelineOptions &) const = 0;
  /// The name of the phase that consists of these passes. The phase is named
  /// after the dialect to which the passes lower.
  virtual llvm::StringRef kernelPhase() const = 0;
  /// The shell command that continues where these passes end, for reproducers;
  /// empty if there is none.
  virtual llvm::StringRef continuation() const { return {}; }

  // From kernels to code.

  /// Registers the dialects that the lowering of kernels needs.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Compiles one kernel module in the form that phase `kernels` leaves. The
  /// module is lowered in place. `spec` describes one core of the machine, as
  /// findDeviceModel takes it. Adds the time of each step to `times`.
  virtual Expected<fb::KernelT> compile(mlir::ModuleOp kernel,
                                        const std::string &spec,
                                        PhaseTimes &times) const = 0;
  /// Whether `compile` only generates source, which `assemble` compiles to code
  /// for several kernels at once. Targets do so if compiling each kernel
  /// separately would cost much more.
  virtual bool assembles() const { return false; }
  /// Compiles the source of all `kernels`, which `compile` has generated, as
  /// one program. This program becomes the code of each kernel, and the symbols
  /// of the kernels tell them apart. Describes each kernel in `listings`. On
  /// failure, the kernels are not changed.
  virtual Status
  assemble(llvm::ArrayRef<fb::KernelT *> /*kernels*/,
           llvm::MutableArrayRef<KernelListing> /*listings*/) const {
    return {};
  }
  /// Everything about the machine, beside `spec`, that the generated code
  /// depends on. It is part of every kernel's key in the kernel cache.
  virtual std::string fingerprint() const { return {}; }
  /// Performs one-time initialization for which the first kernel of a process
  /// would otherwise wait.
  virtual void warmUp() const {}
};

/// All targets; the first is the default.
llvm::ArrayRef<const Target *> allTargets();
/// Adds a target, which must live as long as the process, and makes it the
/// default. Call this function before any other function of Tandem.
void addDefaultTarget(const Target &target);
/// The first of allTargets().
const Target &defaultTarget();

/// The target called `name`. Where there is none, the Error lists all targets.
Expected<const Target *> findTarget(llvm::StringRef name);
/// Like findTarget, but requires that the target's code can run in this process
/// (Target::device). The Error says why it cannot.
Expected<const Target *> findRunnableTarget(llvm::StringRef name);

} // namespace tandem

#endif // TANDEM_TARGET_TARGET_H
