//===- HostProcessor.cpp - The processor that code is made for ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Support/Environment.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tandem {

static std::string toString(const llvm::StringMap<bool> &enabled) {
  llvm::SubtargetFeatures features;
  for (const auto &feature : enabled)
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

std::string changeFeatures(std::string_view features,
                           std::string_view changes) {
  llvm::StringMap<bool> enabled;
  const auto read = [](std::string_view list, auto visit) {
    for (llvm::StringRef entry : llvm::split(llvm::StringRef(list), ','))
      if (entry.size() > 1)
        visit(entry.drop_front(), entry.starts_with("+"));
  };
  read(features,
       [&](llvm::StringRef name, bool isOn) { enabled[name] = isOn; });
  read(changes, [&](llvm::StringRef name, bool isOn) {
    // The lists of LLVM do not have all names that it accepts.
    if (enabled.contains(name))
      llvm::X86::updateImpliedFeatures(name, isOn, enabled);
    enabled[name] = isOn;
  });
  return toString(enabled);
}

/// The host with these of its features.
static Processor hostWith(const llvm::StringMap<bool> &enabled) {
  Processor host;
  host.name = llvm::sys::getHostCPUName().str();
  host.features = toString(enabled);
  host.vectorBits = getVectorBits(host.features);
  return host;
}

bool hasFeature(std::string_view features, std::string_view name) {
  bool has = false;
  for (llvm::StringRef feature : llvm::split(llvm::StringRef(features), ','))
    if (feature.drop_front(!feature.empty()) == llvm::StringRef(name))
      has = feature.starts_with("+");
  return has;
}

int64_t getVectorBits(std::string_view features) {
  if (hasFeature(features, "avx512f"))
    return 512;
  return hasFeature(features, "avx") ? 256 : 128;
}

static tl::unexpected<Error> failNoProcessor(llvm::StringRef name) {
  return fail("compile", "no processor '" + name.str() + "'",
              "names are those of LLVM: x86-64-v2, x86-64-v3, haswell, …");
}

Expected<Processor> findProcessor(std::string_view name) {
  llvm::StringRef cpu(name);
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86() ||
      llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return failNoProcessor(cpu);
  // The lists of the levels of x86-64 lack some features that others imply.
  llvm::SmallVector<llvm::StringRef> listed;
  llvm::X86::getFeaturesForCPU(cpu, listed);
  llvm::StringMap<bool> wanted;
  for (llvm::StringRef feature : listed) {
    wanted[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, true, wanted);
  }
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::SubtargetFeatures features;
  llvm::SmallVector<llvm::StringRef> missing;
  for (llvm::StringRef feature : wanted.keys()) {
    features.AddFeature(feature);
    if (auto it = host.find(feature); it != host.end() && !it->second)
      missing.push_back(feature);
  }
  llvm::sort(missing);
  if (!missing.empty())
    return fail("compile", "this machine cannot run code for '" + cpu.str() +
                               "': it has no " + llvm::join(missing, ", "));
  std::string text = features.getString();
  return Processor{cpu.str(), text, getVectorBits(text)};
}

/// The host's features without those that `wanted` names, as in
/// "-avx512bf16,-avx512f", and without all that need one of them.
static Expected<llvm::StringMap<bool>> featuresWithout(llvm::StringRef wanted) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<llvm::StringRef> needed;
  llvm::X86::getFeaturesForCPU("x86-64", needed);
  needed.append({"64bit", "sse2"}); // Which LLVM does not list.
  for (llvm::StringRef feature : llvm::split(wanted, ',')) {
    if (feature.empty())
      continue;
    if (!feature.consume_front("-") || !features.contains(feature))
      return fail("compile", "no feature '" + feature.str() + "' to do without",
                  "names are those of LLVM, as in -avx512bf16,-avx512f");
    if (llvm::is_contained(needed, feature))
      return fail("compile", "all code for x86-64 needs " + feature.str());
    features[feature] = false;
    llvm::X86::updateImpliedFeatures(feature, false, features);
  }
  return features;
}

bool hasBF16Pairs(const Processor &processor) {
  const std::string &features = processor.features;
  return getVectorBits(features) == 512 && hasFeature(features, "avx512bf16") &&
         hasFeature(features, "avx512vl");
}

bool hasVNNI(const Processor &processor) {
  const std::string &features = processor.features;
  if (getVectorBits(features) < 512)
    return hasFeature(features, "avxvnni");
  // Vectors of bytes are registers of AVX-512 BW.
  return hasFeature(features, "avx512vnni") &&
         hasFeature(features, "avx512vl") && hasFeature(features, "avx512bw");
}

bool hasWordPairs(const Processor &processor) {
  const std::string &features = processor.features;
  const int64_t bits = getVectorBits(features);
  return bits < 256 || hasFeature(features, bits == 512 ? "avx512bw" : "avx2");
}

bool hasAMXInt8(const Processor &processor) {
  const std::string &features = processor.features;
  return getVectorBits(features) == 512 && hasFeature(features, "avx512bw") &&
         hasFeature(features, "amx-int8");
}

static Expected<Processor> readEnvironment() {
  const char *text = lookUp(Variable::cpu);
  llvm::StringRef wanted(text ? text : "");
  if (!wanted.empty() && !wanted.starts_with("-"))
    return findProcessor(text);
  TANDEM_ASSIGN_OR_RETURN(llvm::StringMap<bool> features,
                          featuresWithout(wanted));
  return hostWith(features);
}

/// Asks Linux for the tile registers of AMX, which a process may use only if it
/// has asked. Linux refuses if the alternate signal stack of a thread has no
/// room for them. From then on, it refuses smaller alternate stacks.
static bool requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
  // ARCH_REQ_XCOMP_PERM and XFEATURE_XTILEDATA (Linux, Documentation/arch/x86/
  // xstate.rst).
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

/// Returns `processor` without AMX if kernels would use AMX and this process
/// may not.
static Processor askForAMX(Processor processor) {
  if (hasAMXInt8(processor) && !requestTileRegisters())
    processor.features = changeFeatures(processor.features, "-amx-tile");
  return processor;
}

static const Expected<Processor> &findHost() {
  static const auto &host =
      *new Expected<Processor>(readEnvironment().map(askForAMX));
  return host;
}

const Processor &hostProcessor() {
  if (const Expected<Processor> &host = findHost())
    return *host;
  static const auto &detected =
      *new Processor(askForAMX(hostWith(llvm::sys::getHostCPUFeatures())));
  return detected;
}

Status checkHostProcessor() {
  const Expected<Processor> &host = findHost();
  if (host)
    return {};
  Error error = host.error();
  error.message = "TANDEM_CPU: " + error.message;
  return tl::unexpected(std::move(error));
}

} // namespace tandem
