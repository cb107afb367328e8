//===- Versions.cpp - The versions that programs depend on ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Versions.h"

#include "SourceDigest.inc"

#include "tandem/Runtime/Program/ProgramFormat.h"

#include "llvm-c/Core.h"

namespace tandem {

void addCompilerVersions(CacheKey &key) {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  key.add("tandem", kSourceDigest)
      .add("format", std::to_string(kProgramFormat))
      .add("llvm", std::to_string(major) + "." + std::to_string(minor) + "." +
                       std::to_string(patch));
}

} // namespace tandem
