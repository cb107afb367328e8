//===- DefaultAttributes.cpp - What an op leaves out
//-----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/DefaultAttributes.h"

namespace tandem {

/// The letters of the spatial dims of a tensor in layouts, such as "HW" for 4
/// dims; empty if there is no layout for this number of dims.
static std::string spatialLetters(int rank) {
  return rank < 3 || rank > 5 ? "" : std::string("DHW").substr(5 - rank);
}

/// `Attrs` is ConvAttrsT or PoolAttrsT.
template <typename Attrs> static void fillWindow(Attrs &attrs, size_t size) {
  for (std::vector<int64_t> *ones : {&attrs.strides, &attrs.dilations})
    if (ones->empty())
      ones->assign(size, 1);
  for (std::vector<int64_t> *zeros : {&attrs.pad_low, &attrs.pad_high})
    if (zeros->empty())
      zeros->assign(size, 0);
}

static void fillLayout(std::string &layout, const std::string &channelsFirst) {
  if (layout.empty())
    layout = channelsFirst;
}

void fillDefaults(OpDesc &op, std::span<const TensorType> operands) {
  if (operands.empty())
    return;
  const std::string letters = spatialLetters(operands[0].shape.rank());
  if (letters.empty())
    return; // Shape inference tells what is wrong.
  if (fb::ConvAttrsT *conv = op.attrs.AsConvAttrs()) {
    fillWindow(*conv, letters.size());
    fillLayout(conv->input_layout, "NC" + letters);
    fillLayout(conv->kernel_layout, "OI" + letters);
    fillLayout(conv->output_layout, conv->input_layout);
    if (op.kind == OpKind::conv_backward_data && conv->output_padding.empty())
      conv->output_padding.assign(letters.size(), 0);
  } else if (fb::PoolAttrsT *pool = op.attrs.AsPoolAttrs()) {
    fillWindow(*pool, letters.size());
    fillLayout(pool->layout, "NC" + letters);
  }
}

} // namespace tandem
