//===- ProgramIO.cpp - Programs as bytes ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Program/ProgramFormat.h"

#include <algorithm>
#include <cstring>

using namespace tandem;

static std::span<const uint8_t> bytesOf(const Constant &constant) {
  return {constant.data.as<uint8_t>(),
          static_cast<size_t>(constant.data.bytes())};
}

static bool areEqual(const Constant &lhs, const Constant &rhs) {
  return lhs.slot == rhs.slot && std::ranges::equal(bytesOf(lhs), bytesOf(rhs));
}

bool tandem::operator==(const Program &lhs, const Program &rhs) {
  return static_cast<const fb::ProgramT &>(lhs) == rhs &&
         std::ranges::equal(lhs.constants, rhs.constants, areEqual);
}

std::vector<uint8_t> tandem::serialize(const Program &program) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  std::vector<flatbuffers::Offset<fb::ConstantBytes>> constants;
  for (const Constant &constant : program.constants) {
    std::span<const uint8_t> bytes = bytesOf(constant);
    auto data = builder.CreateVector(bytes.data(), bytes.size());
    constants.push_back(fb::CreateConstantBytes(builder, constant.slot, data));
  }
  fb::FinishProgramFileBuffer(
      builder, fb::CreateProgramFile(builder, kProgramFormat,
                                     fb::CreateProgram(builder, &program),
                                     builder.CreateVector(constants)));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

/// Numbers are read in place, which needs them aligned.
static bool isAligned(std::span<const uint8_t> bytes) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignof(int64_t) == 0;
}

/// The file in `bytes`, verified as a buffer.
static Expected<const fb::ProgramFile *>
openFile(std::span<const uint8_t> bytes) {
  // Root offset and identifier.
  if (bytes.size() < 8 || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !fb::ProgramFileBufferHasIdentifier(bytes.data()))
    return fail("read", "not a Tandem program");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<fb::ProgramHeader>(fb::ProgramFileIdentifier()))
    return fail("read", "the program is truncated or corrupt");
  uint32_t version =
      flatbuffers::GetRoot<fb::ProgramHeader>(bytes.data())->format_version();
  if (version != kProgramFormat)
    return fail("read",
                "the program has format version " + std::to_string(version) +
                    ", this build reads " + std::to_string(kProgramFormat),
                "make it again with this version of Tandem");
  if (!fb::VerifyProgramFileBuffer(verifier) ||
      !fb::GetProgramFile(bytes.data())->program())
    return fail("read", "the program is truncated or corrupt");
  return fb::GetProgramFile(bytes.data());
}

static Expected<Constant> readConstant(const fb::ConstantBytes &constant) {
  auto size =
      static_cast<int64_t>(constant.data() ? constant.data()->size() : 0);
  TANDEM_ASSIGN_OR_RETURN(Tensor data, Tensor::allocate({DType::i8, {size}}));
  if (size > 0)
    std::memcpy(data.data(), constant.data()->data(), size);
  return Constant{constant.slot(), std::move(data)};
}

Expected<Program> tandem::deserialize(std::span<const uint8_t> bytes) {
  if (!isAligned(bytes))
    return deserialize(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  TANDEM_ASSIGN_OR_RETURN(const fb::ProgramFile *file, openFile(bytes));
  Program program;
  file->program()->UnPackTo(&program);
  if (const auto *constants = file->constants())
    for (const fb::ConstantBytes *constant : *constants) {
      TANDEM_ASSIGN_OR_RETURN(Constant read, readConstant(*constant));
      program.constants.push_back(std::move(read));
    }
  TANDEM_RETURN_IF_ERROR(verify(program));
  return program;
}
