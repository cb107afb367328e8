//===- KnownConstants.cpp - Constants of several programs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/KnownConstants.h"

#include <set>

using namespace tandem;

void KnownConstants::add(const Program &program, const Program &eager) {
  // A digest takes longer to tell than a page to copy.
  constexpr int64_t kLeastBytes = 4096;
  std::set<const void *> known;
  for (const Constant &constant : eager.constants)
    known.insert(constant.data.data());
  for (const KnownConstant &constant : held())
    known.insert(constant.data.data());
  for (const auto &[slot, data] : program.constants) {
    if (data.bytes() < kLeastBytes || !known.insert(data.data()).second)
      continue;
    const std::string digest =
        digestOf({data.as<uint8_t>(), static_cast<size_t>(data.bytes())});
    std::lock_guard lock(mutex);
    byDigest[digest] = {data.owner(), data.data(), data.type()};
  }
}

std::vector<KnownConstant> KnownConstants::held() {
  std::vector<KnownConstant> constants;
  std::lock_guard lock(mutex);
  for (const auto &[digest, entry] : byDigest)
    if (std::shared_ptr<void> owner = entry.owner.lock())
      constants.push_back(
          {digest, Tensor::share(entry.type, {owner, entry.data})});
  std::erase_if(byDigest,
                [](const auto &entry) { return entry.second.owner.expired(); });
  return constants;
}
