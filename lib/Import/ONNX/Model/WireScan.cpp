//===- WireScan.cpp - ONNX files without their tensors' bytes -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/WireScan.h"

#include "llvm/Support/Endian.h"

using llvm::StringRef;

namespace tandem::onnx {
namespace {

/// The messages of onnx-ml.proto through which tensors are reached.
enum class Message {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparseTensor,
  function,
};

/// Wire types of https://protobuf.dev/programming-guides/encoding.
enum WireType { varint = 0, fixed64 = 1, lengthDelimited = 2, fixed32 = 5 };

/// What becomes of a length-delimited field.
struct FieldRule {
  enum Action { copy, descend, drop, replace } action = copy;
  Message message = Message::model;
};

/// The rules of fields, by the numbers of onnx-ml.proto.
FieldRule ruleOf(Message message, uint64_t field) {
  struct Row {
    Message message;
    uint64_t field;
    FieldRule rule;
  };
  using M = Message;
  static constexpr Row rows[] = {
      {M::model, 7, {FieldRule::descend, M::graph}},
      {M::model, 20, {FieldRule::drop}},
      {M::model, 25, {FieldRule::descend, M::function}},
      {M::graph, 1, {FieldRule::descend, M::node}},
      {M::graph, 5, {FieldRule::descend, M::tensor}},
      {M::graph, 15, {FieldRule::descend, M::sparseTensor}},
      {M::node, 5, {FieldRule::descend, M::attribute}},
      {M::attribute, 5, {FieldRule::descend, M::tensor}},
      {M::attribute, 6, {FieldRule::descend, M::graph}},
      {M::attribute, 10, {FieldRule::descend, M::tensor}},
      {M::attribute, 11, {FieldRule::descend, M::graph}},
      {M::attribute, 22, {FieldRule::descend, M::sparseTensor}},
      {M::attribute, 23, {FieldRule::descend, M::sparseTensor}},
      {M::tensor, 9, {FieldRule::replace}},
      {M::sparseTensor, 1, {FieldRule::descend, M::tensor}},
      {M::sparseTensor, 2, {FieldRule::descend, M::tensor}},
      {M::function, 7, {FieldRule::descend, M::node}},
      {M::function, 11, {FieldRule::descend, M::attribute}},
  };
  for (const Row &row : rows)
    if (row.message == message && row.field == field)
      return row.rule;
  return {};
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void appendField(std::string &out, uint64_t tag, StringRef content) {
  appendVarint(out, tag);
  appendVarint(out, content.size());
  out.append(content.data(), content.size());
}

/// Rewrites the messages of one file.
class Scanner {
public:
  explicit Scanner(StringRef file) : file(file) {}

  /// Appends the message that takes the bytes [at, end) of the file.
  Status rewrite(Message message, uint64_t end, int depth, std::string &out);

private:
  /// The greatest depth of nested messages, the same as protobuf's own limit.
  static constexpr int kMaxDepth = 100;

  Status fail(const char *what) const {
    return tandem::fail("parse",
                        std::string("not an ONNX model, or damaged: ") + what +
                            " at byte " + std::to_string(at));
  }
  Expected<uint64_t> readVarint(uint64_t end);
  Status skip(uint64_t wireType, uint64_t end);
  /// Appends the length-delimited field at hand.
  Status rewriteField(FieldRule rule, uint64_t tag, uint64_t end, int depth,
                      std::string &out);

  StringRef file;
  uint64_t at = 0;
};

Expected<uint64_t> Scanner::readVarint(uint64_t end) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at >= end)
      return tl::unexpected(fail("a number is cut off").error());
    auto byte = static_cast<unsigned char>(file[at++]);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return tl::unexpected(fail("a number is too long").error());
}

Status Scanner::skip(uint64_t wireType, uint64_t end) {
  if (wireType == varint) {
    TANDEM_RETURN_IF_ERROR(readVarint(end));
    return {};
  }
  if (wireType != fixed32 && wireType != fixed64)
    return fail("a field of an unknown kind");
  uint64_t size = wireType == fixed32 ? 4 : 8;
  if (end - at < size)
    return fail("a field is cut off");
  at += size;
  return {};
}

Status Scanner::rewriteField(FieldRule rule, uint64_t tag, uint64_t end,
                             int depth, std::string &out) {
  TANDEM_ASSIGN_OR_RETURN(uint64_t size, readVarint(end));
  if (size > end - at)
    return fail("a field that is longer than what is left");
  StringRef content = file.substr(at, size);
  if (rule.action == FieldRule::descend) {
    std::string nested;
    TANDEM_RETURN_IF_ERROR(rewrite(rule.message, at + size, depth + 1, nested));
    appendField(out, tag, nested);
    return {};
  }
  if (rule.action == FieldRule::replace) {
    char place[16];
    llvm::support::endian::write64le(place, at);
    llvm::support::endian::write64le(place + 8, size);
    appendField(out, tag, StringRef(place, sizeof place));
  } else if (rule.action == FieldRule::copy) {
    appendField(out, tag, content);
  }
  at += size;
  return {};
}

Status Scanner::rewrite(Message message, uint64_t end, int depth,
                        std::string &out) {
  if (depth > kMaxDepth)
    return fail("messages that are nested too deeply");
  while (at < end) {
    uint64_t start = at;
    TANDEM_ASSIGN_OR_RETURN(uint64_t tag, readVarint(end));
    uint64_t wireType = tag & 7;
    if (tag >> 3 == 0)
      return fail("a field without a number");
    if (wireType == lengthDelimited) {
      TANDEM_RETURN_IF_ERROR(
          rewriteField(ruleOf(message, tag >> 3), tag, end, depth, out));
      continue;
    }
    TANDEM_RETURN_IF_ERROR(skip(wireType, end));
    out.append(file.data() + start, at - start);
  }
  return {};
}

} // namespace

Expected<std::string> scanModel(StringRef file) {
  std::string out;
  TANDEM_RETURN_IF_ERROR(
      Scanner(file).rewrite(Message::model, file.size(), 0, out));
  return out;
}

std::optional<FileRange> readPlace(StringRef rawData) {
  if (rawData.size() != 16)
    return std::nullopt;
  using llvm::support::endian::read64le;
  return FileRange{read64le(rawData.data()), read64le(rawData.data() + 8)};
}

} // namespace tandem::onnx
