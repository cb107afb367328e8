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

/// The constants, such as packed weights, of programs of one graph that were
/// compiled in other processes. Further programs of the graph share these
/// constants, as long as any program holds them. Thread-safe.
class KnownConstants {
public:
  /// Adds the constants of `program` that are not constants of the graph
  /// (`eager`), except small ones.
  void add(const Program &program, const Program &eager);
  /// Returns the constants that programs still hold. The result holds them,
  /// too.
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
