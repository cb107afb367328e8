//===- LoadCounts.h - How much kernels load ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With FAKE_CUDA_LOADS=1 in the environment, kernels are compiled so that each
// load that their source has is counted when it is executed, and the process
// prints the counts of each kernel when it ends. Needs clang.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_LOADCOUNTS_H
#define TANDEM_TEST_FAKECUDA_DRIVER_LOADCOUNTS_H

#include <cstdint>
#include <string>

namespace fake {

/// Executed loads, of up to 16 bytes each.
struct LoadCounts {
  uint64_t global = 0, shared = 0;
};

/// Whether the environment asks for them.
bool countsLoads();
/// Adds a launch's to those of its kernel.
void addLoads(const std::string &kernel, const LoadCounts &counts);

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_LOADCOUNTS_H
