//===- ProcessEndTest.cpp - The process ends while it compiles ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Tandem.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace tandem;

namespace {

constexpr const char *kGraph = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tandem.relu %x : tensor<?xf32>
  %1 = tandem.exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
)";

/// Begins to compile for several shapes in the background, and ends the process
/// a moment later. The function is alive then, as one with static storage is.
[[noreturn]] void endWhileCompiling(std::chrono::milliseconds moment) {
  auto graph = Graph::parseString(kGraph);
  auto function = graph ? (*graph)->createFunction()
                        : tl::unexpected(std::move(graph.error()));
  if (!function)
    std::exit(2);
  static Function *kept = function->release();
  std::vector<std::vector<TensorType>> signatures;
  for (int64_t size : {8, 16, 24, 32, 40, 48})
    signatures.push_back({TensorType{DType::f32, {size}}});
  setCompileThreads(2);
  if (!kept->compileAhead(signatures))
    std::exit(3);
  std::this_thread::sleep_for(moment);
  std::exit(0);
}

TEST(ProcessEnd, CompilationsInTheBackgroundDoNotOutliveWhatTheyUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int ms = 0; ms < 60; ms += 4)
    EXPECT_EXIT(endWhileCompiling(std::chrono::milliseconds(ms)),
                testing::ExitedWithCode(0), "")
        << ms << " ms";
}

} // namespace
