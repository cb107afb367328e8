//===- FakeHelper.cpp - A compile helper with faults ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on what a real server says, except for the fault that the environment
// asks for (HelperTest.cpp).
//
//===----------------------------------------------------------------------===//

#include "Remote/CompileServer.h"
#include "Remote/HelperMessages.h"

#include "process/HelperProcess.h"
#include "process/MemoryFile.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <thread>

using namespace tandem;

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// A copy of an entry with its byte at `place` changed, or cut off there.
Descriptor spoil(int entry, size_t place, bool mustCut, bool mustSeal) {
  auto mapped = mapFile(entry);
  std::vector<uint8_t> bytes(mapped->bytes.begin(), mapped->bytes.end());
  if (mustCut)
    bytes.resize(place % bytes.size());
  else
    bytes[place % bytes.size()] ^= 0x10;
  if (!mustSeal) {
    Descriptor open(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    (void)!write(open.get(), mapped->bytes.data(), mapped->bytes.size());
    return open;
  }
  auto file = MemoryFile::create("test");
  (void)file->write(bytes.data(), bytes.size());
  return *std::move(*file).seal();
}

[[noreturn]] void hang() {
  // The name appears whole.
  const std::string path = variable("FAKE_HELPER_FILE");
  std::ofstream(path + ".new") << getpid();
  std::rename((path + ".new").c_str(), path.c_str());
  while (true)
    pause();
}

[[noreturn]] void crash() {
  std::fputs("LLVM ERROR: a test\n", stderr);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

/// Does what it is asked for with a job, before the server has it.
void failJob(const std::string &fault) {
  const std::string path = variable("FAKE_HELPER_FILE");
  std::ofstream(path + ".jobs", std::ios::app) << "job\n";
  if (fault == "hang")
    hang();
  if (fault == "crash")
    crash();
  if (fault == "crash-once" && access(path.c_str(), F_OK) != 0) {
    std::ofstream(path) << "crashed";
    crash();
  }
  if (fault == "garbage") {
    const std::string zeros(1000, '\0');
    (void)!write(kHelperSocket, zeros.data(), zeros.size());
    hang();
  }
}

Status passOn(Channel &parent, Channel &server, const std::string &fault) {
  TANDEM_ASSIGN_OR_RETURN(Message request, parent.receive({}));
  const bool isJob = unpack<fb::HelperRequestT>(request.bytes)->job != nullptr;
  if (isJob)
    failJob(fault);
  std::vector<int> files;
  for (const Descriptor &file : request.files)
    files.push_back(file.get());
  TANDEM_RETURN_IF_ERROR(server.send(request.bytes, files));
  if (!isJob)
    return {};
  TANDEM_ASSIGN_OR_RETURN(Message answer, server.receive({}));
  if (fault == "no-entry")
    answer.files.clear();
  if (fault == "no-answer")
    answer.bytes.resize(answer.bytes.size() / 2);
  size_t place = 0;
  std::ifstream(variable("FAKE_HELPER_FILE") + ".place") >> place;
  static Descriptor first;
  for (Descriptor &file : answer.files) {
    if (fault == "flip" || fault == "cut" || fault == "open")
      file = spoil(file.get(), place, fault == "cut", fault != "open");
    if (fault == "first" && first)
      file = Descriptor(dup(first.get()));
    else
      first = Descriptor(dup(file.get()));
  }
  files.clear();
  for (const Descriptor &file : answer.files)
    files.push_back(file.get());
  return parent.send(answer.bytes, files);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 || !beginHelper(std::atoi(argv[1])))
    return 1;
  const std::string fault = variable("FAKE_HELPER");
  if (fault == "mute")
    hang();
  auto ends = Channel::create();
  std::thread([socket = std::move(ends->second)]() mutable {
    Channel channel(std::move(socket));
    (void)serveCompilations(channel, 1000);
  }).detach();
  Channel parent{Descriptor(kHelperSocket)};
  auto hello = ends->first.receive(60);
  fb::HelperHelloT other;
  other.versions = "other";
  if (!parent.send(fault == "version" ? pack(other) : hello->bytes))
    return 1;
  while (passOn(parent, ends->first, fault))
    ;
  std::_Exit(0);
}
