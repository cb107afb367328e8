//===- InitAll.h - Registration of dialects and passes ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_INITALL_H
#define TANDEM_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tandem {

/// Adds the Tandem dialect and all upstream dialects that the Tandem pipelines
/// use to `registry`. Also adds the external interface models (for tiling,
/// bufferization, transform ops and others) that upstream registers separately
/// from the dialects. Does not load any dialect.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers all Tandem passes, and the upstream passes that the Tandem
/// pipelines contain, for use in textual pass pipelines. Call this function
/// once per process. Not thread-safe.
void registerAllPasses();

} // namespace tandem

#endif // TANDEM_INITALL_H
