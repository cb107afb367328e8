//===- Module.h - Modules and launches --------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_MODULE_H
#define TANDEM_TEST_FAKECUDA_DRIVER_MODULE_H

#include "Driver/Block.h"
#include "Driver/Machine.h"

struct CUfunc_st {
  CUmod_st *module;
  std::string name;
  const tandem_host::Entry *entry;
};
struct CUmod_st {
  CUctx_st *context;
  std::map<std::string, CUfunc_st> functions;
  bool isCooperative;
  std::shared_ptr<fake::ModuleUse> use = std::make_shared<fake::ModuleUse>();
};

namespace fake {

/// What the fake's device can do, which is what an H200 can.
inline constexpr unsigned kMaxThreads = 1024, kMaxSharedBytes = 48 << 10,
                          kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535;

/// Compiles `image`, CUDA C++, for the host. What the compiler says goes to
/// `log`.
Result loadModule(CUctx_st *context, const std::string &image,
                  CUmod_st **module, std::string &log);

/// The values of a launch's parameters, one after the other, each aligned as
/// its size says. Reports a number of bytes that is not the kernel's.
Result packParameters(const CUfunc_st &function, void **parameters,
                      void **extra, std::vector<char> &packed);

/// Checks, and writes the work of a launch to `operation`.
Result makeLaunch(CUfunc_st &function, tandem_host::Index grid,
                  tandem_host::Index block, unsigned sharedBytes,
                  std::vector<char> packed, Operation &operation);
/// Checks and enqueues.
Result launch(CUfunc_st &function, tandem_host::Index grid,
              tandem_host::Index block, unsigned sharedBytes,
              CUstream_st *stream, std::vector<char> packed);

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_MODULE_H
