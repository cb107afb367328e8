//===- Targets.cpp - The targets there are --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"
#include "tandem/Target/CUDA/CUDATarget.h"
#include "tandem/Target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace tandem {

llvm::ArrayRef<const Target *> allTargets() {
  static const Target *const targets[] = {&cpuTarget(), &cudaTarget(),
                                          &cudaHostTarget()};
  return targets;
}

const Target &defaultTarget() { return *allTargets().front(); }

static Expected<const Target *>
findAmong(llvm::StringRef name,
          llvm::function_ref<bool(const Target &)> isWanted) {
  std::string names;
  for (const Target *target : allTargets()) {
    if (!isWanted(*target))
      continue;
    if (target->name() == name)
      return target;
    names += (names.empty() ? "" : ", ") + target->name().str();
  }
  return fail("compile", "no device '" + name.str() + "'",
              "there are " + names);
}

Expected<const Target *> findTarget(llvm::StringRef name) {
  return findAmong(name, [](const Target &) { return true; });
}

Expected<const Target *> findRunnableTarget(llvm::StringRef name) {
  return findAmong(name, [](const Target &target) { return target.canRun(); });
}

} // namespace tandem
