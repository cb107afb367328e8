//===- WireMutator.cpp - Changes protobuf messages ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireMutator.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace tandem {
namespace {

/// The low three bits of a tag.
enum WireType : uint64_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5
};

struct Field {
  WireType type() const { return static_cast<WireType>(tag & 7); }

  uint64_t tag = 0;
  uint64_t number = 0; // Of kVarint.
  std::string bytes;   // Of the others.
};

using Message = std::vector<Field>;

//===----------------------------------------------------------------------===//
// The wire format
//===----------------------------------------------------------------------===//

std::optional<uint64_t> takeVarint(std::string_view &rest) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    number |= uint64_t(byte & 127) << shift;
    if (byte < 128)
      return number;
  }
  return std::nullopt;
}

/// The number of bytes behind a tag of `type`; none where it is not known.
std::optional<uint64_t> takeSize(WireType type, std::string_view &rest) {
  if (type == kBytes)
    return takeVarint(rest);
  if (type == kFixed64)
    return 8;
  return type == kFixed32 ? std::optional<uint64_t>(4) : std::nullopt;
}

std::optional<Message> parse(std::string_view rest) {
  Message message;
  while (!rest.empty()) {
    Field field;
    std::optional<uint64_t> tag = takeVarint(rest);
    if (!tag || *tag < 8)
      return std::nullopt;
    field.tag = *tag;
    std::optional<uint64_t> value = field.type() == kVarint
                                        ? takeVarint(rest)
                                        : takeSize(field.type(), rest);
    if (!value || (field.type() != kVarint && *value > rest.size()))
      return std::nullopt;
    if (field.type() == kVarint) {
      field.number = *value;
    } else {
      field.bytes = rest.substr(0, *value);
      rest.remove_prefix(*value);
    }
    message.push_back(std::move(field));
  }
  return message;
}

void writeVarint(std::string &out, uint64_t number) {
  for (; number > 127; number >>= 7)
    out += static_cast<char>((number & 127) | 128);
  out += static_cast<char>(number);
}

std::string serialize(const Message &message) {
  std::string out;
  for (const Field &field : message) {
    writeVarint(out, field.tag);
    if (field.type() == kVarint)
      writeVarint(out, field.number);
    else if (field.type() == kBytes)
      writeVarint(out, field.bytes.size());
    out += field.bytes;
  }
  return out;
}

/// A string as a message: one of at least one field.
std::optional<Message> asMessage(const Field &field) {
  if (field.type() != kBytes || field.bytes.empty())
    return std::nullopt;
  return parse(field.bytes);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

class Mutator {
public:
  explicit Mutator(std::minstd_rand &random) : random(random) {}

  /// Lists the fields that others of their tag may be replaced by.
  void collect(const Message &message) {
    for (const Field &field : message) {
      donors.push_back(field);
      if (std::optional<Message> inner = asMessage(field))
        collect(*inner);
    }
  }

  /// Changes something in `message`, which has fields.
  void change(Message &message) {
    Field &field = message[below(message.size())];
    std::optional<Message> inner = asMessage(field);
    if (!inner || below(4) == 0)
      return changeHere(message, field);
    change(*inner);
    field.bytes = serialize(*inner);
  }

private:
  size_t below(size_t limit) { return random() % limit; }

  void changeHere(Message &message, Field &field) {
    size_t at = &field - message.data(), other = below(message.size());
    switch (below(6)) {
    case 0:
      message.erase(message.begin() + at);
      return;
    case 1:
      message.insert(message.begin() + other, Field(field));
      return;
    case 2:
      std::swap(field, message[other]);
      return;
    case 3:
      replace(field);
      return;
    default:
      changeValue(field);
    }
  }

  /// By a field of the same tag, if one of a few that are drawn has it.
  void replace(Field &field) {
    for (int i = 0; i < 64; ++i) {
      const Field &donor = donors[below(donors.size())];
      if (donor.tag != field.tag)
        continue;
      field = donor;
      return;
    }
  }

  void changeValue(Field &field) {
    if (field.type() == kVarint)
      field.number = changed(field.number);
    else if (field.type() == kFixed32)
      field.bytes = bytesOf(changedFloat<float>());
    else if (field.type() == kFixed64)
      field.bytes = bytesOf(changedFloat<double>());
    else
      field.bytes.resize(below(2 * field.bytes.size() + 2));
  }

  uint64_t changed(uint64_t number) {
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    const uint64_t candidates[] = {
        0,          1,           2,           uint64_t(-1), uint64_t(-2),
        number + 1, number - 1,  -number,     2 * number,   kMax,
        kMax + 1,   1ull << 31u, 1ull << 32u, below(20),    below(1000)};
    return candidates[below(std::size(candidates))];
  }

  template <typename T> T changedFloat() {
    const T candidates[] = {0,
                            -1,
                            T(0.5),
                            T(1e30),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            std::numeric_limits<T>::denorm_min()};
    return candidates[below(std::size(candidates))];
  }

  template <typename T> static std::string bytesOf(T value) {
    std::string bytes(sizeof(T), 0);
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }

  std::minstd_rand &random;
  std::vector<Field> donors;
};

} // namespace

std::optional<std::string> mutateMessage(std::string_view text,
                                         std::minstd_rand &random) {
  std::optional<Message> message = parse(text);
  if (!message || message->empty())
    return std::nullopt;
  Mutator mutator(random);
  mutator.collect(*message);
  for (size_t i = 0, changes = 1 + random() % 3; i < changes; ++i)
    if (!message->empty())
      mutator.change(*message);
  return serialize(*message);
}

} // namespace tandem
