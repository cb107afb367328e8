//===- HelperProcessTest.cpp - Processes that end -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "process/HelperProcess.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace tandem;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

/// Starts a script of the shell.
struct HelperProcessTest : testing::Test {
  ~HelperProcessTest() override { fs::remove(path); }

  std::unique_ptr<HelperProcess> start(const std::string &script) {
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0700);
    auto helper = HelperProcess::start(path);
    EXPECT_TRUE(helper) << helper.error().str();
    return helper ? std::move(*helper) : nullptr;
  }
  /// How it ends by itself.
  HelperProcess::End endOf(const std::string &script) {
    auto helper = start(script);
    EXPECT_FALSE(helper->channel().receive(60));
    EXPECT_TRUE(helper->channel().isClosed());
    return helper->end();
  }

  const std::string path =
      testing::TempDir() + "tandem-helper-" + std::to_string(getpid());
};

bool isAlive(pid_t process) {
  std::string ignored, name, state;
  std::ifstream("/proc/" + std::to_string(process) + "/stat") >> ignored >>
      name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

TEST_F(HelperProcessTest, TellsHowItEnded) {
  auto orderly = endOf("exit 0");
  EXPECT_FALSE(orderly.isCrash);
  auto failed = endOf("echo first >&2; echo out of memory >&2; exit 3");
  EXPECT_TRUE(failed.isCrash);
  EXPECT_EQ(failed.text, "ended with exit code 3: out of memory");
  auto crashed = endOf("kill -SEGV $$");
  EXPECT_TRUE(crashed.isCrash);
  EXPECT_THAT(crashed.text, HasSubstr("was killed by signal 11"));
  auto killed = endOf("kill -KILL $$");
  EXPECT_FALSE(killed.isCrash);
  EXPECT_THAT(killed.text, HasSubstr("signal 9"));
}

TEST_F(HelperProcessTest, ASilentOneIsKilled) {
  auto helper = start("exec sleep 1000");
  const pid_t pid = helper->pid();
  EXPECT_FALSE(helper->channel().receive(0.05));
  EXPECT_TRUE(helper->channel().hasTimedOut());
  EXPECT_THAT(helper->end().text, HasSubstr("signal 9"));
  EXPECT_FALSE(isAlive(pid));
}

TEST_F(HelperProcessTest, EndsWithItsObject) {
  auto helper = start("exec sleep 1000");
  const pid_t pid = helper->pid();
  helper.reset();
  EXPECT_FALSE(isAlive(pid));
}

TEST_F(HelperProcessTest, HasNothingOfThisProcessOpen) {
  // Not closed by exec, as other libraries may leave them.
  const Descriptor leak(open("/dev/null", O_RDONLY));
  const Descriptor far(fcntl(leak.get(), F_DUPFD, 100));
  auto end = endOf("for f in /proc/self/fd/*; do echo -n \"${f##*/} \"; done "
                   ">&2; echo >&2; exit 1");
  // And what the shell has opened.
  EXPECT_THAT(end.text, HasSubstr(" 2 3"));
  EXPECT_THAT(end.text, testing::Not(HasSubstr("100")));
  // Nor does it read or write what is this process's.
  auto input = endOf("read line; echo \"read:$line\" >&2; echo lost; exit 1");
  EXPECT_THAT(input.text, testing::EndsWith("read:"));
}

TEST_F(HelperProcessTest, StartsWithNoSignalBlockedOrIgnored) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto end = endOf("grep -E 'SigBlk|SigIgn' /proc/self/status | "
                   "tr -d '\\n\\t' >&2; exit 1");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(end.text, HasSubstr("SigBlk:0000000000000000"));
  // Except for the C library's own, 32 and 33.
  EXPECT_THAT(end.text, testing::ContainsRegex("SigIgn:0000000.[08]0000000$"));
}

TEST_F(HelperProcessTest, WhatCannotBeStartedIsAnError) {
  auto helper = HelperProcess::start("/nowhere/at-all");
  ASSERT_FALSE(helper);
  EXPECT_THAT(helper.error().message, HasSubstr("/nowhere/at-all"));
  EXPECT_THAT(helper.error().message, HasSubstr("No such file"));
}

TEST_F(HelperProcessTest, AChildOfForkLeavesItToTheParent) {
  auto helper = start("exec sleep 1000");
  const pid_t child = fork();
  if (child == 0) {
    helper->disown();
    helper.reset();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(isAlive(helper->pid()));
}

TEST_F(HelperProcessTest, OfAnotherParentItDoesNotBegin) {
  const Status begun = beginHelper(getpid());
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().message, HasSubstr("is gone"));
}

} // namespace
