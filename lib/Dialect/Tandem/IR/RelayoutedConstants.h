//===- RelayoutedConstants.h - Cache of rearranged constants ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_RELAYOUTEDCONSTANTS_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_RELAYOUTEDCONSTANTS_H

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/SharedConstants.h"

#include "mlir/IR/DialectInterface.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <optional>
#include <tuple>

namespace tandem::ir {

/// A cache of the rearranged constants of a context, so that a graph that is
/// compiled for several shapes rearranges its weights once. Large constants are
/// resources, because uniquing would hash their bytes. Like other constants
/// they live as long as the context; their bytes live as long as anyone shares
/// them. Thread-safe.
class RelayoutedConstants
    : public mlir::DialectInterface::Base<RelayoutedConstants> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RelayoutedConstants)

  explicit RelayoutedConstants(mlir::Dialect *dialect) : Base(dialect) {}

  /// The cache of a context, which must have loaded the dialect.
  static RelayoutedConstants &of(mlir::MLIRContext *context);

  using Fill = llvm::function_ref<void(llvm::MutableArrayRef<char>)>;

  /// Returns the constant of `type` that holds `boxes` of `source`. Where it is
  /// not cached, `fill` must write all of its bytes.
  mlir::ElementsAttr get(mlir::ElementsAttr source, mlir::RankedTensorType type,
                         llvm::ArrayRef<StridedBox> boxes, Fill fill);

  using TryToFill = llvm::function_ref<bool(llvm::MutableArrayRef<char>)>;

  /// Returns the constant of `type` that is made of `sources` in the way that
  /// `numbers` describe. Where it is not cached, `fill` must write all of its
  /// bytes, or return false: then the result is null.
  mlir::ElementsAttr get(llvm::ArrayRef<mlir::ElementsAttr> sources,
                         mlir::RankedTensorType type,
                         std::vector<int64_t> numbers, TryToFill fill);

  /// Runs a loop in parallel, as ParallelLoop does. For use by `fill`.
  void parallelFor(int64_t count, llvm::function_ref<void(int64_t)> body);

  /// The number of bytes that were filled so far.
  int64_t bytesMade() const { return made; }

  void share(SharedConstants shared);
  std::shared_ptr<const void> findOwner(llvm::ArrayRef<char> bytes);

private:
  /// The sources, the type, and the numbers that describe the rest.
  using Key =
      std::tuple<std::vector<const void *>, const void *, std::vector<int64_t>>;

  /// Bytes that may outlive the context.
  struct Kept {
    size_t size;
    std::shared_ptr<const void> owner;
    /// How the bytes were derived from the graph's constants; empty for the
    /// graph's own bytes. None where they were derived from a constant that
    /// only this context has.
    std::optional<RelayoutedBytes::Key> derivation;
  };

  const Kept *find(llvm::ArrayRef<char> bytes) const;
  /// Appends how other contexts know `source`; false where only this one has
  /// it.
  bool addDerivation(mlir::ElementsAttr source, RelayoutedBytes::Key &key);
  /// The key by which other contexts know the constant; nothing where only this
  /// context has one of the sources.
  std::optional<RelayoutedBytes::Key>
  derive(llvm::ArrayRef<mlir::ElementsAttr> sources,
         mlir::RankedTensorType type, llvm::ArrayRef<int64_t> numbers);

  ParallelLoop parallelLoop;
  std::atomic<int64_t> made{0};
  std::shared_ptr<RelayoutedBytes> rearranged;
  std::mutex mutex; // guards what follows; not held while bytes are filled
  std::map<Key, mlir::ElementsAttr> constants;
  /// The bytes, by the address at which they begin.
  std::map<const char *, Kept> kept;
};

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_RELAYOUTEDCONSTANTS_H
