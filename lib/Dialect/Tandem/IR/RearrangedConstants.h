//===- RearrangedConstants.h - What has been made of constants -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_REARRANGEDCONSTANTS_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_REARRANGEDCONSTANTS_H

#include "tandem/Dialect/Tandem/IR/Rearrange.h"
#include "tandem/Dialect/Tandem/IR/SharedConstants.h"

#include "mlir/IR/DialectInterface.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <optional>
#include <tuple>

namespace tandem::ir {

/// Constants that have been rearranged: a graph that is compiled
/// for one shape after the other rearranges its weights once. Large ones are
/// resources, which nobody hashes, and live as long as the context, as other
/// constants do; their bytes as long as anyone shares them. Thread-safe.
class RearrangedConstants
    : public mlir::DialectInterface::Base<RearrangedConstants> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RearrangedConstants)

  explicit RearrangedConstants(mlir::Dialect *dialect) : Base(dialect) {}

  /// Those of a context, which has loaded the dialect.
  static RearrangedConstants &of(mlir::MLIRContext *context);

  using Fill = llvm::function_ref<void(llvm::MutableArrayRef<char>)>;

  /// The constant of `type` that holds `boxes` of `source`, or without boxes
  /// what Winograd's method makes of it; `fill` writes its bytes, all of them,
  /// where there is none yet.
  mlir::ElementsAttr get(mlir::ElementsAttr source, mlir::RankedTensorType type,
                         llvm::ArrayRef<ElementBox> boxes, Fill fill);

  /// As ParallelLoop; for `fill`.
  void parallelFor(int64_t count, llvm::function_ref<void(int64_t)> body);

  /// Bytes that were filled so far.
  int64_t bytesMade() const { return made; }

  void share(SharedConstants shared);
  std::shared_ptr<const void> findOwner(llvm::ArrayRef<char> bytes);

private:
  /// Source, type, and all numbers of the boxes.
  using Key = std::tuple<const void *, const void *, std::vector<int64_t>>;

  /// Bytes that may outlive the context.
  struct Kept {
    size_t size;
    std::shared_ptr<const void> owner;
    /// How they have come about, empty for the graph's; null where they are
    /// made of what this context alone has.
    std::optional<RearrangedBytes::Key> derivation;
  };

  const Kept *find(llvm::ArrayRef<char> bytes) const;
  /// What other contexts know the constant by; nothing where `source` is of
  /// this one alone.
  std::optional<RearrangedBytes::Key> derive(mlir::ElementsAttr source,
                                             mlir::RankedTensorType type,
                                             llvm::ArrayRef<int64_t> boxes);

  ParallelLoop parallelLoop;
  std::atomic<int64_t> made{0};
  std::shared_ptr<RearrangedBytes> rearranged;
  std::mutex mutex; // guards what follows; not held while bytes are filled
  std::map<Key, mlir::ElementsAttr> constants;
  /// By where they begin.
  std::map<const char *, Kept> kept;
};

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_REARRANGEDCONSTANTS_H
