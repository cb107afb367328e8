//===- Devices.cpp - The devices that users are told of -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"
#include "tandem/Target/Target.h"

#include <vector>

namespace tandem {

std::span<const DeviceInfo> devices() {
  static const auto &list = *new std::vector<DeviceInfo>([] {
    std::vector<DeviceInfo> list;
    for (const Target *target : allTargets())
      if (target->hasDevice())
        list.push_back(
            {target->name(), target->description(), target->options()});
    return list;
  }());
  return list;
}

Expected<Device *> findDevice(std::string_view name) {
  if (name.empty())
    return defaultTarget().device();
  TANDEM_ASSIGN_OR_RETURN(const Target *target, findRunnableTarget(name));
  return target->device();
}

} // namespace tandem
