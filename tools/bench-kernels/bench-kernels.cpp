//===- bench-kernels.cpp - Generated CPU kernels against memory speed -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-kernels [THREADS] [NAME] [MIB]: compiles each kernel, runs it on
// buffers that are rotated over MIB (256: beyond the caches), in alternation
// with its yardstick (a memset of its output, or a copy of as many bytes as it
// moves) and, where it has functions, with the same kernel in upstream's
// expansions of them, and prints the medians and their ratios, and the warm
// compile time by phase.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "tandem/InitAll.h"
#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Support/ShapeRules.h"
#include "tandem/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

using namespace mlir;
using namespace tandem::bench;

namespace {

/// Beyond the caches by default.
size_t rotatedBytes = size_t(256) << 20;

/// A kernel, ready to run, and its buffers.
struct Bench {
  tandem::fb::KernelT kernel;
  tandem::LoadedKernels loaded;
  std::vector<size_t> bytes; // of operands, then results
  size_t numOperands = 0;
  std::vector<std::vector<char *>> rotation;
  size_t next = 0;
};

constexpr int kTurn = 5;

double nowNs() {
  using namespace std::chrono;
  return duration<double, std::nano>(steady_clock::now().time_since_epoch())
      .count();
}

void runParallel(int64_t extent, int64_t grain, int threads,
                 llvm::function_ref<void(int64_t, int64_t)> run) {
  if (threads == 1 || extent <= grain)
    return run(0, extent);
  using Range = oneapi::tbb::blocked_range<int64_t>;
  oneapi::tbb::parallel_for(Range(0, extent, grain), [&](const Range &range) {
    run(range.begin(), range.end());
  });
}

bool compile(const Kernel &which, MLIRContext &context, Bench *bench,
             tandem::PhaseTimes &times,
             const tandem::CPUTargetOptions &options = {}) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(which.module, &context);
  if (!module)
    return false;
  tandem::Program program;
  {
    auto kernel = tandem::compileKernelForCPU(*module, options, times);
    if (!kernel) {
      std::fprintf(stderr, "%s\n", kernel.error().str().c_str());
      return false;
    }
    program.kernels.push_back(
        std::make_unique<tandem::fb::KernelT>(std::move(*kernel)));
  }
  tandem::PhaseTimer timer(times, "load");
  auto loaded = tandem::loadCPUKernels(program);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().str().c_str());
    return false;
  }
  if (bench) {
    bench->kernel = *program.kernels[0];
    bench->loaded = *loaded;
  }
  return true;
}

/// The bits of a number of [-1, 1): an f32, or two of the nearest bf16.
uint32_t patternAt(size_t k, bool isBF16) {
  float value = 0.001f * static_cast<float>((k * 7919) % 2000) - 1.0f;
  auto bits = std::bit_cast<uint32_t>(value);
  return isBF16 ? (bits & 0xffff0000) | bits >> 16 : bits;
}

void allocate(const Kernel &which, MLIRContext &context, Bench &bench) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(which.module, &context);
  auto function = *module->getOps<func::FuncOp>().begin();
  size_t total = 0;
  auto visit = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    bench.bytes.push_back(tensor.getNumElements() *
                          tensor.getElementTypeBitWidth() / 8);
    total += bench.bytes.back();
  };
  llvm::for_each(function.getArgumentTypes(), visit);
  bench.numOperands = bench.bytes.size();
  llvm::for_each(function.getResultTypes(), visit);
  bool isBF16 = getElementTypeOrSelf(function.getResultTypes()[0]).isBF16();
  size_t copies = std::clamp<size_t>(rotatedBytes / total, 1, 64);
  for (size_t i = 0; i < copies; ++i) {
    std::vector<char *> set;
    for (size_t bytes : bench.bytes) {
      size_t rounded = (bytes + 4095) / 4096 * 4096;
      auto *data = static_cast<uint32_t *>(std::aligned_alloc(4096, rounded));
      for (size_t k = 0; k < rounded / 4; ++k)
        data[k] = patternAt(k, isBF16);
      set.push_back(reinterpret_cast<char *>(data));
    }
    bench.rotation.push_back(std::move(set));
  }
}

double runKernel(Bench &bench, const tandem::LoadedKernels &loaded,
                 int threads) {
  auto &set = bench.rotation[bench.next++ % bench.rotation.size()];
  void *const *args = reinterpret_cast<void *const *>(set.data());
  double start = nowNs();
  int64_t tasks = threads == 1 ? 1 : tandem::numTasks(bench.kernel);
  tandem::Workspace workspace(tandem::hostDevice().defaultStream());
  if (auto status = workspace.reserve(tasks * bench.kernel.workspace);
      !status) {
    std::fprintf(stderr, "%s\n", status.error().str().c_str());
    std::exit(1);
  }
  tandem::launchKernel(bench.kernel, tandem::functionOf(*loaded[0]), args,
                       tasks, workspace.context().workspace.data());
  return nowNs() - start;
}

/// Moves as many bytes as the kernel: half of them read and half written, or
/// its output written.
double runYardstick(Bench &bench, Yardstick yardstick, int threads) {
  auto &set = bench.rotation[bench.next++ % bench.rotation.size()];
  double start = nowNs();
  constexpr int64_t chunk = 64 << 10;
  size_t total = 0;
  for (size_t bytes : bench.bytes)
    total += bytes;
  if (yardstick == Yardstick::Memset) {
    char *to = set.back();
    int64_t bytes = bench.bytes.back();
    runParallel((bytes + chunk - 1) / chunk, 4, threads,
                [&](int64_t begin, int64_t end) {
                  std::memset(to + begin * chunk, 1,
                              std::min(bytes, end * chunk) - begin * chunk);
                });
    return nowNs() - start;
  }
  // Half of the total is copied within the set: from and to the largest ones.
  static std::vector<char> from(512 << 20, 1);
  static std::vector<char> to(512 << 20, 2);
  int64_t half = total / 2;
  size_t slots = from.size() / std::max<size_t>(half, 1);
  size_t offset = bench.next % slots * half;
  start = nowNs();
  runParallel(
      (half + chunk - 1) / chunk, 4, threads, [&](int64_t begin, int64_t end) {
        std::memcpy(&to[offset + begin * chunk], &from[offset + begin * chunk],
                    std::min(half, end * chunk) - begin * chunk);
      });
  return nowNs() - start;
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

/// The warm compile time of each phase.
void printCompileTime(const Kernel &which, MLIRContext &context) {
  std::vector<std::vector<tandem::PhaseTime>> compiles;
  for (int i = 0; i < 15; ++i) {
    tandem::PhaseTimes times;
    compile(which, context, nullptr, times);
    compiles.push_back(times.take());
  }
  double sum = 0;
  std::printf("    compile, ms:");
  for (size_t p = 0; p < compiles[0].size(); ++p) {
    std::vector<double> samples;
    for (auto &phases : compiles)
      samples.push_back(phases[p].ns);
    sum += median(samples);
    std::printf(" %s %.2f", compiles[0][p].phase.c_str(),
                median(samples) / 1e6);
  }
  std::printf("  sum %.2f\n", sum / 1e6);
}

/// A way of running a kernel, and the times of its runs.
struct Series {
  std::function<double()> run;
  std::vector<double> ns;
  double medianNs() const { return median(ns); }
};

/// In turns of a few calls: a worker that fell asleep wakes in the first.
void takeTurns(llvm::MutableArrayRef<Series> series) {
  double until = nowNs() + 1e9;
  for (int turn = 0; turn < 4 || (nowNs() < until && turn < 60); ++turn)
    for (Series &each : series)
      for (int i = 0; i < kTurn; ++i)
        each.ns.push_back(each.run());
}

void measure(const Kernel &which, MLIRContext &context, int threads) {
  Bench bench, stock;
  tandem::PhaseTimes times;
  tandem::CPUTargetOptions stockOptions;
  stockOptions.stockMath = true;
  if (!compile(which, context, &bench, times) ||
      !compile(which, context, &stock, times, stockOptions))
    return;
  allocate(which, context, bench);
  auto running = [&](const Bench &code, int threads) -> Series {
    return {[&bench, &code, threads] {
              return runKernel(bench, code.loaded, threads);
            },
            {}};
  };
  std::vector<Series> series = {
      running(bench, threads),
      {[&] { return runYardstick(bench, which.yardstick, threads); }, {}},
      running(bench, 1)};
  if (which.hasFunctions) {
    series.push_back(running(stock, threads));
    series.push_back(running(stock, 1));
  }
  takeTurns(series);
  double k = series[0].medianNs(), y = series[1].medianNs(),
         o = series[2].medianNs();
  std::printf("%-14s %8.1f us  %s %8.1f us  ratio %5.2f  scaling %4.2f  "
              "extent %ld grain %ld object %zu\n",
              which.name.c_str(), k / 1e3,
              which.yardstick == Yardstick::Copy ? "copy  " : "memset", y / 1e3,
              k / y, o / k, bench.kernel.extent, bench.kernel.grain,
              bench.kernel.code.size());
  if (which.hasFunctions) {
    double s = series[3].medianNs(), one = series[4].medianNs();
    std::printf("    upstream's functions %.1f us, on one thread %.1f us: "
                "ratio %.2f, on one thread %.2f\n",
                s / 1e3, one / 1e3, k / s, o / one);
  }
  printCompileTime(which, context);
  for (auto &set : bench.rotation)
    for (char *data : set)
      std::free(data);
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  tandem::setNumThreads(threads);
  if (argc > 3)
    rotatedBytes = static_cast<size_t>(std::atoi(argv[3])) << 20;
  DialectRegistry registry;
  tandem::registerCPUTargetDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (const Kernel &which : makeKernels())
    if (argc < 3 || which.name == argv[2])
      measure(which, context, threads);
  return 0;
}
