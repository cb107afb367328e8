//===- Relayout.h - Rearranging the elements of constants -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that reorder the elements of constants at compile time. Weights are
// large, so their bytes are moved directly, without an attribute per element.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_RELAYOUT_H
#define TANDEM_DIALECT_TANDEM_IR_RELAYOUT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tandem::ir {

/// A box of elements that is copied from one constant to another: its size in
/// each dim, the stride of each dim in the source and in the result, and the
/// offset of the first element in both. Strides and offsets are in elements.
struct StridedBox {
  llvm::SmallVector<int64_t> sizes, sourceStrides, resultStrides;
  int64_t sourceOffset = 0, resultOffset = 0;
};

/// The strides of a row-major tensor, in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> shape);

/// Returns the bytes of `elements`. For a splat, returns the bytes of a single
/// element. Empty if the bytes are not available.
llvm::ArrayRef<char> getRawData(mlir::ElementsAttr elements);

/// Makes a constant of the given static type. Copies `boxes` of `source` to the
/// constant, and sets all other elements to zero. The boxes must lie within
/// both tensors. Returns null if the bytes of `source` are not available (a
/// missing resource) or if elements are not whole bytes (i1). Large results are
/// resources, and are made once per context.
mlir::ElementsAttr rearrange(mlir::ElementsAttr source,
                             mlir::RankedTensorType type,
                             llvm::ArrayRef<StridedBox> boxes);

/// Returns the transpose of `source`, with `permutation` as in
/// tandem.transpose. Returns null in the same cases as `rearrange`.
mlir::ElementsAttr transpose(mlir::ElementsAttr source,
                             llvm::ArrayRef<int64_t> permutation);

/// The elements of `source` in the same order under another static type with
/// equally many elements; null where `source` is neither dense nor a resource.
mlir::ElementsAttr reshape(mlir::ElementsAttr source,
                           mlir::RankedTensorType type);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_RELAYOUT_H
