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
  /// Fixed costs of a call, in nanoseconds. `launchNs` starts a kernel on all
  /// cores, `callNs` one on a single core. A library primitive takes
  /// `libraryCallNs` on top, and `libraryWakeNs` more to wake the library's
  /// threads, which sleep while kernels run.
  double launchNs = 0, callNs = 0, libraryCallNs = 0, libraryWakeNs = 0;
  /// Number of cores of a CPU, or of multiprocessors of a GPU.
  int64_t cores = 1;
  /// How much faster one core is than its share of the device's rates while all
  /// other cores idle: `aloneFactor` for arithmetic and caches (its clock is
  /// higher, and it shares its units with no other thread), `aloneMemoryFactor`
  /// for memory bandwidth, which a few cores can use up.
  double aloneFactor = 1, aloneMemoryFactor = 1;
  /// Width of a vector register in bits, and number of vector registers.
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// Size of a cache line, in bytes: the least that a read of memory transfers.
  int64_t lineBytes = 64;
  /// Results of at least this many bytes, of kernels that read and write three
  /// times as many, are written with non-temporal stores, which bypass the
  /// caches. That saves time, even though later kernels then
  /// read the result from memory, because the caches would first fetch each
  /// line that is written.
  int64_t streamedBytes = int64_t(32) << 20;
  /// The cost of reading a value across its innermost dim, in tiles that are
  /// transposed in registers, as a multiple of reading it in order
  /// (docs/Fusion.md).
  double acrossFactor = 2;
  /// Fused multiply-adds of full vector width that a core starts per clock
  /// cycle. Of narrower vectors it starts up to two.
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
  double pairsPerFma = 1;
  /// Operations on bf16 that a core's matrix unit (AMX) does per clock cycle,
  /// on tiles of 16 by 32 and 32 by 16 elements; 0 where there is none. The
  /// library uses the matrix unit, Tandem's kernels do not.
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
  /// Bandwidth of the fastest level that holds `bytes` bytes, in bytes per
  /// nanosecond.
  double bytesPerNs(double bytes) const;
  /// The largest size, in bytes, of an array that stays in a core's own caches
  /// while the core passes over it and a few others of its size repeatedly: a
  /// quarter of the largest cache that the core does not share.
  int64_t nearBytes() const;
  /// The largest size, in bytes, of an array that a core stores rather than
  /// compute its functions twice: a quarter of the core's share of the last
  /// cache, which is read and written in less time. At least nearBytes.
  int64_t keptBytes() const;
  /// The model of `threads` of the device's cores: their share of all rates,
  /// and of all caches except the last one, which cores share. The whole device
  /// if it has no more cores than that.
  DeviceModel withThreads(int64_t threads) const;
  /// The model of the same cores with vectors of `bits` bits.
  DeviceModel withVectors(int64_t bits) const;
};

/// The model of the host as the operating system and the processor describe it:
/// cores, caches, vectors and clock. Rates are derived from these by rules of
/// thumb. Thread-safe.
const DeviceModel &detectedDeviceModel();

/// The best model of the host there is, with the vectors and instructions of
/// hostProcessor(). It is the one that the environment variable TANDEM_DEVICE
/// names, as findDeviceModel takes it ("generic", "my-cpu.json"); else the one
/// that was measured (measuredModel); else the detected one. Fails only for an
/// invalid TANDEM_DEVICE. Thread-safe.
Expected<DeviceModel> hostDeviceModel();

/// The model that `spec` names, as findDeviceModel takes it, with the vectors
/// and instructions of hostProcessor(): code by it runs on the host.
Expected<DeviceModel> findModelForHost(std::string_view spec);

/// The path of the file that keeps the measured model of the host. It is in the
/// directory that the environment variable TANDEM_CACHE_DIR names, else in
/// `tandem` in $XDG_CACHE_HOME or ~/.cache. The name depends on the processor,
/// its set of instructions (TANDEM_CPU), the number of processors that may be
/// used, and the version of the measuring code. Empty where there is no such
/// directory.
std::string measuredModelFile();

/// The measured model of the host: the one that this process measured, else the
/// one that measuredModelFile() held when it was first read. None where neither
/// exists. Thread-safe.
std::optional<DeviceModel> measuredModel();

/// Makes `model` the measured model of the host, for this process and, by
/// writing it atomically to measuredModelFile(), for those that start later.
/// Creates the directory if need be. Thread-safe. The Error says why the file
/// was not written.
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
