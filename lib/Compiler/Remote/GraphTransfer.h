//===- GraphTransfer.h - A graph for another process ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_GRAPHTRANSFER_H
#define TANDEM_LIB_COMPILER_REMOTE_GRAPHTRANSFER_H

#include "Remote/HelperMessages.h"
#include "Remote/SerializedGraph.h"
#include "Session/CompilerConfig.h"

#include "process/Descriptor.h"

#include <memory>

namespace tandem {

/// A graph and its configuration in a form that can be sent to another process:
/// a description, and a descriptor of the memory that it refers to. Weights
/// that are mapped from files are referred to by file name and offset, not
/// copied.
struct GraphTransfer {
  fb::HelperGraphT graph;
  Descriptor memory;
};
Expected<GraphTransfer> shareGraph(const SerializedGraph &source,
                                   const CompilerConfig &config);

/// Opens a transferred graph in the other process. Maps the memory without
/// copying it.
Expected<std::shared_ptr<const SerializedGraph>>
openGraphTransfer(const fb::HelperGraphT &graph, int memory);
Expected<CompilerConfig> openSharedConfig(const fb::HelperGraphT &graph);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_GRAPHTRANSFER_H
