//===- Target.h - What kernels can be compiled for --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_TARGET_H
#define TANDEM_TARGET_TARGET_H

#include "tandem/Runtime/PhaseTimes.h"

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

struct PipelineOptions;

/// The compiler's side of a device: what it can do, the passes that are its
/// own, and the way from a kernel to code. A target is immutable and lives as
/// long as the process; all its functions are thread-safe. Nothing else
/// compares names of targets: findTarget knows them.
class Target {
public:
  virtual ~Target() = default;

  /// What options and reports call it: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// One line for `--help`.
  virtual llvm::StringRef description() const = 0;

  // What it can do.

  /// What runs its code in this process; an error says why nothing does. The
  /// first call may take long, as it starts what a device needs.
  virtual Expected<Device *> device() const = 0;
  /// Whether there is one, as far as that can be told at once.
  virtual bool hasDevice() const { return device().has_value(); }
  /// Whether code is for the machine that compiles: what decides is asked of
  /// this machine, and can be measured on it.
  virtual bool isHost() const { return false; }
  /// Whether contractions and reductions become kernels; else they are steps of
  /// the library.
  virtual bool generatesContractions() const { return false; }
  /// Whether loading kernels one by one would cost much more.
  virtual bool loadsTogether() const { return false; }

  // Its passes. Managers are anchored on builtin.module.

  /// Before fusion, which takes transposes in as indexing.
  virtual void addLayoutPasses(mlir::OpPassManager &,
                               const PipelineOptions &) const {}
  virtual void addPassesBeforeFusion(mlir::OpPassManager &,
                                     const PipelineOptions &) const {}
  virtual void addPassesAfterFusion(mlir::OpPassManager &,
                                    const PipelineOptions &) const {}
  /// On a kernel module by itself, as phase `linalg` leaves it.
  virtual void addKernelPasses(mlir::OpPassManager &,
                               const PipelineOptions &) const = 0;
  /// What the phase of these is called: the dialect that it ends with.
  virtual llvm::StringRef kernelPhase() const = 0;
  /// A command that goes on where they end, for reproducers; empty: none.
  virtual llvm::StringRef continuation() const { return {}; }

  // From kernels to code.

  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Compiles one kernel module, as phase `kernels` leaves it, which is lowered
  /// in place. `spec`: one core of the machine, as findDeviceModel takes it.
  virtual Expected<fb::KernelT> compile(mlir::ModuleOp kernel,
                                        const std::string &spec,
                                        PhaseTimes &times) const = 0;
  /// The machine that code is for, as far as it decides the code beside `spec`:
  /// part of every kernel's key.
  virtual std::string fingerprint() const { return {}; }
  /// Makes what the first kernel of a process would wait for.
  virtual void warmUp() const {}
};

/// All there are; the first is the default.
llvm::ArrayRef<const Target *> allTargets();
/// Adds one, which lives as long as the process, and makes it the default. To
/// be called before anything else of Tandem's.
void addDefaultTarget(const Target &target);
const Target &defaultTarget();

/// The target of that name; an Error that lists them where there is none.
Expected<const Target *> findTarget(llvm::StringRef name);
/// Of those only whose device is here; the Error of its device where one has
/// none.
Expected<const Target *> findRunnableTarget(llvm::StringRef name);

} // namespace tandem

#endif // TANDEM_TARGET_TARGET_H
