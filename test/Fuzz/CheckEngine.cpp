//===- CheckEngine.cpp - Calls a random graph in mode auto ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckEngine.h"

#include "GraphBuilder.h"
#include "GraphInputs.h"

#include "engine/Engine.h"
#include "tandem/Runtime/ErrorBounds.h"

#include <oneapi/tbb/task_arena.h>

#include <cstring>

using namespace tandem;
using namespace tandem::fuzz;
using namespace tandem::tiering;

namespace {

constexpr int kCalls = 50;

/// Decides at random, as far as a state allows, and counts what it decided.
/// Thread-safe.
class RandomDecisions {
public:
  explicit RandomDecisions(uint64_t seed) : random(seed) {}

  Decision decide(const Record &record) {
    std::lock_guard lock(mutex);
    return {choose(record), Reason::loss};
  }

private:
  /// `percent` is the chance that `action` is taken at this call.
  Action take(Action action, int percent) {
    return random.chance(percent) ? action : Action::none;
  }
  Action choose(const Record &record);

  std::mutex mutex; // Guards `random`.
  Random random;
};

Action RandomDecisions::choose(const Record &record) {
  switch (record.state) {
  case State::eager:
    return take(Action::compile, 60);
  case State::demoted:
    return take(Action::retry, 60);
  case State::promoted:
    if (random.chance(10))
      return Action::demote;
    if (record.capture == Capture::untried)
      return take(Action::capture, 50);
    if (record.capture == Capture::trial)
      return take(random.chance(70) ? Action::adopt : Action::release, 40);
    if (record.capture == Capture::chosen)
      return take(Action::release, 5);
    return Action::none;
  case State::queued:
  case State::compiling:
  case State::compiled:
  case State::provisional:
  case State::refused:
    break;
  }
  return Action::none;
}

bool haveEqualBits(const Outputs &a, const Outputs &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i].type() == b[i].type()) ||
        std::memcmp(a[i].data(), b[i].data(), a[i].bytes()) != 0)
      return false;
  return true;
}

/// Inputs that are called again and again, and what is known of their outputs.
struct InputSet {
  std::vector<Tensor> inputs, onDevice;
  std::vector<BoundedTensor> expected;
  /// Outputs of the first call, which is eager, with the operands of jumps
  /// behind them, and the latest outputs with other bits that were accepted.
  Outputs eager, accepted;
};

class EngineChecker {
public:
  EngineChecker(const Graph &graph, const CheckOptions &options, Stream &stream)
      : program(graph.eagerProgram()), options(options), stream(stream) {}

  Status run(const RandomGraph &random, std::unique_ptr<Compiler> compiler);
  EngineCounts counts;
  std::optional<std::string> undecided;
  int64_t elements = 0;

private:
  Status addSet(const RandomGraph &random, uint64_t number);
  Expected<Outputs> callEngine(Engine &engine, const InputSet &set);
  Status check(InputSet &set, const Outputs &outputs);
  Status checkBounds(const InputSet &set, const Outputs &outputs);
  Status checkUnchanged(const InputSet &set, const Outputs &outputs);
  void count(const FunctionReport &report);

  const std::shared_ptr<const Program> program;
  const CheckOptions &options;
  Stream &stream;
  std::optional<Certifier> certifier;
  std::vector<InputSet> sets;
};

Status EngineChecker::addSet(const RandomGraph &random, uint64_t number) {
  InputSet &set = sets.emplace_back();
  TANDEM_ASSIGN_OR_RETURN(set.inputs, makeInputs(random, number));
  TANDEM_ASSIGN_OR_RETURN(set.onDevice, copyToDevice(set.inputs, stream));
  TANDEM_ASSIGN_OR_RETURN(set.expected,
                          evaluateWithBounds(*program, set.inputs));
  return {};
}

/// In an arena of as many threads as are asked for.
Expected<Outputs> EngineChecker::callEngine(Engine &engine,
                                            const InputSet &set) {
  tbb::task_arena arena(options.threads);
  TANDEM_ASSIGN_OR_RETURN(Outputs outputs, arena.execute([&] {
    return engine.call(set.onDevice);
  }));
  // The next decision finds all that this call has begun done.
  engine.wait();
  TANDEM_ASSIGN_OR_RETURN(outputs, copyToHost(outputs, stream));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return outputs;
}

Status EngineChecker::checkBounds(const InputSet &set, const Outputs &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const BoundedTensor &expected = set.expected[i];
    if (!(expected.value.type() == outputs[i].type()))
      return fail("check", "an output is " + outputs[i].type().str());
    const Difference difference =
        compare(expected.value, outputs[i], expected.bounds);
    elements += difference.compared;
    if (difference.mismatches > 0)
      return fail("check", "output " + std::to_string(i) + ", element " +
                               std::to_string(difference.worstIndex) + ": " +
                               std::to_string(difference.actual) +
                               " instead of " +
                               std::to_string(difference.expected));
  }
  return {};
}

/// Whether a change of tier has changed the outputs by more than rounding.
Status EngineChecker::checkUnchanged(const InputSet &set,
                                     const Outputs &outputs) {
  Certificate certificate = certifier->certify(set.inputs, set.eager, outputs);
  if (certificate.verdict == Certificate::Verdict::failed) {
    TANDEM_ASSIGN_OR_RETURN(certificate,
                            certifier->confirm(set.inputs, set.eager, outputs));
  }
  if (certificate.verdict == Certificate::Verdict::failed ||
      certificate.verdict == Certificate::Verdict::undecided)
    return fail("check", "the outputs have changed: " + certificate.str());
  return {};
}

Status EngineChecker::check(InputSet &set, const Outputs &outputs) {
  if (set.eager.empty()) {
    TANDEM_RETURN_IF_ERROR(checkBounds(set, outputs));
    ExecutorOptions eager;
    eager.stream = &stream;
    TANDEM_ASSIGN_OR_RETURN(auto executor,
                            Executor::create(certifier->program(), eager));
    TANDEM_RETURN_IF_ERROR(executor->run(set.onDevice, set.eager));
    TANDEM_ASSIGN_OR_RETURN(set.eager, copyToHost(set.eager, stream));
    TANDEM_RETURN_IF_ERROR(stream.synchronize());
    std::copy(outputs.begin(), outputs.end(), set.eager.begin());
    set.accepted = outputs;
    return {};
  }
  if (haveEqualBits(outputs, set.eager) || haveEqualBits(outputs, set.accepted))
    return {};
  ++counts.changed;
  TANDEM_RETURN_IF_ERROR(checkBounds(set, outputs));
  TANDEM_RETURN_IF_ERROR(checkUnchanged(set, outputs));
  set.accepted = outputs;
  return {};
}

void EngineChecker::count(const FunctionReport &report) {
  for (const TieringEvent &event : report.events) {
    counts.promotions += event.kind == EventKind::promoted;
    counts.demotions += event.kind == EventKind::demoted;
    counts.captures += event.kind == EventKind::captured;
  }
  for (const SignatureReport &signature : report.signatures) {
    counts.calls += static_cast<int64_t>(signature.calls);
    counts.compiledCalls += static_cast<int64_t>(signature.compiledCalls);
    counts.capturedCalls += static_cast<int64_t>(signature.capturedCalls);
    if (signature.undecidedCertificates > 0 &&
        signature.state != SignatureState::promoted) {
      ++counts.undecided;
      undecided = signature.certificateError->message;
    }
  }
}

/// Three calls with the first set, one with the second, and so on.
Status EngineChecker::run(const RandomGraph &random,
                          std::unique_ptr<Compiler> compiler) {
  for (uint64_t number : {0, 1})
    TANDEM_RETURN_IF_ERROR(addSet(random, number));
  TANDEM_ASSIGN_OR_RETURN(certifier,
                          Certifier::create(program, typesOf(sets[0].inputs)));
  ExecutorOptions executorOptions;
  executorOptions.stream = &stream;
  TierStore store(program, std::move(compiler), executorOptions);
  TieringOptions tiering;
  tiering.compileIn = CompileIn::thread;
  RandomDecisions decisions(std::hash<std::string>()(random.toMLIR()));
  EngineSeams seams;
  seams.decide = [&](const Record &record, const Conditions &,
                     const PolicyOptions &) {
    return decisions.decide(record);
  };
  Engine engine(store, tiering, {}, seams);
  for (int i = 0; i < kCalls; ++i) {
    InputSet &set = sets[i % 4 == 3];
    TANDEM_ASSIGN_OR_RETURN(const Outputs outputs, callEngine(engine, set));
    if (Status status = check(set, outputs); !status)
      return fail("check", "call " + std::to_string(i) + ": " +
                               status.error().message + "\n" +
                               engine.report().str());
  }
  count(engine.report());
  for (const TieringEvent &event : engine.report().events)
    if (event.kind == EventKind::contradicted ||
        event.kind == EventKind::failed)
      return fail("check", event.str());
  return {};
}

} // namespace

Status fuzz::checkEngine(const RandomGraph &random, const Graph &graph,
                         const CheckOptions &options, const std::string &device,
                         CheckResult &result) {
  TANDEM_ASSIGN_OR_RETURN(
      auto compiler, graph.createCompiler(compileOptions(options, device)));
  EngineChecker checker(graph, options, compiler->device().defaultStream());
  Status status = checker.run(random, std::move(compiler));
  result.engine += checker.counts;
  result.elements += checker.elements;
  result.undecided = checker.undecided;
  return status;
}
