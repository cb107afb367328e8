//===- Calls.h - What functions of the fake driver begin with ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_CALLS_H
#define TANDEM_TEST_FAKECUDA_DRIVER_CALLS_H

#include "Driver/Module.h"

#pragma GCC visibility push(default)
extern "C" {
// Declared here, so that none of other types is defined.
using namespace tandem::cuda;
#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  result symbol parameters;
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL
#include "tandem/Runtime/Libraries/Driver.def"
#undef TANDEM_SYMBOL
#undef TANDEM_OPTIONAL_SYMBOL
/// The runtime keeps contexts, and tests call this.
Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device);
}
#pragma GCC visibility pop

namespace fake {

/// What stands before every function that needs a context.
Result enter(const char *function);
/// The same of what a stream that captures may forbid: functions that wait,
/// allocate or free.
Result enterUnsafe(const char *function);

} // namespace fake

#define ENTER(enter)                                                           \
  if (Result result = enter(__func__))                                         \
  return result

#endif // TANDEM_TEST_FAKECUDA_DRIVER_CALLS_H
