//===- ChildProcess.cpp - Running a command for its output ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tandem::tools {
namespace {

Expected<pid_t> spawn(const std::vector<std::string> &words, int outputFd) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, outputFd, STDOUT_FILENO);
  pid_t child = 0;
  int code = posix_spawnp(&child, arguments[0], &actions, nullptr,
                          arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    return fail("spawn",
                "cannot start '" + words[0] + "': " + std::strerror(code));
  return child;
}

std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return text;
    text.append(buffer, static_cast<size_t>(size));
  }
}

} // namespace

Expected<std::string> runChild(const std::vector<std::string> &words) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0)
    return fail("spawn",
                std::string("cannot make a pipe: ") + std::strerror(errno));
  Expected<pid_t> child = spawn(words, fds[1]);
  close(fds[1]);
  std::string output = child ? readAll(fds[0]) : "";
  close(fds[0]);
  if (!child)
    return tl::unexpected<Error>(std::move(child.error()));
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status))
    return fail("child process",
                std::string("killed: ") + strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    return fail("child process",
                "ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return output;
}

Expected<std::unique_ptr<Companion>>
Companion::start(const std::vector<std::string> &words) {
  TANDEM_ASSIGN_OR_RETURN(pid_t child, spawn(words, STDOUT_FILENO));
  return std::unique_ptr<Companion>(new Companion(child));
}

Companion::~Companion() {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
}

void Companion::pause() { kill(child, SIGSTOP); }
void Companion::resume() { kill(child, SIGCONT); }

} // namespace tandem::tools
