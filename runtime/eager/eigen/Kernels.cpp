//===- Kernels.cpp - The choice of vectorised inner loops -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Kernels.h"

using namespace tandem;
using namespace tandem::eager;

#define TANDEM_TABLE(level)                                                    \
  {#level,                                                                     \
   level::findUnary,                                                           \
   level::findCast,                                                            \
   level::findBinary,                                                          \
   level::findCompare,                                                         \
   level::findSelect,                                                          \
   level::findClamp,                                                           \
   level::findReduceRow,                                                       \
   level::findAccumulate,                                                      \
   level::findArgmax,                                                          \
   level::findArgmaxAccumulate,                                                \
   level::findNormalize,                                                       \
   level::findNormalizeScale,                                                  \
   level::findSoftmax,                                                         \
   level::findTranspose,                                                       \
   level::findMatmul}

static const KernelTable &choose() {
  static const KernelTable baseline = TANDEM_TABLE(baseline);
  static const KernelTable avx2 = TANDEM_TABLE(avx2);
  static const KernelTable avx512 = TANDEM_TABLE(avx512);
  if (__builtin_cpu_supports("x86-64-v4"))
    return avx512;
  return __builtin_cpu_supports("x86-64-v3") ? avx2 : baseline;
}

const KernelTable &eager::kernels() {
  static const KernelTable &table = choose();
  return table;
}
