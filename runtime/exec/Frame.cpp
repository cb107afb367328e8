//===- Frame.cpp - The state of one run -----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

using namespace tandem;
using namespace tandem::exec;

Frame::Frame(const Program &program, std::span<const Constant> constants)
    : values(program.slots.size()), owned(program.slots.size()),
      last(program.steps.size()), loops(program.steps.size()) {
  for (size_t i = 0; i < owned.size(); ++i)
    values[i] = &owned[i];
  for (const Constant &constant : constants)
    values[constant.slot] = &constant.data;
}

Frame::~Frame() = default;

void Frame::place() {
  for (const auto &[slot, tensor] : placed)
    owned[slot] = tensor;
}

void Frame::clear() {
  for (Tensor &tensor : owned)
    tensor.reset();
  arena.reset();
}
