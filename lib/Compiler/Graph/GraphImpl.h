//===- GraphImpl.h - The implementation of Graph ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPH_GRAPHIMPL_H
#define TANDEM_LIB_COMPILER_GRAPH_GRAPHIMPL_H

#include "Remote/SerializedGraph.h"

namespace tandem {

struct Graph::Impl {
  std::shared_ptr<const SerializedGraph> source;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPH_GRAPHIMPL_H
