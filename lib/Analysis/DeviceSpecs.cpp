//===- DeviceSpecs.cpp - Device models from files -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/CostModel.h"
#include "tandem/Analysis/GPUSpec.h"
#include "tandem/Support/Json.h"

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

// Generated: the text of utils/cpu-specs/*.json, as kCPUSpecs.
#include "CPUSpecs.inc"

namespace tandem {
namespace {

using nlohmann::json;

tl::unexpected<Error> invalid(const std::string &origin,
                              const std::string &what) {
  return fail("compile", origin + ": " + what,
              "utils/cpu-specs/ and utils/gpu-specs/ have examples of device "
              "descriptions");
}

template <typename T>
Status readNumber(const json &object, const char *key, T &value,
                  const std::string &origin) {
  const std::string problem = readPositive(object, key, value);
  return problem.empty() ? Status() : invalid(origin, problem);
}

Status readCaches(const json &object, DeviceModel &model,
                  const std::string &origin) {
  auto caches = object.find("caches");
  if (caches == object.end() || !caches->is_array())
    return invalid(origin, "'caches' must be an array");
  for (const json &entry : *caches) {
    if (!entry.is_object())
      return invalid(origin, "a cache must be an object");
    CacheLevel level;
    TANDEM_RETURN_IF_ERROR(readNumber(entry, "bytes", level.bytes, origin));
    TANDEM_RETURN_IF_ERROR(
        readNumber(entry, "bytes_per_ns", level.bytesPerNs, origin));
    if (!model.caches.empty() && level.bytes <= model.caches.back().bytes)
      return invalid(origin, "'caches' must grow from one to the next");
    model.caches.push_back(level);
  }
  return {};
}

/// Calls visit(key, number, is needed) for each number of `model` but those of
/// its caches, one or const.
template <typename Model, typename Visit>
void visitNumbers(Model &model, Visit visit) {
  visit("f32_flops_per_ns", model.f32FlopsPerNs, true);
  visit("f64_flops_per_ns", model.f64FlopsPerNs, true);
  visit("half_flops_per_ns", model.halfFlopsPerNs, true);
  visit("memory_bytes_per_ns", model.memoryBytesPerNs, true);
  visit("fmas_per_clock", model.fmasPerClock, true);
  visit("launch_ns", model.launchNs, true);
  visit("call_ns", model.callNs, true);
  visit("library_call_ns", model.libraryCallNs, true);
  visit("library_wake_ns", model.libraryWakeNs, true);
  visit("cores", model.cores, true);
  visit("vector_bits", model.vectorBits, true);
  visit("vector_registers", model.vectorRegisters, true);
  visit("line_bytes", model.lineBytes, false);
  visit("streamed_bytes", model.streamedBytes, false);
  visit("alone_factor", model.aloneFactor, false);
  visit("alone_memory_factor", model.aloneMemoryFactor, false);
  visit("across_factor", model.acrossFactor, false);
  visit("matrix_flops_per_clock", model.matrixFlopsPerClock, false);
  visit("bf16_pairs_per_fma", model.pairsPerFma, false);
  visit("kernel_loop", model.loopShare, false);
  visit("kernel_depthwise_loop", model.depthwiseLoopShare, false);
}

/// Whether a key is that of a number that a target may know.
bool isOfTarget(const std::string &key) {
  return key.starts_with("kernel_") || key.starts_with("library_");
}

/// Reads what is not one of visitNumbers. A key that nothing reads is misspelt,
/// or of another version, and what it says would not count.
Status readOtherKeys(const json &object, DeviceModel &model,
                     const std::string &origin) {
  std::set<std::string> known = {"name",       "bf16_pairs", "vnni",
                                 "word_pairs", "amx_int8",   "caches",
                                 "sources"};
  visitNumbers(model, [&](const char *key, auto, bool) { known.insert(key); });
  for (const auto &[key, value] : object.items()) {
    if (known.contains(key))
      continue;
    if (!isOfTarget(key))
      return invalid(origin, "'" + key + "' is not part of a description");
    TANDEM_RETURN_IF_ERROR(
        readNumber(object, key.c_str(), model.targetNumbers[key], origin));
  }
  return {};
}

/// Reads a flag, which may be left out.
Status readFlag(const json &object, const char *key, bool &flag,
                const std::string &origin) {
  auto found = object.find(key);
  if (found == object.end())
    return {};
  if (!found->is_boolean())
    return invalid(origin, "'" + std::string(key) + "' must be true or false");
  flag = found->get<bool>();
  return {};
}

Expected<DeviceModel> readCPU(const json &object, const std::string &origin) {
  DeviceModel model;
  TANDEM_RETURN_IF_ERROR(readOtherKeys(object, model, origin));
  auto name = object.find("name");
  if (name == object.end() || !name->is_string())
    return invalid(origin, "'name' must be a string");
  model.name = name->get<std::string>();
  Status status;
  visitNumbers(model, [&](const char *key, auto &value, bool isNeeded) {
    if (status && (isNeeded || object.contains(key)))
      status = readNumber(object, key, value, origin);
  });
  TANDEM_RETURN_IF_ERROR(status);
  TANDEM_RETURN_IF_ERROR(
      readFlag(object, "bf16_pairs", model.hasBF16Pairs, origin));
  TANDEM_RETURN_IF_ERROR(readFlag(object, "vnni", model.hasVNNI, origin));
  TANDEM_RETURN_IF_ERROR(
      readFlag(object, "word_pairs", model.hasWordPairs, origin));
  TANDEM_RETURN_IF_ERROR(
      readFlag(object, "amx_int8", model.hasAMXInt8, origin));
  TANDEM_RETURN_IF_ERROR(readCaches(object, model, origin));
  return model;
}

/// A GPU's rates are in its spec, but for the L2's, which no datasheet has.
DeviceModel fromGPU(const GPUSpec &spec) {
  /// The bandwidth of the L2 as a multiple of the memory's.
  constexpr double kL2Speed = 2.5;
  constexpr int64_t kWarpBits = 32 * 32, kRegistersPerThread = 255;
  DeviceModel model;
  model.name = spec.name;
  model.f32FlopsPerNs = spec.fp32FlopsPerSecond() * 1e-9;
  model.f64FlopsPerNs = spec.fp64FlopsPerSecond() * 1e-9;
  // Outside tensor cores elements of 2 bytes are computed in f32.
  model.halfFlopsPerNs = model.f32FlopsPerNs;
  model.memoryBytesPerNs = spec.memoryBytesPerSecond * 1e-9;
  model.caches = {{spec.l2Bytes, kL2Speed * model.memoryBytesPerNs}};
  // A library's call is a launch of its own.
  model.launchNs = model.callNs = spec.launchNs;
  model.libraryCallNs = spec.launchNs;
  model.matrixFlopsPerClock = double(spec.tensorFlopsPerClock);
  model.cores = spec.multiprocessors;
  model.vectorBits = kWarpBits;
  model.vectorRegisters = kRegistersPerThread;
  // A sector. Reads across go through tiles in shared memory.
  model.lineBytes = 32;
  model.acrossFactor = 1.25;
  model.fmasPerClock = 1;
  return model;
}

/// "host" and 1 of "host:1"; 0 threads where no number follows a name.
std::pair<std::string_view, int64_t> splitThreads(std::string_view spec) {
  size_t colon = spec.rfind(':');
  if (colon == std::string_view::npos)
    return {spec, 0};
  int64_t threads = 0;
  const char *end = spec.data() + spec.size();
  auto [rest, error] = std::from_chars(spec.data() + colon + 1, end, threads);
  if (error != std::errc() || rest != end || threads < 1)
    return {spec, 0};
  return {spec.substr(0, colon), threads};
}

} // namespace

Expected<DeviceModel> parseDeviceModel(std::string_view text,
                                       const std::string &origin) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return invalid(origin, "not a JSON object");
  if (!object.contains("multiprocessors"))
    return readCPU(object, origin);
  TANDEM_ASSIGN_OR_RETURN(GPUSpec spec, parseGPUSpec(text, origin));
  return fromGPU(spec);
}

std::string writeDeviceModel(const DeviceModel &model, int indent) {
  nlohmann::ordered_json object;
  object["name"] = model.name;
  visitNumbers(model, [&](const char *key, auto value, bool isNeeded) {
    if (isNeeded || value > 0)
      object[key] = value;
  });
  for (const auto &[key, number] : model.targetNumbers)
    object[key] = number;
  object["bf16_pairs"] = model.hasBF16Pairs;
  object["vnni"] = model.hasVNNI;
  object["word_pairs"] = model.hasWordPairs;
  object["amx_int8"] = model.hasAMXInt8;
  auto &caches = object["caches"] = nlohmann::ordered_json::array();
  for (const CacheLevel &level : model.caches)
    caches.push_back(
        {{"bytes", level.bytes}, {"bytes_per_ns", level.bytesPerNs}});
  return jsonText(object, indent);
}

/// The same as findDeviceModel, without threads.
static Expected<DeviceModel> findWholeDevice(std::string_view spec) {
  if (spec == "host")
    return hostDeviceModel();
  if (spec.starts_with('{'))
    return parseDeviceModel(spec, "the device's description");
  std::string names = "host";
  for (const auto &[name, text] : kCPUSpecs) {
    if (name == spec)
      return parseDeviceModel(text, std::string(name) + ".json");
    names += ", " + std::string(name);
  }
  if (spec.size() > 5 && spec.substr(spec.size() - 5) == ".json") {
    std::ifstream file{std::string(spec)};
    if (!file)
      return fail("compile",
                  "cannot read the device description " + std::string(spec));
    std::ostringstream text;
    text << file.rdbuf();
    return parseDeviceModel(text.str(), std::string(spec));
  }
  if (Expected<GPUSpec> gpu = findGPUSpec(spec))
    return fromGPU(*gpu);
  for (const std::string &name : builtinGPUSpecs())
    names += ", " + name;
  return fail("compile", "no device '" + std::string(spec) + "' is described",
              "there are " + names +
                  "; the path of a .json file like those in utils/cpu-specs/ "
                  "does as well");
}

Expected<DeviceModel> findDeviceModel(std::string_view text) {
  auto [spec, threads] = splitThreads(text);
  TANDEM_ASSIGN_OR_RETURN(DeviceModel model, findWholeDevice(spec));
  return threads ? model.withThreads(threads) : model;
}

const DeviceModel &genericDeviceModel() {
  static const auto &model = *new DeviceModel(*findDeviceModel("generic"));
  return model;
}

} // namespace tandem
