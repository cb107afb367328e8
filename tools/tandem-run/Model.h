//===- Model.h - Inputs of imported models by name --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_MODEL_H
#define TANDEM_TOOLS_TANDEM_RUN_MODEL_H

#include "Run.h"

#include <memory>
#include <vector>

namespace tandem::tools {

/// A graph and a tensor for each of its inputs.
struct GraphWithInputs {
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
};

/// What --input and --dim fix when a model is imported.
Expected<ImportOptions> importOptions(const RunOptions &options);

/// Opens the file of the options. Of a model, --dim and --input are obeyed:
/// what they leave out has size 1 or is random. Where neither they nor --arg
/// are given, the model's inputs, outputs and free dims are listed on stdout.
/// `keepsGoing` as in ImportOptions; nothing is listed then.
Expected<GraphWithInputs> openGraph(const RunOptions &options,
                                    bool keepsGoing = false);

/// A graph, and inputs of each shape that it is to be called with.
struct GraphWithShapes {
  std::unique_ptr<Graph> graph;
  std::vector<std::vector<Tensor>> inputs;
};

/// Opens a graph with random inputs of each shape of --vary; without it, with
/// those of openGraph.
Expected<GraphWithShapes> openGraphVaried(const RunOptions &options);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_MODEL_H
