//===- CostModel.h - The roofline cost model --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_COSTMODEL_H
#define TANDEM_ANALYSIS_COSTMODEL_H

#include "tandem/Analysis/DeviceModel.h"

#include <cstdint>

namespace tandem {

/// The work of one kernel: its operations (as OpCost::flops counts them: a
/// transcendental function counts as several) and the bytes that it reads and
/// writes.
struct KernelWork {
  double flops = 0;
  double bytes = 0;
  int64_t elementBytes = 4;
  /// The number of parts that can run at the same time. With fewer parts than
  /// the device has cores, some cores idle.
  int64_t parallelism = INT64_MAX;
};

/// Estimates the time of one kernel, in nanoseconds, by the roofline model
/// (Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009): the launch,
/// plus the larger of the time that the operations take at peak speed and the
/// time that the bytes take at full bandwidth.
double estimateNs(const DeviceModel &device, const KernelWork &work);
/// The two bounds of the roofline, in nanoseconds.
double estimateComputeNs(const DeviceModel &device, const KernelWork &work);
double estimateMemoryNs(const DeviceModel &device, const KernelWork &work);

/// How a vectorized loop reads one value: one element for each lane.
struct StridedRead {
  double elements = 0;
  int64_t elementBytes = 4;
  /// Size of the whole value, in bytes. It decides which cache the value is
  /// read from.
  int64_t valueBytes = 0;
  /// The distance between the elements of two neighboring lanes, in elements;
  /// 0 where all lanes read the same element.
  int64_t stride = 1;
  /// Whether nearby iterations read the elements in between, as in a tiled
  /// transpose.
  bool isTiled = false;
};

/// Estimates the time of a read, in nanoseconds. With a stride above one, each
/// element costs a cache line, or the bytes up to the next element if these are
/// fewer; a tiled read costs DeviceModel::acrossFactor times its bytes.
double estimateReadNs(const DeviceModel &device, const StridedRead &read);

} // namespace tandem

#endif // TANDEM_ANALYSIS_COSTMODEL_H
