//===- SavedState.cpp - Copies of updated inputs --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/SavedState.h"

namespace tandem::bench {

Expected<SavedState> SavedState::save(const Program &program,
                                      const InputSets &inputs, Stream &stream) {
  SavedState state;
  for (const fb::Update &update : program.updates)
    for (size_t set = 0; set < inputs.size(); ++set) {
      const Tensor &input = inputs[set][update.input()];
      if (set > 0 && input.data() == inputs[0][update.input()].data())
        continue;
      TANDEM_ASSIGN_OR_RETURN(
          Tensor copy, Tensor::allocate(input.type(), stream.allocator()));
      TANDEM_RETURN_IF_ERROR(stream.copy(input, copy));
      state.saved.emplace_back(input, std::move(copy));
    }
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return state;
}

Status SavedState::restore(Stream &stream) const {
  for (const auto &[input, copy] : saved)
    TANDEM_RETURN_IF_ERROR(stream.copy(copy, input));
  return saved.empty() ? Status() : stream.synchronize();
}

} // namespace tandem::bench
