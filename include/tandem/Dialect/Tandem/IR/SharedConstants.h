//===- SharedConstants.h - Constants beyond their context -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H
#define TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tandem::ir {

/// The rearranged constants of a graph, which all contexts that it is compiled
/// in share: each is made once as long as a context or a program holds it.
/// Thread-safe.
class RearrangedBytes {
public:
  /// The address of a constant that outlives this, followed by the numbers of
  /// each rearrangement of it.
  using Key = std::vector<int64_t>;

  /// The bytes of `key`, which `make` makes where nobody holds them; whoever
  /// else asks for them meanwhile waits.
  std::shared_ptr<char> get(const Key &key,
                            llvm::function_ref<std::shared_ptr<char>()> make);

  struct Count {
    /// Held now, and ever made.
    size_t held = 0, made = 0;
  };
  Count count();

private:
  struct Entry {
    std::mutex mutex; // guards the others; held while bytes are made
    std::weak_ptr<char> bytes;
    size_t made = 0;
  };

  std::mutex mutex; // guards entries, not what is in them
  std::map<Key, Entry> entries;
};

/// Calls body(0), ..., body(count - 1), perhaps on several threads, and returns
/// when all have returned.
using ParallelLoop =
    std::function<void(int64_t count, llvm::function_ref<void(int64_t)> body)>;

/// What a context shares with others.
struct SharedConstants {
  /// Where the resources of the graph are, and what keeps them there.
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  std::shared_ptr<RearrangedBytes> rearranged;
  /// Rearranges what is large; null: the calling thread does.
  ParallelLoop parallelLoop;
};

/// Gives `context`, which has loaded the dialect, its share: once, before it
/// compiles anything.
void share(mlir::MLIRContext *context, SharedConstants shared);

/// How many bytes of constants were rearranged in `context`, which has loaded
/// the dialect, so far: what was found does not count.
int64_t countRearrangedBytes(mlir::MLIRContext *context);

/// What keeps `bytes` of a resource in `context`, beyond the context; null
/// where only the context does.
std::shared_ptr<const void> findOwner(mlir::MLIRContext *context,
                                      llvm::ArrayRef<char> bytes);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H
