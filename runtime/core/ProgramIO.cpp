//===- ProgramIO.cpp - Programs as bytes ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program.h"

using namespace tandem;

/// Raised together with the meaning of a field of Program.fbs.
static constexpr uint32_t kFormatVersion = 3;

std::vector<uint8_t> tandem::serialize(const Program &program) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  fb::FinishProgramBuffer(builder, fb::CreateProgram(builder, &program));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

/// Numbers are read in place, which needs them aligned.
static bool isAligned(std::span<const uint8_t> bytes) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignof(int64_t) == 0;
}

Expected<Program> tandem::deserialize(std::span<const uint8_t> bytes) {
  if (!isAligned(bytes))
    return deserialize(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  // Root offset and identifier.
  if (bytes.size() < 8 || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !fb::ProgramBufferHasIdentifier(bytes.data()))
    return fail("read", "not a Tandem program");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fb::VerifyProgramBuffer(verifier))
    return fail("read", "the program is truncated or corrupt");
  const fb::Program *buffer = fb::GetProgram(bytes.data());
  if (buffer->format_version() != kFormatVersion)
    return fail("read",
                "the program has format version " +
                    std::to_string(buffer->format_version()) +
                    ", this build reads " + std::to_string(kFormatVersion),
                "make it again with this version of Tandem");
  Program program;
  buffer->UnPackTo(&program);
  TANDEM_RETURN_IF_ERROR(verify(program));
  return program;
}
