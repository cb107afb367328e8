//===- StoredProgram.cpp - Compiled programs in the cache -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sections of an entry: the Program; the StoredProgram; the constants that the
// graph has not got.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/StoredProgram.h"

#include "EntryFile.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/StoredProgram_generated.h"

#include <functional>
#include <map>
#include <unordered_set>

using namespace tandem;

namespace {

constexpr size_t kProgramSection = 0, kDetailsSection = 1, kFirstConstant = 2;

CacheSection bytesOf(const Constant &constant) {
  return {constant.data.as<uint8_t>(),
          static_cast<size_t>(constant.data.bytes())};
}

CacheSection bytesOf(const flatbuffers::FlatBufferBuilder &builder) {
  return {builder.GetBufferPointer(), builder.GetSize()};
}

template <typename Table, typename Object>
void pack(flatbuffers::FlatBufferBuilder &builder, const Object &object) {
  builder.Finish(Table::Pack(builder, &object));
}

/// The object in a section; nothing where it is malformed.
template <typename Table, typename Object>
bool unpack(CacheSection section, Object &object) {
  flatbuffers::Verifier verifier(section.data(), section.size());
  if (section.size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !verifier.VerifyBuffer<Table>(nullptr))
    return false;
  flatbuffers::GetRoot<Table>(section.data())->UnPackTo(&object);
  return true;
}

/// Returns the locations of all steps, including the steps in loops.
std::vector<std::string> locationsOf(const Program &program) {
  std::vector<std::string> locations;
  forEachStep(program, [&](const fb::StepT &step) {
    locations.push_back(step.location);
  });
  return locations;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Says what the graph has by its number there.
class References {
public:
  explicit References(const GraphReference &graph) {
    const std::vector<std::string> locations = locationsOf(graph.eager);
    for (size_t i = 0; i < locations.size(); ++i)
      steps.try_emplace(locations[i], i);
    for (size_t i = 0; i < graph.constants.size(); ++i) {
      byAddress.try_emplace(graph.eager.constants[i].data.data(), i);
      byDigest.try_emplace(graph.constants[i], i);
    }
    for (size_t i = 0; i < graph.known.size(); ++i)
      byDigest.try_emplace(graph.known[i].digest, graph.constants.size() + i);
  }

  int location(const std::string &text) const {
    auto found = steps.find(text);
    return found == steps.end() ? -1 : static_cast<int>(found->second);
  }
  int constant(const Constant &constant, const GraphReference &graph) const {
    auto same = byAddress.find(constant.data.data());
    if (same != byAddress.end() &&
        graph.eager.constants[same->second].data.bytes() ==
            constant.data.bytes())
      return static_cast<int>(same->second);
    auto equal = byDigest.find(digestOf(bytesOf(constant)));
    return equal == byDigest.end() ? -1 : static_cast<int>(equal->second);
  }

private:
  std::map<std::string, size_t> steps, byDigest;
  std::map<const void *, size_t> byAddress;
};

fb::StoredProgramT describe(const StoredProgram &stored,
                            const References &references,
                            const GraphReference &graph,
                            std::vector<CacheSection> &sections) {
  fb::StoredProgramT details;
  for (const Constant &constant : stored.program.constants) {
    auto entry = std::make_unique<fb::StoredConstantT>();
    entry->slot = constant.slot;
    entry->graph_constant = references.constant(constant, graph);
    if (entry->graph_constant < 0) {
      entry->section = static_cast<int>(sections.size());
      sections.push_back(bytesOf(constant));
    }
    details.constants.push_back(std::move(entry));
  }
  for (const std::string &location : locationsOf(stored.program))
    details.locations.push_back(references.location(location));
  for (const Recomputation::Step &step : stored.recomputation.steps) {
    auto entry = std::make_unique<fb::RecomputedStepT>();
    entry->location = references.location(step.location);
    entry->bytes = step.bytes;
    entry->ns = step.ns;
    details.recomputed.push_back(std::move(entry));
  }
  details.peak_bytes_saved = stored.recomputation.peakBytesSaved;
  return details;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::string locationOf(std::span<const std::string> locations, int step) {
  return step >= 0 && static_cast<size_t>(step) < locations.size()
             ? locations[step]
             : std::string();
}

/// A constant of the graph, or one on the entry's pages; empty where there is
/// no such thing.
Tensor constantOf(const fb::StoredConstantT &constant, const CacheEntry &entry,
                  const GraphReference &graph) {
  const auto place = static_cast<size_t>(constant.graph_constant);
  const size_t own = graph.eager.constants.size();
  if (constant.graph_constant >= 0)
    return place < own ? graph.eager.constants[place].data
           : place - own < graph.known.size() ? graph.known[place - own].data
                                              : Tensor();
  const auto section = static_cast<size_t>(constant.section);
  if (section < kFirstConstant || section >= entry.sections.size())
    return {};
  const CacheSection bytes = entry.sections[section];
  // Nobody writes to constants.
  auto *data = const_cast<uint8_t *>(bytes.data());
  return Tensor::share(
      {DType::i8, {static_cast<int64_t>(bytes.size())}},
      std::shared_ptr<void>(std::const_pointer_cast<void>(entry.owner), data));
}

std::optional<StoredProgram> read(const CacheEntry &entry,
                                  const GraphReference &graph) {
  StoredProgram stored;
  fb::StoredProgramT details;
  if (entry.sections.size() < kFirstConstant ||
      !unpack<fb::Program>(entry.sections[kProgramSection], stored.program) ||
      !unpack<fb::StoredProgram>(entry.sections[kDetailsSection], details))
    return std::nullopt;
  for (const auto &constant : details.constants) {
    Tensor data = constantOf(*constant, entry, graph);
    if (!data)
      return std::nullopt;
    stored.program.constants.push_back({constant->slot, std::move(data)});
  }
  if (!verify(stored.program) ||
      details.locations.size() != locationsOf(stored.program).size())
    return std::nullopt;
  const std::vector<std::string> locations = locationsOf(graph.eager);
  auto place = details.locations.begin();
  forEachStep(stored.program, [&](fb::StepT &step) {
    step.location = locationOf(locations, *place++);
  });
  for (const auto &step : details.recomputed)
    stored.recomputation.steps.push_back(
        {locationOf(locations, step->location), step->bytes, step->ns});
  stored.recomputation.peakBytesSaved = details.peak_bytes_saved;
  return stored;
}

} // namespace

int64_t tandem::ownConstantBytes(const Program &program, const Program &eager) {
  std::unordered_set<const void *> known;
  for (const Constant &constant : eager.constants)
    known.insert(constant.data.data());
  int64_t bytes = 0;
  for (const Constant &constant : program.constants)
    if (known.insert(constant.data.data()).second)
      bytes += constant.data.bytes();
  return bytes;
}

std::vector<std::string> tandem::digestConstants(const Program &program) {
  std::vector<std::string> digests;
  for (const Constant &constant : program.constants)
    digests.push_back(digestOf(bytesOf(constant)));
  return digests;
}

/// Calls `use` with the sections of a program's entry.
static void
withSections(const StoredProgram &stored, const GraphReference &graph,
             const std::function<void(std::span<const CacheSection>)> &use) {
  std::vector<CacheSection> sections(kFirstConstant);
  const References references(graph);
  flatbuffers::FlatBufferBuilder details;
  pack<fb::StoredProgram>(details,
                          describe(stored, references, graph, sections));
  fb::ProgramT program = stored.program;
  forEachStep(program, [](fb::StepT &step) { step.location.clear(); });
  flatbuffers::FlatBufferBuilder builder;
  pack<fb::Program>(builder, program);
  sections[kProgramSection] = bytesOf(builder);
  sections[kDetailsSection] = bytesOf(details);
  use(sections);
}

void tandem::storeProgram(DiskCache &cache, const CacheKey &key,
                          const StoredProgram &stored,
                          const GraphReference &graph) {
  withSections(stored, graph, [&](std::span<const CacheSection> sections) {
    cache.put(key, sections);
  });
}

Expected<Descriptor> tandem::packProgram(const CacheKey &key,
                                         const StoredProgram &stored,
                                         const GraphReference &graph) {
  Expected<Descriptor> entry = Descriptor();
  withSections(stored, graph, [&](std::span<const CacheSection> sections) {
    entry = cache::writeEntry(key.fields(), sections);
  });
  return entry;
}

Expected<StoredProgram> tandem::unpackProgram(int entry, const CacheKey &key,
                                              const GraphReference &graph) {
  TANDEM_ASSIGN_OR_RETURN(cache::EntryFile file, cache::openEntry(entry));
  if (file.fields != key.fields())
    return fail("read", "an answer is for something else");
  std::optional<StoredProgram> stored = read(file, graph);
  if (!stored)
    return fail("read", "an answer holds no program");
  return std::move(*stored);
}

std::optional<StoredProgram> tandem::findProgram(DiskCache &cache,
                                                 const CacheKey &key,
                                                 const GraphReference &graph) {
  const std::optional<CacheEntry> entry = cache.find(key);
  if (!entry)
    return std::nullopt;
  std::optional<StoredProgram> stored = read(*entry, graph);
  if (!stored)
    cache.remove(key);
  return stored;
}

void tandem::storeKernel(DiskCache &cache, const CacheKey &key,
                         const fb::KernelT &kernel) {
  flatbuffers::FlatBufferBuilder builder;
  pack<fb::Kernel>(builder, kernel);
  const CacheSection sections[] = {bytesOf(builder)};
  cache.put(key, sections);
}

std::optional<fb::KernelT> tandem::findKernel(DiskCache &cache,
                                              const CacheKey &key) {
  const std::optional<CacheEntry> entry = cache.find(key);
  if (!entry)
    return std::nullopt;
  fb::KernelT kernel;
  if (entry->sections.size() == 1 &&
      unpack<fb::Kernel>(entry->sections[0], kernel))
    return kernel;
  cache.remove(key);
  return std::nullopt;
}
