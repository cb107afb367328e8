//===- Vary.cpp - Which shapes a sweep visits -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Vary.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tandem::measure {
namespace {

constexpr const char *kGrammar =
    "write --vary 'N=1,8,64;L=50..400:50': names, sizes, inclusive ranges";

tl::unexpected<Error> failVary(std::string message,
                               std::string hint = kGrammar) {
  return fail("vary", std::move(message), std::move(hint));
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

Expected<int64_t> parseSize(std::string_view text, std::string_view part) {
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range)
    return failVary("size " + quoted(text) + " in " + quoted(part) +
                    " is too large");
  if (code != std::errc() || end != text.data() + text.size())
    return failVary(quoted(text) + " in " + quoted(part) +
                    " is not a whole number");
  if (value < 1)
    return failVary("size " + quoted(text) + " in " + quoted(part) +
                    " must be at least 1");
  return value;
}

Status appendRange(std::string_view item, size_t dots, std::string_view part,
                   std::vector<int64_t> &sizes) {
  std::string_view last = item.substr(dots + 2), stepText = "1";
  if (size_t colon = last.find(':'); colon != std::string_view::npos) {
    stepText = trim(last.substr(colon + 1));
    last = last.substr(0, colon);
  }
  TANDEM_ASSIGN_OR_RETURN(int64_t from,
                          parseSize(trim(item.substr(0, dots)), part));
  TANDEM_ASSIGN_OR_RETURN(int64_t to, parseSize(trim(last), part));
  TANDEM_ASSIGN_OR_RETURN(int64_t step, parseSize(stepText, part));
  if (from > to)
    return failVary("range " + quoted(item) + " in " + quoted(part) +
                    " runs backwards");
  if ((to - from) / step >= static_cast<int64_t>(kMaxShapes))
    return failVary("range " + quoted(item) + " has more than " +
                    std::to_string(kMaxShapes) + " sizes");
  int64_t count = (to - from) / step + 1;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(from + i * step);
  return {};
}

bool isName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

Expected<DimRange> parseRange(std::string_view part) {
  size_t equals = part.find('=');
  std::string_view name = trim(part.substr(0, equals));
  if (equals == std::string_view::npos || !isName(name))
    return failVary(quoted(part) + " is not of the form NAME=SIZES");
  DimRange range{std::string(name), {}};
  for (std::string_view item : split(part.substr(equals + 1), ',')) {
    if (size_t dots = item.find(".."); dots != std::string_view::npos) {
      TANDEM_RETURN_IF_ERROR(appendRange(item, dots, part, range.sizes));
      continue;
    }
    TANDEM_ASSIGN_OR_RETURN(int64_t size, parseSize(item, part));
    range.sizes.push_back(size);
  }
  return range;
}

/// Every dim name of the inputs, in order of appearance.
std::vector<std::string> dimNames(const Program &program) {
  std::vector<std::string> names;
  for (const auto &input : program.input_dims)
    for (const std::string &name : input->names)
      if (!name.empty() &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

const int64_t *findSize(const DimSizes &sizes, const std::string &name) {
  for (const auto &[key, size] : sizes)
    if (!name.empty() && key == name)
      return &size;
  return nullptr;
}

Expected<TensorType> bindInput(const Program &program, size_t input,
                               const DimSizes &sizes) {
  TensorType type = fromFlat(*program.slots[program.inputs[input]]->type);
  for (int i = 0; i < type.shape.rank(); ++i) {
    std::string name;
    if (input < program.input_dims.size() &&
        static_cast<size_t>(i) < program.input_dims[input]->names.size())
      name = program.input_dims[input]->names[i];
    const int64_t *size = findSize(sizes, name);
    std::string where = "dim " + std::to_string(i) + " of input " +
                        std::to_string(input) + " (" + type.str() + ")";
    if (size && type.shape[i] != kDynamic && type.shape[i] != *size)
      return failVary(where + " is fixed at " + std::to_string(type.shape[i]) +
                          ", not " + name + "=" + std::to_string(*size),
                      "");
    if (size)
      type.shape[i] = *size;
    if (type.shape[i] != kDynamic)
      continue;
    if (name.empty())
      return failVary(where + " is dynamic and has no name",
                      "name it: {tandem.dims = [\"N\", ...]} on the argument");
    return failVary(where + " needs a size for '" + name + "'",
                    "add '" + name + "=...' to --vary");
  }
  return type;
}

} // namespace

Expected<std::vector<DimRange>> parseVary(std::string_view text) {
  std::vector<DimRange> ranges;
  if (trim(text).empty())
    return failVary("--vary is empty");
  for (std::string_view part : split(text, ';')) {
    if (part.empty())
      continue;
    TANDEM_ASSIGN_OR_RETURN(DimRange range, parseRange(part));
    for (const DimRange &other : ranges)
      if (other.name == range.name)
        return failVary("'" + range.name + "' is given twice");
    ranges.push_back(std::move(range));
  }
  return ranges;
}

Expected<std::vector<DimSizes>>
cartesianProduct(const std::vector<DimRange> &ranges) {
  std::vector<DimSizes> shapes(1);
  for (const DimRange &range : ranges) {
    if (shapes.size() * range.sizes.size() > kMaxShapes)
      return failVary("--vary asks for more than " +
                          std::to_string(kMaxShapes) + " shapes",
                      "sweep fewer sizes at once");
    std::vector<DimSizes> longer;
    for (const DimSizes &shape : shapes)
      for (int64_t size : range.sizes) {
        longer.push_back(shape);
        longer.back().emplace_back(range.name, size);
      }
    shapes = std::move(longer);
  }
  return shapes;
}

Expected<std::vector<TensorType>> bindDims(const Program &program,
                                           const DimSizes &sizes) {
  std::vector<std::string> names = dimNames(program);
  for (const auto &[name, size] : sizes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return failVary("no dim of the inputs is named '" + name + "'",
                      "named dims: " + joined(names));
  std::vector<TensorType> types;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    TANDEM_ASSIGN_OR_RETURN(TensorType type, bindInput(program, i, sizes));
    types.push_back(type);
  }
  return types;
}

std::string toString(const DimSizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(size);
  return text;
}

} // namespace tandem::measure
