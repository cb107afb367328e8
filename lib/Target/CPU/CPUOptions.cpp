//===- CPUOptions.cpp - Options of the CPU's target -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUOptions.h"

#include "tandem/Tandem.h"
#include "tandem/Target/CPU/KernelMethods.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include <utility>

namespace tandem {

static constexpr char kContractions[] = "contractions",
                      kWinograd[] = "winograd",
                      kScaledWeights[] = "scaled-weights",
                      kByteSums[] = "byte-sums",
                      kDeviceModel[] = "device-model";

template <> std::span<const Choice<Contractions>> choicesOf() {
  static constexpr Choice<Contractions> choices[] = {
      {Contractions::predict, "predict",
       "the one with the lower estimated cost"},
      {Contractions::autotune, "autotune",
       "the one that is measured to be faster"},
      {Contractions::generated, "generated",
       "always kernels, where there are any"},
      {Contractions::library, "library", "always the library, where it can"},
  };
  return choices;
}

template <> std::span<const Choice<Winograd>> choicesOf() {
  static constexpr Choice<Winograd> choices[] = {
      {Winograd::never, "never", "not at all"},
      {Winograd::automatic, "auto", "where it is estimated to be faster"},
      {Winograd::always, "always", "where it is possible"},
  };
  return choices;
}

template <> std::span<const Choice<ScaledWeights>> choicesOf() {
  static constexpr Choice<ScaledWeights> choices[] = {
      {ScaledWeights::never, "never", "not at all"},
      {ScaledWeights::automatic, "auto", "where it is estimated to be faster"},
      {ScaledWeights::always, "always", "where it is possible"},
  };
  return choices;
}

template <> std::span<const Choice<ByteSums>> choicesOf() {
  static constexpr Choice<ByteSums> choices[] = {
      {ByteSums::i32, "i32", "always i32"},
      {ByteSums::automatic, "auto",
       "f32 where that is exact and estimated to be faster"},
      {ByteSums::f32, "f32", "f32 wherever that is exact"},
  };
  return choices;
}

/// Describes an option that takes one of the values of `Value`.
template <typename Value>
static TargetOptionInfo describe(std::string_view name, std::string help) {
  TargetOptionInfo info{name, std::move(help), {}};
  for (const Choice<Value> &choice : choicesOf<Value>()) {
    info.help += (info.values.empty() ? ": " : "; ") +
                 std::string(choice.name) + ", " + std::string(choice.help);
    info.values.push_back(choice.name);
  }
  return info;
}

std::span<const TargetOptionInfo> cpuOptionInfos() {
  static const auto &infos = *new std::vector<TargetOptionInfo>{
      describe<Contractions>(
          kContractions,
          "How to choose between kernels and the library for convolutions and "
          "matrix products that both can compute"),
      describe<Winograd>(
          kWinograd,
          "When kernels compute 3x3 convolutions by Winograd's method"),
      describe<ScaledWeights>(kScaledWeights,
                              "When kernels multiply by integers of 8 bits and "
                              "scales that constant "
                              "weights are products of"),
      describe<ByteSums>(kByteSums,
                         "The type in which kernels sum products of integers "
                         "of 8 bits with constant weights"),
      {kDeviceModel,
       "The device that programs are planned for: a built-in name, the path of "
       "a device description, or its text (default: this host)",
       {}}};
  return infos;
}

template <typename Value>
static void read(const TargetOptions &options, const char *name, Value &value) {
  auto given = options.find(name);
  if (given == options.end())
    return;
  for (const Choice<Value> &choice : choicesOf<Value>())
    if (choice.name == given->second)
      value = choice.value;
}

Expected<CPUOptions> parseCPUOptions(const TargetOptions &options) {
  TANDEM_RETURN_IF_ERROR(checkTargetOptions("cpu", cpuOptionInfos(), options));
  CPUOptions result;
  read(options, kContractions, result.contractions);
  read(options, kWinograd, result.winograd);
  read(options, kScaledWeights, result.scaledWeights);
  read(options, kByteSums, result.byteSums);
  if (auto model = options.find(kDeviceModel); model != options.end())
    result.deviceModel = model->second;
  return result;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void moveFormerOptions(CompileOptions &options) {
  TargetOptions &target = options.targetOptions;
  if (auto contractions = std::exchange(options.contractions, std::nullopt))
    target.try_emplace(kContractions, name(*contractions));
  if (auto winograd = std::exchange(options.winograd, std::nullopt))
    target.try_emplace(kWinograd, name(*winograd));
  if (std::string model = std::exchange(options.deviceModel, {});
      !model.empty())
    target.try_emplace(kDeviceModel, std::move(model));
}
#pragma GCC diagnostic pop

TargetOptions makeCalibrationOptions(Contractions contractions,
                                     std::string deviceModel) {
  return {{kContractions, std::string(name(contractions))},
          {kWinograd, std::string(name(Winograd::never))},
          {kByteSums, std::string(name(ByteSums::i32))},
          {kDeviceModel, std::move(deviceModel)}};
}

TargetOptions withGeneratedKernels(TargetOptions options) {
  options[kContractions] = name(Contractions::generated);
  return options;
}

std::span<const KernelMethod> kernelMethods() {
  auto make = [](Winograd winograd) {
    return withGeneratedKernels({{kWinograd, std::string(name(winograd))}});
  };
  static const auto &methods = *new std::vector<KernelMethod>{
      {"direct", "direct", "gen", make(Winograd::never)},
      {"winograd", "Winograd", "wino", make(Winograd::always)}};
  return methods;
}

} // namespace tandem
