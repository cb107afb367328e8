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

/// A target is what the compiler needs to compile for a device: its
/// capabilities, its own passes, and the code generation for a kernel. The
/// runtime's interface to the same hardware is Device. A target is immutable
/// and lives as long as the process; all its functions are thread-safe. Code
/// should ask this interface and never compare names of targets; only
/// findTarget knows them.
class Target {
public:
  virtual ~Target() = default;

  /// The name in options and reports: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// A description of one line, for `--help`.
  virtual llvm::StringRef description() const = 0;

  // What it can do.

  /// The device that runs its code in this process; the Error says why there is
  /// none. The first call may take long, as it starts what a device needs.
  virtual Expected<Device *> device() const = 0;
  /// Whether there is a device, as far as that can be told at once.
  virtual bool hasDevice() const { return device().has_value(); }
  /// Whether code is compiled for the machine that compiles, so that costs can
  /// be looked up and measured on this machine.
  virtual bool isHost() const { return false; }
  /// The device that programs are planned for where none is named, as
  /// findDeviceModel takes it: the one that the code would run on, or one like
  /// it.
  virtual std::string deviceSpec() const { return "generic"; }
  /// The target's kernels of contractions; null where contractions become op
  /// steps, which the library computes, or parts of loops.
  virtual const ContractionModel *contractionModel() const { return nullptr; }
  /// What the target's libraries compute in one call with a contraction; null
  /// for nothing.
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
  /// The name of the phase of these passes: the dialect that they end with.
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
  /// Whether `compile` leaves kernels as source, and `assemble` makes code of
  /// several at once, because making it for each would cost much more.
  virtual bool assembles() const { return false; }
  /// Makes code of kernels that `compile` has left as source, all as one
  /// program, which becomes the code of each; their symbols tell them apart.
  /// Describes each in `listings`. Where it fails, they are left as they are.
  virtual Status
  assemble(llvm::ArrayRef<fb::KernelT *> /*kernels*/,
           llvm::MutableArrayRef<KernelListing> /*listings*/) const {
    return {};
  }
  /// Everything about the machine, beside `spec`, that the generated code
  /// depends on. It is part of every kernel's key in the kernel cache.
  virtual std::string fingerprint() const { return {}; }
  /// Initializes what the first kernel of a process would otherwise wait for.
  virtual void warmUp() const {}
};

/// All targets; the first is the default.
llvm::ArrayRef<const Target *> allTargets();
/// Adds a target, which must live as long as the process, and makes it the
/// default. To be called before any other function of Tandem.
void addDefaultTarget(const Target &target);
/// The first of allTargets().
const Target &defaultTarget();

/// The target called `name`. Where there is none, the Error lists all targets.
Expected<const Target *> findTarget(llvm::StringRef name);
/// The same, of a target whose code runs in this process (Target::device): the
/// Error says why none does.
Expected<const Target *> findRunnableTarget(llvm::StringRef name);

} // namespace tandem

#endif // TANDEM_TARGET_TARGET_H
