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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tandem::tools {
namespace {

Expected<pid_t> spawn(const std::vector<std::string> &words, int outputFd,
                      int inputFd = STDIN_FILENO) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, inputFd, STDIN_FILENO);
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

void endChild(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
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

Expected<std::unique_ptr<Dialogue>>
Dialogue::start(const std::vector<std::string> &words) {
  int ends[2];
  // Of a socket, writing where nobody reads can be an error and no signal.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail("spawn",
                std::string("cannot make a socket: ") + std::strerror(errno));
  Expected<pid_t> child = spawn(words, ends[1], ends[1]);
  close(ends[1]);
  if (child)
    return std::unique_ptr<Dialogue>(new Dialogue(*child, ends[0]));
  close(ends[0]);
  return tl::unexpected<Error>(std::move(child.error()));
}

Dialogue::~Dialogue() {
  close(socket);
  endChild(child);
}

void Dialogue::say(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  // If nobody reads it, `hear` says so.
  (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL);
}

Expected<std::string> Dialogue::hear() {
  std::string line;
  for (char next = 0;;) {
    const ssize_t size = read(socket, &next, 1);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return fail("child process", "ended before it was asked to");
    if (next == '\n')
      return line;
    line += next;
  }
}

Expected<std::unique_ptr<Companion>>
Companion::start(const std::vector<std::string> &words) {
  TANDEM_ASSIGN_OR_RETURN(pid_t child, spawn(words, STDOUT_FILENO));
  return std::unique_ptr<Companion>(new Companion(child));
}

Companion::~Companion() { endChild(child); }

void Companion::pause() { kill(child, SIGSTOP); }
void Companion::resume() { kill(child, SIGCONT); }

} // namespace tandem::tools
