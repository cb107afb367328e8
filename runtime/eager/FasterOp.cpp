//===- FasterOp.cpp - Comparison of the times of two ops ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FasterOp.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace tandem;

/// Several calls in a row, so that a short call is not all latency.
static constexpr int kCalls = 4, kRounds = 3;

/// The time of kCalls calls, in nanoseconds of the device's clock.
static Expected<double> measureNs(const PreparedOp &op,
                                  std::span<const Tensor> operands,
                                  std::span<Tensor> results, Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(auto start, stream.record());
  for (int i = 0; i < kCalls; ++i)
    TANDEM_RETURN_IF_ERROR(
        runOp(op, operands, results, stream, "a measurement"));
  TANDEM_ASSIGN_OR_RETURN(auto end, stream.record());
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return end->ns() - start->ns();
}

static Expected<std::vector<Tensor>>
makeZeros(std::span<const TensorType> types, Stream &stream) {
  std::vector<Tensor> zeros;
  for (const TensorType &type : types) {
    TANDEM_ASSIGN_OR_RETURN(Tensor zero, Tensor::allocate(type));
    std::memset(zero.data(), 0, size_t(zero.bytes()));
    zeros.push_back(std::move(zero));
  }
  return copyToDevice(zeros, stream);
}

Expected<bool> eager::isFaster(const PreparedOp &op, const PreparedOp &other,
                               std::span<const TensorType> operands,
                               const TensorType &result, Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                          makeZeros(operands, stream));
  TANDEM_ASSIGN_OR_RETURN(Tensor output,
                          Tensor::allocate(result, stream.allocator()));
  const PreparedOp *const ops[] = {&op, &other};
  double leastNs[2];
  std::ranges::fill(leastNs, std::numeric_limits<double>::max());
  // The first call of an op loads its code.
  for (const PreparedOp *each : ops)
    TANDEM_RETURN_IF_ERROR(
        runOp(*each, values, {&output, 1}, stream, "a measurement"));
  // After a pause, the first event has a coarse time (DeviceClock).
  TANDEM_RETURN_IF_ERROR(stream.record());
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  for (int round = 0; round < kRounds; ++round)
    for (int i : {0, 1}) {
      TANDEM_ASSIGN_OR_RETURN(const double ns,
                              measureNs(*ops[i], values, {&output, 1}, stream));
      leastNs[i] = std::min(leastNs[i], ns);
    }
  return leastNs[0] < leastNs[1];
}
