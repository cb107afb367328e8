//===- StreamRun.cpp - A stream under a policy ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/StreamRun.h"

#include "background/SpareCores.h"
#include "engine/Engine.h"

#include "tandem/Measure/Statistics.h"
#include "tandem/Support/Clocks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <thread>

namespace tandem::bench {

using tiering::Engine;
using tiering::PolicyOptions;
using tiering::TierStore;
using Kind = StreamPolicy::Kind;

/// The shortest text that is read as `number` again.
static std::string shortest(double number) {
  std::array<char, 32> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), error == std::errc() ? end : text.data()};
}

std::string StreamPolicy::name() const {
  switch (kind) {
  case Kind::eager:
    return "eager";
  case Kind::compile:
    return "compile";
  case Kind::first:
    return "first:" + std::to_string(call);
  case Kind::automatic:
    return spareShare ? "auto:" + shortest(*spareShare) : "auto";
  case Kind::oracle:
    return "oracle";
  }
  return "";
}

/// The number behind "NAME:"; nothing if the text is anything else.
template <typename Number>
static std::optional<Number> parseSuffix(std::string_view text,
                                         std::string_view name) {
  Number number = 0;
  if (!text.starts_with(name))
    return std::nullopt;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data() + name.size(), end, number);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return number;
}

Expected<StreamPolicy> parsePolicy(std::string_view text) {
  for (Kind kind : {Kind::eager, Kind::compile, Kind::automatic, Kind::oracle})
    if (StreamPolicy{kind}.name() == text)
      return StreamPolicy{kind};
  if (auto call = parseSuffix<uint64_t>(text, "first:"); call && *call > 0)
    return StreamPolicy{Kind::first, *call};
  if (auto share = parseSuffix<double>(text, "auto:");
      share && *share >= 0 && *share <= 1)
    return StreamPolicy{Kind::automatic, 0, share};
  return fail("policy", "'" + std::string(text) + "' is no policy",
              "there are eager, compile, first:N, auto, auto:SHARE and oracle");
}

/// Whether it was compiled, or was being compiled when the stream ended.
static bool wasBegun(const SignatureReport &signature) {
  return signature.compileNs > 0 ||
         signature.state == SignatureState::compiling;
}

uint64_t StreamRun::compiled() const {
  return static_cast<uint64_t>(std::ranges::count_if(signatures, wasBegun));
}

uint64_t StreamRun::wasted(std::span<const SignatureCosts> costs) const {
  uint64_t count = 0;
  for (size_t s = 0; s < signatures.size(); ++s) {
    const double gain = costs[s].eagerNs - costs[s].compiledNs;
    const double saved =
        gain * static_cast<double>(signatures[s].compiledCalls);
    count += wasBegun(signatures[s]) && saved < costs[s].compileNs;
  }
  return count;
}

namespace {

/// The engines of one policy: a call goes to one of them.
class PolicyEngines {
public:
  PolicyEngines(const StreamBenchmark &subject, const StreamPolicy &policy,
                const Hindsight &hindsight, std::shared_ptr<Compiler> compiler)
      : subject(subject), policy(policy), hindsight(hindsight),
        store(subject.graph->eagerProgram(), std::move(compiler), {}),
        main(store, optionsOf(mainMode()), policyOptions()),
        second(store, optionsOf(Mode::compile), {}) {}

  Expected<std::vector<Tensor>> call(size_t signature, size_t number,
                                     bool isFirst) {
    if (isFirst)
      TANDEM_RETURN_IF_ERROR(beginSignature(signature));
    Engine &engine = isSecond(signature) ? second : main;
    // Signatures that compile in the call get the threads on which others
    // compile.
    const bool isLimited = isFirst && compilesInCall(signature) &&
                           subject.threads != subject.compileThreads;
    if (isLimited)
      setNumThreads(subject.compileThreads);
    auto outputs = engine.call(subject.inputs[signature][number]);
    if (isLimited)
      setNumThreads(subject.threads);
    return outputs;
  }

  std::vector<SignatureReport> report() const {
    std::vector<SignatureReport> found(subject.types.size());
    for (const Engine *engine : {&main, &second})
      for (SignatureReport &one : engine->report().signatures)
        found[std::ranges::find(subject.types, one.inputs) -
              subject.types.begin()] = std::move(one);
    return found;
  }

private:
  bool isBlockingOracle() const {
    return policy.kind == Kind::oracle && hindsight.isBlocking;
  }
  /// Whether the call goes to the engine whose first calls compile.
  bool isSecond(size_t signature) const {
    return isBlockingOracle() && hindsight.isCompiled[signature];
  }
  bool compilesInCall(size_t signature) const {
    return policy.kind == Kind::compile || isSecond(signature);
  }
  Mode mainMode() const {
    if (policy.kind == Kind::eager || isBlockingOracle())
      return Mode::eager;
    return policy.kind == Kind::compile ? Mode::compile : Mode::automatic;
  }
  TieringOptions optionsOf(Mode mode) const {
    TieringOptions options;
    options.mode = mode;
    options.maxSignatures =
        std::max(options.maxSignatures, subject.types.size());
    return options;
  }
  PolicyOptions policyOptions() const {
    PolicyOptions options;
    options.compileThreads = static_cast<unsigned>(subject.compileThreads);
    if (policy.kind == Kind::first)
      options.compileAtCall = policy.call;
    options.spareShare = policy.spareShare.value_or(options.spareShare);
    if (policy.kind == Kind::oracle)
      options.compileAtCall = PolicyOptions::kNever;
    return options;
  }
  Status beginSignature(size_t signature) {
    if (policy.kind != Kind::oracle || hindsight.isBlocking ||
        !hindsight.isCompiled[signature])
      return {};
    return main.compileAhead({&subject.types[signature], 1});
  }

  const StreamBenchmark &subject;
  const StreamPolicy &policy;
  const Hindsight &hindsight;
  TierStore store;
  Engine main, second;
};

/// Waits as a caller that goes on would: a processor that is idle between two
/// streams would count as spare in the second one.
template <typename IsOver> void waitBusily(IsOver isOver) {
  while (!isOver())
    std::this_thread::yield();
}

/// Waits until no other thread of the process runs: a new compiler makes ready
/// what it needs on a thread of its own.
void waitForOtherThreads() {
  auto others = [] { return nsOf(CLOCK_PROCESS_CPUTIME_ID) - threadNs(); };
  double before = -1;
  for (double now = others(); now - before > 20e3; now = others()) {
    before = now;
    waitBusily([pause = Stopwatch()] { return pause.ns() > 2e6; });
  }
}

void waitForBackgroundWork() {
  const auto &queue = tiering::BackgroundQueue::process();
  waitBusily([&] { return queue.waiting() + queue.running() == 0; });
}

using Clock = std::chrono::steady_clock;

double nsBetween(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

/// The time of all calls, and that between them in which something else had the
/// core: what they have in common is the loop around them.
double totalOf(const std::vector<double> &callNs,
               const std::vector<double> &betweenNs) {
  double total = std::accumulate(callNs.begin(), callNs.end(), 0.0);
  const double usualNs = measure::summarize(betweenNs).median;
  for (double ns : betweenNs)
    total += std::max(0.0, ns - usualNs);
  return total;
}

} // namespace

Expected<StreamRun> runStream(const StreamBenchmark &subject,
                              const StreamPolicy &policy,
                              const CallStream &stream,
                              const Hindsight &hindsight) {
  CompileOptions options;
  options.device = subject.device;
  options.kernelCache = false;
  TANDEM_ASSIGN_OR_RETURN(std::shared_ptr<Compiler> compiler,
                          subject.graph->createCompiler(options));
  PolicyEngines engines(subject, policy, hindsight, std::move(compiler));
  waitForOtherThreads();
  StreamRun run;
  run.callNs.reserve(stream.size());
  run.spareCores.reserve(stream.size());
  std::vector<size_t> numbers(subject.types.size());
  std::vector<double> betweenNs;
  auto last = Clock::now();
  for (const StreamCall &call : stream) {
    if (call.gapNs > 0) {
      std::this_thread::sleep_for(
          std::chrono::duration<double, std::nano>(call.gapNs));
      last = Clock::now();
    }
    const size_t number = numbers[call.signature]++;
    run.spareCores.push_back(tiering::SpareCores::process().count());
    const auto start = Clock::now();
    betweenNs.push_back(nsBetween(last, start));
    auto outputs = engines.call(call.signature, number, number == 0);
    last = Clock::now();
    run.callNs.push_back(nsBetween(start, last));
    TANDEM_RETURN_IF_ERROR(outputs);
  }
  run.totalNs = totalOf(run.callNs, betweenNs);
  run.signatures = engines.report();
  waitForBackgroundWork();
  for (const SignatureReport &one : engines.report())
    run.compileNs.push_back(one.compileNs);
  return run;
}

} // namespace tandem::bench
