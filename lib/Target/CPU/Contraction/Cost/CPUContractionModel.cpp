//===- CPUContractionModel.cpp - What fusion asks of contractions ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/StagedData.h"

#include "tandem/Fusion/ContractionModel.h"
#include "tandem/Runtime/Kernels/Grain.h"
#include "tandem/Target/CPU/CPUShares.h"
#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/CPU/Winograd.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tandem {
namespace {

/// The share of the peak that multiply-adds reach in a register tile, as
/// measured for convolutions of 3 to 64 channels of 256 x 256.
constexpr double kTileEfficiency = 0.9;

/// The assumed number of vectors of a tile along the outputs, because the tile
/// is not known yet. 32 registers have room for about this many.
constexpr int64_t kTileVectors = 4;

/// The largest part of a contraction's result that a task may keep in its
/// workspace, in bytes.
constexpr int64_t kMaxPartBytes = 512 << 10;

/// The least assumed time of the direct method relative to Winograd's. Windows
/// that do not fit Winograd's tiles require the direct method.
constexpr double kDirectFactor = 2;

/// The number of lanes of a vector of f32.
int64_t getWidth(const DeviceModel &device) {
  return std::max<int64_t>(device.vectorBits / 32, 1);
}

/// Estimates how a kernel that takes `ns` nanoseconds would share out the
/// windows.
WindowChunks guessChunks(const DeviceModel &device,
                         const Contraction &contraction,
                         const ContractionWindow &window, int64_t elementBytes,
                         double ns) {
  bool areGroups = getVectorizedDim(contraction) == VectorizedDim::Group;
  WindowTasks tasks;
  tasks.elementBytes = elementBytes;
  tasks.outputs = areGroups ? contraction.groups
                            : std::min(contraction.outputChannels,
                                       kTileVectors * getWidth(device));
  if (!areGroups)
    tasks.columns =
        contraction.groups *
        llvm::divideCeilSigned(contraction.outputChannels, tasks.outputs);
  tasks.wanted = std::clamp<int64_t>(
      std::llround(ns * double(device.cores) / kGrainNs), 1, kMaxWantedTasks);
  return chunkWindows(contraction, window, tasks);
}

/// The relative increase of a kernel's time if its tasks do not copy data and
/// weights to convert them. Tasks with windows do not copy.
double getShareWithoutCopies(const DeviceModel &device,
                             const Contraction &contraction) {
  const Contraction packed = assumePacked(contraction);
  if (!packed.getFormat().isWidened() || !getVectorizedDim(packed))
    return 0;
  const CoreModel core = getCoreModel(device);
  return chooseContractionStrategy(packed, core, /*mayCopy=*/false).cycles /
             chooseContractionStrategy(packed, core).cycles -
         1;
}

/// Returns WindowCosts::repeatedShare.
double getRepeatedShare(const DeviceModel &device,
                        const Contraction &contraction,
                        const ContractionWindow &window,
                        const WindowChunks &chunks) {
  bool mayTransform = canUseWinograd(contraction) &&
                      matchPattern(contraction.weights, m_Constant());
  if (mayTransform && !window.fitsTiles(winograd::kTile))
    return kDirectFactor - 1;
  int64_t rounds = llvm::divideCeilSigned(chunks.tasks, device.cores);
  double balance = double(chunks.tasks) / double(rounds * device.cores);
  return (1 + chunks.repeatedShare) *
             (1 + getShareWithoutCopies(device, contraction)) / balance -
         1;
}

class CPUContractionModel final : public ContractionModel {
public:
  StringRef name() const override { return cpuTarget().name(); }

  Status checkGenerated(Operation *hero,
                        const Contraction &contraction) const override {
    return checkContraction(hero, contraction);
  }

  double getEfficiency(const DeviceModel &device,
                       const Contraction &contraction) const override {
    bool areGroups = getVectorizedDim(contraction) == VectorizedDim::Group;
    double share = areGroups ? std::min(kTileEfficiency,
                                        CPUShares::of(device).kernels.depthwise)
                             : kTileEfficiency;
    return share * getLaneUse(contraction, getWidth(device));
  }

  Status checkPrologue(const Contraction &contraction) const override {
    return tandem::checkPrologue(contraction);
  }

  /// The number of times that the prologue is computed. Tasks of neighboring
  /// rows both compute the data that they share. If there are few rows, several
  /// tasks compute the same data for different outputs.
  double getPrologueRuns(const DeviceModel &device,
                         const Contraction &contraction) const override {
    int64_t bytes = contraction.getPositions() * getStagedInputs(contraction) *
                    contraction.getFormat().bytes;
    int64_t chunks = std::clamp<int64_t>(
        contraction.getPositions() / kMinPositionsPerTask, 1, kWantedTasks);
    chunks = std::max(chunks, llvm::divideCeilSigned(bytes, kMaxStagedBytes));
    double columns = double(contraction.outputChannels) *
                     double(contraction.groups) /
                     (double(kTileVectors) * double(device.vectorBits) / 32);
    double parts =
        std::clamp(columns, 1.0, std::max(1.0, double(kWantedTasks / chunks)));
    return parts * getStagedShare(contraction, chunks);
  }

  WindowCosts getWindowCosts(const DeviceModel &device,
                             const Contraction &contraction,
                             const ContractionWindow &window,
                             int64_t elementBytes, double ns) const override {
    WindowChunks chunks =
        guessChunks(device, contraction, window, elementBytes, ns);
    return {chunks.partBytes, kMaxPartBytes,
            getRepeatedShare(device, contraction, window, chunks)};
  }
};

} // namespace

const ContractionModel &cpuContractionModel() {
  static const CPUContractionModel model;
  return model;
}

} // namespace tandem
