//===- Frame.cpp - The state of one run -----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

using namespace tandem;
using namespace tandem::exec;

Frame::Frame(const Program &program, std::span<const Tensor> constants)
    : values(program.slots.size()), owned(program.slots.size()),
      last(program.steps.size()) {
  for (size_t i = 0; i < owned.size(); ++i)
    values[i] = &owned[i];
  for (size_t i = 0; i < constants.size(); ++i)
    values[program.constants[i].slot] = &constants[i];
}

void Frame::clear() {
  for (Tensor &tensor : owned)
    tensor.reset();
  arena.reset();
}

std::unique_ptr<Frame> FramePool::take() {
  if (Frame *frame = spare.exchange(nullptr, std::memory_order_acquire))
    return std::unique_ptr<Frame>(frame);
  std::lock_guard<std::mutex> lock(mutex);
  if (others.empty())
    return nullptr;
  std::unique_ptr<Frame> frame = std::move(others.back());
  others.pop_back();
  return frame;
}

void FramePool::put(std::unique_ptr<Frame> frame) {
  Frame *previous = spare.exchange(frame.release(), std::memory_order_acq_rel);
  if (!previous)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  others.emplace_back(previous);
}
