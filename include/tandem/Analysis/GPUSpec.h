//===- GPUSpec.h - Descriptions of GPUs -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_GPUSPEC_H
#define TANDEM_ANALYSIS_GPUSPEC_H

#include "tandem/Runtime/CUDADevice.h"
#include "tandem/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The properties of a GPU, which need not be in this machine. They come from
/// the files utils/gpu-specs/*.json, which cite their sources.
struct GPUSpec {
  std::string name;
  /// The architecture: "sm_90".
  std::string arch;
  int64_t multiprocessors = 0;
  double clockGHz = 0;
  int64_t fp32LanesPerMultiprocessor = 0;
  int64_t fp64LanesPerMultiprocessor = 0;
  /// The number of dense operations on bf16 or f16 that the tensor cores of a
  /// multiprocessor execute per clock cycle. A fused multiply-add counts as
  /// two.
  int64_t tensorFlopsPerClock = 0;
  double memoryBytesPerSecond = 0;
  int64_t l2Bytes = 0;
  int64_t sharedMemoryPerMultiprocessorBytes = 0;
  int64_t sharedMemoryPerBlockBytes = 0;
  int64_t maxThreadsPerMultiprocessor = 0;
  int64_t maxThreadsPerBlock = 0;
  /// The launch overhead per kernel, in nanoseconds, if many kernels run one
  /// after another in a stream.
  double launchNs = 0;

  /// Peak speed in f32 operations per second; a fused multiply-add counts as
  /// two.
  double fp32FlopsPerSecond() const {
    return 2e9 * double(multiprocessors * fp32LanesPerMultiprocessor) *
           clockGHz;
  }
  /// The same in f64.
  double fp64FlopsPerSecond() const {
    return 2e9 * double(multiprocessors * fp64LanesPerMultiprocessor) *
           clockGHz;
  }
};

/// Finds the spec of an architecture ("sm_90") or of a device ("h200",
/// "sm_90_h200"), which are built in, or reads it from a file ("my-gpu.json").
Expected<GPUSpec> findGPUSpec(std::string_view gpu);

/// Parses the text of a spec file; `origin` names the file in errors.
Expected<GPUSpec> parseGPUSpec(std::string_view json,
                               const std::string &origin);

/// Returns the spec of an installed GPU as the text of a spec file. The text
/// has the properties that the driver reports, and takes all other properties,
/// such as lanes and launch times, from the built-in spec of the architecture.
/// Empty if there is no built-in spec of the architecture.
std::string describeGPU(std::string_view arch, const GPUProperties &properties);

/// The names of the built-in specs: "sm_80_a100", ….
std::vector<std::string> builtinGPUSpecs();

} // namespace tandem

#endif // TANDEM_ANALYSIS_GPUSPEC_H
