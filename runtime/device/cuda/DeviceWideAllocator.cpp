//===- DeviceWideAllocator.cpp - Memory that all streams share ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceWideAllocator.h"

#include "DeviceAllocator.h"

using namespace tandem;
using namespace tandem::cuda;

Expected<void *> DeviceWideAllocator::allocate(int64_t bytes) {
  TANDEM_ASSIGN_OR_RETURN(
      void *pointer,
      allocateBlock(context, std::max<int64_t>(bytes, 1), bytes));
  count(bytes);
  return pointer;
}

void DeviceWideAllocator::deallocate(void *pointer, int64_t bytes) {
  count(-bytes);
  if (context.enter())
    context.deferred().add([&driver = context.driver(), pointer] {
      driver.memFree(reinterpret_cast<DevicePointer>(pointer));
    });
}
