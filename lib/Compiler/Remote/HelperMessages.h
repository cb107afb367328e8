//===- HelperMessages.h - Messages as bytes ------------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_HELPERMESSAGES_H
#define TANDEM_LIB_COMPILER_REMOTE_HELPERMESSAGES_H

#include "tandem/Compiler/HelperMessages_generated.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// Converts a message of HelperMessages.fbs to bytes, and back. unpack returns
/// nothing if the bytes are not a valid message of this type.
template <typename Object> std::vector<uint8_t> pack(const Object &object) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Object::TableType::Pack(builder, &object));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

template <typename Object>
std::optional<Object> unpack(std::span<const uint8_t> bytes) {
  using Table = typename Object::TableType;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<Table>(nullptr))
    return std::nullopt;
  std::optional<Object> object(std::in_place);
  flatbuffers::GetRoot<Table>(bytes.data())->UnPackTo(&*object);
  return object;
}

/// Returns the versions of the compiler and of the libraries. A helper must
/// have the same versions.
std::string helperVersions();

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_HELPERMESSAGES_H
