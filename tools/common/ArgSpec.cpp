//===- ArgSpec.cpp - Function arguments from the command line -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ArgSpec.h"
#include "common/Elements.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Npy.h"

#include <charconv>
#include <cstring>

namespace tandem::tools {

const char *const kArgSpecHelp =
    "FILE.npy | random[:DIMS][:seed=N] | zeros[:DIMS] | iota[:DIMS] | "
    "[v,v,...][:DIMS], DIMS like 1000x100x1";

namespace {

tl::unexpected<Error> failArg(std::string_view spec, std::string message,
                              std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), "argument",
                                     "--arg=" + std::string(spec),
                                     std::move(hint)});
}

template <typename T> bool parseNumber(std::string_view text, T &value) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

Expected<Shape> parseDims(std::string_view text, std::string_view spec) {
  Shape shape;
  std::string_view rest = text;
  while (true) {
    size_t at = rest.find('x');
    int64_t size = 0;
    if (!parseNumber(rest.substr(0, at), size) || size < 0)
      return failArg(spec, "'" + std::string(text) + "' is not a shape",
                     "write DIMS like 1000x100x1");
    if (shape.rank() == kMaxRank)
      return failArg(spec, "'" + std::string(text) + "' has more than " +
                               std::to_string(kMaxRank) + " dims");
    shape.push_back(size);
    if (at == std::string_view::npos)
      return shape;
    rest.remove_prefix(at + 1);
  }
}

/// The `:DIMS` and `:seed=N` after a generator's name.
Status parseSuffixes(std::string_view rest, ArgSpec &spec) {
  while (!rest.empty()) {
    rest.remove_prefix(1);
    size_t colon = rest.find(':');
    std::string_view part = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? "" : rest.substr(colon);
    if (part.starts_with("seed=") && spec.kind == ArgSpec::Kind::random) {
      uint64_t seed = 0;
      if (!parseNumber(part.substr(5), seed))
        return failArg(spec.text, "'" + std::string(part) +
                                      "' is not of the form seed=NUMBER");
      spec.seed = seed;
      continue;
    }
    if (spec.dims)
      return failArg(spec.text, "a second shape '" + std::string(part) + "'",
                     kArgSpecHelp);
    TANDEM_ASSIGN_OR_RETURN(spec.dims, parseDims(part, spec.text));
  }
  return {};
}

Status parseValues(std::string_view list, ArgSpec &spec) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    size_t first = item.find_first_not_of(' ');
    item = first == std::string_view::npos ? "" : item.substr(first);
    item = item.substr(0, item.find_last_not_of(' ') + 1);
    double value = 0;
    if (!parseNumber(item, value))
      return failArg(spec.text, "'" + std::string(item) + "' is not a number");
    spec.values.push_back(value);
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
  return {};
}

struct Generator {
  std::string_view name;
  ArgSpec::Kind kind;
};
constexpr Generator kGenerators[] = {{"random", ArgSpec::Kind::random},
                                     {"zeros", ArgSpec::Kind::zeros},
                                     {"iota", ArgSpec::Kind::iota}};

std::string describe(size_t index, const TensorType &declared) {
  return "input " + std::to_string(index) + " (" + declared.str() + ")";
}

Status checkAgainst(const TensorType &type, const TensorType &declared,
                    size_t index, std::string_view spec) {
  std::string input = describe(index, declared);
  if (type.dtype != declared.dtype)
    return failArg(spec, input + " has element type " +
                             std::string(name(declared.dtype)) + ", not " +
                             std::string(name(type.dtype)));
  if (type.shape.rank() != declared.shape.rank())
    return failArg(spec, input + " has rank " +
                             std::to_string(declared.shape.rank()) + ", not " +
                             std::to_string(type.shape.rank()));
  for (int i = 0; i < type.shape.rank(); ++i)
    if (declared.shape[i] != kDynamic && declared.shape[i] != type.shape[i])
      return failArg(spec, "dim " + std::to_string(i) + " of " + input +
                               " must be " + std::to_string(declared.shape[i]) +
                               ", not " + std::to_string(type.shape[i]));
  return {};
}

Expected<Tensor> makeInput(const ArgSpec &spec, const TensorType &declared,
                           size_t index) {
  if (spec.kind == ArgSpec::Kind::file) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, readNpy(spec.path));
    TANDEM_RETURN_IF_ERROR(
        checkAgainst(tensor.type(), declared, index, spec.text));
    return tensor;
  }
  TensorType type = declared;
  if (spec.dims)
    type.shape = *spec.dims;
  else if (!declared.isStatic())
    return failArg(spec.text,
                   describe(index, declared) +
                       " has dynamic dims: sizes needed",
                   "add DIMS, as in --arg=random:1000x100x1");
  TANDEM_RETURN_IF_ERROR(checkAgainst(type, declared, index, spec.text));
  Expected<int64_t> bytes = checkedBytes(type);
  if (!bytes)
    return failArg(spec.text, bytes.error().message, bytes.error().hint);
  Expected<Tensor> tensor = Tensor::allocate(type);
  if (!tensor) {
    Error error = tensor.error();
    error.location = "--arg=" + spec.text;
    return tl::unexpected<Error>(std::move(error));
  }
  int64_t count = type.shape.numElements();
  switch (spec.kind) {
  case ArgSpec::Kind::random:
    fillRandomBytes(*tensor, spec.seed.value_or(index));
    break;
  case ArgSpec::Kind::zeros:
    std::memset(tensor->data(), 0, static_cast<size_t>(*bytes));
    break;
  case ArgSpec::Kind::iota:
    for (int64_t i = 0; i < count; ++i)
      storeElement(*tensor, i, static_cast<double>(i));
    break;
  default:
    if (count != static_cast<int64_t>(spec.values.size()))
      return failArg(spec.text, describe(index, type) + " has " +
                                    std::to_string(count) +
                                    " elements, but the list has " +
                                    std::to_string(spec.values.size()));
    for (int64_t i = 0; i < count; ++i)
      storeElement(*tensor, i, spec.values[i]);
  }
  return tensor;
}

} // namespace

Expected<ArgSpec> parseArgSpec(std::string_view text) {
  ArgSpec spec;
  spec.text = text;
  if (text.starts_with("[")) {
    size_t close = text.find(']');
    if (close == std::string_view::npos)
      return failArg(text, "the list of values has no closing ']'");
    spec.kind = ArgSpec::Kind::values;
    TANDEM_RETURN_IF_ERROR(parseValues(text.substr(1, close - 1), spec));
    std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != ':')
      return failArg(text, "unexpected '" + std::string(rest) +
                               "' after the list of values");
    TANDEM_RETURN_IF_ERROR(parseSuffixes(rest, spec));
    return spec;
  }
  std::string_view head = text.substr(0, text.find(':'));
  for (const Generator &generator : kGenerators) {
    if (head != generator.name)
      continue;
    spec.kind = generator.kind;
    TANDEM_RETURN_IF_ERROR(parseSuffixes(text.substr(head.size()), spec));
    return spec;
  }
  if (!text.ends_with(".npy"))
    return failArg(text, "not a known way to make an input", kArgSpecHelp);
  spec.kind = ArgSpec::Kind::file;
  spec.path = text;
  return spec;
}

Expected<std::vector<Tensor>>
makeInputs(const Program &program, const std::vector<std::string> &specs) {
  size_t wanted = program.inputs.size();
  if (specs.size() > wanted)
    return failArg(specs[wanted], "@" + program.name + " has " +
                                      std::to_string(wanted) + " inputs, but " +
                                      std::to_string(specs.size()) +
                                      " --arg are given");
  std::vector<Tensor> tensors;
  std::vector<TensorType> types;
  for (size_t i = 0; i < wanted; ++i) {
    TensorType declared = fromFlat(*program.slots[program.inputs[i]]->type);
    if (i >= specs.size() && !declared.isStatic())
      return fail("argument",
                  describe(i, declared) + " of @" + program.name +
                      " has dynamic dims and no --arg",
                  "add --arg=random:DIMS, one --arg per input, in order");
    TANDEM_ASSIGN_OR_RETURN(
        ArgSpec spec, parseArgSpec(i < specs.size() ? specs[i] : "random"));
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, makeInput(spec, declared, i));
    types.push_back(tensor.type());
    tensors.push_back(std::move(tensor));
  }
  TANDEM_RETURN_IF_ERROR(checkInputs(program, types));
  return tensors;
}

} // namespace tandem::tools
