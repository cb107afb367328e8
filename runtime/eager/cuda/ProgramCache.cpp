//===- ProgramCache.cpp - Compiled programs kept on disk ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramCache.h"

#include "tandem/Runtime/DiskCache.h"
#include "tandem/Runtime/Libraries/CUDA.h"
#include "tandem/Runtime/Libraries/NVRTC.h"
#include "tandem/Support/Environment.h"

using namespace tandem;
using namespace tandem::cuda;

static DiskCache &cache() { return DiskCache::in(cacheDirectory()); }

/// Nothing where there is no compiler.
static std::optional<CacheKey> keyOf(const std::string &source,
                                     const std::string &arch) {
  if (!cuda::nvrtc())
    return std::nullopt;
  CacheKey key("module");
  // Another file of the same version may be another compiler.
  key.add("architecture", arch)
      .add("nvrtc", cuda::nvrtc()->version)
      .add("nvrtc file", cuda::nvrtc()->path);
  for (const std::string &option : nvrtcOptions(arch))
    key.add("option", option);
  key.addDigest("source", source);
  return key;
}

Expected<CompiledProgram> cuda::compileOrLoad(const std::string &source,
                                              const std::string &name,
                                              const std::string &arch) {
  const std::optional<CacheKey> key = keyOf(source, arch);
  if (key)
    if (const auto entry = cache().find(*key);
        entry && !entry->sections.empty())
      return CompiledProgram{
          {entry->sections[0].begin(), entry->sections[0].end()}, true};
  TANDEM_ASSIGN_OR_RETURN(std::string cubin,
                          compileToCubin(source, name, arch));
  const CacheSection section(reinterpret_cast<const uint8_t *>(cubin.data()),
                             cubin.size());
  if (key)
    cache().put(*key, {&section, 1});
  return CompiledProgram{std::move(cubin), false};
}

void cuda::forgetProgram(const std::string &source, const std::string &arch) {
  if (const std::optional<CacheKey> key = keyOf(source, arch))
    cache().remove(*key);
}
