//===- GraphSource.h - A graph apart from any context ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPHSOURCE_H
#define TANDEM_LIB_COMPILER_GRAPHSOURCE_H

#include "tandem/Runtime/Program.h"
#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace tandem {

/// A parsed and verified graph, immutable and tied to no MLIRContext: compilers
/// in contexts of their own read it again.
struct GraphSource {
  /// MLIR bytecode of a module that holds the function, with locations; its one
  /// buffer. Resources, such as weights, that are read from it stay in it and
  /// keep it alive.
  std::shared_ptr<llvm::SourceMgr> bytecode;
  std::string function;
  std::shared_ptr<const Program> eager;
};

/// A module as bytecode that any number of contexts may read at a time.
mlir::FailureOr<std::shared_ptr<llvm::SourceMgr>>
writeSharedBytecode(mlir::ModuleOp module);

/// A compiler of `graph`, warm: its first context, with dialects and passes, is
/// ready on return.
Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPHSOURCE_H
