//===- Passes.td - All passes of the CPU ----------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_PASSES
#define TANDEM_TARGET_CPU_PASSES

include "tandem/Target/CPU/GraphPasses.td"
include "tandem/Target/CPU/KernelPasses.td"

#endif // TANDEM_TARGET_CPU_PASSES
