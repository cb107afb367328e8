//===- EngineConfig.cpp - Engines with their knobs ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineConfig.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::cudnn;

EngineConfig::EngineConfig(const cuda::CUDNN &library, Descriptor config)
    : descriptor(std::move(config)) {
  Descriptor read(library, Kind::engine);
  void *into = read.get();
  descriptor.get(Attribute::configEngine, Type::descriptor, 1, &into);
  engine = read.getInt64(Attribute::engineIndex).value_or(-1);
  numerical =
      read.getEnumerators(Attribute::engineNumericalNotes, Type::numericalNote);
  behavior =
      read.getEnumerators(Attribute::engineBehaviorNotes, Type::behaviorNote);
}

bool EngineConfig::isNoted(int note) const {
  return std::ranges::count(numerical, note) > 0;
}

bool EngineConfig::isCompiled() const {
  return std::ranges::count(behavior, BehaviorNote::runtimeCompilation) > 0;
}

EngineChoice EngineConfig::choice(const cuda::CUDNN &library) const {
  // It does not say how many knobs there are. Version 9.19 has 44 types.
  constexpr int64_t kMaxKnobs = 64;
  EngineChoice choice{engine, {}};
  const std::vector<Descriptor> knobs = descriptor.getDescriptors(
      Attribute::configKnobs, Kind::knobChoice, kMaxKnobs);
  for (const Descriptor &knob : knobs) {
    int type = 0;
    const auto value = knob.getInt64(Attribute::knobValue);
    if (value && knob.get(Attribute::knobType, Type::knobType, 1, &type) == 1)
      choice.knobs.emplace_back(type, *value);
  }
  return choice;
}

Expected<Descriptor> EngineConfig::describe(const cuda::CUDNN &library,
                                            const Descriptor &graph,
                                            const Descriptor *device,
                                            const EngineChoice &choice) {
  Descriptor engine(library, Kind::engine);
  engine.set(Attribute::engineGraph, graph)
      .set(Attribute::engineIndex, choice.engine);
  if (device)
    engine.set(Attribute::engineDevice, *device);
  TANDEM_RETURN_IF_ERROR(engine.finalize("engine"));
  std::vector<Descriptor> knobs;
  std::vector<void *> handles;
  for (const auto &[type, value] : choice.knobs) {
    Descriptor &knob = knobs.emplace_back(library, Kind::knobChoice);
    TANDEM_RETURN_IF_ERROR(knob.set(Attribute::knobType, Type::knobType, type)
                               .set(Attribute::knobValue, value)
                               .finalize("knob"));
    handles.push_back(knob.get());
  }
  Descriptor config(library, Kind::engineConfig);
  config.set(Attribute::configEngine, engine);
  if (!handles.empty())
    config.setRaw(Attribute::configKnobs, Type::descriptor,
                  int64_t(handles.size()), handles.data());
  TANDEM_RETURN_IF_ERROR(config.finalize("engine configuration"));
  return config;
}
