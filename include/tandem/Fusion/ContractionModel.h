//===- ContractionModel.h - A target's kernels of contractions --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_CONTRACTIONMODEL_H
#define TANDEM_FUSION_CONTRACTIONMODEL_H

#include "tandem/Analysis/Contraction/ContractionWindow.h"
#include "tandem/Analysis/DeviceModel.h"

#include "mlir/IR/DialectInterface.h"

#include "llvm/ADT/StringMap.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tandem {

/// What windows over a contraction's result take in its kernel.
struct WindowCosts {
  /// Bytes of the result that a task keeps for them, and may keep.
  int64_t partBytes = 0, mostPartBytes = 0;
  /// What the kernel computes more than once, or on fewer cores, as a share of
  /// its time without them.
  double repeatedShare = 0;
};

/// The kernels that a target generates for contractions: which there are and
/// what they take, as far as that decides what is fused. Implemented by the
/// target. A model is immutable and lives as long as the process; all its
/// functions are thread-safe.
class ContractionModel {
public:
  virtual ~ContractionModel() = default;

  /// What options of passes call it: the target's name.
  virtual llvm::StringRef name() const = 0;

  /// Why there is no kernel for `hero`, which `contraction` describes, as the
  /// rest of a sentence about the op; empty where there is one.
  virtual std::string whyNotGenerated(mlir::Operation *hero,
                                      const Contraction &contraction) const = 0;
  /// The share of the device's peak that the kernel reaches: above 0, at most
  /// 1.
  virtual double getEfficiency(const DeviceModel &device,
                               const Contraction &contraction) const = 0;

  /// Why the kernel's tasks cannot compute the data that they read, by a
  /// prologue, as the rest of a sentence about it; empty where they can.
  virtual std::string whyNoPrologue(const Contraction &contraction) const = 0;
  /// How many times tasks that do compute an element of the data.
  virtual double getPrologueRuns(const DeviceModel &device,
                                 const Contraction &contraction) const = 0;

  /// What `window` takes over a result whose elements have `elementBytes` where
  /// they are kept, in a kernel of `ns` nanoseconds.
  virtual WindowCosts getWindowCosts(const DeviceModel &device,
                                     const Contraction &contraction,
                                     const ContractionWindow &window,
                                     int64_t elementBytes, double ns) const = 0;
};

/// The models that a context knows, by name. An interface of the dialect
/// `tandem`.
class ContractionModels
    : public mlir::DialectInterface::Base<ContractionModels> {
public:
  explicit ContractionModels(mlir::Dialect *dialect) : Base(dialect) {}

  void add(const ContractionModel &model) { models[model.name()] = &model; }
  /// Lets the contexts of `registry` know `model`.
  static void add(mlir::DialectRegistry &registry,
                  const ContractionModel &model);
  /// The model of that name; null where `context` knows none.
  static const ContractionModel *find(mlir::MLIRContext *context,
                                      llvm::StringRef name);

private:
  llvm::StringMap<const ContractionModel *> models;
};

} // namespace tandem

#endif // TANDEM_FUSION_CONTRACTIONMODEL_H
