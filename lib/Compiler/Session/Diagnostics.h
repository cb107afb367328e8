//===- Diagnostics.h - MLIR diagnostics to Errors ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_DIAGNOSTICS_H
#define TANDEM_LIB_COMPILER_SESSION_DIAGNOSTICS_H

#include "tandem/Support/Error.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string_view>

namespace tandem {

/// Handles the diagnostics of a context as long as the object lives: it keeps
/// the first error and drops everything else, because a library prints nothing.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Returns the first error as an Error of `phase`, with its notes as the
  /// hint. If no error was emitted, returns an Error with the message
  /// `otherwise`.
  Error takeError(std::string_view phase, std::string_view otherwise);

  bool hasError() const { return first.has_value(); }

private:
  void handle(mlir::Diagnostic &diagnostic);

  std::optional<Error> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_DIAGNOSTICS_H
