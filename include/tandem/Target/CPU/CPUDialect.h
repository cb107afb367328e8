//===- CPUDialect.h - The dialect of the CPU's target -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_CPUDIALECT_H
#define TANDEM_TARGET_CPU_CPUDIALECT_H

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tandem/Target/CPU/CPUDialect.h.inc"

namespace tandem::cpu {
/// The size of the table of look_up_bytes, in bytes.
inline constexpr int64_t kByteTableSize = 256;
} // namespace tandem::cpu

#define GET_OP_CLASSES
#include "tandem/Target/CPU/CPUOps.h.inc"

#endif // TANDEM_TARGET_CPU_CPUDIALECT_H
