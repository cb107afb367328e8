//===- PlanLines.cpp - Scans and Fourier transforms on a GPU -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FFTLines.h"
#include "LaunchPlan.h"

using namespace tandem;
using namespace tandem::cuda;
using eager::AxisView;
using eager::FFTLines;

/// Lines that lie side by side have a thread each, so that the threads of a
/// warp read neighbors. Other lines have a block each.
Planned cuda::planScan(const OpSignature &signature) {
  const auto &attrs = *signature.op.attrs.AsScanAttrs();
  const TensorType &type = signature.result();
  const AxisView lines(type.shape, attrs.axis);
  const int64_t count = lines.outer * lines.inner;
  constexpr int64_t kWarp = 32;
  const bool isByThread = lines.inner >= kWarp || lines.size < kWarp;
  LaunchPlan plan{KernelFamily::line, type.dtype, "scan_",
                  isByThread ? blocksFor(count) : count};
  plan.kernel += fb::EnumNameScanKind(attrs.kind);
  plan.kernel += isByThread ? "_by_thread" : "_by_block";
  plan.pointers = {0, kResult};
  plan.values = {Indices{count, lines.size, lines.inner,
                         attrs.exclusive ? 1 : 0, attrs.reverse ? 1 : 0}};
  return OpPlan{{plan}, {}};
}

/// Every number of the result is computed by the definition, whose cost is
/// quadratic in the length.
Planned cuda::planFFT(const OpSignature &signature) {
  const TensorType &type = signature.result();
  const FFTLines lines(signature.op, signature.operands[0], type);
  const int64_t results = lines.count() * lines.outSize;
  LaunchPlan plan{KernelFamily::line, type.dtype, "transform_lines",
                  blocksFor(results)};
  plan.pointers = {0, kResult};
  plan.values = {Indices{results, lines.inner, lines.inSize, lines.outSize,
                         lines.length, lines.readsReal() ? 1 : 0,
                         lines.writesReal() ? 1 : 0,
                         lines.isInverse() ? 1 : 0}};
  return OpPlan{{plan}, {}};
}
