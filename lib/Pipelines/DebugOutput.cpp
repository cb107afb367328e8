//===- DebugOutput.cpp - Messages where decisions are made ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Pipelines/DebugOutput.h"
#include "tandem/Support/Environment.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Debug.h"

#include <mutex>
#include <string>

namespace tandem {

/// Copies the names, of which LLVM keeps pointers.
static void enableTypes(llvm::StringRef names) {
  static auto &types = *new std::vector<std::string>;
  std::vector<const char *> pointers;
  for (llvm::StringRef name : llvm::split(names, ','))
    types.push_back(name.trim().str());
  for (const std::string &type : types)
    pointers.push_back(type.c_str());
  llvm::DebugFlag = true;
  // A macro where LLVM is used without assertions.
  using namespace llvm;
  setCurrentDebugTypes(pointers.data(), static_cast<unsigned>(pointers.size()));
}

void enableDebugOutput() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char *names = lookUp(Variable::debug))
      enableTypes(names);
  });
}

} // namespace tandem
