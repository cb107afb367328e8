//===- DeviceModel.h - What decides on a device -----------------*- C++ -*-===//
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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A cache: how much it holds, and how fast all cores together read it.
struct CacheLevel {
  int64_t bytes = 0;
  double bytesPerNs = 0;
};

/// What the library reaches, by kind of contraction. Shares are of the speed
/// that our own register tiles would have for the same contraction.
struct LibraryShares {
  double tiles = 0.96;
  /// Depthwise in two dims, and in others, for which it has no kernel of its
  /// own.
  double depthwise = 0.7, generic = 0.1;
  /// Of a matrix unit's speed, between the conversions of its operands.
  double matrixUnit = 0.3;
  /// Of the peak, where no tile of ours can tell how the library computes.
  double other = 0.6;
  /// Channels first it multiplies matrices: products of one element that its
  /// tiles take to begin and end, and cycles for each element of data that it
  /// copies ahead into the columns of a matrix (im2col).
  double tileProducts = 8, columnCycles = 3;
  /// What changing the format of an image takes beside a copy of it.
  double turnFactor = 1.5;
};

/// What our kernels reach. Shares are of the peak.
struct KernelShares {
  /// Of register tiles as they are estimated.
  double tiles = 0.98;
  /// Of multiply-adds in a loop, where each result is a chain of its own; and
  /// of depthwise convolutions whose weights do not stay in the nearest cache.
  double loop = 0.6, depthwiseLoop = 0.25;
  /// Channels first data comes as short pieces of rows, which are no stream:
  /// what fetching them takes of a tile's time, once for all taps; and the
  /// loads of more input channels than a few, each of which lies elsewhere,
  /// where outputs run along the lanes.
  double pieceTime = 0.45, farChannelsTime = 0.15;
};

/// All of a device that decides anything. Rates are of the whole device, in
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
  /// How many times its share of the device's rates one core reaches while the
  /// others idle: of units and caches, for its clock is higher and no thread
  /// beside it takes them; and of memory, which a few cores use up.
  double aloneFactor = 1, aloneMemoryFactor = 1;
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// What memory hands out at a time, however little of it is used.
  int64_t lineBytes = 64;
  /// From so many bytes on a result is stored past the caches: writing it, and
  /// reading it from memory in what follows, takes less time than with the
  /// caches, which fetch each line before it is written.
  int64_t streamedBytes = int64_t(32) << 20;
  /// How many times its bytes a value costs that is read across its innermost
  /// dim, in tiles that are turned in registers: docs/Fusion.md.
  double acrossFactor = 1.5;
  /// Multiply-adds of whole vectors that a core starts in a clock; of narrower
  /// ones it starts up to two.
  double fmasPerClock = 2;
  /// Whether it multiplies and adds pairs of bf16 (AVX-512 BF16), and how many
  /// such instructions it starts in the time of a multiply-add of f32.
  bool hasBF16Pairs = false;
  double pairsPerFma = 1;
  /// Operations on bf16 that a core's matrix unit does in a clock, with tiles
  /// of 16 by 32 and 32 by 16 elements (AMX); 0 where it has none. The library
  /// uses it, kernels do not.
  double matrixFlopsPerClock = 0;
  LibraryShares library;
  KernelShares kernels;

  /// Peak for elements of so many bytes.
  double flopsPerNs(int64_t elementBytes) const;
  /// Of the fastest level that holds `bytes`.
  double bytesPerNs(double bytes) const;
  /// Bytes of an array that stays near a core which goes over it, and a few
  /// others of its size, again and again: a quarter of the largest cache that
  /// the core has to itself.
  int64_t nearBytes() const;
  /// What `threads` of its cores are: their share of all rates and of all
  /// caches but the last, which cores have in common. All, where there are not
  /// as many.
  DeviceModel withThreads(int64_t threads) const;
  /// The same cores with vectors of so many bits.
  DeviceModel withVectors(int64_t bits) const;
};

/// The machine that this runs on, as far as it can be asked for it: cores,
/// caches, vectors and clock; the rates follow from them by rules of thumb.
/// Thread-safe.
const DeviceModel &detectedDeviceModel();

/// The machine that this runs on as it is known best, with the vectors and
/// instructions of hostProcessor(): what the environment variable TANDEM_DEVICE
/// describes, as findDeviceModel takes it ("generic", "my-cpu.json"); or what
/// was measured here (measuredModel); or what is detected. Thread-safe. The
/// Error is of TANDEM_DEVICE.
Expected<DeviceModel> hostDeviceModel();

/// Where what was measured of this machine is kept: a file in the directory
/// that the environment variable TANDEM_CACHE_DIR names, else in `tandem` in
/// $XDG_CACHE_HOME or ~/.cache. It is another one for another processor, set of
/// instructions (TANDEM_CPU), number of processors that may be used, and
/// version of the measuring. Empty where there is no such directory.
std::string measuredModelFile();

/// What was measured: by this process, or what that file held when it was first
/// asked for; none where there is no file that can be read. Thread-safe.
std::optional<DeviceModel> measuredModel();

/// Makes `model` that of this host from now on, in this process, and of all
/// that start later: it is written to measuredModelFile(), as a whole at once,
/// where there is such a directory or it can be made. Thread-safe. The Error
/// says why it was not written.
Status setMeasuredModel(const DeviceModel &model);

/// "host" (hostDeviceModel); the name of a file of utils/cpu-specs or
/// utils/gpu-specs, which are built in ("generic", "sm_90_h200", "h200"); the
/// path of such a file ("my-cpu.json"); or its text ("{…}"). With ":N" after a
/// name or path, N threads of it ("host:1").
Expected<DeviceModel> findDeviceModel(std::string_view spec);

/// Reads the text of such a file; `origin` names it in errors.
Expected<DeviceModel> parseDeviceModel(std::string_view json,
                                       const std::string &origin);
/// The text of a file that describes a CPU: what parseDeviceModel reads as the
/// same model, to the last digit. On one line, or with `indent` spaces.
std::string writeDeviceModel(const DeviceModel &model, int indent = -1);

/// The model for prices that are the same on every machine.
const DeviceModel &genericDeviceModel();

} // namespace tandem

#endif // TANDEM_ANALYSIS_DEVICEMODEL_H
