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

#include <vector>

namespace tandem {

static std::vector<const Target *> &listOfTargets() {
  static auto &targets =
      *new std::vector<const Target *>{&cpuTarget(), &cudaTarget()};
  return targets;
}

llvm::ArrayRef<const Target *> allTargets() { return listOfTargets(); }

void addDefaultTarget(const Target &target) {
  std::vector<const Target *> &targets = listOfTargets();
  targets.insert(targets.begin(), &target);
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

/// That of "cuda:1"; null for other names.
static const Target *findNumbered(llvm::StringRef name) {
  int index = 0;
  if (!name.consume_front(cudaTarget().name()) || !name.consume_front(":") ||
      name.getAsInteger(10, index) || index < 0)
    return nullptr;
  return &cudaTarget(index);
}

Expected<const Target *> findTarget(llvm::StringRef name) {
  if (const Target *numbered = findNumbered(name))
    return numbered;
  return findAmong(name, [](const Target &) { return true; });
}

Expected<const Target *> findRunnableTarget(llvm::StringRef name) {
  auto target =
      findAmong(name, [](const Target &target) { return target.hasDevice(); });
  // The device of a target that is not here says why.
  if (auto known = findTarget(name); !target && known)
    target = *known;
  if (target)
    TANDEM_RETURN_IF_ERROR((*target)->device());
  return target;
}

} // namespace tandem
