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

/// Adds the Tandem dialect and all upstream dialects that its pipelines use,
/// with the external models of interfaces (tiling, bufferisation, transform ops
/// …) that upstream registers apart from the dialects. Loads no dialect.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers, for textual pipelines, all Tandem passes and the upstream passes
/// that its pipelines consist of. To be called once per process; not
/// thread-safe.
void registerAllPasses();

} // namespace tandem

#endif // TANDEM_INITALL_H
