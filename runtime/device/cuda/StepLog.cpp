//===- StepLog.cpp - The steps that may be running ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepLog.h"

#include <algorithm>

using namespace tandem::cuda;

std::string StepLog::describe() const {
  std::lock_guard lock(mutex);
  const uint64_t running = added - done, named = std::min(running, kSize);
  if (running == 0)
    return {};
  std::string text = running == 1 ? "" : "one of ";
  if (named < running)
    text += std::to_string(running - named) + " earlier steps, ";
  for (uint64_t i = added - named; i < added; ++i)
    text += (i == added - named ? "" : ", ") + steps[i % kSize];
  return text;
}
