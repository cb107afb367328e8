//===- DeviceModel.h - The description of a device --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_DEVICEMODEL_H
#define TANDEM_ANALYSIS_DEVICEMODEL_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// One level of the caches: its size in bytes and its bandwidth in bytes per
/// nanosecond, of all cores together.
struct CacheLevel {
  int64_t bytes = 0;
  double bytesPerNs = 0;
};

/// Everything about a device that the compiler's decisions depend on.
/// docs/Device.md explains where the numbers come from. Rates are of the whole
/// device, in operations or bytes per nanosecond; a fused multiply-add counts
/// as two operations.
struct DeviceModel {
  std::string name;
  /// Peak speed on f32.
  double f32FlopsPerNs = 0;
  /// Peak speed on elements of 8 and of 2 bytes.
  double f64FlopsPerNs = 0;
  double halfFlopsPerNs = 0;
  double memoryBytesPerNs = 0;
  /// The caches, from the smallest to the largest. The size of a level is the
  /// sum over all cores.
  std::vector<CacheLevel> caches;
  /// Fixed costs of a call, in nanoseconds. Starting a kernel takes `launchNs`
  /// on all cores, and `callNs` on a single core. A call of a library primitive
  /// additionally takes `libraryCallNs`. Waking the library's threads, which
  /// sleep while kernels run, takes another `libraryWakeNs`.
  double launchNs = 0, callNs = 0, libraryCallNs = 0, libraryWakeNs = 0;
  /// Number of cores of a CPU, or of multiprocessors of a GPU.
  int64_t cores = 1;
  /// The speedup of one core while all other cores idle, relative to the core's
  /// share of the device's rates. `aloneFactor` applies to arithmetic and
  /// caches: the core has a higher clock, and shares its units with no other
  /// thread. `aloneMemoryFactor` applies to memory bandwidth, which a few cores
  /// can saturate.
  double aloneFactor = 1, aloneMemoryFactor = 1;
  /// Width of a vector register in bits, and number of vector registers.
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// Size of a cache line, in bytes: the least that a read of memory transfers.
  int64_t lineBytes = 64;
  /// The minimum size of a result, in bytes, that is written with non-temporal
  /// stores, which bypass the caches. In addition, the operands and results of
  /// the kernel must have at least 3 * streamedBytes bytes in total.
  /// Non-temporal stores save time because ordinary stores first fetch each
  /// line that is written. This holds even though later kernels then read the
  /// result from memory.
  int64_t streamedBytes = int64_t(32) << 20;
  /// The cost of reading a value across its innermost dim, in tiles that are
  /// transposed in registers, as a multiple of reading it in order
  /// (docs/Fusion.md).
  double acrossFactor = 2;
  /// The number of fused multiply-adds of full vector width that a core starts
  /// per clock cycle. With narrower vectors, a core starts up to two.
  double fmasPerClock = 2;
  /// Whether the device multiplies and adds pairs of bf16 (AVX-512 BF16), and
  /// how many such instructions it starts in the time of one f32 multiply-add.
  bool hasBF16Pairs = false;
  /// Whether cores have vpdpbusd, which multiplies and adds quads of integers
  /// of 8 bits.
  bool hasVNNI = false;
  /// Whether cores have vpmaddwd for whole vectors, which multiplies pairs of
  /// integers of 16 bits and adds the two products.
  bool hasWordPairs = false;
  /// Whether cores have a matrix unit (AMX) for integers of 8 bits.
  bool hasAMXInt8 = false;
  double pairsPerFma = 1;
  /// Operations on bf16 that a core's matrix unit (AMX) does per clock cycle,
  /// on tiles of 16 by 32 and 32 by 16 elements; 0 where there is none. Only
  /// the library uses the matrix unit for bf16. Tandem's kernels use it for
  /// integers (hasAMXInt8).
  double matrixFlopsPerClock = 0;
  /// The share of the device's peak that loop kernels reach. In a loop kernel,
  /// each result is a chain of dependent multiply-adds. `depthwiseLoopShare` is
  /// the share of depthwise convolutions in loop kernels whose weights do not
  /// stay in the first-level cache.
  double loopShare = 0.6, depthwiseLoopShare = 0.25;
  /// Numbers that describe a target's kernels and libraries on the device. The
  /// keys are those of a spec file, and begin with "kernel_" or "library_".
  /// Only the target interprets the numbers (tandem/Target/CPU/CPUShares.h) and
  /// has defaults for missing numbers. All numbers are positive.
  std::map<std::string, double, std::less<>> targetNumbers;

  /// Peak speed for elements of `elementBytes` bytes, in operations per
  /// nanosecond.
  double flopsPerNs(int64_t elementBytes) const;
  /// Peak speed for products of 8-bit integers that are summed in i32, in
  /// operations per nanosecond: 4 times that for f32 with vpdpbusd, and twice
  /// that for f32 with vpmaddwd. AMX does 2048 such operations per clock cycle,
  /// where two f32 multiply-adds of 512 bits are 64 operations.
  double byteFlopsPerNs() const;
  /// Bandwidth of the fastest level that holds `bytes` bytes, in bytes per
  /// nanosecond.
  double bytesPerNs(double bytes) const;
  /// The largest size, in bytes, of an array that stays in a core's own caches
  /// while the core passes over it and a few others of its size repeatedly: a
  /// quarter of the largest cache that the core does not share.
  int64_t nearBytes() const;
  /// The largest size, in bytes, of an intermediate array that a kernel stores.
  /// Elements of a larger array are computed twice instead, because storing and
  /// reading it would take longer. The limit is a quarter of the core's share
  /// of the last-level cache, but at least nearBytes.
  int64_t keptBytes() const;
  /// The model of `threads` of the device's cores. These have their share of
  /// all rates, and of all caches except the last-level cache, which is shared.
  /// If the device has at most `threads` cores, returns the model of the whole
  /// device.
  DeviceModel withThreads(int64_t threads) const;
  /// The model of the same cores with vectors of `bits` bits.
  DeviceModel withVectors(int64_t bits) const;
};

/// The model of the host as the operating system and the processor describe it:
/// cores, caches, vectors and clock. Rates are derived from these by rules of
/// thumb. Thread-safe.
const DeviceModel &detectedDeviceModel();

/// Returns the best available model of the host, with the vectors and
/// instructions of hostProcessor(). If the environment variable TANDEM_DEVICE
/// is set, its value is the argument of findDeviceModel, e.g. "generic" or
/// "my-cpu.json". Otherwise, the measured model is used (measuredModel) or, if
/// there is none, the detected model. Fails only for an invalid TANDEM_DEVICE.
/// Thread-safe.
Expected<DeviceModel> hostDeviceModel();

/// Returns findDeviceModel(spec), changed to have the vectors and instructions
/// of hostProcessor(), so that code that is generated for the model can run on
/// the host.
Expected<DeviceModel> findModelForHost(std::string_view spec);

/// The path of the file that keeps the measured model of the host. The file is
/// in $TANDEM_CACHE_DIR or, if that variable is not set, in the directory
/// `tandem` in $XDG_CACHE_HOME or ~/.cache. The name depends on the processor,
/// its set of instructions (TANDEM_CPU), the number of processors that may be
/// used, and the version of the measuring code. Empty if the user has no home
/// directory.
std::string measuredModelFile();

/// Returns the model of the host that this process has measured. If this
/// process has not measured, returns the model that measuredModelFile()
/// contained when the file was first read, or nothing if there was none.
/// Thread-safe.
std::optional<DeviceModel> measuredModel();

/// Makes `model` the measured model of the host for this process, and writes it
/// atomically to measuredModelFile() for processes that start later. Creates
/// the directory if necessary. Thread-safe. The Error says why the file was not
/// written.
Status setMeasuredModel(const DeviceModel &model);

/// Finds a model by its spec. A spec is "host" (hostDeviceModel); the name of a
/// file in utils/cpu-specs or utils/gpu-specs, which are built in ("generic",
/// "sm_90_h200", "h200"); the path of such a file ("my-cpu.json"); or its text
/// ("{…}"). ":N" after a name or path stands for N threads of the device
/// ("host:1").
Expected<DeviceModel> findDeviceModel(std::string_view spec);

/// Parses the text of a spec file. `origin` names the file in errors.
Expected<DeviceModel> parseDeviceModel(std::string_view json,
                                       const std::string &origin);
/// Writes the model of a CPU as the text of a spec file, which parseDeviceModel
/// reads back to exactly the same model. The text is on one line, or indented
/// by `indent` spaces.
std::string writeDeviceModel(const DeviceModel &model, int indent = -1);

/// A fixed model of a CPU ("generic"), for results that must be the same on
/// every machine.
const DeviceModel &genericDeviceModel();

} // namespace tandem

#endif // TANDEM_ANALYSIS_DEVICEMODEL_H
