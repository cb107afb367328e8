//===- CostModel.h - What a device does in what time -------*- C++ -*-===//
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

} // namespace tandem

#endif // TANDEM_ANALYSIS_COSTMODEL_H
