//===- ColumnsDetail.h - Steps of convolutions as products ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two ops of the provider "columns" share.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_COLUMNSDETAIL_H
#define TANDEM_RUNTIME_EAGER_COLUMNSDETAIL_H

#include "Scratch.h"
#include "Spatial.h"

#include "tandem/Runtime/Provider.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace tandem::eager {

using Prepared = std::unique_ptr<PreparedOp>;

/// An op that is ready to run, and the type of its result.
struct Step {
  Prepared op;
  TensorType type;
};

/// The type of a tensor in another layout.
inline TensorType arranged(const TensorType &type, std::string_view from,
                           std::string_view to) {
  TensorType result = type;
  for (size_t i = 0; i < to.size(); ++i)
    result.shape[static_cast<int>(i)] =
        type.shape[static_cast<int>(from.find(to[i]))];
  return result;
}

/// Transposes a tensor from one layout to another. There is no op if the
/// layouts are equal.
inline Expected<Step> prepareTranspose(ProviderList providers,
                                       const TensorType &type,
                                       std::string_view from,
                                       std::string_view to) {
  Step step{nullptr, arranged(type, from, to)};
  if (from == to)
    return step;
  fb::TransposeAttrsT attrs;
  for (char letter : to)
    attrs.permutation.push_back(static_cast<int64_t>(from.find(letter)));
  OpDesc op;
  op.kind = OpKind::transpose;
  op.attrs.Set(std::move(attrs));
  TANDEM_ASSIGN_OR_RETURN(
      step.op, prepareOp(providers, {op, {&type, 1}, {&step.type, 1}}));
  return step;
}

/// Replaces `tensor` by the result of the step, in memory of `scratch`, if the
/// step has an op.
inline Status convert(const Step &step, Scratch &scratch, Tensor &tensor) {
  if (!step.op)
    return {};
  Tensor to = scratch.take(step.type);
  TANDEM_RETURN_IF_ERROR(step.op->run(scratch.left(), {&tensor, 1}, {&to, 1}));
  tensor = to;
  return {};
}

/// A kernel's type with a dim of its own for groups, before the output channels
/// of a group, and the layout of that type, which names the groups G.
inline std::pair<TensorType, std::string>
splitGroups(const TensorType &kernel, std::string layout, int64_t groups) {
  TensorType split{kernel.dtype, {}};
  for (size_t i = 0; i < layout.size(); ++i) {
    int64_t size = kernel.shape[static_cast<int>(i)];
    if (layout[i] == 'O') {
      split.shape.push_back(groups);
      size /= groups;
    }
    split.shape.push_back(size);
  }
  layout.insert(layout.find('O'), "G");
  return {split, layout};
}

/// The first position of a row of windows whose tap is inside the image, and
/// the first one behind those. The tap of the first window is at `offset`.
inline std::pair<int64_t, int64_t> positionsInside(const SpatialConv &conv,
                                                   int64_t offset) {
  const int64_t stride = conv.strides[2], size = conv.in.size[2];
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t last = size <= offset ? 0 : (size - offset - 1) / stride + 1;
  return {std::min(first, conv.output[2]), std::min(last, conv.output[2])};
}

/// Prepares conv_backward_weights (WeightColumns.cpp).
Expected<Prepared> createWeightColumns(ProviderList providers,
                                       const OpSignature &signature);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_COLUMNSDETAIL_H
