//===- ArgSpec.h - Function arguments on the command line -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_ARGSPEC_H
#define TANDEM_TOOLS_COMMON_ARGSPEC_H

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

/// The value of one `--arg`:
///   FILE.npy                     the array of a file
///   random[:DIMS][:seed=N]       uniform in [-1, 1); integers in [0, 8), those
///                                of 8 bits in the range of their type
///   zeros[:DIMS]
///   iota[:DIMS]                  0, 1, 2, … in row-major order
///   [v, v, …][:DIMS]             the given elements in row-major order
/// DIMS is like `1000x100x1`, and is required where the input's type has a
/// dynamic dim.
struct ArgSpec {
  enum class Kind { file, random, zeros, iota, values };
  Kind kind = Kind::random;
  std::string path;
  std::optional<Shape> dims;
  std::optional<uint64_t> seed;
  std::vector<double> values;
  /// The text of the argument, for messages.
  std::string text;
};

/// The text of --help about this grammar.
extern const char *const kArgSpecHelp;

/// Parses the value of an `--arg`. Errors (phase "argument") name the invalid
/// part.
Expected<ArgSpec> parseArgSpec(std::string_view text);

/// Makes a tensor for each input of `program`. Inputs of static type without a
/// spec are random. The result satisfies checkInputs. A `random` without a seed
/// takes the input's index as seed.
Expected<std::vector<Tensor>> makeInputs(const Program &program,
                                         const std::vector<std::string> &specs);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_ARGSPEC_H
