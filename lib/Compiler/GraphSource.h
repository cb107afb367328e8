//===- GraphSource.h - A graph apart from any context ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPHSOURCE_H
#define TANDEM_LIB_COMPILER_GRAPHSOURCE_H

#include "tandem/Dialect/Tandem/IR/SharedConstants.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace tandem {

/// A parsed and verified graph, immutable but for what is remembered of it, and
/// tied to no MLIRContext: compilers in contexts of their own read it again.
struct GraphSource {
  /// MLIR bytecode of a module that holds the function, with locations; its one
  /// buffer. Resources, such as weights, that are read from it stay in it and
  /// keep it alive.
  std::shared_ptr<llvm::SourceMgr> bytecode;
  std::string function;
  /// Its constants that are resources are in `bytecode`.
  std::shared_ptr<const Program> eager;
  /// What its compilers have made of its constants.
  std::shared_ptr<ir::RearrangedBytes> rearranged =
      std::make_shared<ir::RearrangedBytes>();
};

/// What graphs are written in.
mlir::DialectRegistry graphDialects();

/// The source that is `function` of `module`; needs nothing of its context
/// afterwards. An error, of phase "parse", where it cannot be executed.
Expected<std::shared_ptr<const GraphSource>>
makeGraphSource(mlir::ModuleOp module, const std::string &function);

/// What contexts that read the bytecode of `source` share.
ir::SharedConstants sharedConstants(const GraphSource &source);

/// A compiler of `graph`, warm: its first context, with dialects and passes, is
/// ready on return.
Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPHSOURCE_H
