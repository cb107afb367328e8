//===- ProgramInputs.cpp - Checking operands of a Program -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program.h"

#include <sstream>

using namespace tandem;

namespace {

/// One of the inputs of a program.
struct Input {
  const Program &program;
  size_t index;

  /// "input 0 ('x')", or "input 0" without a name.
  [[gnu::cold]] std::string str() const {
    std::string text = "input " + std::to_string(index);
    if (index < program.input_names.size() &&
        !program.input_names[index].empty())
      text += " ('" + program.input_names[index] + "')";
    return text;
  }
};

template <typename... Parts>
[[gnu::cold]] tl::unexpected<Error> badInput(const Input &input,
                                             const Parts &...parts) {
  std::ostringstream text;
  text << input.str() << ": ";
  (text << ... << parts);
  return fail("input", text.str());
}

/// Dtype, rank and sizes of one input.
Status checkType(const Input &input, const fb::TensorTypeT &declared,
                 const TensorType &actual) {
  if (declared.dtype != actual.dtype ||
      declared.dims.size() != static_cast<size_t>(actual.shape.rank()))
    return badInput(input, actual.str(), " is given where ",
                    fromFlat(declared).str(), " is expected");
  for (int i = 0; i < actual.shape.rank(); ++i) {
    int64_t expected = declared.dims[i], size = actual.shape[i];
    if (size < 0)
      return badInput(input, "dim ", i, " has no size");
    if (expected != kDynamic && expected != size)
      return badInput(input, "dim ", i, " is ", size, ", not ", expected,
                      " as in ", fromFlat(declared).str());
  }
  return {};
}

struct NamedDim {
  const std::string *name;
  int64_t size;
  size_t input;
};

/// Equal names are equal sizes. Programs have a handful of names: a list will
/// do.
Status checkNames(const Input &input, const std::vector<std::string> &names,
                  const Shape &shape, std::vector<NamedDim> &seen) {
  for (int i = 0; i < shape.rank(); ++i) {
    const std::string &name = names[i];
    if (name.empty())
      continue;
    auto same =
        std::find_if(seen.begin(), seen.end(),
                     [&](const NamedDim &dim) { return *dim.name == name; });
    if (same == seen.end())
      seen.push_back({&name, shape[i], input.index});
    else if (same->size != shape[i])
      return badInput(input, "dim \"", name, "\" is ", shape[i], ", but ",
                      same->size, " in ",
                      Input{input.program, same->input}.str());
  }
  return {};
}

} // namespace

Status tandem::checkInputs(const Program &program,
                           std::span<const TensorType> types) {
  if (types.size() != program.inputs.size())
    return fail("input", std::to_string(types.size()) + " inputs are given, " +
                             std::to_string(program.inputs.size()) +
                             " are expected");
  std::vector<NamedDim> seen;
  for (size_t i = 0; i < types.size(); ++i) {
    const Input input{program, i};
    const fb::SlotT &slot = *program.slots[program.inputs[i]];
    TANDEM_RETURN_IF_ERROR(checkType(input, *slot.type, types[i]));
    if (i < program.input_dims.size() && !program.input_dims[i]->names.empty())
      TANDEM_RETURN_IF_ERROR(checkNames(input, program.input_dims[i]->names,
                                        types[i].shape, seen));
  }
  return {};
}
