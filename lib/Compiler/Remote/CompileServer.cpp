//===- CompileServer.cpp - Compiles for another process -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/CompileServer.h"

#include "Remote/CompileHelper.h"
#include "Remote/GraphTransfer.h"
#include "Remote/HelperMessages.h"
#include "Session/LocalCompiler.h"

#include "device/host/Threads.h"
#include "process/HelperProcess.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Support/Clocks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sched.h>

namespace tandem {
namespace {

/// Moves this thread to a processor once; from then on, the scheduler may move
/// it again. Linux would otherwise wake the thread on the processor where it
/// slept, which may be in use by a thread of the process that it compiles for.
void moveTo(int processor) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (processor < 0 || processor >= CPU_SETSIZE ||
      sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
      !CPU_ISSET(processor, &allowed))
    return;
  CPU_SET(processor, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0)
    sched_setaffinity(0, sizeof allowed, &allowed);
}

/// The first line in which two keys differ, of the second one.
std::string firstDifference(std::string_view expected,
                            std::string_view actual) {
  auto [end, place] = std::mismatch(expected.begin(), expected.end(),
                                    actual.begin(), actual.end());
  const size_t at = static_cast<size_t>(place - actual.begin());
  const size_t begin = actual.substr(0, at).rfind('\n') + 1;
  return std::string(actual.substr(begin, actual.find('\n', at) - begin));
}

/// A graph that was sent.
struct ServedGraph {
  explicit ServedGraph(std::shared_ptr<CompilerState> given)
      : state(std::move(given)), compiler(state, /*recordsCosts=*/false) {}
  const std::shared_ptr<CompilerState> state;
  /// The asking process has already looked for the program on disk. That
  /// process also predicts the costs; nothing is predicted here.
  LocalCompiler compiler;
};

class CompileServer {
public:
  Status take(const Message &message, Channel &channel);

private:
  /// Answers a job; `*entry` becomes the program's, unless it is kept on disk.
  fb::HelperAnswerT answer(const fb::HelperJobT &job, const Message &message,
                           Descriptor *entry);
  Expected<ServedGraph *> graphOf(const fb::HelperJobT &job,
                                  const Message &message);
  Status compile(const fb::HelperJobT &job, ServedGraph &graph,
                 fb::HelperAnswerT &answer, Descriptor *entry);

  std::map<uint64_t, std::unique_ptr<ServedGraph>> graphs;
  double answeredNs = 0;
};

Expected<ServedGraph *> CompileServer::graphOf(const fb::HelperJobT &job,
                                               const Message &message) {
  std::unique_ptr<ServedGraph> &known = graphs[job.graph];
  if (known)
    return known.get();
  if (!job.new_graph || message.files.size() != 1)
    return fail("compile", "the graph was not sent");
  TANDEM_ASSIGN_OR_RETURN(CompilerConfig config,
                          openSharedConfig(*job.new_graph));
  TANDEM_ASSIGN_OR_RETURN(
      auto source,
      openGraphTransfer(*job.new_graph, message.files.front().get()));
  known = std::make_unique<ServedGraph>(
      std::make_shared<CompilerState>(std::move(source), std::move(config)));
  return known.get();
}

void describe(const Compiled &compiled, fb::HelperAnswerT &answer) {
  for (const PhaseTime &phase : compiled.phases) {
    // The start of the compiler is no part of the time that a compilation is
    // expected to take.
    if (phase.phase == "start compiler")
      answer.compile_ns = std::max(0.0, answer.compile_ns - phase.ns);
    answer.phases.push_back(std::make_unique<fb::HelperPhaseT>());
    answer.phases.back()->phase = phase.phase;
    answer.phases.back()->ns = phase.ns;
  }
  answer.compiled = compiled.kernelCounts.compiled;
  answer.cached = compiled.kernelCounts.cached;
  answer.stored = compiled.kernelCounts.stored;
  answer.fell_back = compiled.kernelCounts.fellBack;
  answer.rearranged_bytes = compiled.relayoutedBytes;
  for (const Warning &warning : compiled.warnings) {
    answer.warnings.push_back(std::make_unique<fb::HelperWarningT>());
    answer.warnings.back()->message = warning.message;
    answer.warnings.back()->location = warning.location;
    answer.warnings.back()->reproducer = warning.reproducer;
    answer.warnings.back()->sources = warning.sources;
  }
}

Status CompileServer::compile(const fb::HelperJobT &job, ServedGraph &graph,
                              fb::HelperAnswerT &answer, Descriptor *entry) {
  std::vector<TensorType> inputs;
  for (const auto &type : job.inputs)
    inputs.push_back(fromFlat(*type));
  CompilerState &state = *graph.state;
  ProgramRequest request(state, inputs);
  const CacheKey &key = request.key();
  answer.is_refused = key.fields() != job.key;
  if (answer.is_refused)
    return fail("compile", "the helper process would compile it otherwise: " +
                               firstDifference(job.key, key.fields()));
  setNumThreads(state.config.threads);
  const double start = threadNs();
  Expected<Compiled> compiled = fail("compile", "nothing was compiled");
  exec::runInOneSlot([&] { compiled = graph.compiler.compile(request); });
  if (!compiled)
    return tl::unexpected(std::move(compiled.error()));
  answer.compile_ns = threadNs() - start;
  PhaseTimes writing;
  state.store.keep(key, *compiled, writing);
  compiled->phases.insert(compiled->phases.end(), writing.phases().begin(),
                          writing.phases().end());
  describe(*compiled, answer);
  std::vector<KnownConstant> known;
  for (const std::string &digest : job.known)
    known.push_back({digest, Tensor()});
  answer.is_kept =
      known.empty() && state.config.disk && state.config.disk->has(key);
  if (!answer.is_kept) {
    TANDEM_ASSIGN_OR_RETURN(*entry, state.store.pack(key, *compiled, known));
  }
  return {};
}

fb::HelperAnswerT CompileServer::answer(const fb::HelperJobT &job,
                                        const Message &message,
                                        Descriptor *entry) {
  fb::HelperAnswerT answer;
  Expected<ServedGraph *> graph = graphOf(job, message);
  Status status = graph ? compile(job, **graph, answer, entry)
                        : Status(tl::unexpected(graph.error()));
  if (!status) {
    const Error &error = status.error();
    answer.error = std::make_unique<fb::HelperErrorT>();
    answer.error->message = error.message;
    answer.error->phase = error.phase;
    answer.error->location = error.location;
    answer.error->hint = error.hint;
  }
  // If the helper cannot open a graph, the process that asked compiles it.
  answer.is_refused |= !graph;
  const double now = nsOf(CLOCK_PROCESS_CPUTIME_ID);
  answer.processor_ns = now - std::exchange(answeredNs, now);
  return answer;
}

Status CompileServer::take(const Message &message, Channel &channel) {
  const auto request = unpack<fb::HelperRequestT>(message.bytes);
  if (!request)
    return fail("receive", "a message is no request");
  for (uint64_t graph : request->forgotten)
    graphs.erase(graph);
  if (!request->job)
    return {};
  moveTo(request->job->processor);
  Descriptor entry;
  const fb::HelperAnswerT given = answer(*request->job, message, &entry);
  const int file = entry.get();
  return channel.send(pack(given),
                      std::span(&file, !given.error && entry ? 1 : 0));
}

} // namespace

Status serveCompilations(Channel &channel, double idleSeconds) {
  allowBackgroundCalibration(false);
  allowBackgroundWork(false); // Whoever asks waits for what is kept.
  fb::HelperHelloT hello;
  hello.versions = helperVersions();
  hello.start_ns = nsOf(CLOCK_PROCESS_CPUTIME_ID);
  TANDEM_RETURN_IF_ERROR(channel.send(pack(hello)));
  CompileServer server;
  while (true) {
    Expected<Message> message = channel.receive(idleSeconds);
    if (!message)
      return channel.isClosed() || channel.hasTimedOut()
                 ? Status()
                 : tl::unexpected(std::move(message.error()));
    TANDEM_RETURN_IF_ERROR(server.take(*message, channel));
  }
}

static Status runHelper(const char *parent) {
  TANDEM_RETURN_IF_ERROR(beginHelper(std::atoi(parent)));
  Channel channel{Descriptor(kHelperSocket)};
  // A helper that has been idle for this long is not worth its memory.
  constexpr double kIdleSeconds = 300;
  return serveCompilations(channel, kIdleSeconds);
}

} // namespace tandem

int tandemRunCompileHelper(const char *parent) {
  const tandem::Status status = tandem::runHelper(parent);
  if (!status)
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
  return status ? 0 : 1;
}
