//===- Contest.cpp - One contraction, run four ways -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contest.h"

#include "WorkerPlaces.h"

#include "tandem/Measure/Peak.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"

#include <algorithm>

namespace tandem::bench {

std::string hexOf(const Tensor &tensor) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto *bytes = tensor.as<unsigned char>();
  auto count = static_cast<size_t>(tensor.bytes());
  std::string text(2 * count, '0');
  for (size_t i = 0; i < count; ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

namespace {

using measure::Summary;
using tools::PreparedTier;

/// Compiles after the first, whose median is the compile time.
constexpr int kCompiles = 3;

/// Whether a library does the contraction.
bool usesLibrary(const Program &program) {
  return std::any_of(
      program.steps.begin(), program.steps.end(), [](const auto &step) {
        return step->kernel < 0 && (step->op->kind == fb::OpKind::conv ||
                                    step->op->kind == fb::OpKind::matmul);
      });
}

/// All that is measured of one contraction. Buffers take turns, two of each.
class Contest {
public:
  Contest(const Contender &contender, ContestResult &result, Winograd winograd)
      : contender(contender), result(result), winograd(winograd) {}
  Status prepare(Contractions contractions);
  Status run(const ContestOptions &options);

private:
  Expected<PreparedTier> compile(Contractions contractions);
  Status compileBoth(Contractions contractions);
  Status readPrices();
  Status check(const std::vector<Tensor> &actual, const std::string &who) const;
  std::optional<LibraryCall> libraryCall(WeightsForm form);
  measure::Sampler::Call callOf(PreparedTier &tier);
  measure::Sampler::Call callOf(LibraryCall &call);

  const Contender &contender;
  ContestResult &result;
  Winograd winograd;
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs[2];
  Tensor weights, targets[2];
  std::vector<Tensor> expected, outputs;
  std::optional<PreparedTier> generated, chosen;
  std::optional<LibraryCall> blocked, plain;
};

Status Contest::prepare(Contractions contractions) {
  TANDEM_ASSIGN_OR_RETURN(weights, Tensor::allocate(contender.weights));
  fillRandom(weights, 1);
  for (int set = 0; set < 2; ++set) {
    TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(contender.input));
    fillRandom(input, 2 + set);
    inputs[set] = {input};
  }
  TANDEM_ASSIGN_OR_RETURN(graph,
                          Graph::parseString(contender.source(hexOf(weights))));
  TANDEM_ASSIGN_OR_RETURN(
      PreparedTier eager,
      prepareTier(*graph, tools::Tier::eager, {&contender.input, 1}));
  TANDEM_RETURN_IF_ERROR(eager.executor->run(inputs[0], expected));
  for (Tensor &target : targets) {
    TANDEM_ASSIGN_OR_RETURN(target, Tensor::allocate(expected[0].type()));
  }
  TANDEM_RETURN_IF_ERROR(compileBoth(contractions));
  TANDEM_RETURN_IF_ERROR(readPrices());
  blocked = libraryCall(WeightsForm::chosen);
  plain = libraryCall(WeightsForm::plain);
  if (blocked) {
    result.implementation = blocked->implementation();
    TANDEM_RETURN_IF_ERROR(blocked->run(inputs[0][0], targets[0]));
    return check({targets[0]}, "oneDNN");
  }
  return {};
}

Expected<PreparedTier> Contest::compile(Contractions contractions) {
  CompileOptions options;
  options.contractions = contractions;
  options.winograd = winograd;
  options.kernelCache = false; // What it costs is measured, too.
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                          graph->createCompiler(options));
  PreparedTier prepared;
  std::vector<double> compiles;
  for (int i = 0; i <= kCompiles; ++i) {
    TANDEM_ASSIGN_OR_RETURN(
        prepared, tools::compileTier(*compiler, {&contender.input, 1}));
    double ns = 0;
    for (const PhaseTime &phase : prepared.phases)
      ns += phase.ns;
    compiles.push_back(ns);
  }
  compiles.erase(compiles.begin());
  result.compileNs = measure::summarize(compiles).median;
  TANDEM_RETURN_IF_ERROR(prepared.executor->run(inputs[0], outputs));
  TANDEM_RETURN_IF_ERROR(check(outputs, "the compiled tier"));
  return prepared;
}

/// What is chosen is what is generated, or the other way.
Status Contest::compileBoth(Contractions contractions) {
  TANDEM_ASSIGN_OR_RETURN(chosen, compile(contractions));
  result.choseGenerated = !usesLibrary(*chosen->program);
  if (result.choseGenerated) {
    generated = std::move(chosen);
    chosen.reset();
    return {};
  }
  TANDEM_ASSIGN_OR_RETURN(PreparedTier other, compile(Contractions::generated));
  if (!usesLibrary(*other.program))
    generated = std::move(other);
  return {};
}

Status Contest::readPrices() {
  CompileOptions options;
  options.winograd = winograd;
  TANDEM_ASSIGN_OR_RETURN(auto estimates, graph->estimateContractions(
                                              {&contender.input, 1}, options));
  for (const ContractionEstimate &estimate : estimates) {
    result.predictedGeneratedNs = estimate.generatedNs;
    result.predictedLibraryNs = estimate.libraryNs;
  }
  return {};
}

Status Contest::check(const std::vector<Tensor> &actual,
                      const std::string &who) const {
  // Shapes are too large for error bounds by runs of the reference. Both sides
  // add up K products in f32 and round once; the sum of magnitudes is about
  // sqrt(K) times the largest result.
  double elements = double(expected[0].shape().numElements());
  double terms = contender.flops / (2 * elements);
  double relative =
      epsilonOf(expected[0].dtype()) + terms * epsilonOf(DType::f32) / 2;
  Difference difference = compareNormwise(expected[0], actual[0], relative);
  if (difference.agrees())
    return {};
  return fail("check", who + " differs from eager in " +
                           std::to_string(difference.mismatches) +
                           " elements, by up to " +
                           std::to_string(difference.maxAbsolute));
}

std::optional<LibraryCall> Contest::libraryCall(WeightsForm form) {
  Expected<LibraryCall> call = contender.library(form, weights);
  if (!call)
    return std::nullopt;
  return std::move(*call);
}

measure::Sampler::Call Contest::callOf(PreparedTier &tier) {
  return [this, executor = tier.executor.get()](size_t call) {
    return executor->run(inputs[call % 2], outputs);
  };
}

measure::Sampler::Call Contest::callOf(LibraryCall &library) {
  return [this, &library](size_t call) {
    return library.run(inputs[call % 2][0], targets[call % 2]);
  };
}

Status Contest::run(const ContestOptions &options) {
  measure::SamplerOptions samplerOptions;
  samplerOptions.budgetNs = options.seconds * 1e9;
  measure::Sampler sampler(samplerOptions);
  const int threads = numThreads();
  const bool hasOneThread = generated && threads > 1;
  if (hasOneThread)
    sampler.add("", callOf(*generated), [] { setNumThreads(1); });
  // The most that was seen: a worker that wakes up late shares a processor. It
  // always comes after one thread's figure, so that nobody else gains from
  // threads that are woken to be limited no more.
  double peak = 0;
  auto measurePeak = [&](size_t) -> Status {
    peak = std::max(peak, measure::measurePeakFma(contender.weights.dtype));
    return {};
  };
  sampler.add("peak", measurePeak, [threads] {
    setNumThreads(threads);
    keepWorkersAway();
  });
  auto add = [&](auto &contestant) -> size_t {
    return contestant ? sampler.add("", callOf(*contestant), keepWorkersAway)
                      : 0;
  };
  const size_t kernel = add(generated), choice = add(chosen),
               own = add(blocked), unpacked = add(plain);
  auto times = sampler.run();
  setNumThreads(threads);
  if (!times)
    return tl::unexpected<Error>(std::move(times.error()));
  auto timeOf = [&](size_t series) {
    return series ? std::optional((*times)[series]) : std::nullopt;
  };
  result.peakFlopsPerNs = peak;
  if (hasOneThread)
    result.oneThread = times->front();
  result.generated = timeOf(kernel);
  result.blocked = timeOf(own);
  result.plain = timeOf(unpacked);
  const size_t taken = result.choseGenerated ? kernel : choice;
  result.chosen = (*times)[taken];
  for (size_t other : {kernel, own})
    if (other && other != taken)
      result.chosenOverBest =
          std::min(result.chosenOverBest, sampler.medianRatio(other, taken));
  return {};
}

} // namespace

std::optional<double>
ContestResult::over(const std::optional<Summary> &other) const {
  if (!generated || !other)
    return std::nullopt;
  return other->median / generated->median;
}

std::optional<double> ContestResult::scaling() const {
  if (!generated || !oneThread)
    return std::nullopt;
  return oneThread->median / generated->median;
}

static std::optional<double> errorOf(double predicted,
                                     const std::optional<Summary> &measured) {
  if (predicted == 0 || !measured)
    return std::nullopt;
  return predicted / measured->median;
}

std::optional<double> ContestResult::generatedError() const {
  return errorOf(predictedGeneratedNs, generated);
}

std::optional<double> ContestResult::libraryError() const {
  return errorOf(predictedLibraryNs, blocked);
}

ContestResult runContest(const Contender &contender,
                         const ContestOptions &options) {
  ContestResult result;
  result.list = contender.list;
  result.name = contender.name;
  result.flops = contender.flops;
  result.input = contender.input;
  result.weights = contender.weights;
  Contest contest(contender, result, options.winograd);
  Status status = contest.prepare(options.contractions);
  if (status)
    status = contest.run(options);
  if (!status)
    result.error = status.error().str();
  return result;
}

} // namespace tandem::bench
