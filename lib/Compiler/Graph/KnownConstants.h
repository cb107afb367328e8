//===- KnownConstants.h - Constants of several programs ------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_GRAPH_KNOWNCONSTANTS_H
#define TANDEM_LIB_COMPILER_GRAPH_KNOWNCONSTANTS_H

#include "tandem/Runtime/Program/StoredProgram.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tandem {

/// The constants of a graph's programs that were compiled in other processes,
/// such as packed weights, as long as any of these programs holds them: further
/// programs share them. Thread-safe.
class KnownConstants {
public:
  /// Adds those that are not the graph's own.
  void add(const Program &program, const Program &eager);
  /// All that are still held, which the result holds, too.
  std::vector<KnownConstant> held();

private:
  struct Entry {
    std::weak_ptr<void> owner;
    void *data;
    TensorType type;
  };
  std::mutex mutex; // Guards `byDigest`.
  std::map<std::string, Entry> byDigest;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_GRAPH_KNOWNCONSTANTS_H
