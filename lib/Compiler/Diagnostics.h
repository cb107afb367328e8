//===- Diagnostics.h - MLIR diagnostics to Errors --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_DIAGNOSTICS_H
#define TANDEM_LIB_COMPILER_DIAGNOSTICS_H

#include "tandem/Support/Error.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string_view>

namespace tandem {

/// While it lives, keeps the first error that is diagnosed in a context and
/// swallows everything else: a library prints nothing.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// What has gone wrong in `phase`: the first error, its notes as the hint; or
  /// `otherwise` where nothing was diagnosed.
  Error takeError(std::string_view phase, std::string_view otherwise);

  bool hasError() const { return first.has_value(); }

private:
  void handle(mlir::Diagnostic &diagnostic);

  std::optional<Error> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_DIAGNOSTICS_H
