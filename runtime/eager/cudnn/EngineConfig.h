//===- EngineConfig.h - Engines with their knobs ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_ENGINECONFIG_H
#define TANDEM_RUNTIME_EAGER_CUDNN_ENGINECONFIG_H

#include "Backend.h"
#include "PlanCache.h"

namespace tandem::cudnn {

/// An engine with its knobs, and what is noted of it.
struct EngineConfig {
  EngineConfig(const cuda::CUDNN &library, Descriptor descriptor);

  /// The configuration of an engine for a graph. Fails where the engine does
  /// not have it. `device` is null for that of the graph's handle.
  static Expected<Descriptor> describe(const cuda::CUDNN &library,
                                       const Descriptor &graph,
                                       const Descriptor *device,
                                       const EngineChoice &choice);

  EngineChoice choice(const cuda::CUDNN &library) const;
  bool isNoted(int note) const;
  /// Whether its kernels are compiled when a plan is made.
  bool isCompiled() const;

  Descriptor descriptor;
  int64_t engine = -1;
  std::vector<int> numerical, behavior;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_ENGINECONFIG_H
