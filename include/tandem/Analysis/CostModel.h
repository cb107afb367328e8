//===- CostModel.h - What a device does in what time -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_COSTMODEL_H
#define TANDEM_ANALYSIS_COSTMODEL_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A cache: how much it holds, and how fast all cores together read it.
struct CacheLevel {
  int64_t bytes = 0;
  double bytesPerNs = 0;
};

/// What a roofline needs to know of a device. Rates are of the whole device, in
/// operations or bytes per nanosecond; a fused multiply-add counts two.
struct DeviceModel {
  std::string name;
  double f32FlopsPerNs = 0;
  /// Of 8-byte and of 2-byte elements.
  double f64FlopsPerNs = 0;
  double halfFlopsPerNs = 0;
  double memoryBytesPerNs = 0;
  /// From the smallest to the largest; a level's bytes are those of all cores.
  std::vector<CacheLevel> caches;
  /// What starting one kernel costs that all cores share, and of that what one
  /// of a single core does; what a library's primitive takes to start beyond,
  /// and what waking its own threads takes, which sleep while kernels run.
  double launchNs = 0, callNs = 0, libraryCallNs = 0, libraryWakeNs = 0;
  /// Cores of a CPU, multiprocessors of a GPU.
  int64_t cores = 1;
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// What memory hands out at a time, however little of it is used.
  int64_t lineBytes = 64;
  /// How many times its bytes a value costs that is read across its innermost
  /// dim, in tiles that are turned in registers: docs/Fusion.md.
  double acrossFactor = 1.5;
  /// Multiply-adds of whole vectors that a core starts in a clock; of narrower
  /// ones it starts up to two.
  double fmasPerClock = 2;
  /// Operations on bf16 that a core's matrix unit does in a clock, with tiles
  /// of 16 by 32 and 32 by 16 elements (AMX); 0 where it has none. The library
  /// uses it, kernels do not.
  double matrixFlopsPerClock = 0;

  /// Peak for elements of so many bytes.
  double flopsPerNs(int64_t elementBytes) const;
  /// Of the fastest level that holds `bytes`.
  double bytesPerNs(double bytes) const;
  /// What `threads` of its cores are: their share of all rates and of all
  /// caches but the last, which cores have in common. All, where there are not
  /// as many.
  DeviceModel withThreads(int64_t threads) const;
};

/// What one kernel does: operations (OpCost::flops, which counts functions as
/// several) and bytes that it reads and writes.
struct KernelWork {
  double flops = 0;
  double bytes = 0;
  int64_t elementBytes = 4;
  /// How many parts can run at a time; with fewer than cores some idle.
  int64_t parallelism = INT64_MAX;
};

/// The time of one kernel by the roofline model (Williams, Waterman, Patterson,
/// "Roofline", CACM 52(4), 2009): the launch, and the larger of the time that
/// the operations take at the peak and that the bytes take at the bandwidth.
double estimateNs(const DeviceModel &device, const KernelWork &work);
/// Its two bounds.
double estimateComputeNs(const DeviceModel &device, const KernelWork &work);
double estimateMemoryNs(const DeviceModel &device, const KernelWork &work);

/// How elements of one value are read, one for each lane.
struct StridedRead {
  double elements = 0;
  int64_t elementBytes = 4;
  /// Of the whole value: says which cache it lies in.
  int64_t valueBytes = 0;
  /// Between one lane's element and the next one's; 0 where it is the same.
  int64_t stride = 1;
  /// Whether other iterations nearby read what lies between.
  bool isTiled = false;
};

/// A read whose stride is not one takes a line for each element, or what lies
/// between two of them; one in tiles takes DeviceModel::acrossFactor.
double estimateReadNs(const DeviceModel &device, const StridedRead &read);

/// The machine that this runs on: cores, caches, vectors and clock are asked of
/// it; the bandwidths follow from them by rules of thumb. Detected once;
/// thread-safe.
const DeviceModel &hostDeviceModel();

/// "host"; the name of a file of utils/cpu-specs or utils/gpu-specs, which are
/// built in ("generic", "sm_90_h200", "h200"); or the path of such a file
/// ("my-cpu.json"). With ":N" after it, N threads of it ("host:1").
Expected<DeviceModel> findDeviceModel(std::string_view spec);

/// Reads the text of such a file; `origin` names it in errors.
Expected<DeviceModel> parseDeviceModel(std::string_view json,
                                       const std::string &origin);

/// The model for prices that are the same on every machine.
const DeviceModel &genericDeviceModel();

} // namespace tandem

#endif // TANDEM_ANALYSIS_COSTMODEL_H
