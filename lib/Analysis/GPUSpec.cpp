//===- GPUSpec.cpp - Descriptions of GPUs that need not be here -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/GPUSpec.h"

#include "tandem/Support/Json.h"

#include <array>
#include <fstream>
#include <sstream>

// Generated: the text of utils/gpu-specs/*.json, as kGPUSpecs.
#include "GPUSpecs.inc"

namespace tandem {
namespace {

using nlohmann::json;

tl::unexpected<Error> invalid(const std::string &origin,
                              const std::string &what) {
  return fail("codegen", origin + ": " + what,
              "utils/gpu-specs/ has examples of device descriptions");
}

template <typename T>
Status readNumber(const json &object, const char *key, T &value,
                  const std::string &origin) {
  const std::string problem = readPositive(object, key, value);
  return problem.empty() ? Status() : invalid(origin, problem);
}

Status readString(const json &object, const char *key, std::string &value,
                  const std::string &origin) {
  auto entry = object.find(key);
  if (entry == object.end() || !entry->is_string())
    return invalid(origin, std::string("'") + key + "' must be a string");
  value = entry->get<std::string>();
  return {};
}

bool isArch(std::string_view text) {
  return text.size() > 3 && text.substr(0, 3) == "sm_" &&
         text.find_first_not_of("0123456789af", 3) == std::string_view::npos;
}

Expected<GPUSpec> readFileSpec(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return fail("codegen", "cannot read the device description " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parseGPUSpec(text.str(), path);
}

bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

using BuiltinSpec = std::remove_reference_t<decltype(kGPUSpecs[0])>;

/// By name, device or architecture; null where there is none.
const BuiltinSpec *findBuiltin(std::string_view gpu) {
  for (const BuiltinSpec &spec : kGPUSpecs) {
    std::string_view name = spec.first;
    bool isDevice = endsWith(name, "_" + std::string(gpu));
    bool isOfArch = isArch(gpu) && name.starts_with(std::string(gpu) + "_");
    if (name == gpu || (!gpu.empty() && (isDevice || isOfArch)))
      return &spec;
  }
  return nullptr;
}

} // namespace

Expected<GPUSpec> parseGPUSpec(std::string_view text,
                               const std::string &origin) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return invalid(origin, "not a JSON object");
  GPUSpec spec;
  TANDEM_RETURN_IF_ERROR(readString(object, "name", spec.name, origin));
  TANDEM_RETURN_IF_ERROR(readString(object, "arch", spec.arch, origin));
  if (!isArch(spec.arch))
    return invalid(origin,
                   "'arch' must be like \"sm_90\"; got \"" + spec.arch + "\"");
  TANDEM_RETURN_IF_ERROR(
      readNumber(object, "clock_ghz", spec.clockGHz, origin));
  TANDEM_RETURN_IF_ERROR(readNumber(object, "memory_bytes_per_s",
                                    spec.memoryBytesPerSecond, origin));
  TANDEM_RETURN_IF_ERROR(
      readNumber(object, "launch_ns", spec.launchNs, origin));
  const std::pair<const char *, int64_t GPUSpec::*> counts[] = {
      {"multiprocessors", &GPUSpec::multiprocessors},
      {"fp32_lanes_per_multiprocessor", &GPUSpec::fp32LanesPerMultiprocessor},
      {"fp64_lanes_per_multiprocessor", &GPUSpec::fp64LanesPerMultiprocessor},
      {"tensor_flops_per_clock_per_multiprocessor",
       &GPUSpec::tensorFlopsPerClock},
      {"l2_bytes", &GPUSpec::l2Bytes},
      {"shared_memory_per_multiprocessor_bytes",
       &GPUSpec::sharedMemoryPerMultiprocessorBytes},
      {"shared_memory_per_block_bytes", &GPUSpec::sharedMemoryPerBlockBytes},
      {"max_threads_per_multiprocessor", &GPUSpec::maxThreadsPerMultiprocessor},
      {"max_threads_per_block", &GPUSpec::maxThreadsPerBlock}};
  for (auto [key, member] : counts)
    TANDEM_RETURN_IF_ERROR(readNumber(object, key, spec.*member, origin));
  return spec;
}

Expected<GPUSpec> findGPUSpec(std::string_view gpu) {
  if (endsWith(gpu, ".json"))
    return readFileSpec(std::string(gpu));
  if (const BuiltinSpec *spec = findBuiltin(gpu))
    return parseGPUSpec(spec->second, std::string(spec->first) + ".json");
  std::string names;
  for (const std::string &name : builtinGPUSpecs())
    names += (names.empty() ? "" : ", ") + name;
  return fail("codegen", "no GPU '" + std::string(gpu) + "' is described",
              "there are " + names +
                  "; their architectures alone (sm_90) do as well, or the path "
                  "of a .json file like those in utils/gpu-specs/");
}

std::string describeGPU(std::string_view arch,
                        const GPUProperties &properties) {
  const BuiltinSpec *ofArch = findBuiltin(arch);
  if (!ofArch)
    return {};
  json spec = json::parse(ofArch->second);
  auto set = [&](const char *key, auto value) {
    if (value > 0)
      spec[key] = value;
  };
  spec.erase("sources");
  if (!properties.name.empty())
    spec["name"] = properties.name;
  set("multiprocessors", properties.multiprocessors);
  set("clock_ghz", double(properties.clockKHz) * 1e-6);
  set("memory_bytes_per_s", 2e3 * double(properties.memoryClockKHz) *
                                double(properties.memoryBusBits) / 8);
  set("l2_bytes", properties.l2Bytes);
  set("shared_memory_per_multiprocessor_bytes",
      properties.sharedBytesPerMultiprocessor);
  set("shared_memory_per_block_bytes", properties.sharedBytesPerBlock);
  set("max_threads_per_multiprocessor", properties.threadsPerMultiprocessor);
  return spec.dump();
}

std::vector<std::string> builtinGPUSpecs() {
  std::vector<std::string> names;
  for (const auto &[name, text] : kGPUSpecs)
    names.emplace_back(name);
  return names;
}

} // namespace tandem
