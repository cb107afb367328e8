//===- Certify.cpp - tandem-run --certify ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certify.h"

#include "Model.h"

#include "common/Format.h"
#include "common/Tiers.h"

#include "engine/certificate/Certificate.h"
#include "tandem/Measure/Sampler.h"

#include <cstdio>
#include <functional>
#include <numeric>

namespace tandem::tools {

using tiering::Certificate;
using tiering::Certifier;

namespace {

/// What a certificate is made of.
struct Parts {
  std::shared_ptr<const Program> eager;
  std::vector<Tensor> inputs;
  Certifier certifier;
  /// Eager as it is, with the operands of jumps, and the compiled program.
  PreparedPtr plain;
  PreparedTier certifying;
  PreparedPtr compiled;
  std::vector<Tensor> eagerOutputs, compiledOutputs;

  Certificate certify() const {
    return certifier.certify(inputs, eagerOutputs, compiledOutputs);
  }
};

Status execute(Executor &executor, std::span<const Tensor> inputs,
               std::vector<Tensor> &outputs) {
  TANDEM_ASSIGN_OR_RETURN(auto there, copyToDevice(inputs, executor.stream()));
  TANDEM_RETURN_IF_ERROR(executor.run(there, outputs));
  TANDEM_ASSIGN_OR_RETURN(outputs, copyToHost(outputs, executor.stream()));
  return {};
}

Expected<Parts> prepare(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened, openGraph(options));
  auto &[graph, inputs] = opened;
  auto eager = graph->eagerProgram();
  const std::vector<TensorType> types = typesOf(inputs);
  CompileOptions compile = options.compile;
  compile.device = options.device;
  GraphTiers tiers(*graph, std::move(compile));
  TANDEM_ASSIGN_OR_RETURN(
      Certifier certifier,
      Certifier::create(eager, types, options.compile.precision));
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr plain, tiers.prepare(types, Tier::eager));
  ExecutorOptions executorOptions;
  executorOptions.stream = &plain->executor->stream();
  executorOptions.libraries.precision = options.compile.precision;
  TANDEM_ASSIGN_OR_RETURN(PreparedTier certifying,
                          interpretTier(certifier.program(), Tier::eager,
                                        std::move(executorOptions)));
  // Memory that eager has freed may hold the very results.
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr compiled,
                          tiers.prepare(types, Tier::compiled));
  return Parts{std::move(eager),
               std::move(inputs),
               std::move(certifier),
               std::move(plain),
               std::move(certifying),
               std::move(compiled),
               {},
               {}};
}

Status runBoth(Parts &parts) {
  TANDEM_RETURN_IF_ERROR(
      execute(*parts.certifying.executor, parts.inputs, parts.eagerOutputs));
  fillAllocations(true);
  Status status =
      execute(*parts.compiled->executor, parts.inputs, parts.compiledOutputs);
  fillAllocations(false);
  return status;
}

/// Reads all inputs and both outputs once, and does next to nothing with them.
Status readAll(const Parts &parts) {
  for (const auto *tensors :
       {&parts.inputs, &parts.eagerOutputs, &parts.compiledOutputs})
    for (const Tensor &tensor : *tensors) {
      const auto *words = tensor.as<uint64_t>();
      const uint64_t all = std::accumulate(words, words + tensor.bytes() / 8,
                                           uint64_t(0), std::bit_xor<>());
      asm volatile("" : : "r"(all) : "memory");
    }
  return {};
}

/// e, c, and what the parts of a certificate take, in alternation.
Status printTimes(const Parts &parts) {
  measure::Sampler sampler;
  std::vector<Tensor> scratch;
  auto add = [&](const char *label, const PreparedTier &tier) {
    sampler.add(label, [&](size_t) {
      return tier.executor->run(parts.inputs, scratch);
    });
  };
  add("e", *parts.plain);
  add("e, certifying", parts.certifying);
  add("c", *parts.compiled);
  sampler.add("comparison", [&](size_t) -> Status {
    const Certificate certificate = parts.certify();
    asm volatile("" : : "r"(&certificate) : "memory");
    return {};
  });
  sampler.add("one pass", [&](size_t) -> Status { return readAll(parts); });
  TANDEM_ASSIGN_OR_RETURN(auto times, sampler.run());
  const char *labels[] = {"e", "e, certifying", "c", "comparison", "one pass"};
  for (size_t i = 0; i < times.size(); ++i)
    std::printf("%-14s %s\n", labels[i], formatSummary(times[i]).c_str());
  const double whole = times[1].median + times[2].median + times[3].median;
  std::printf(
      "certificate    %s, e + 1.2 c + one pass is %s\n",
      formatTime(whole).c_str(),
      formatTime(times[0].median + 1.2 * times[2].median + times[4].median)
          .c_str());
  return {};
}

Status printTolerance(const Certifier &certifier) {
  const tiering::Tolerance &tolerance = certifier.tolerance();
  for (size_t i = 0; i < tolerance.outputs.size(); ++i) {
    const tiering::ValueTolerance &output = tolerance.outputs[i];
    std::printf("output %zu: deviation %.3g of each element, %.3g of all\n", i,
                output.elementwise, output.normwise);
  }
  if (!tolerance.jumps.empty())
    std::printf("jumps: %zu\n", tolerance.jumps.size());
  return {};
}

} // namespace

Expected<bool> certify(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(Parts parts, prepare(options));
  TANDEM_RETURN_IF_ERROR(runBoth(parts));
  TANDEM_RETURN_IF_ERROR(printTolerance(parts.certifier));
  Certificate certificate = parts.certify();
  std::printf("certificate %s\n", certificate.str().c_str());
  if (options.repeat > 0)
    TANDEM_RETURN_IF_ERROR(printTimes(parts));
  if (certificate.verdict != Certificate::Verdict::failed)
    return true;
  TANDEM_ASSIGN_OR_RETURN(
      certificate, parts.certifier.confirm(parts.inputs, parts.eagerOutputs,
                                           parts.compiledOutputs));
  std::printf("by error bounds: %s\n", certificate.str().c_str());
  if (certificate.verdict == Certificate::Verdict::passed ||
      certificate.verdict == Certificate::Verdict::provisional)
    return true;
  TANDEM_ASSIGN_OR_RETURN(auto source, readFile(options.file));
  TANDEM_ASSIGN_OR_RETURN(
      std::string folder,
      tiering::writeReproducer(
          {certificate,
           *parts.eager,
           {reinterpret_cast<const char *>(source.data()), source.size()},
           parts.inputs,
           std::span(parts.eagerOutputs).first(parts.eager->outputs.size()),
           parts.compiledOutputs},
          options.compile.reproducerDir));
  std::printf("reproducer: %s\n", folder.c_str());
  return false;
}

} // namespace tandem::tools
