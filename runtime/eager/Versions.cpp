//===- Versions.cpp - Versions of the CPU's libraries ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Versions.h"

#include <Eigen/Core>
#include <dnnl.hpp>
#include <oneapi/tbb/version.h>

static std::string join(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

std::vector<std::pair<std::string, std::string>> tandem::libraryVersions() {
  const dnnl_version_t *onednn = dnnl_version();
  return {{"onednn", join(onednn->major, onednn->minor, onednn->patch)},
          {"eigen",
           join(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"onetbb", TBB_runtime_version()}};
}
