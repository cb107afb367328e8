//===- CacheKey.cpp - What entries are found by ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/DiskCache.h"

#include <cinttypes>
#include <cstdio>
#include <xxhash.h>

using namespace tandem;

std::string tandem::digestOf(std::span<const uint8_t> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64,
                static_cast<uint64_t>(hash.high64),
                static_cast<uint64_t>(hash.low64));
  return digits;
}

std::string tandem::digestOf(std::string_view text) {
  return digestOf(
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

CacheKey::CacheKey(std::string_view kind) : kind(kind) { add("kind", kind); }

CacheKey &CacheKey::add(std::string_view label, std::string_view value) {
  if (value.size() > kMaxFieldBytes ||
      value.find('\n') != std::string_view::npos)
    return addDigest(label, value);
  text.append(label).append(": ").append(value) += '\n';
  return *this;
}

CacheKey &CacheKey::addDigest(std::string_view label, std::string_view bytes) {
  text.append(label).append(": xxh3 ").append(digestOf(bytes)) += '\n';
  return *this;
}

std::string CacheKey::fileName() const {
  return kind + "-" + digestOf(text) + std::string(kEntrySuffix);
}
