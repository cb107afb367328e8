//===- Kernels.cpp - The choice of vectorized inner loops -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Kernels.h"

#include "tandem/Support/Environment.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

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
   level::findAccumulateSum,                                                   \
   level::findScan,                                                            \
   level::findLogSumExp,                                                       \
   level::findMaxOfRows,                                                       \
   level::findArgmax,                                                          \
   level::findArgmaxAccumulate,                                                \
   level::findFFT,                                                             \
   level::findNormalize,                                                       \
   level::findNormalizeScale,                                                  \
   level::findSoftmax,                                                         \
   level::findSoftmaxBackward,                                                 \
   level::findTranspose,                                                       \
   level::findMatmul,                                                          \
   level::findByteDots,                                                        \
   level::findByteProducts,                                                    \
   level::findWindowMax,                                                       \
   level::findPool,                                                            \
   level::findMoments,                                                         \
   level::findLayerNorm,                                                       \
   level::findRandom,                                                          \
   level::findPick,                                                            \
   level::findInterpolation}

static const KernelTable tables[] = {TANDEM_TABLE(avx512), TANDEM_TABLE(avx2),
                                     TANDEM_TABLE(baseline)};

static bool hostHas(std::string_view level) {
  if (level == "avx512")
    return __builtin_cpu_supports("x86-64-v4");
  return level == "baseline" || __builtin_cpu_supports("x86-64-v3");
}

/// The highest level that the host has and that is not above TANDEM_X86_LEVEL,
/// where that names one.
static const KernelTable &choose() {
  const char *limit = lookUp(Variable::x86Level);
  const KernelTable *table =
      std::find_if(std::begin(tables), std::end(tables), [&](const auto &each) {
        return limit && each.name == std::string_view(limit);
      });
  if (table == std::end(tables))
    table = std::begin(tables);
  while (!hostHas(table->name))
    ++table;
  return *table;
}

const KernelTable &eager::kernels() {
  static const KernelTable &table = choose();
  return table;
}
