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

static std::string renderOne(Location location) {
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

/// Ops that compute gradients have the location of the op that is
/// differentiated, marked as "backward" (GradientBuilder).
static void renderEach(Location location, StringRef mark,
                       std::vector<std::string> &texts) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    auto metadata = dyn_cast_or_null<StringAttr>(fused.getMetadata());
    for (Location inner : fused.getLocations())
      renderEach(inner, metadata ? metadata.getValue() : mark, texts);
    return;
  }
  std::string text = renderOne(location);
  if (!text.empty() && !mark.empty())
    text += " (" + mark.str() + ")";
  if (!text.empty() && !llvm::is_contained(texts, text))
    texts.push_back(std::move(text));
}

std::vector<std::string> tandem::renderLocations(Location location) {
  std::vector<std::string> texts;
  renderEach(location, "", texts);
  return texts;
}

std::string tandem::renderLocation(Location location) {
  std::vector<std::string> texts = renderLocations(location);
  return texts.empty() ? std::string() : std::move(texts.front());
}
