//===- SharedConstants.h - Constants that contexts share --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H
#define TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tandem::ir {

/// The bytes of a graph's rearranged constants, shared by all contexts in which
/// the graph is compiled. Each is made once, and kept as long as a context or a
/// program holds it. Thread-safe.
class RelayoutedBytes {
public:
  /// The address of each constant that the bytes were made of, which must
  /// outlive this object, or its elements where they are few; and the numbers
  /// that describe what was made of them.
  using Key = std::vector<int64_t>;

  /// Returns the bytes of `key`. Calls `make` where nobody holds them; other
  /// threads that ask for the same key meanwhile wait.
  std::shared_ptr<char> get(const Key &key,
                            llvm::function_ref<std::shared_ptr<char>()> make);

  struct Count {
    /// The number of constants that are held now, and of those ever made.
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

/// A function that calls body(0), ..., body(count - 1), possibly on several
/// threads, and returns when all calls have returned.
using ParallelLoop =
    std::function<void(int64_t count, llvm::function_ref<void(int64_t)> body)>;

/// Memory that holds resources, and what keeps it alive.
struct ResourceMemory {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

/// What a context shares with the other contexts that compile the same graph.
struct SharedConstants {
  /// The memory that holds the graph's resources. No two ranges overlap.
  std::vector<ResourceMemory> memory;
  std::shared_ptr<RelayoutedBytes> rearranged;
  /// The loop that rearranges large constants in parallel; if null, the calling
  /// thread does so alone.
  ParallelLoop parallelLoop;
};

/// Sets what `context`, which must have loaded the dialect, shares. To be
/// called once, before the context compiles anything.
void share(mlir::MLIRContext *context, SharedConstants shared);

/// Returns the constant of `type` that is computed from `sources`. The text
/// `computation` stands for all else that its bytes depend on. Where it has not
/// been computed yet, `fill` must write all of its bytes, one for each i1, or
/// return false: then the result is null.
mlir::ElementsAttr
getComputed(llvm::ArrayRef<mlir::ElementsAttr> sources,
            mlir::RankedTensorType type, llvm::StringRef computation,
            llvm::function_ref<bool(llvm::MutableArrayRef<char>)> fill);

/// Calls body(0), ..., body(count - 1) with the parallel loop that `context`
/// shares (SharedConstants::parallelLoop). For use by functions that compute
/// large constants. The context must have loaded the dialect.
void parallelFor(mlir::MLIRContext *context, int64_t count,
                 llvm::function_ref<void(int64_t)> body);

/// The number of bytes of constants that were rearranged or computed in
/// `context` so far. Constants that were there already do not count. The
/// context must have loaded the dialect.
int64_t countRelayoutedBytes(mlir::MLIRContext *context);

/// The owner that keeps `bytes` of a resource in `context` alive beyond the
/// context; null where only the context does.
std::shared_ptr<const void> findOwner(mlir::MLIRContext *context,
                                      llvm::ArrayRef<char> bytes);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H
