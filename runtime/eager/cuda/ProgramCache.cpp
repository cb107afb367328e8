//===- ProgramCache.cpp - Compiled programs kept on disk ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramCache.h"

#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Support/Environment.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <xxhash.h>

using namespace tandem;
using namespace tandem::cuda;

namespace {

/// How a file begins; the code follows.
struct Header {
  char magic[8] = {'T', 'A', 'N', 'D', 'E', 'M', 'K', '1'};
  uint64_t bytes = 0;
  /// Of the code.
  uint64_t checksum = 0;
};

/// Empty where nothing can be kept.
std::string pathOf(const std::string &source, const std::string &arch) {
  const std::string directory = cacheDirectory();
  if (directory.empty() || !cuda::nvrtc())
    return {};
  // Another file of the same version may be another compiler.
  std::string key =
      arch + "\n" + cuda::nvrtc()->version + "\n" + cuda::nvrtc()->path + "\n";
  for (const std::string &option : nvrtcOptions(arch))
    key += option + "\n";
  key += source;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[64];
  std::snprintf(name, sizeof name, "kernels-%016" PRIx64 "%016" PRIx64 ".cubin",
                static_cast<uint64_t>(hash.high64),
                static_cast<uint64_t>(hash.low64));
  return (std::filesystem::path(directory) / name).string();
}

std::optional<std::string> readKept(const std::string &path) {
  if (path.empty())
    return std::nullopt;
  const Expected<std::vector<uint8_t>> file = readFile(path);
  if (!file || file->size() < sizeof(Header))
    return std::nullopt;
  Header header;
  const Header expected;
  std::memcpy(&header, file->data(), sizeof header);
  const std::string code(file->begin() + sizeof header, file->end());
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.bytes != code.size() ||
      header.checksum != XXH3_64bits(code.data(), code.size()))
    return std::nullopt;
  return code;
}

void keep(const std::string &path, const std::string &code) {
  if (path.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  Header header;
  header.bytes = code.size();
  header.checksum = XXH3_64bits(code.data(), code.size());
  std::vector<uint8_t> file(sizeof header + code.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, code.data(), code.size());
  (void)writeFileAtomically(path, file);
}

} // namespace

Expected<CompiledProgram> cuda::compileOrLoad(const std::string &source,
                                              const std::string &name,
                                              const std::string &arch) {
  const std::string path = pathOf(source, arch);
  if (std::optional<std::string> kept = readKept(path))
    return CompiledProgram{std::move(*kept), true};
  TANDEM_ASSIGN_OR_RETURN(std::string cubin,
                          compileToCubin(source, name, arch));
  keep(path, cubin);
  return CompiledProgram{std::move(cubin), false};
}

void cuda::forgetProgram(const std::string &source, const std::string &arch) {
  std::error_code error;
  if (const std::string path = pathOf(source, arch); !path.empty())
    std::filesystem::remove(path, error);
}
