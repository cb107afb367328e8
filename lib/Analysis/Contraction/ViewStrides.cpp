//===- ViewStrides.cpp - Where the elements of a view are -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewStrides.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/Views.h"

using namespace mlir;

namespace tandem {

using Dim = View::Dim;
using Part = View::Part;

static bool isWhole(const Part &part) { return part.digits.size() == 1; }

/// Adjacent parts that step through memory as one become one; parts of size 1
/// go.
static Dim simplify(const Dim &dim) {
  Dim result;
  for (const Part &part : dim) {
    if (part.extent == 1 && isWhole(part))
      continue;
    if (!result.empty() && isWhole(result.back()) && isWhole(part) &&
        result.back().digits[0].stride == part.extent * part.digits[0].stride) {
      int64_t extent = result.back().extent * part.extent;
      result.back() = {extent, {{extent, part.digits[0].stride}}};
      continue;
    }
    result.push_back(part);
  }
  return result;
}

std::optional<Dim> takeOuter(Dim &dim, int64_t extent) {
  Dim taken;
  while (extent > 1) {
    if (dim.empty())
      return std::nullopt;
    Part &part = dim.front();
    if (extent % part.extent == 0) {
      extent /= part.extent;
      taken.push_back(part);
      dim.erase(dim.begin());
      continue;
    }
    if (!isWhole(part) || part.extent % extent != 0)
      return std::nullopt;
    int64_t rest = part.extent / extent, stride = part.digits[0].stride;
    taken.push_back({extent, {{extent, rest * stride}}});
    part = {rest, {{rest, stride}}};
    extent = 1;
  }
  return taken;
}

static bool transpose(View &view, ir::TransposeOp op) {
  SmallVector<Dim, 6> dims;
  for (int64_t from : op.getPermutation())
    dims.push_back(view.dims[from]);
  view.dims = dims;
  return true;
}

static bool reshape(View &view, ArrayRef<int64_t> shape) {
  Dim flat;
  for (const Dim &dim : view.dims)
    flat.append(dim);
  flat = simplify(flat);
  SmallVector<Dim, 6> dims;
  for (int64_t size : shape) {
    std::optional<Dim> dim = takeOuter(flat, size);
    if (!dim)
      return false;
    dims.push_back(*dim);
  }
  view.dims = dims;
  return true;
}

/// Only the ends of dims are cut off. A view of an argument remains a step,
/// which costs nothing, so that kernels do not depend on where in the argument
/// it begins.
static bool slice(View &view, ir::SliceOp op) {
  if (ir::isViewOfArgument(op))
    return false;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t size = op.getLimits()[i];
    if (op.getStarts()[i] != 0 || op.getStrides()[i] != 1)
      return false;
    if (size == shape[i])
      continue;
    Part cut{size, {}};
    for (const Part &part : view.dims[i]) {
      if (!isWhole(part))
        return false;
      cut.digits.push_back(part.digits[0]);
    }
    if (cut.digits.size() == 1)
      cut.digits[0].size = size;
    view.dims[i] = {cut};
  }
  return true;
}

View viewInPlace(Value value) {
  View view{value, {}};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  view.dims.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    if (shape[i] != 1)
      view.dims[i].push_back({shape[i], {{shape[i], stride}}});
  return view;
}

View lookThroughViews(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp>(op))
    return viewInPlace(value);
  View view = lookThroughViews(op->getOperand(0));
  bool isView = false;
  if (auto cast = dyn_cast<ir::TransposeOp>(op))
    isView = transpose(view, cast);
  else if (auto cut = dyn_cast<ir::SliceOp>(op))
    isView = slice(view, cut);
  else
    isView =
        reshape(view, mlir::cast<RankedTensorType>(value.getType()).getShape());
  return isView ? view : viewInPlace(value);
}

std::optional<int64_t> View::getStride(unsigned dim) const {
  if (dims[dim].size() == 1 && isWhole(dims[dim][0]) && dims[dim][0].extent > 1)
    return dims[dim][0].digits[0].stride;
  Dim simple = simplify(dims[dim]);
  if (simple.empty())
    return 0;
  if (simple.size() > 1 || !isWhole(simple[0]))
    return std::nullopt;
  return simple[0].digits[0].stride;
}

std::optional<int64_t> View::getGroupStride(unsigned dim, int64_t size) const {
  Dim simple = simplify(dims[dim]);
  SmallVector<Digit> digits;
  for (const Part &part : simple)
    digits.append(part.digits.begin(), part.digits.end());
  bool isCut = simple.size() == 1;
  if (digits.size() != 2 || (!isCut && simple.size() != 2) ||
      digits[1].size != size || digits[1].stride != 1)
    return std::nullopt;
  return digits[0].stride;
}

} // namespace tandem
