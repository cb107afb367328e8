//===- HelperPool.cpp - The processes that compile for this one -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/HelperPool.h"

#include "Remote/HelperMessages.h"
#include "Session/Versions.h"

#include "background/SpareCores.h"
#include "tandem/Runtime/Versions.h"
#include "tandem/Support/Environment.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <pthread.h>

namespace tandem {

namespace fs = std::filesystem;

std::string helperVersions() {
  CacheKey key("helper");
  addCompilerVersions(key);
  for (const auto &[name, version] : libraryVersions())
    key.add(name, version);
  return key.fields();
}

static constexpr const char *kHelperName = "tandem-compile-helper";

/// The folder of this library, or of the program that it is linked into.
static fs::path ownFolder() {
  Dl_info info{};
  std::error_code ignored;
  // A program's own name may be relative to a folder that it has left.
  if (dladdr(reinterpret_cast<const void *>(&ownFolder), &info) != 0 &&
      info.dli_fname && fs::path(info.dli_fname).is_absolute())
    return fs::canonical(info.dli_fname, ignored).parent_path();
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

Expected<std::string> findCompileHelper(const std::string &option) {
  const char *variable = lookUp(Variable::compileHelper);
  const std::string given = !option.empty() ? option : variable ? variable : "";
  if (given == "off")
    return fail("start", "it is turned off");
  if (!given.empty())
    return given;
  // Libraries may be in lib, or in a folder of it for one architecture.
  for (const char *folder : {".", "../bin", "../../bin"}) {
    const fs::path path = ownFolder() / folder / kHelperName;
    if (access(path.c_str(), X_OK) == 0)
      return path.lexically_normal().string();
  }
  return fail("start", std::string("there is no ") + kHelperName,
              std::string(name(Variable::compileHelper)) +
                  " says where it is, or \"off\"");
}

CompileHelper::CompileHelper(std::string path,
                             std::unique_ptr<HelperProcess> started)
    : path(std::move(path)), process(std::move(started)) {
  tiering::SpareCores::process().addProcess(process->pid());
}

CompileHelper::~CompileHelper() {
  tiering::SpareCores::process().removeProcess(process->pid());
}

Expected<std::unique_ptr<CompileHelper>>
CompileHelper::start(std::string path, const std::stop_token &stop) {
  // The limit allows for a machine with much else to do.
  constexpr double kMaxSeconds = 60;
  TANDEM_ASSIGN_OR_RETURN(auto process, HelperProcess::start(path));
  std::unique_ptr<CompileHelper> helper(
      new CompileHelper(path, std::move(process)));
  Channel &channel = helper->process->channel();
  const std::stop_callback kill(stop, [&] { helper->process->kill(); });
  Expected<Message> first = channel.receive(kMaxSeconds);
  if (!first) {
    const bool isClosed = channel.isClosed();
    const HelperProcess::End end = helper->process->end();
    return fail("start", path + (isClosed ? " " + end.text
                                          : ": " + first.error().message));
  }
  const auto hello = unpack<fb::HelperHelloT>(first->bytes);
  if (!hello || hello->versions != helperVersions())
    return fail("start", path + " is of another version");
  helper->startNs = hello->start_ns;
  return helper;
}

HelperPool::HelperPool() {
  // Background threads, which use it, do not run meanwhile.
  pthread_atfork(nullptr, nullptr, [] {
    for (auto &helper : process().idle) {
      helper->process->disown();
      helper.reset();
    }
    process().idle.clear();
  });
}

HelperPool &HelperPool::process() {
  // Never destroyed: threads may use it until the process is gone.
  static auto *pool = new HelperPool;
  return *pool;
}

Expected<std::unique_ptr<CompileHelper>>
HelperPool::take(const std::string &path, const std::stop_token &stop) {
  {
    std::lock_guard lock(mutex);
    dropEnded();
    auto found = std::ranges::find(
        idle, path, [](const auto &helper) { return helper->path; });
    if (found != idle.end()) {
      auto helper = std::move(*found);
      idle.erase(found);
      return helper;
    }
    if (auto known = unusable.find(path); known != unusable.end())
      return tl::unexpected(known->second);
  }
  auto helper = CompileHelper::start(path, stop);
  std::lock_guard lock(mutex);
  if (helper)
    lastStartNs = (*helper)->startNs;
  else if (!stop.stop_requested()) // Which would say nothing of the program.
    unusable.try_emplace(path, helper.error());
  return helper;
}

void HelperPool::dropEnded() {
  std::erase_if(idle, [](const auto &helper) {
    return !helper->process->channel().isQuiet();
  });
}

double HelperPool::startNs() {
  std::lock_guard lock(mutex);
  dropEnded();
  return idle.empty() ? lastStartNs : 0;
}

/// Tells a helper that is idle what it need not keep.
void HelperPool::tidy(CompileHelper &helper, const std::set<uint64_t> &graphs) {
  fb::HelperRequestT request;
  std::ranges::set_difference(helper.graphs, graphs,
                              std::back_inserter(request.forgotten));
  if (request.forgotten.empty())
    return;
  // Whoever takes it next notices if it has ended.
  (void)helper.process->channel().send(pack(request));
  for (uint64_t graph : request.forgotten)
    helper.graphs.erase(graph);
}

void HelperPool::put(std::unique_ptr<CompileHelper> helper) {
  std::lock_guard lock(mutex);
  tidy(*helper, graphs);
  idle.push_back(std::move(helper));
}

uint64_t HelperPool::addGraph() {
  std::lock_guard lock(mutex);
  return *graphs.insert(++lastGraph).first;
}

void HelperPool::forgetGraph(uint64_t graph) {
  std::lock_guard lock(mutex);
  graphs.erase(graph);
  for (const auto &helper : idle)
    tidy(*helper, graphs);
}

bool HelperPool::isFirstToTell(const std::string &path) {
  std::lock_guard lock(mutex);
  return told.insert(path).second;
}

} // namespace tandem
