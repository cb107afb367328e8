//===- Location.cpp - Source locations for people -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/IR/Location.h"

using namespace mlir;

std::string tandem::renderLocation(Location location) {
  // FileLineColLoc is a view of FileLineColRange and accepts single points
  // only.
  auto source = location->findInstanceOf<FileLineColRange>();
  if (!source) {
    // An op without a file has a name, where a builder gave it one.
    auto named = location->findInstanceOf<NameLoc>();
    return named ? named.getName().str() : "";
  }
  // A node of a model has a name in place of a line, the model itself neither.
  if (source.getStartLine() == 0) {
    auto named = location->findInstanceOf<NameLoc>();
    return source.getFilename().str() +
           (named ? ":" + named.getName().str() : "");
  }
  return source.getFilename().str() + ":" +
         std::to_string(source.getStartLine()) + ":" +
         std::to_string(source.getStartColumn());
}
