//===- Program.h - Reading, writing and checking Programs -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_H
#define TANDEM_RUNTIME_PROGRAM_H

#include "tandem/Runtime/Program_generated.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// The value of a slot that is known ahead of time.
struct Constant {
  uint32_t slot = 0;
  /// Little-endian and row-major, at a multiple of Allocator::kAlignment. Its
  /// memory is shared by the programs of a graph, the compiler and executors,
  /// and nobody writes to it. Of its type only the bytes count.
  Tensor data;
};

/// The object form of Program.fbs, with constants. Copies share their memory.
struct Program : fb::ProgramT {
  std::vector<Constant> constants;
};
using fb::KernelTarget;

/// Compares constants by their bytes.
bool operator==(const Program &lhs, const Program &rhs);

/// Checks what the format itself cannot: slot and kernel indices in range,
/// every slot written once and before it is read, ranks, arena bounds, sizes
/// and alignment of constants.
Status verify(const Program &program);

/// With the bytes of all constants.
std::vector<uint8_t> serialize(const Program &program);
/// Verifies buffer and program; an error for a truncated, corrupt or newer one.
Expected<Program> deserialize(std::span<const uint8_t> bytes);

/// Writes to a temporary file beside `path`, then renames: a killed process
/// leaves no half file under the final name.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> bytes);
Expected<std::vector<uint8_t>> readFile(const std::string &path);

/// The kernel's function in its code.
inline const std::string &symbolOf(const fb::KernelT &kernel) {
  return kernel.symbol.empty() ? kernel.name : kernel.symbol;
}

/// Checks operand types against the inputs' declared types and dim names:
/// ranks, dtypes, static sizes, equal sizes for equal names.
Status checkInputs(const Program &program, std::span<const TensorType> types);

/// A listing for people: one line a step.
std::string toString(const Program &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_H
