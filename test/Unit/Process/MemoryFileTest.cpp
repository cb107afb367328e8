//===- MemoryFileTest.cpp - Memory that processes share -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "process/MemoryFile.h"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace tandem;

namespace {

TEST(MemoryFile, HoldsWhatWasWrittenForGood) {
  auto file = MemoryFile::create("test");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("ab", 2));
  ASSERT_TRUE(file->write("c", 1));
  auto sealed = std::move(*file).seal();
  ASSERT_TRUE(sealed);
  auto mapped = mapSealed(sealed->get());
  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped->bytes.size(), 3u);
  EXPECT_EQ(std::memcmp(mapped->bytes.data(), "abc", 3), 0);
  EXPECT_LT(write(sealed->get(), "d", 1), 0);
  EXPECT_NE(ftruncate(sealed->get(), 0), 0);
  *sealed = Descriptor();
  EXPECT_EQ(mapped->bytes[2], 'c');
}

TEST(MemoryFile, WhatOthersMayTruncateIsNotMapped) {
  const Descriptor open(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(write(open.get(), "abc", 3), 3);
  EXPECT_FALSE(mapSealed(open.get()));
  ASSERT_EQ(fcntl(open.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE), 0);
  EXPECT_FALSE(mapSealed(open.get()));
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  const Descriptor out(pipe[0]), in(pipe[1]);
  EXPECT_FALSE(mapSealed(out.get()));
}

} // namespace
