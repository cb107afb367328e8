//===- Comparison.cpp - One contraction, run every way --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/Comparison.h"

#include "bars/MoveSeries.h"
#include "compare/ComparisonCases.h"
#include "sweep/CompileCost.h"

#include "tandem/Measure/Peak.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/WorkerPlaces.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Target/CPU/KernelMethods.h"
#include "tandem/Target/CPU/MakeCPUOptions.h"

#include <algorithm>

namespace tandem::bench {
namespace {

using measure::Summary;
using tools::PreparedTier;

/// Compilations whose median is C.
constexpr int kCompiles = 3;

/// Whether a library does the contraction.
bool usesLibrary(const Program &program) {
  return std::any_of(
      program.steps.begin(), program.steps.end(), [](const auto &step) {
        return step->kernel < 0 && (step->op->kind == fb::OpKind::conv ||
                                    step->op->kind == fb::OpKind::matmul);
      });
}

/// Whether two programs of one contraction are the same.
bool isSame(const Program &a, const Program &b) {
  return usesLibrary(a) == usesLibrary(b) &&
         std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(),
                    b.kernels.end(), [](const auto &one, const auto &other) {
                      return one->code == other->code;
                    });
}

/// oneDNN's call and its buffers.
struct LibrarySide {
  OneDNNPrimitive call;
  std::vector<Tensor> inputs, targets;
};

/// All that is measured of one contraction. All ways to compute draw their
/// buffers from the same turn, so that each meets data that was last used as
/// long ago as the others', and none what another has just read into a cache.
class Comparison {
public:
  Comparison(const ComparisonCase &comparisonCase, ComparisonResult &result,
             const ComparisonOptions &options)
      : comparisonCase(comparisonCase), result(result), options(options),
        sampler({.budgetNs = options.seconds * 1e9}) {}
  Status prepare();
  Status run();

private:
  Status allocateBuffers(const TensorType &result);
  Status measureCompile();
  Expected<size_t> compile(const TargetOptions &targetOptions);
  Expected<std::optional<size_t>>
  compileGenerated(const TargetOptions &targetOptions);
  Status compileAll();
  Status readPredictions();
  Status check(const std::vector<Tensor> &actual, const std::string &who) const;
  Status addLibrary(Formats formats, std::optional<LibrarySide> &side);
  measure::Sampler::Call callOf(const PreparedTier &tier);
  measure::Sampler::Call callOf(LibrarySide &side);
  size_t add(measure::Sampler::Call call);
  void addPeak(int threads);
  Expected<MoveSeries> addCopy();
  size_t addPrograms();
  void addLibraries();

  const ComparisonCase &comparisonCase;
  ComparisonResult &result;
  const ComparisonOptions &options;
  std::unique_ptr<Graph> graph;
  std::vector<std::vector<Tensor>> inputs;
  Tensor weights;
  tools::PreparedPtr eager;
  std::vector<Tensor> expected;
  /// For each set of inputs what the compiled tier and the library write.
  std::vector<std::vector<Tensor>> outputs;
  std::vector<Tensor> targets;
  /// The next call of any of them.
  size_t turn = 0;
  /// Programs that differ, and which of them is what.
  std::vector<PreparedTier> programs;
  size_t chosen = 0;
  std::optional<size_t> generated;
  std::vector<std::optional<size_t>> methods;
  std::optional<LibrarySide> blocked, plain, own;
  measure::Sampler sampler;
  Targets copyFrom, copyTo;
  /// What the series of the sampler are for.
  std::vector<std::pair<std::optional<Summary> *, size_t>> figures;
};

Status Comparison::prepare() {
  TANDEM_ASSIGN_OR_RETURN(weights, Tensor::allocate(comparisonCase.weights));
  fillRandom(weights, 1);
  TANDEM_ASSIGN_OR_RETURN(Tensor input, Tensor::allocate(comparisonCase.input));
  fillRandom(input, 2);
  inputs.push_back({std::move(input)});
  TANDEM_ASSIGN_OR_RETURN(
      graph, Graph::parseString(comparisonCase.source(hexOf(weights))));
  TANDEM_ASSIGN_OR_RETURN(
      eager, tools::GraphTiers(*graph).prepare({&comparisonCase.input, 1},
                                               tools::Tier::eager));
  TANDEM_RETURN_IF_ERROR(eager->executor->run(inputs[0], expected));
  TANDEM_RETURN_IF_ERROR(allocateBuffers(expected[0].type()));
  // Before there are programs, which hold the weights that are packed for them.
  TANDEM_RETURN_IF_ERROR(measureCompile());
  TANDEM_RETURN_IF_ERROR(compileAll());
  TANDEM_RETURN_IF_ERROR(readPredictions());
  TANDEM_RETURN_IF_ERROR(addLibrary(Formats::ownWeights, blocked));
  TANDEM_RETURN_IF_ERROR(addLibrary(Formats::plain, plain));
  TANDEM_RETURN_IF_ERROR(addLibrary(Formats::own, own));
  if (blocked)
    result.implementation = blocked->call.implementation();
  return {};
}

/// Allocates as many sets of buffers as the caches above the source of the data
/// do not hold; the pages of all have been touched.
Status Comparison::allocateBuffers(const TensorType &result) {
  auto allocateResult = [&]() -> Expected<Tensor> {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(result));
    std::memset(tensor.as<char>(), 0, static_cast<size_t>(tensor.bytes()));
    return tensor;
  };
  size_t sets = InputSets::count(comparisonCase.input.bytes() + result.bytes(),
                                 bytesOfCacheBefore(options.data));
  for (size_t set = inputs.size(); set < sets; ++set) {
    TANDEM_ASSIGN_OR_RETURN(Tensor input,
                            Tensor::allocate(comparisonCase.input));
    fillRandom(input, 2 + set);
    inputs.push_back({std::move(input)});
  }
  for (size_t set = 0; set < sets; ++set) {
    TANDEM_ASSIGN_OR_RETURN(Tensor output, allocateResult());
    outputs.push_back({std::move(output)});
    TANDEM_ASSIGN_OR_RETURN(Tensor target, allocateResult());
    targets.push_back(std::move(target));
  }
  return {};
}

Status Comparison::measureCompile() {
  CompileOptions compile;
  compile.targetOptions = options.targetOptions;
  compile.kernelCache = false; // What it costs is measured, too.
  TANDEM_ASSIGN_OR_RETURN(CompileCost cost,
                          measureWarm(*graph, compile, inputs[0],
                                      /*budgetNs=*/0, kCompiles, kCompiles));
  result.compileNs = cost.total.median;
  return {};
}

/// Returns the number of the program, which may be one that is there already.
Expected<size_t> Comparison::compile(const TargetOptions &targetOptions) {
  CompileOptions compile;
  compile.targetOptions = targetOptions;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                          graph->createCompiler(compile));
  TANDEM_ASSIGN_OR_RETURN(
      PreparedTier prepared,
      tools::compileTier(*compiler, {&comparisonCase.input, 1}));
  for (size_t i = 0; i < programs.size(); ++i)
    if (isSame(*programs[i].program, *prepared.program))
      return i;
  TANDEM_RETURN_IF_ERROR(prepared.executor->run(inputs[0], outputs[0]));
  TANDEM_RETURN_IF_ERROR(check(outputs[0], "the compiled tier"));
  programs.push_back(std::move(prepared));
  return programs.size() - 1;
}

/// The same; nothing where no kernel can be generated.
Expected<std::optional<size_t>>
Comparison::compileGenerated(const TargetOptions &targetOptions) {
  TANDEM_ASSIGN_OR_RETURN(size_t program, compile(targetOptions));
  return usesLibrary(*programs[program].program) ? std::nullopt
                                                 : std::optional(program);
}

Status Comparison::compileAll() {
  TANDEM_ASSIGN_OR_RETURN(chosen, compile(options.targetOptions));
  result.choseGenerated = !usesLibrary(*programs[chosen].program);
  TANDEM_ASSIGN_OR_RETURN(
      generated, compileGenerated(withGeneratedKernels(options.targetOptions)));
  for (const KernelMethod &method : kernelMethods()) {
    TANDEM_ASSIGN_OR_RETURN(std::optional<size_t> program,
                            compileGenerated(method.options));
    // A method that is not possible leaves the choice to the first.
    if (!methods.empty() && program == methods.front())
      program.reset();
    if (program && program == generated)
      result.method = methods.size();
    methods.push_back(program);
  }
  return {};
}

/// What other steps do, such as transposes, is in no estimate.
Status Comparison::readPredictions() {
  if (!generated || programs[*generated].program->steps.size() > 1)
    return {};
  CompileOptions compile;
  compile.targetOptions = options.targetOptions;
  TANDEM_ASSIGN_OR_RETURN(
      auto estimates,
      graph->estimateContractions({&comparisonCase.input, 1}, compile));
  for (const ContractionEstimate &estimate : estimates) {
    result.predictedGeneratedNs = estimate.generatedNs;
    result.predictedLibraryNs = estimate.libraryNs;
  }
  return {};
}

Status Comparison::check(const std::vector<Tensor> &actual,
                         const std::string &who) const {
  // Shapes are too large for error bounds by runs of the reference. Both sides
  // add up K products in f32 and round once; the sum of magnitudes is about
  // sqrt(K) times the largest result.
  if (isInteger(expected[0].dtype()))
    return std::memcmp(expected[0].data(), actual[0].data(),
                       static_cast<size_t>(expected[0].bytes())) == 0
               ? Status()
               : fail("check", who + " differs from eager");
  double elements = double(expected[0].shape().numElements());
  double terms = comparisonCase.flops / (2 * elements);
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

/// Leaves `side` empty where the library has no such call, or one that is not
/// exact: without VNNI, oneDNN saturates sums of two products.
Status Comparison::addLibrary(Formats formats,
                              std::optional<LibrarySide> &side) {
  if (!comparisonCase.library)
    return {};
  Expected<OneDNNPrimitive> call = comparisonCase.library(formats, weights);
  if (!call)
    return {};
  side = LibrarySide{std::move(*call), {}, {}};
  for (size_t set = 0; set < inputs.size(); ++set) {
    TANDEM_ASSIGN_OR_RETURN(Tensor input, side->call.toOwn(inputs[set][0]));
    TANDEM_ASSIGN_OR_RETURN(Tensor target, side->call.roomFor(targets[set]));
    side->inputs.push_back(std::move(input));
    side->targets.push_back(std::move(target));
  }
  TANDEM_RETURN_IF_ERROR(side->call.run(side->inputs[0], side->targets[0]));
  TANDEM_RETURN_IF_ERROR(side->call.fromOwn(side->targets[0], targets[0]));
  Status isRight = check({targets[0]}, "oneDNN");
  if (isRight || !isInteger(expected[0].dtype()))
    return isRight;
  side.reset();
  return {};
}

measure::Sampler::Call Comparison::callOf(const PreparedTier &tier) {
  return [this, executor = tier.executor.get()](size_t) {
    size_t set = turn++ % inputs.size();
    return executor->run(inputs[set], outputs[set]);
  };
}

measure::Sampler::Call Comparison::callOf(LibrarySide &side) {
  return [this, &side](size_t) {
    size_t set = turn++ % inputs.size();
    return side.call.run(side.inputs[set], side.targets[set]);
  };
}

/// What other series have read may have driven the buffers from the cache that
/// they are to come from: they are all used once, untimed, before each sample.
size_t Comparison::add(measure::Sampler::Call call) {
  auto prepare = [this, call] {
    measure::keepWorkersAway();
    if (options.data == DataSource::cache)
      for (size_t set = 0; set < inputs.size(); ++set)
        (void)call(set); // Fails as the timed call does.
  };
  return sampler.add("", call, prepare);
}

/// The most that was seen: a worker that wakes up late shares a processor.
void Comparison::addPeak(int threads) {
  auto measurePeak = [this](size_t) -> Status {
    result.peakFlopsPerNs =
        std::max(result.peakFlopsPerNs,
                 measure::measurePeakFma(isInteger(comparisonCase.weights.dtype)
                                             ? DType::f32
                                             : comparisonCase.weights.dtype));
    return {};
  };
  sampler.add("peak", measurePeak, [threads] {
    setNumThreads(threads);
    measure::keepWorkersAway();
  });
}

/// Adds a copy of half as many bytes as there are, since each is read and
/// written.
Expected<MoveSeries> Comparison::addCopy() {
  const int64_t bytes =
      (inputs[0][0].bytes() + weights.bytes() + targets[0].bytes()) / 2;
  TANDEM_ASSIGN_OR_RETURN(copyFrom, makeTargets(bytes));
  TANDEM_ASSIGN_OR_RETURN(copyTo, makeTargets(bytes));
  return addMoveSeries(
      sampler, "copy",
      [this, bytes](size_t call, measure::Stores stores) {
        measure::copyOnAllThreads(copyTo[call], copyFrom[call],
                                  static_cast<size_t>(bytes), stores);
      },
      measure::keepWorkersAway);
}

/// Returns the series of what is chosen.
size_t Comparison::addPrograms() {
  std::vector<size_t> series;
  for (PreparedTier &program : programs)
    series.push_back(add(callOf(program)));
  if (generated)
    figures.emplace_back(&result.generated, series[*generated]);
  for (size_t i = 0; i < methods.size(); ++i)
    if (methods[i])
      figures.emplace_back(&result.methods[i], series[*methods[i]]);
  return series[chosen];
}

void Comparison::addLibraries() {
  for (auto [figure, side] :
       {std::pair(&result.blocked, &blocked), std::pair(&result.plain, &plain),
        std::pair(&result.own, &own)})
    if (*side)
      figures.emplace_back(figure, add(callOf(**side)));
}

Status Comparison::run() {
  const int threads = numThreads();
  if (generated && threads > 1)
    figures.emplace_back(&result.oneThread,
                         sampler.add("", callOf(programs[*generated]),
                                     [] { setNumThreads(1); }));
  // Always after one thread's figure, so that nobody else gains from threads
  // that are woken to be limited no more.
  addPeak(threads);
  TANDEM_ASSIGN_OR_RETURN(MoveSeries copy, addCopy());
  const size_t taken = addPrograms();
  const size_t beside = add(callOf(*eager));
  addLibraries();
  auto times = sampler.run();
  setNumThreads(threads);
  if (!times)
    return tl::unexpected<Error>(std::move(times.error()));
  result.copyNs = copy.faster(*times).second.median;
  result.chosen = (*times)[taken];
  result.eager = (*times)[beside];
  result.chosenOverEager = sampler.medianRatio(taken, beside);
  for (auto [figure, series] : figures) {
    *figure = (*times)[series];
    if ((figure == &result.generated || figure == &result.blocked) &&
        series != taken)
      result.chosenOverBest =
          std::min(result.chosenOverBest, sampler.medianRatio(series, taken));
  }
  return {};
}

} // namespace

ComparisonResult runComparison(const ComparisonCase &comparisonCase,
                               const ComparisonOptions &options) {
  ComparisonResult result;
  result.list = comparisonCase.list;
  result.name = comparisonCase.name;
  result.flops = comparisonCase.flops;
  result.input = comparisonCase.input;
  result.weights = comparisonCase.weights;
  result.methods.resize(kernelMethods().size());
  Comparison comparison(comparisonCase, result, options);
  Status status = comparison.prepare();
  if (status)
    status = comparison.run();
  if (!status)
    result.error = status.error().str();
  return result;
}

} // namespace tandem::bench
