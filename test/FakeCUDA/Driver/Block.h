//===- Block.h - The threads of a block, as fibres --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_BLOCK_H
#define TANDEM_TEST_FAKECUDA_DRIVER_BLOCK_H

#include "HostEntry.h"

#include "Reports.h"

#include <random>
#include <span>
#include <string>

namespace fake {

/// A launch of a kernel, to be run on the calling thread.
struct Launch {
  std::string name;
  const tandem_host::Entry *entry;
  tandem_host::Index grid, block;
  /// Whether threads wait for one another: each is a fibre then, and they are
  /// resumed in a shuffled order. Else they run one after the other.
  bool isCooperative = false;
};

/// Runs all blocks, in a shuffled order; `args` point to the parameters. What a
/// signal tells of an access is the device's error. Threads that wait for such
/// as will not come are reported.
Result run(const Launch &launch, std::span<void *const> args,
           std::mt19937 &random);

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_BLOCK_H
