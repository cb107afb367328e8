//===- ConvShapes.cpp - Lists of convolutions in benchdnn's form ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/ConvShapes.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace tandem::measure {
namespace {

/// What one spatial dim says; none where the line does not.
struct Dim {
  std::optional<int64_t> input, output, kernel, stride, dilation, pad;

  bool isNamed() const {
    return input || output || kernel || dilation || stride.value_or(1) != 1 ||
           pad.value_or(0) != 0;
  }
};

/// The fields of one line, as written.
struct Fields {
  std::optional<int64_t> groups, batch, inputChannels, outputChannels;
  std::array<Dim, 3> dims;

  std::optional<int64_t> *find(std::string_view name);
};

constexpr std::string_view kDimLetters = "dhw";

std::optional<int64_t> *Fields::find(std::string_view name) {
  if (name == "g")
    return &groups;
  if (name == "mb")
    return &batch;
  if (name == "ic")
    return &inputChannels;
  if (name == "oc")
    return &outputChannels;
  size_t dim = name.size() == 2 ? kDimLetters.find(name[1]) : std::string::npos;
  if (dim == std::string_view::npos)
    return nullptr;
  switch (name[0]) {
  case 'i':
    return &dims[dim].input;
  case 'o':
    return &dims[dim].output;
  case 'k':
    return &dims[dim].kernel;
  case 's':
    return &dims[dim].stride;
  case 'd':
    return &dims[dim].dilation;
  case 'p':
    return &dims[dim].pad;
  default:
    return nullptr;
  }
}

class LineParser {
public:
  LineParser(std::string_view line, const std::string &file, int number)
      : line(line), file(file), number(number) {}

  Expected<ConvShape> parse();

private:
  tl::unexpected<Error> error(size_t column, std::string message,
                              std::string hint = {}) const;
  Status parseField();
  Status parseName();
  Status setChannels();
  Status setDims();
  Status setDim(int dim);
  /// The least value that a field may have.
  static int64_t least(std::string_view name) {
    return name[0] == 'p' || name[0] == 'd' ? 0 : 1;
  }

  std::string_view line;
  const std::string &file;
  int number;
  size_t at = 0;
  Fields fields;
  ConvShape shape;
};

tl::unexpected<Error> LineParser::error(size_t column, std::string message,
                                        std::string hint) const {
  return tl::unexpected<Error>(Error{std::move(message), "shapes",
                                     file + ":" + std::to_string(number) + ":" +
                                         std::to_string(column + 1),
                                     std::move(hint)});
}

Status LineParser::parseField() {
  size_t start = at;
  while (at < line.size() && line[at] >= 'a' && line[at] <= 'z')
    ++at;
  std::string_view name = line.substr(start, at - start);
  std::optional<int64_t> *field = fields.find(name);
  if (!field)
    return error(start,
                 "'" + std::string(line.substr(start, name.size() + 1)) +
                     "' is not a field",
                 "fields are g, mb, ic, oc, and i, o, k, s, d or p with d, h "
                 "or w, as in g1ic16ih10oc16kh3ph1n\"name\"");
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(line.data() + at, line.data() + line.size(), value);
  if (code != std::errc())
    return error(at, "'" + std::string(name) + "' needs a whole number");
  if (value < least(name) || value > int64_t(1) << 31)
    return error(at, "'" + std::string(name) + "' cannot be " +
                         std::to_string(value));
  *field = value;
  at = static_cast<size_t>(end - line.data());
  return {};
}

/// n"name*4", or without quotes; always last.
Status LineParser::parseName() {
  std::string_view name = line.substr(at + 1);
  if (!name.empty() && name.front() == '"') {
    size_t end = name.find('"', 1);
    if (end == std::string_view::npos)
      return error(at, "the name has no closing quote");
    if (end + 1 != name.size())
      return error(at + 1 + end + 1, "a name is the last of a line");
    name = name.substr(1, end - 1);
  }
  at = line.size();
  size_t star = name.rfind('*');
  if (star != std::string_view::npos) {
    std::string_view count = name.substr(star + 1);
    int64_t value = 0;
    auto [end, code] =
        std::from_chars(count.data(), count.data() + count.size(), value);
    if (code == std::errc() && end == count.data() + count.size() &&
        value > 0) {
      shape.repeats = value;
      name = name.substr(0, star);
    }
  }
  shape.name = name;
  return {};
}

Status LineParser::setChannels() {
  if (!fields.inputChannels || !fields.outputChannels)
    return error(0, std::string("no '") + (fields.inputChannels ? "oc" : "ic") +
                        "' is given");
  shape.groups = fields.groups.value_or(1);
  shape.batch = fields.batch.value_or(2);
  shape.inputChannels = *fields.inputChannels;
  shape.outputChannels = *fields.outputChannels;
  if (shape.inputChannels % shape.groups != 0 ||
      shape.outputChannels % shape.groups != 0)
    return error(0, std::to_string(shape.groups) + " groups do not divide " +
                        std::to_string(shape.inputChannels) + " and " +
                        std::to_string(shape.outputChannels) + " channels");
  return {};
}

/// Sets which dims there are: those that are named, and behind the first of
/// them copies of the last one named.
Status LineParser::setDims() {
  int first = 0;
  while (first < 3 && !fields.dims[first].isNamed())
    ++first;
  if (first == 3)
    return error(0, "no spatial dim is given", "such as iw100kw3");
  shape.numSpatial = 3 - first;
  for (int dim = first; dim < 3; ++dim) {
    if (!fields.dims[dim].isNamed())
      fields.dims[dim] = fields.dims[dim - 1];
    TANDEM_RETURN_IF_ERROR(setDim(dim));
  }
  return {};
}

Status LineParser::setDim(int dim) {
  const Dim &given = fields.dims[dim];
  const std::string letter(1, kDimLetters[dim]);
  for (auto [field, value] : {std::pair('i', given.input), {'k', given.kernel}})
    if (!value)
      return error(0, std::string("no '") + field + letter + "' is given");
  const int64_t input = *given.input, stride = given.stride.value_or(1),
                dilation = given.dilation.value_or(0) + 1,
                reach = (*given.kernel - 1) * dilation + 1;
  // Without padding and with the output, as much in front as behind.
  const int64_t low =
      given.pad ? *given.pad
      : given.output
          ? std::max<int64_t>(
                0, ((*given.output - 1) * stride + reach - input) / 2)
          : 0;
  if (!given.output && input + 2 * low < reach)
    return error(0, "a kernel that reaches over " + std::to_string(reach) +
                        " does not fit into " +
                        std::to_string(input + 2 * low) + " along '" + letter +
                        "'");
  const int64_t output =
      given.output ? *given.output : (input + 2 * low - reach) / stride + 1;
  const int64_t high = (output - 1) * stride + reach - input - low;
  // A rest of less than one stride is no padding; more of it is input that no
  // output reads, which a convolution cannot say.
  if (high <= -stride)
    return error(0, "an output of " + std::to_string(output) + " along '" +
                        letter + "' leaves " + std::to_string(-high) +
                        " of the input unread");
  shape.input[dim] = input;
  shape.output[dim] = output;
  shape.kernel[dim] = *given.kernel;
  shape.strides[dim] = stride;
  shape.dilations[dim] = dilation;
  shape.padLow[dim] = low;
  shape.padHigh[dim] = std::max<int64_t>(0, high);
  return {};
}

Expected<ConvShape> LineParser::parse() {
  shape.line = number;
  while (at < line.size()) {
    if (line[at] == '_') {
      ++at;
    } else if (line[at] == 'n') {
      TANDEM_RETURN_IF_ERROR(parseName());
    } else {
      TANDEM_RETURN_IF_ERROR(parseField());
    }
  }
  TANDEM_RETURN_IF_ERROR(setChannels());
  TANDEM_RETURN_IF_ERROR(setDims());
  return shape;
}

/// Without its comment and the blanks around it; `#` in a name is part of it.
std::string_view content(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    quoted ^= line[i] == '"';
    if (line[i] == '#' && !quoted) {
      line = line.substr(0, i);
      break;
    }
  }
  constexpr std::string_view kBlanks = " \t\r";
  while (!line.empty() && kBlanks.find(line.back()) != std::string_view::npos)
    line.remove_suffix(1);
  return line;
}

} // namespace

double ConvShape::flops() const {
  double flops = 2.0 * static_cast<double>(batch * outputChannels) *
                 static_cast<double>(inputChannelsOfGroup());
  for (int dim = 0; dim < 3; ++dim)
    flops *= static_cast<double>(output[dim] * kernel[dim]);
  return flops;
}

Expected<std::vector<ConvShape>> parseConvShapes(std::string_view text,
                                                 const std::string &file) {
  std::vector<ConvShape> shapes;
  for (int number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = content(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty())
      continue;
    TANDEM_ASSIGN_OR_RETURN(ConvShape shape,
                            LineParser(line, file, number).parse());
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Expected<std::vector<ConvShape>> readConvShapes(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  if (!stream || !(text << stream.rdbuf()))
    return tl::unexpected<Error>(
        Error{"cannot read the list of shapes", "shapes", path, {}});
  return parseConvShapes(text.str(), path);
}

} // namespace tandem::measure
