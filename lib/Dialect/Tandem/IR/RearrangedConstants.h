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

#include "mlir/IR/DialectInterface.h"

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace tandem::ir {

/// Constants that have been rearranged: a graph that is compiled
/// for one shape after the other rearranges its weights once. Bytes of large
/// ones are resources, which nobody hashes, and live as long as the context, as
/// those of other constants do. Thread-safe.
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

private:
  /// Source, type, and all numbers of the boxes.
  using Key = std::tuple<const void *, const void *, std::vector<int64_t>>;

  std::mutex mutex; // guards constants; not held while one is filled
  std::map<Key, mlir::ElementsAttr> constants;
};

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_REARRANGEDCONSTANTS_H
