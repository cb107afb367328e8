//===- ProgramFormat.h - The version of the Program format ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PROGRAMFORMAT_H
#define TANDEM_RUNTIME_PROGRAM_PROGRAMFORMAT_H

#include <cstdint>

namespace tandem {

/// Version of program files and of the kernels in them. The version is
/// increased whenever the meaning of a field of Program.fbs changes.
inline constexpr uint32_t kProgramFormat = 8;

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMFORMAT_H
