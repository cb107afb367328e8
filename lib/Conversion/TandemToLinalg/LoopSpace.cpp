//===- LoopSpace.cpp - Which loops of a kernel become one -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopSpace.h"

using namespace mlir;

namespace tandem {

/// The row-major number of the element that is read.
static AffineExpr linearize(ArrayRef<AffineExpr> index, ArrayRef<int64_t> shape,
                            MLIRContext *context) {
  SmallVector<int64_t> strides = getStrides(shape);
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [expr, stride, size] : llvm::zip(index, strides, shape))
    if (size != 1)
      sum = sum + expr * stride;
  return sum;
}

LoopSpace::LoopSpace(ArrayRef<int64_t> oldSizes)
    : oldSizes(oldSizes), mergeable(oldSizes.size(), true) {}

void LoopSpace::addReads(const ElementalEmitter &emitter) {
  for (AffineExpr expr : emitter.materialized)
    separate(expr);
  for (const ElementRead &read : emitter.reads)
    // What an earlier op computed has these very loops.
    if (!read.isMaterialized)
      addAccess(read.index,
                cast<RankedTensorType>(read.source.getType()).getShape());
}

void LoopSpace::addAccess(ArrayRef<AffineExpr> index, ArrayRef<int64_t> shape) {
  if (index.empty())
    return;
  LinearForm form = toLinearForm(
      linearize(index, shape, index.front().getContext()), oldSizes.size());
  for (AffineExpr other : form.others)
    separate(other);
  for (unsigned i = 0; i + 1 < oldSizes.size(); ++i)
    if (!isContiguous(form, i))
      mergeable[i] = false;
}

void LoopSpace::splitBefore(unsigned loop) {
  if (loop > 0)
    mergeable[loop - 1] = false;
}

void LoopSpace::merge() {
  for (unsigned i = 0; i < oldSizes.size(); ++i) {
    if (i > 0 && mergeable[i - 1])
      sizes.back() *= oldSizes[i];
    else
      sizes.push_back(oldSizes[i]);
    newLoop.push_back(sizes.size() - 1);
  }
}

bool LoopSpace::isContiguous(const LinearForm &form, unsigned outer) const {
  return form.coefficients[outer] ==
         form.coefficients[outer + 1] * oldSizes[outer + 1];
}

void LoopSpace::separate(AffineExpr expr) {
  for (unsigned i = 0; i < oldSizes.size(); ++i)
    if (expr.isFunctionOfDim(i)) {
      mergeable[i] = false;
      if (i > 0)
        mergeable[i - 1] = false;
    }
}

bool LoopSpace::isMerged(unsigned loop) const {
  return (loop + 1 < oldSizes.size() && mergeable[loop]) ||
         (loop > 0 && mergeable[loop - 1]);
}

AffineExpr LoopSpace::rewrite(AffineExpr expr) const {
  LinearForm form = toLinearForm(expr, oldSizes.size());
  MLIRContext *context = expr.getContext();
  LinearForm result;
  result.constant = form.constant;
  result.coefficients.assign(sizes.size(), 0);
  for (unsigned i = 0; i < oldSizes.size(); ++i) {
    if (i + 1 < oldSizes.size() && mergeable[i] && !isContiguous(form, i))
      return {};
    // The coefficient of the innermost one of merged loops is written last, and
    // is the one that counts.
    result.coefficients[newLoop[i]] = form.coefficients[i];
  }
  // Merged loops must not occur in other terms. LoopSpace has not merged loops
  // that occur in such terms of a whole index, but terms of a part of an index
  // may cancel out in the whole, as the digits of a reshaped index do.
  for (unsigned i = 0; i < oldSizes.size(); ++i)
    if (isMerged(i) && llvm::any_of(form.others, [&](AffineExpr other) {
          return other.isFunctionOfDim(i);
        }))
      return {};
  SmallVector<AffineExpr> dims;
  for (unsigned loop : newLoop)
    dims.push_back(getAffineDimExpr(loop, context));
  for (AffineExpr other : form.others)
    result.others.push_back(other.replaceDims(dims));
  return fromLinearForm(result, context);
}

LoopSpace::Access LoopSpace::getAccess(ArrayRef<AffineExpr> index,
                                       ArrayRef<int64_t> shape) const {
  Access access;
  size_t first = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    // Dims of size 1 go with what follows, or with what came before.
    if (shape[i] == 1)
      continue;
    auto dims = index.slice(first, i + 1 - first);
    auto sizesOfGroup = shape.slice(first, i + 1 - first);
    AffineExpr expr =
        rewrite(linearize(dims, sizesOfGroup, index[i].getContext()));
    if (!expr)
      continue;
    access.groups.push_back(
        llvm::to_vector<2>(llvm::seq<int64_t>(first, i + 1)));
    int64_t size = 1;
    for (int64_t dim : sizesOfGroup)
      size *= dim;
    access.shape.push_back(size);
    access.index.push_back(expr);
    first = i + 1;
  }
  if (!access.groups.empty())
    for (size_t i = first; i < shape.size(); ++i)
      access.groups.back().push_back(i);
  return access;
}

} // namespace tandem
