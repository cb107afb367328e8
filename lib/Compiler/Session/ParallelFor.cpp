//===- ParallelFor.cpp - The compiler's loops on all threads --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/ParallelFor.h"

#include "tandem/Runtime/Workers.h"

void tandem::parallelFor(int64_t count,
                         llvm::function_ref<void(int64_t)> body) {
  runTasks(count, body);
}
