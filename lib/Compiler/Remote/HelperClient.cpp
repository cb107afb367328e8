//===- HelperClient.cpp - Compiles a graph in another process -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/HelperClient.h"

#include "Remote/GraphTransfer.h"
#include "Remote/HelperPool.h"

#include "tandem/Runtime/Program/ProgramLoops.h"

#include <sched.h>

namespace tandem {

HelperClient::HelperClient(std::shared_ptr<const SerializedGraph> graph,
                           const CompilerConfig &config)
    : graph(std::move(graph)), config(config),
      number(HelperPool::process().addGraph()) {
  forEachStep(*this->graph->eager, [&](const fb::StepT &step) {
    callsFunctions |= step.op && step.op->kind == fb::OpKind::custom_call;
  });
}

HelperClient::~HelperClient() { HelperPool::process().forgetGraph(number); }

bool HelperClient::isFor(const CompilerConfig &config) {
  return config.target->isHost() && config.wantsProgramOnly &&
         !config.options.progress;
}

Expected<HelperOutcome::Answer> HelperClient::ask(CompileHelper &helper,
                                                  fb::HelperRequestT &request) {
  request.job->new_graph.reset();
  std::optional<GraphTransfer> shared;
  std::vector<int> files;
  if (helper.graphs.insert(number).second) {
    TANDEM_ASSIGN_OR_RETURN(shared, shareGraph(*graph, config));
    request.job->new_graph =
        std::make_unique<fb::HelperGraphT>(std::move(shared->graph));
    files.push_back(shared->memory.get());
  }
  request.job->processor = sched_getcpu();
  Channel &channel = helper.process->channel();
  TANDEM_RETURN_IF_ERROR(channel.send(pack(request), files));
  shared.reset(); // The helper has it.
  TANDEM_ASSIGN_OR_RETURN(Message message,
                          channel.receive(config.options.compileHelperSeconds));
  auto content = unpack<fb::HelperAnswerT>(message.bytes);
  const bool hasEntry = content && !content->error && !content->is_kept;
  if (!content || message.files.size() != size_t(hasEntry))
    return fail("receive", "an answer was received that is none");
  HelperOutcome::Answer answer{std::move(*content), Descriptor()};
  if (hasEntry)
    answer.entry = std::move(message.files.front());
  return answer;
}

/// What an answer comes to.
static HelperOutcome judge(HelperOutcome::Answer answer, std::string problem) {
  HelperOutcome outcome;
  outcome.problem = std::move(problem);
  if (const auto &error = answer.content.error; !error)
    outcome.answer = std::move(answer);
  else if (answer.content.is_refused)
    outcome.problem = "not in a helper process: " + error->message;
  else
    outcome.error =
        Error{error->message, error->phase, error->location, error->hint};
  return outcome;
}

fb::HelperRequestT
HelperClient::describeJob(const CacheKey &key,
                          std::span<const TensorType> inputs,
                          std::span<const KnownConstant> known) const {
  fb::HelperRequestT request;
  request.job = std::make_unique<fb::HelperJobT>();
  request.job->graph = number;
  request.job->key = key.fields();
  for (const KnownConstant &constant : known)
    request.job->known.push_back(constant.digest);
  for (const TensorType &type : inputs)
    request.job->inputs.push_back(
        std::make_unique<fb::TensorTypeT>(toFlat(type)));
  return request;
}

/// The same for all jobs, and so said once for each program.
static HelperOutcome giveUp(const std::string &path, const Error &error) {
  HelperOutcome outcome;
  if (HelperPool::process().isFirstToTell(path))
    outcome.problem = "not in a helper process: " + error.message +
                      (error.hint.empty() ? "" : " (" + error.hint + ")");
  return outcome;
}

static HelperOutcome interrupted() {
  HelperOutcome outcome;
  outcome.error = Error{"it was interrupted", "compile", {}, {}};
  return outcome;
}

HelperOutcome HelperClient::compile(const CacheKey &key,
                                    std::span<const TensorType> inputs,
                                    std::span<const KnownConstant> known,
                                    const std::stop_token &stop) {
  if (callsFunctions)
    return giveUp(
        graph->function,
        Error{"it calls functions of the program", "compile", {}, {}});
  const Expected<std::string> path =
      findCompileHelper(config.options.compileHelper);
  if (!path)
    return giveUp("", path.error());
  fb::HelperRequestT request = describeJob(key, inputs, known);
  HelperOutcome outcome;
  for (bool isRetry : {false, true}) {
    auto helper = HelperPool::process().take(*path, stop);
    if (!helper && stop.stop_requested())
      return interrupted();
    if (!helper)
      return giveUp(*path, helper.error());
    HelperProcess &process = *(**helper).process;
    auto answer = [&] {
      const std::stop_callback kill(stop, [&] { process.kill(); });
      return ask(**helper, request);
    }();
    if (answer) {
      HelperPool::process().put(std::move(*helper));
      return judge(std::move(*answer), std::move(outcome.problem));
    }
    if (stop.stop_requested())
      return interrupted();
    const bool isClosed = process.channel().isClosed();
    const HelperProcess::End end = process.end();
    outcome.problem =
        "the helper process " +
        (isClosed ? end.text : "was killed: " + answer.error().message);
    if (!isClosed || !end.isCrash)
      return outcome;
    if (isRetry)
      outcome.error = Error{
          "the compiler crashed twice: " + outcome.problem, "compile", {}, {}};
  }
  return outcome;
}

} // namespace tandem
