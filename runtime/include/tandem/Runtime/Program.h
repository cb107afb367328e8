//===- Program.h - Reading, writing and checking programs -------*- C++ -*-===//
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

/// A constant of a program, such as a weight: a slot whose value is known when
/// the program is created, and that value.
struct Constant {
  uint32_t slot = 0;
  /// The elements, little-endian and row-major. The address may have any
  /// alignment; for example, the elements may lie in a mapped file. Steps do
  /// not read this memory directly but the aligned memory that
  /// Device::placeConstants returns. Programs of the same graph, the compiler
  /// and executors share this memory, and no one writes to it. The type of the
  /// slot determines how the elements are interpreted. The type of this tensor
  /// matters only for the size in bytes.
  Tensor data;
};

/// A graph in the form that the runtime executes: the object form of
/// Program.fbs, and the constants. Copies of a Program share the memory of the
/// constants.
struct Program : fb::ProgramT {
  std::vector<Constant> constants;
};
using fb::KernelTarget;

/// True if two programs are equal. Constants are equal if their bytes are
/// equal.
bool operator==(const Program &lhs, const Program &rhs);

/// Checks the constraints that the file format cannot express: slot and kernel
/// indices are in range, no slot is written twice or read before it is written,
/// the types of op steps agree with the shape rules, and ranks, arena offsets
/// and sizes of constants are valid.
Status verify(const Program &program);

/// Returns the bytes of a program file, including all constants.
std::vector<uint8_t> serialize(const Program &program);
/// Reads and verifies a program from the bytes of a file. The constants are
/// copied, so `bytes` need not outlive the result. Fails with phase "read" if
/// the file is truncated or corrupt, or has another format version
/// (kProgramFormat).
Expected<Program> deserialize(std::span<const uint8_t> bytes);

/// Replaces the file at `path` with `bytes`. The bytes are first written to a
/// temporary file beside `path`, which is then renamed. A process that is
/// killed therefore never leaves an incomplete file at `path`. A path that is
/// not a regular file, such as a device, is written to directly. Errors have
/// phase "write".
Status writeFileAtomically(const std::string &path,
                           std::span<const uint8_t> bytes);
/// Returns the contents of a file. Errors have phase "read".
Expected<std::vector<uint8_t>> readFile(const std::string &path);

/// Returns the symbol of the function in the kernel's code that runs the
/// kernel.
inline const std::string &symbolOf(const fb::KernelT &kernel) {
  return kernel.symbol.empty() ? kernel.name : kernel.symbol;
}

/// Checks the types of a call's inputs against the declared inputs of the
/// program: the number of inputs, dtypes, ranks and static sizes. Dims with the
/// same name must have the same size. Errors have phase "input".
Status checkInputs(const Program &program, std::span<const TensorType> types);

/// Returns a human-readable listing of the program, with one line per step.
std::string toString(const Program &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_H
