//===- Program.h - Reading, writing and checking Programs -------*- C++ -*-===//
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

/// The value of a slot that is known when the program is made, such as weights.
struct Constant {
  uint32_t slot = 0;
  /// The elements, little-endian and row-major, at any address: where a file
  /// has them that is mapped, for example. Steps read them from where
  /// Device::placeConstants puts them, which is aligned. The memory is shared
  /// by the programs of a graph, the compiler and the executors, and nobody
  /// writes to it. Only the bytes matter; the slot says what type they have.
  Tensor data;
};

/// A graph in the form that the runtime executes: the object form of
/// Program.fbs, and the constants. Copies of a Program share the memory of the
/// constants.
struct Program : fb::ProgramT {
  std::vector<Constant> constants;
};
using fb::KernelTarget;

/// Whether two programs are equal. Constants are compared by their bytes.
bool operator==(const Program &lhs, const Program &rhs);

/// Checks what the file format itself cannot express: slot and kernel indices
/// are in range, every slot is written once and before it is read, and ranks,
/// arena offsets and sizes of constants are valid.
Status verify(const Program &program);

/// The bytes of a program file, including all constants.
std::vector<uint8_t> serialize(const Program &program);
/// Reads a program from the bytes of a file and verifies it. Fails for a
/// truncated or corrupt file and for one of another format version.
Expected<Program> deserialize(std::span<const uint8_t> bytes);

/// Writes to a temporary file beside `path`, then renames: a killed process
/// leaves no half file under the final name.
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> bytes);
/// The contents of a file.
Expected<std::vector<uint8_t>> readFile(const std::string &path);

/// The symbol of the kernel's function within its code.
inline const std::string &symbolOf(const fb::KernelT &kernel) {
  return kernel.symbol.empty() ? kernel.name : kernel.symbol;
}

/// Checks the types of a call's inputs against the declared types and dim names
/// of the program's inputs: ranks, dtypes, static sizes, and equal sizes for
/// dims of equal names.
Status checkInputs(const Program &program, std::span<const TensorType> types);

/// A readable listing of the program, with one line per step.
std::string toString(const Program &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_H
