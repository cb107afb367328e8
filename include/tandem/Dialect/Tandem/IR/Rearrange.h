//===- Rearrange.h - Elements of constants in another order ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are large: their bytes are moved as they are, without an attribute
// per element.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_REARRANGE_H
#define TANDEM_DIALECT_TANDEM_IR_REARRANGE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tandem::ir {

/// A box of elements: per dim its size and how far apart, in elements, its
/// indices lie in the source and in the result; and where the first one is.
struct ElementBox {
  llvm::SmallVector<int64_t> sizes, sourceStrides, resultStrides;
  int64_t sourceOffset = 0, resultOffset = 0;
};

/// Strides, in elements, of a row-major tensor.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> shape);

/// The bytes of `elements`, of one element for a splat; empty where they are
/// not at hand.
llvm::ArrayRef<char> getRawData(mlir::ElementsAttr elements);

/// The constant of the given static type that holds `boxes` of `source`, which
/// must lie within both, and zeros elsewhere. Null where the bytes of `source`
/// are not at hand (a missing resource) or not whole (i1 is held in bits).
/// Large ones are resources, and are made once per context.
mlir::ElementsAttr rearrange(mlir::ElementsAttr source,
                             mlir::RankedTensorType type,
                             llvm::ArrayRef<ElementBox> boxes);

/// The transpose of `source` as by tandem.transpose; null as above.
mlir::ElementsAttr transpose(mlir::ElementsAttr source,
                             llvm::ArrayRef<int64_t> permutation);

/// The elements of `source` in the same order under another static type of as
/// many; null where it is neither dense nor a resource.
mlir::ElementsAttr reshape(mlir::ElementsAttr source,
                           mlir::RankedTensorType type);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_REARRANGE_H
