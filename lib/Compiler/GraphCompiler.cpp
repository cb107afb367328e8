//===- GraphCompiler.cpp - The Compiler of a graph ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphSource.h"

namespace tandem {

Expected<std::unique_ptr<Compiler>>
createGraphCompiler(std::shared_ptr<const GraphSource> graph,
                    CompileOptions options) {
  return fail("compile", "no code generator for device '" + options.device +
                             "' in this build");
}

} // namespace tandem
