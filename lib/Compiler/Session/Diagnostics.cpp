//===- Diagnostics.cpp - MLIR diagnostics to Errors -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Diagnostics.h"

#include "tandem/Target/Program/ProgramEmitter.h"

using namespace mlir;

namespace tandem {

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        handle(diagnostic);
        return success();
      }) {}

void DiagnosticCollector::handle(Diagnostic &diagnostic) {
  if (first || diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  first.emplace();
  first->message = diagnostic.str();
  first->location = renderLocation(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes()) {
    // The op as printed is too long a hint; its location says enough.
    std::string text = note.str();
    if (StringRef(text).starts_with("see current operation"))
      continue;
    std::string at = renderLocation(note.getLocation());
    first->hint += (first->hint.empty() ? "" : "; ") + text +
                   (at.empty() ? "" : " at " + at);
  }
}

Error DiagnosticCollector::takeError(std::string_view phase,
                                     std::string_view otherwise) {
  Error error = first.value_or(Error{std::string(otherwise), {}, {}, {}});
  error.phase = phase;
  first.reset();
  return error;
}

} // namespace tandem
