//===- CUDASource.cpp - CUDA C++ text of kernels --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDASource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <vector>

using llvm::StringRef;

namespace {

class SourceRewriter {
public:
  std::string run(StringRef printed);

private:
  struct Replacement {
    std::string text;
    /// The depth of the scope in which the replacement holds.
    int depth;
  };

  void addLine(StringRef line);
  bool addMarker(StringRef line);
  void rename(StringRef token, StringRef name, StringRef specifier);
  void inlineDefinition(StringRef token);
  /// The latest line that `token` stands on.
  std::string *definition(StringRef token);
  void closeScopes();
  std::string substitute(StringRef line) const;
  bool addInitialization(StringRef line);
  StringRef replacement(StringRef token) const;

  llvm::StringMap<Replacement> replacements;
  std::vector<std::string> lines;
  int depth = 0;
};

bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Calls `visit` with each run of word characters and of others.
template <typename Visit> void forEachToken(StringRef line, Visit visit) {
  while (!line.empty()) {
    bool word = isWord(line.front());
    StringRef token =
        line.take_while([&](char c) { return isWord(c) == word; });
    visit(token);
    line = line.drop_front(token.size());
  }
}

StringRef plainType(StringRef token) {
  return llvm::StringSwitch<StringRef>(token)
      .Case("int8_t", "signed char")
      .Case("uint8_t", "unsigned char")
      .Case("int16_t", "short")
      .Case("uint16_t", "unsigned short")
      .Case("int32_t", "int")
      .Case("uint32_t", "unsigned")
      .Case("int64_t", "long long")
      .Case("uint64_t", "unsigned long long")
      .Case("_Float16", "f16")
      .Case("__bf16", "bf16")
      .Default(token);
}

constexpr size_t columns = 80;

/// Breaks a function's parameters over lines where one would be too long.
std::string wrapParameters(StringRef line) {
  size_t open = line.find('(', line.find("__global__"));
  std::string separator = ",\n" + std::string(open + 1, ' ');
  llvm::SmallVector<StringRef> parameters;
  line.drop_front(open + 1).split(parameters, ", ");
  return line.take_front(open + 1).str() + llvm::join(parameters, separator);
}

/// The space to break `line` at: the last that fits and follows an operator or
/// a comma.
size_t findBreak(StringRef line) {
  size_t indent = line.find_first_not_of(' ');
  for (size_t at = columns; at > indent + 8; --at)
    if (line[at] == ' ' && StringRef("+-*/%<>=&|?:,").contains(line[at - 1]))
      return at;
  return StringRef::npos;
}

std::string wrapLine(StringRef line) {
  if (line.size() <= columns || line.contains("//"))
    return line.str();
  if (line.contains("__global__"))
    return wrapParameters(line);
  std::string indent(line.find_first_not_of(' ') + 4, ' ');
  std::string result, rest = line.str();
  while (rest.size() > columns) {
    size_t at = findBreak(rest);
    if (at == StringRef::npos)
      break;
    result += rest.substr(0, at) + "\n";
    rest = indent + rest.substr(at + 1);
  }
  return result + rest;
}

} // namespace

StringRef SourceRewriter::replacement(StringRef token) const {
  auto known = replacements.find(token);
  return known == replacements.end() ? plainType(token)
                                     : StringRef(known->second.text);
}

std::string SourceRewriter::substitute(StringRef line) const {
  std::string result;
  forEachToken(line, [&](StringRef token) { result += replacement(token); });
  return result;
}

std::string *SourceRewriter::definition(StringRef token) {
  for (std::string &line : llvm::reverse(lines)) {
    bool found = false;
    forEachToken(line, [&](StringRef other) { found |= other == token; });
    if (found)
      return &line;
  }
  return nullptr;
}

void SourceRewriter::rename(StringRef token, StringRef name,
                            StringRef specifier) {
  std::string *line = definition(token);
  replacements[token] = {name.str(), depth};
  if (!line)
    return;
  std::string renamed;
  forEachToken(*line, [&](StringRef other) {
    renamed += other == token ? name : other;
  });
  renamed.insert(renamed.find_first_not_of(' '), specifier.str());
  *line = std::move(renamed);
}

void SourceRewriter::inlineDefinition(StringRef token) {
  std::string *line = definition(token);
  if (!line)
    return;
  StringRef value = StringRef(*line).split(" = ").second;
  value.consume_back(";");
  replacements[token] = {value.str(), depth};
  lines.erase(lines.begin() + (line - lines.data()));
}

bool SourceRewriter::addMarker(StringRef line) {
  StringRef text = line.trim();
  if (!text.consume_front("//@"))
    return false;
  auto [kind, rest] = text.split(' ');
  auto [token, name] = rest.split(' ');
  if (kind == "inline")
    inlineDefinition(token);
  else
    rename(token, name,
           kind == "const"     ? "const "
           : kind == "shared"  ? "__shared__ "
           : kind == "aligned" ? "__shared__ __align__(16) "
                               : "");
  return true;
}

void SourceRewriter::closeScopes() {
  for (auto entry = replacements.begin(); entry != replacements.end();) {
    auto current = entry++;
    if (current->second.depth > depth)
      replacements.erase(current);
  }
}

/// Makes one line of `float sum;` and `sum = 0.0f;`.
bool SourceRewriter::addInitialization(StringRef line) {
  if (lines.empty())
    return false;
  StringRef definition = StringRef(lines.back()).trim();
  auto [target, value] = line.trim().split(" = ");
  if (value.empty() || !llvm::all_of(target, isWord) ||
      !definition.consume_back((" " + target + ";").str()) ||
      !llvm::all_of(definition, [](char c) { return isWord(c) || c == ' '; }))
    return false;
  lines.back().pop_back();
  lines.back() += (" = " + value).str();
  return true;
}

void SourceRewriter::addLine(StringRef line) {
  if (addMarker(line) || addInitialization(substitute(line)))
    return;
  // A function does not need a return statement at its end.
  if (line == "}" && depth == 1 && !lines.empty() &&
      StringRef(lines.back()).trim() == "return;")
    lines.pop_back();
  lines.push_back(substitute(line));
  depth += line.count('{') - line.count('}');
  closeScopes();
}

std::string SourceRewriter::run(StringRef printed) {
  llvm::SmallVector<StringRef> input;
  printed.rtrim().split(input, '\n');
  for (StringRef line : input)
    addLine(line);
  std::string result;
  for (const std::string &line : lines)
    result += wrapLine(line) + "\n";
  return result;
}

std::string tandem::rewriteSource(StringRef printed) {
  return SourceRewriter().run(printed);
}

std::string tandem::mergeSources(llvm::ArrayRef<NamedSource> sources) {
  std::string declarations, kernels;
  llvm::StringSet<> declared;
  for (const NamedSource &kernel : sources) {
    // Declarations are apart from one another by an empty line; behind them
    // comes what the printer says of the kernel's launch.
    StringRef text = kernel.source;
    size_t start = text.find("// Launched with");
    llvm::SmallVector<StringRef> ahead;
    text.take_front(start).split(ahead, "\n\n", -1, /*KeepEmpty=*/false);
    for (StringRef declaration : ahead)
      if (declared.insert(declaration.trim()).second)
        declarations += (declaration.trim() + "\n\n").str();
    std::string body = text.drop_front(start).str();
    size_t at = body.find(" void " + kernel.name + "(");
    if (at != std::string::npos)
      body.replace(at + 6, kernel.name.size(), kernel.newName);
    kernels += body;
  }
  return declarations + kernels;
}
