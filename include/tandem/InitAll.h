//===- InitAll.h - What every driver registers ------------------*- C++ -*-===//
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

/// Adds the Tandem dialect and the upstream dialects its pipelines pass
/// through, with the interfaces (tiling, bufferisation, transform ops …) that
/// upstream keeps apart from the dialects. Loads nothing.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers, for textual pipelines, all Tandem passes and the upstream passes
/// its pipelines are made of. Once a process; not thread-safe.
void registerAllPasses();

} // namespace tandem

#endif // TANDEM_INITALL_H
