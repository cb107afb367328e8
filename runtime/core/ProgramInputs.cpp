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

template <typename... Parts>
[[gnu::cold]] tl::unexpected<Error> badInput(size_t input,
                                             const Parts &...parts) {
  std::ostringstream text;
  text << "input " << input << ": ";
  (text << ... << parts);
  return fail("input", text.str());
}

/// Dtype, rank and sizes of one input.
Status checkType(size_t input, const fb::TensorTypeT &declared,
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
Status checkNames(size_t input, const std::vector<std::string> &names,
                  const Shape &shape, std::vector<NamedDim> &seen) {
  for (int i = 0; i < shape.rank(); ++i) {
    const std::string &name = names[i];
    if (name.empty())
      continue;
    auto same =
        std::find_if(seen.begin(), seen.end(),
                     [&](const NamedDim &dim) { return *dim.name == name; });
    if (same == seen.end())
      seen.push_back({&name, shape[i], input});
    else if (same->size != shape[i])
      return badInput(input, "dim \"", name, "\" is ", shape[i], ", but ",
                      same->size, " in input ", same->input);
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
    const fb::SlotT &slot = *program.slots[program.inputs[i]];
    TANDEM_RETURN_IF_ERROR(checkType(i, *slot.type, types[i]));
    if (i < program.input_dims.size() && !program.input_dims[i]->names.empty())
      TANDEM_RETURN_IF_ERROR(
          checkNames(i, program.input_dims[i]->names, types[i].shape, seen));
  }
  return {};
}
