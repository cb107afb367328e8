//===- LibraryModel.h - What libraries compute in one call ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_LIBRARYMODEL_H
#define TANDEM_FUSION_LIBRARYMODEL_H

#include "tandem/Fusion/TargetModels.h"
#include "tandem/Support/Error.h"

namespace tandem {

struct FusedContraction;

/// Tells which contractions a target's libraries can compute in one call
/// together with the ops that follow. Immutable; all its functions are
/// thread-safe.
class LibraryModel {
public:
  virtual ~LibraryModel() = default;

  /// The name of the model in pass options.
  virtual llvm::StringRef name() const = 0;
  /// Whether one call computes `fused`. The message of the Error says why no
  /// call does, as a clause that continues a sentence about an op.
  virtual Status check(const FusedContraction &fused) const = 0;
};

using LibraryModels = TargetModels<LibraryModel>;

} // namespace tandem

#endif // TANDEM_FUSION_LIBRARYMODEL_H
