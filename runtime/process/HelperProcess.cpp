//===- HelperProcess.cpp - A process that works for this one --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HelperProcess.h"

#include "../core/AtomicFile.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

extern char **environ;

using namespace tandem;

namespace {

/// What the new process is given.
class SpawnActions {
public:
  SpawnActions(int errors, int socket) {
    posix_spawn_file_actions_init(&files);
    const char *nothing = "/dev/null";
    posix_spawn_file_actions_addopen(&files, 0, nothing, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, nothing, O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawn_file_actions_adddup2(&files, socket, kHelperSocket);
    posix_spawn_file_actions_addclosefrom_np(&files, kHelperSocket + 1);

    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

/// The same file under a number that no action of the spawn replaces.
Descriptor moveAway(Descriptor file) {
  return Descriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, 16));
}

bool isFault(int signal) {
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    if (signal == fault)
      return true;
  return false;
}

HelperProcess::End describe(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {isFault(signal), "was killed by signal " + std::to_string(signal) +
                                 " (" + strsignal(signal) + ")"};
  }
  const int code = WEXITSTATUS(status);
  return {code != 0, "ended with exit code " + std::to_string(code)};
}

} // namespace

Expected<std::unique_ptr<HelperProcess>>
HelperProcess::start(const std::string &path) {
  auto connected = Channel::create();
  if (!connected)
    return tl::unexpected(std::move(connected.error()));
  Descriptor socket = moveAway(std::move(connected->second));
  Descriptor errors =
      moveAway(Descriptor(memfd_create("tandem-helper-errors", MFD_CLOEXEC)));
  if (!socket || !errors)
    return fileError("start", path, errno);
  // Each write of the helper is behind what it has written before.
  (void)fcntl(errors.get(), F_SETFL, O_APPEND);
  SpawnActions actions(errors.get(), socket.get());
  const std::string parent = std::to_string(getpid());
  char *arguments[] = {const_cast<char *>(path.c_str()),
                       const_cast<char *>(parent.c_str()), nullptr};
  pid_t process = 0;
  const int code = posix_spawn(&process, path.c_str(), &actions.files,
                               &actions.attributes, arguments, environ);
  if (code != 0)
    return fileError("start", path, code);
  return std::unique_ptr<HelperProcess>(new HelperProcess(
      std::move(connected->first), std::move(errors), process));
}

HelperProcess::~HelperProcess() {
  if (isThere) {
    kill();
    (void)end();
  }
}

void HelperProcess::kill() {
  std::lock_guard lock(mutex);
  if (isThere)
    ::kill(process, SIGKILL);
}

void HelperProcess::disown() { isThere = false; }

std::string HelperProcess::lastLine() const {
  constexpr off_t kMax = 300;
  struct stat info;
  if (fstat(errors.get(), &info) != 0)
    return {};
  std::string text(static_cast<size_t>(std::min(info.st_size, kMax)), '\0');
  const ssize_t count = pread(errors.get(), text.data(), text.size(),
                              info.st_size - static_cast<off_t>(text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

HelperProcess::End HelperProcess::end() {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  // Check without reaping, because the process ID may be reused from then on.
  siginfo_t info{};
  while (connection.isClosed() && std::chrono::steady_clock::now() < deadline &&
         waitid(P_PID, static_cast<id_t>(process), &info,
                WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0)
    std::this_thread::sleep_for(1ms);
  kill();
  int status = 0;
  pid_t waited;
  // Wait without reaping first: until then, `kill` may use the process ID.
  while (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) !=
             0 &&
         errno == EINTR)
    ;
  {
    std::lock_guard lock(mutex);
    isThere = false;
    while ((waited = waitpid(process, &status, 0)) < 0 && errno == EINTR)
      ;
  }
  // Other code of the program may have reaped its children.
  if (waited != process)
    return {true, "has ended"};
  End ended = describe(status);
  if (const std::string line = lastLine(); !line.empty())
    ended.text += ": " + line;
  return ended;
}

Status tandem::beginHelper(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return fileError("start", "a helper", errno);
  if (getppid() != parent)
    return fail("start", "the process that this one works for is gone");
  return {};
}
