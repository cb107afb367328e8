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

#include <memory>
#include <string>

namespace tandem {

/// A parsed and verified graph, immutable and tied to no MLIRContext: compilers
/// in contexts of their own read it again.
struct GraphSource {
  /// MLIR bytecode of a module that holds the function, with locations.
  std::string bytecode;
  std::string function;
  std::shared_ptr<const Program> eager;
};

/// A compiler of `graph`, warm: its first context, with dialects and passes, is
/// ready on return.
Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPHSOURCE_H
