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
  /// Identifies the bytes by the constants from which they were made and by the
  /// computation. The key contains the address of each constant, which must
  /// outlive this object, or the elements of a small constant. Numbers that
  /// describe the computation follow.
  using Key = std::vector<int64_t>;

  /// Returns the bytes of `key`. Calls `make` if no one holds these bytes.
  /// Meanwhile, other threads that request the same key wait.
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

/// Memory that holds resources, and the owner that keeps the memory alive.
struct ResourceMemory {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

/// Data and services that a context shares with all contexts that compile the
/// same graph.
struct SharedConstants {
  /// The memory that holds the graph's resources. No two ranges overlap.
  std::vector<ResourceMemory> memory;
  std::shared_ptr<RelayoutedBytes> rearranged;
  /// The loop that rearranges large constants in parallel. If null, the calling
  /// thread rearranges them without help.
  ParallelLoop parallelLoop;
};

/// Makes `context` use `shared`. `context` must have loaded the dialect. Call
/// this function once, before the context compiles anything.
void share(mlir::MLIRContext *context, SharedConstants shared);

/// Returns the constant of `type` that is computed from `sources`. The text
/// `computation` identifies everything else that the bytes of the constant
/// depend on. If the constant has not been computed yet, `fill` is called.
/// `fill` must write all bytes (an i1 takes one byte) or return false, in which
/// case the result is null.
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

/// Returns the owner that keeps `bytes` of a resource in `context` alive after
/// the context is destroyed. Returns null if the bytes live only as long as the
/// context.
std::shared_ptr<const void> findOwner(mlir::MLIRContext *context,
                                      llvm::ArrayRef<char> bytes);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_SHAREDCONSTANTS_H
