//===- ProgramStore.cpp - A graph's programs on disk ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/ProgramStore.h"

#include "Session/Versions.h"

#include "background/BackgroundQueue.h"
#include "tandem/Runtime/Function.h"
#include "tandem/Runtime/Program/StoredProgram.h"
#include "tandem/Runtime/Versions.h"

#include <array>
#include <cstring>

namespace tandem {

/// Everything but the inputs' types. An option of CompileOptions that changes
/// programs must be named here.
static CacheKey describe(const SerializedGraph &graph,
                         const CompilerConfig &config) {
  const CompileOptions &options = config.options;
  CacheKey key("program");
  addCompilerVersions(key);
  for (const auto &[name, version] : libraryVersions())
    key.add(name, version);
  key.add("target", config.target->name())
      .add("processor", config.target->fingerprint())
      .add("machine", config.deviceSpec)
      .add("threads", std::to_string(config.threads))
      .add("fusion fuel", std::to_string(options.fusionFuel))
      .add("precision", name(options.precision))
      .add("function", graph.function)
      .add("graph", graph.structure);
  for (const auto &[name, value] : options.targetOptions)
    key.add("target option " + name, value);
  std::string constants;
  for (const std::string &digest : graph.constantDigests())
    constants += digest + "\n";
  return key.addDigest("constants", constants);
}

CacheKey ProgramStore::keyOf(std::span<const TensorType> inputs) {
  std::call_once(once, [&] { common = describe(*graph, config); });
  CacheKey key = *common;
  for (const TensorType &type : inputs)
    key.add("input", type.str());
  return key;
}

std::optional<Compiled> ProgramStore::find(const CacheKey &key,
                                           PhaseTimes &times) {
  if (!config.disk)
    return std::nullopt;
  std::optional<StoredProgram> stored;
  {
    PhaseTimer timer(times, "read cache");
    stored = findProgram(*config.disk, key, reference());
  }
  if (!stored)
    return std::nullopt;
  Expected<Compiled> compiled = load(std::move(*stored), times);
  if (!compiled) {
    config.disk->remove(key);
    return std::nullopt;
  }
  compiled->kernelCounts.stored = compiled->kernels.size();
  compiled->isStored = true;
  return std::move(*compiled);
}

Expected<Compiled> ProgramStore::load(StoredProgram stored, PhaseTimes &times) {
  PhaseTimer timer(times, "load");
  TANDEM_ASSIGN_OR_RETURN(Device * device, config.target->device());
  Compiled compiled;
  TANDEM_ASSIGN_OR_RETURN(compiled.kernels, device->load(stored.program));
  compiled.program = std::make_shared<const Program>(std::move(stored.program));
  compiled.recomputation = std::move(stored.recomputation);
  return compiled;
}

Expected<Descriptor> ProgramStore::pack(const CacheKey &key,
                                        const Compiled &compiled,
                                        std::span<const KnownConstant> known) {
  return packProgram(key, {*compiled.program, compiled.recomputation},
                     reference(known));
}

Expected<Compiled> ProgramStore::unpack(int entry, const CacheKey &key,
                                        std::span<const KnownConstant> known,
                                        PhaseTimes &times) {
  TANDEM_ASSIGN_OR_RETURN(StoredProgram stored,
                          unpackProgram(entry, key, reference(known)));
  return load(std::move(stored), times);
}

/// Writes the entry of a program in the background.
class ProgramStore::WriteJob final : public tiering::BackgroundJob {
public:
  WriteJob(DiskCache &disk, CacheKey key,
           std::shared_ptr<const SerializedGraph> graph,
           const Compiled &compiled)
      : BackgroundJob(/*owner=*/nullptr), disk(disk), key(std::move(key)),
        graph(std::move(graph)), program(compiled.program),
        recomputation(compiled.recomputation) {}
  void run() override {
    storeProgram(disk, key, {*program, recomputation},
                 {*graph->eager, graph->constantDigests(), {}});
  }
  // The process is about to end, and the next one should find it.
  void cancel() override { run(); }

private:
  DiskCache &disk;
  const CacheKey key;
  const std::shared_ptr<const SerializedGraph> graph;
  const std::shared_ptr<const Program> program;
  const Recomputation recomputation;
};

/// From so many bytes on, an entry is written in the background: 100 MB take
/// about as long as compiling the graph that they belong to.
static constexpr int64_t kManyBytes = int64_t(4) << 20;

void ProgramStore::keep(const CacheKey &key, Compiled &compiled,
                        PhaseTimes &times) {
  if (!config.disk)
    return;
  if (compiled.kernelCounts.fellBack == 0) {
    PhaseTimer timer(times, "write cache");
    const auto job =
        std::make_shared<WriteJob>(*config.disk, key, graph, compiled);
    const bool isLater =
        isBackgroundWorkAllowed() &&
        ownConstantBytes(*compiled.program, *graph->eager) >= kManyBytes;
    if (!isLater || !tiering::BackgroundQueue::process().add(job))
      job->run();
  }
  if (std::optional<std::string> problem = config.disk->takeProblem())
    compiled.warnings.push_back(
        {"compiled programs are not kept on disk: " + *problem, "", ""});
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

/// What was measured of a program holds for that program alone.
static CacheKey profileKeyOf(const CacheKey &program) {
  return CacheKey("profile").addDigest("program", program.fields());
}

/// An entry's only section: the number of demotions, and 1 where captured work
/// is slower.
using StoredProfiles = std::array<uint32_t, 2>;

ProgramProfile ProgramStore::profile(std::span<const TensorType> inputs) {
  if (!config.disk)
    return {};
  const CacheKey key = profileKeyOf(keyOf(inputs));
  std::optional<CacheEntry> entry = config.disk->find(key);
  if (!entry)
    return {};
  StoredProfiles stored;
  if (entry->sections.size() != 1 ||
      entry->sections[0].size() != sizeof stored) {
    config.disk->remove(key);
    return {};
  }
  std::memcpy(stored.data(), entry->sections[0].data(), sizeof stored);
  return {stored[0], stored[1] != 0};
}

void ProgramStore::keepProfile(std::span<const TensorType> inputs,
                               const ProgramProfile &profile) {
  if (!config.disk)
    return;
  const CacheKey key = profileKeyOf(keyOf(inputs));
  if (profile == ProgramProfile())
    return config.disk->remove(key);
  const StoredProfiles stored = {profile.demotions, profile.isSlowerCaptured};
  const CacheSection section(reinterpret_cast<const uint8_t *>(stored.data()),
                             sizeof stored);
  config.disk->put(key, {&section, 1});
}

} // namespace tandem
