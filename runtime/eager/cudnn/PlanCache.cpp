//===- PlanCache.cpp - Plans kept for other processes ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanCache.h"

#include "tandem/Runtime/DiskCache.h"
#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Support/Environment.h"

#include <cstdio>

using namespace tandem;
using namespace tandem::cudnn;

/// The version of the rules that rank plans. Change it when the rules change,
/// because cached plans are not ranked again.
static constexpr const char *kRules = "2";

static constexpr std::string_view kNone = "none";

std::string EngineChoice::str() const {
  std::string text = "engine " + std::to_string(engine);
  for (const auto &[type, value] : knobs)
    text += ", knob " + std::to_string(type) + " = " + std::to_string(value);
  return text;
}

std::optional<EngineChoice> EngineChoice::parse(std::string_view text) {
  const std::string line(text);
  EngineChoice choice;
  int used = 0;
  if (std::sscanf(line.c_str(), "engine %ld%n", &choice.engine, &used) != 1)
    return std::nullopt;
  for (auto at = size_t(used); at < line.size(); at += size_t(used)) {
    auto &[type, value] = choice.knobs.emplace_back();
    if (std::sscanf(line.c_str() + at, ", knob %d = %ld%n", &type, &value,
                    &used) != 2)
      return std::nullopt;
  }
  return choice;
}

static DiskCache *cache() {
  const char *setting = lookUp(Variable::diskCache);
  if (setting && std::string_view(setting) == "off")
    return nullptr;
  return &DiskCache::in(cacheDirectory());
}

static CacheKey keyOf(const cuda::CUDNN &library, const std::string &device,
                      const std::string &problem) {
  CacheKey key("plan");
  // Another file of the same version may have other engines.
  key.add("rules", kRules)
      .add("cudnn", library.version)
      .add("cudnn file", library.path)
      .add("device", device)
      .add("problem", problem);
  return key;
}

std::optional<PlanCache::Entry>
PlanCache::find(const std::string &problem) const {
  DiskCache *disk = cache();
  if (!disk)
    return std::nullopt;
  const auto found = disk->find(keyOf(library, device, problem));
  if (!found || found->sections.size() != 1)
    return std::nullopt;
  const CacheSection bytes = found->sections[0];
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size());
  if (text == kNone)
    return Entry{};
  auto choice = EngineChoice::parse(text);
  return choice ? std::optional(Entry{std::move(choice)}) : std::nullopt;
}

void PlanCache::put(const std::string &problem, const Entry &entry) const {
  DiskCache *disk = cache();
  if (!disk)
    return;
  const std::string text =
      entry.choice ? entry.choice->str() : std::string(kNone);
  const CacheSection section(reinterpret_cast<const uint8_t *>(text.data()),
                             text.size());
  disk->put(keyOf(library, device, problem), {&section, 1});
}
